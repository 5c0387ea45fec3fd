#include "cat/CatLibrary.h"

#include <array>

namespace picket::cat {

std::string_view standardLibrary() {
  return R"(
let emptyset = domain 0
let Exp = M
let NExp = emptyset
let po-loc = po & loc
let same-loc = loc
let rfi = rf & int
let rfe = rf & ext
let coi = co & int
let coe = co & ext
let fri = fr & int
let fre = fr & ext
let rmw = amo | lxsx
let same-instance = id | amo | amo^-1
let si = same-instance
let sm = id
let co0 = loc & (IW * (W \ IW))
let toid(s) = [s]
let fencerel(f) = (po & (_ * f)); po
let ctrlcfence(c, f) = (c & (_ * f)); po
)";
}

namespace {

constexpr std::string_view Coherence = R"("coherence is enumerated by the explorer"
let invrf = rf^-1
let ca = co | fr
)";

constexpr std::string_view X86Fences = R"("fences of x86"
let mfence = try fencerel(MFENCE) with 0
let sfence = try fencerel(SFENCE) with 0
let lfence = try fencerel(LFENCE) with 0
)";

constexpr std::string_view PpcFences = R"("fences of POWER"
let sync = try fencerel(SYNC) with 0
let lwsync = try fencerel(LWSYNC) with 0
let eieio = try fencerel(EIEIO) with 0
let isync = try fencerel(ISYNC) with 0
let ctrlisync = try ctrlcfence(ctrl, ISYNC) with 0
)";

constexpr std::string_view ArmFences = R"("fences of ARM before AArch64"
let dmb = 0
let dsb = 0
let dmb.st = 0
let dsb.st = 0
let isb = 0
let ctrlisb = 0
)";

constexpr std::string_view AArch64Fences = R"("fences of AArch64"
let A = try A with emptyset
let Q = try Q with emptyset
let L = try L with emptyset
let NoRet = try NoRet with emptyset
let ISB = try ISB with emptyset
let dmb.full = try DMB.SY with emptyset
let dmb.ld = try DMB.LD with emptyset
let dmb.st = try DMB.ST with emptyset
let dsb.full = try DSB.SY with emptyset
let dsb.ld = try DSB.LD with emptyset
let dsb.st = try DSB.ST with emptyset
let dmb.sy = fencerel(dmb.full)
let dsb.sy = fencerel(dsb.full)
let isb = fencerel(ISB)
let ctrlisb = ctrlcfence(ctrl, ISB)
)";

constexpr std::string_view AllFences = R"("fences of all architectures"
include "x86fences.cat"
include "armfences.cat"
include "ppcfences.cat"
include "aarch64fences.cat"
)";

constexpr std::string_view Filters = R"("relations between events of two kinds"
let A = (try X with emptyset) | (try A with emptyset)
let P = M \ A
let RR(r) = r & (R * R)
let RW(r) = r & (R * W)
let RM(r) = r & (R * M)
let WR(r) = r & (W * R)
let WW(r) = r & (W * W)
let WM(r) = r & (W * M)
let MR(r) = r & (M * R)
let MW(r) = r & (M * W)
let MM(r) = r & (M * M)
let AA(r) = r & (A * A)
let AP(r) = r & (A * P)
let PA(r) = r & (P * A)
let PP(r) = r & (P * P)
let AM(r) = r & (A * M)
let MA(r) = r & (M * A)
let noid(r) = r \ id
let atom = [A]
)";

constexpr std::array Texts = {
    LibraryText{"stdlib.cat", "", true},
    LibraryText{"cos.cat", Coherence, true},
    LibraryText{"cos-opt.cat", Coherence, true},
    LibraryText{"cos-no-opt.cat", Coherence, true},
    LibraryText{"cross.cat", "", true},
    LibraryText{"x86fences.cat", X86Fences},
    LibraryText{"ppcfences.cat", PpcFences},
    LibraryText{"armfences.cat", ArmFences},
    LibraryText{"aarch64fences.cat", AArch64Fences},
    LibraryText{"fences.cat", AllFences},
    LibraryText{"filters.cat", Filters},
};

} // namespace

const LibraryText *libraryText(std::string_view Name) {
  for (const LibraryText &T : Texts)
    if (T.Name == Name)
      return &T;
  return nullptr;
}

} // namespace picket::cat
