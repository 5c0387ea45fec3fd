#include "cat/CatEvents.h"

#include <array>

namespace picket::cat {

namespace {

struct Named {
  std::string_view Name;
  BaseName Base;
};

constexpr std::array Everywhere = {
    Named{"po", BaseName::Po},     Named{"loc", BaseName::Loc},   Named{"int", BaseName::Int},
    Named{"ext", BaseName::Ext},   Named{"id", BaseName::Id},     Named{"addr", BaseName::Addr},
    Named{"data", BaseName::Data}, Named{"ctrl", BaseName::Ctrl}, Named{"amo", BaseName::Amo},
    Named{"lxsx", BaseName::Lxsx}, Named{"rf", BaseName::Rf},     Named{"co", BaseName::Co},
    Named{"fr", BaseName::Fr},     Named{"R", BaseName::R},       Named{"W", BaseName::W},
    Named{"M", BaseName::M},       Named{"F", BaseName::F},       Named{"IW", BaseName::IW},
    Named{"FW", BaseName::FW},     Named{"EX", BaseName::EX},
};
constexpr std::array OfX86 = {Named{"X", BaseName::X}, Named{"MFENCE", BaseName::FullFence},
                              Named{"SFENCE", BaseName::StoreFence}, Named{"LFENCE", BaseName::LoadFence}};
constexpr std::array OfPpc = {Named{"SYNC", BaseName::FullFence}, Named{"LWSYNC", BaseName::LightFence},
                              Named{"EIEIO", BaseName::StoreFence}, Named{"ISYNC", BaseName::InstructionFence}};
constexpr std::array OfAArch64 = {
    Named{"X", BaseName::X},
    Named{"A", BaseName::Acquire},
    Named{"Q", BaseName::AcquirePC},
    Named{"L", BaseName::Release},
    Named{"NoRet", BaseName::NoRet},
    Named{"CAS", BaseName::Cas},
    Named{"SWP", BaseName::Swp},
    Named{"ISB", BaseName::InstructionFence},
    Named{"pick-addr", BaseName::PickAddr},
    Named{"pick-data", BaseName::PickData},
    Named{"pick-ctrl", BaseName::PickCtrl},
    Named{"compared", BaseName::Compared},
    Named{"DMB.SY", BaseName::FullFence},
    Named{"DMB.ISH", BaseName::FullFence},
    Named{"DMB.OSH", BaseName::FullFence},
    Named{"DMB.NSH", BaseName::FullFence},
    Named{"DMB.LD", BaseName::LoadFence},
    Named{"DMB.ISHLD", BaseName::LoadFence},
    Named{"DMB.OSHLD", BaseName::LoadFence},
    Named{"DMB.NSHLD", BaseName::LoadFence},
    Named{"DMB.ST", BaseName::StoreFence},
    Named{"DMB.ISHST", BaseName::StoreFence},
    Named{"DMB.OSHST", BaseName::StoreFence},
    Named{"DMB.NSHST", BaseName::StoreFence},
    Named{"DSB.SY", BaseName::FullDsb},
    Named{"DSB.ISH", BaseName::FullDsb},
    Named{"DSB.OSH", BaseName::FullDsb},
    Named{"DSB.NSH", BaseName::FullDsb},
    Named{"DSB.LD", BaseName::LoadDsb},
    Named{"DSB.ISHLD", BaseName::LoadDsb},
    Named{"DSB.OSHLD", BaseName::LoadDsb},
    Named{"DSB.NSHLD", BaseName::LoadDsb},
    Named{"DSB.ST", BaseName::StoreDsb},
    Named{"DSB.ISHST", BaseName::StoreDsb},
    Named{"DSB.OSHST", BaseName::StoreDsb},
    Named{"DSB.NSHST", BaseName::StoreDsb},
};
constexpr std::array OfC11 = {Named{"A", BaseName::Atomic},    Named{"RLX", BaseName::Relaxed},
                              Named{"ACQ", BaseName::Acquire}, Named{"REL", BaseName::Release},
                              Named{"SC", BaseName::SeqCst},   Named{"ACQ_REL", BaseName::AcqRel},
                              Named{"RMW", BaseName::X}};

template <typename Visitor> void forEachName(Architecture A, Visitor Visit) {
  auto All = [&](const auto &Names) {
    for (const Named &N : Names)
      Visit(N);
  };
  All(Everywhere);
  switch (A) {
  case Architecture::X86: return All(OfX86);
  case Architecture::PPC: return All(OfPpc);
  case Architecture::AArch64: return All(OfAArch64);
  case Architecture::C11: return All(OfC11);
  }
}

} // namespace

std::optional<BaseName> baseNamed(std::string_view Name, Architecture A) {
  std::optional<BaseName> Found;
  forEachName(A, [&](const Named &N) {
    if (N.Name == Name)
      Found = N.Base;
  });
  return Found;
}

std::vector<std::string_view> baseNames(Architecture A) {
  std::vector<std::string_view> Names;
  forEachName(A, [&](const Named &N) { Names.push_back(N.Name); });
  return Names;
}

bool isRelation(BaseName Base) { return Base < BaseName::R; }

void EventTable::reset(uint32_t Events) {
  Count = Events;
  for (size_t K = 0; K < NumBases; ++K)
    Of[K].reset(Events, isRelation(static_cast<BaseName>(K)));
}

} // namespace picket::cat
