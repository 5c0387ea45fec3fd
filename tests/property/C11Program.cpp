#include "property/C11Program.h"

#include <algorithm>
#include <cstddef>

namespace picket::testing {

namespace {

using S = C11Statement;

std::string registerName(int Number) { return "r" + std::to_string(Number); }

std::string orderName(S::Order How) {
  static const char *const Names[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst", "relaxed"};
  return std::string("memory_order_") + Names[How];
}

std::string placeOf(const S &Given) {
  if (Given.Location == C11Program::Block)
    return "h";
  const std::string At = std::to_string(Given.Location);
  if (Given.AddressFrom < 0)
    return "&v[" + At + "]";
  return "&v[" + At + (Given.Location ? " - (" : " + (") + registerName(Given.AddressFrom) + " != 0)]";
}

std::string sum(unsigned Value, int From, S::Through Way) {
  if (From < 0)
    return std::to_string(Value);
  const std::string R = registerName(From), And = " + " + std::to_string(Value);
  switch (Way) {
  case S::Plain: return R + And;
  case S::Division: return "(" + R + " * " + R + " + " + R + ") / (" + R + " + 1)" + And;
  case S::Floating: return "(int)((double)" + R + " * 0.5 + (double)" + R + " / 2.0)" + And;
  }
  return "";
}

std::string textOf(const std::vector<S> &Body, const std::string &Indent) {
  std::string Text;
  for (const S &Given : Body) {
    const std::string Into = registerName(Given.Register) + " = ", Where = placeOf(Given), How = orderName(Given.How);
    const std::string Stored = sum(Given.Value, Given.From, Given.Way);
    auto Line = [&](const std::string &What) { Text += Indent + What + "\n"; };
    switch (Given.What) {
    case S::Load:
      if (Given.How == S::NotAtomic)
        Line(Into + "*(int *)(" + Where + ");");
      else
        Line(Into + "atomic_load_explicit(" + Where + ", " + How + ");");
      break;
    case S::Store:
      if (Given.How == S::NotAtomic)
        Line("*(int *)(" + Where + ") = " + Stored + ";");
      else
        Line("atomic_store_explicit(" + Where + ", " + Stored + ", " + How + ");");
      break;
    case S::FetchAdd: Line(Into + "atomic_fetch_add_explicit(" + Where + ", " + Stored + ", " + How + ");"); break;
    case S::Exchange: Line(Into + "atomic_exchange_explicit(" + Where + ", " + Stored + ", " + How + ");"); break;
    case S::CompareSwap:
      Line("e = " + sum(Given.Expected, Given.ExpectedFrom, S::Plain) + ";");
      Line(Into + "atomic_compare_exchange_strong_explicit(" + Where + ", &e, " + Stored + ", " + How +
           ", memory_order_relaxed);");
      break;
    case S::Fence: Line("atomic_thread_fence(" + How + ");"); break;
    case S::Locked:
      Line("pthread_mutex_lock(&m);");
      Text += textOf(Given.Body, Indent);
      Line("pthread_mutex_unlock(&m);");
      break;
    case S::TryLocked:
      Line("if (pthread_mutex_trylock(&m) == 0) {");
      Text += textOf(Given.Body, Indent + "  ");
      Line("  pthread_mutex_unlock(&m);\n" + Indent + "}");
      break;
    case S::Await:
      Line("while (atomic_load_explicit(" + Where + ", " + How + ") != " + std::to_string(Given.Value) + ")\n" +
           Indent + "  ;");
      break;
    case S::Free: Line("free(h);"); break;
    case S::Section:
      Line("__VERIFIER_atomic_begin();");
      Text += textOf(Given.Body, Indent + "  ");
      Line("__VERIFIER_atomic_end();");
      break;
    case S::If:
      Line("if (" + registerName(Given.From) + " == " + std::to_string(Given.Value) + ") {");
      Text += textOf(Given.Body, Indent + "  ");
      Line("}");
      break;
    }
  }
  return Text;
}

class Maker {
public:
  Maker(std::mt19937 &Random, const C11Palette &From) : Random(Random), From(From) {}

  C11Program make() {
    C11Program P;
    const unsigned Threads = pick(3) ? 2 : 3;
    unsigned Left = From.Accesses;
    for (unsigned T = 0; T < Threads && Left; ++T) {
      unsigned Here = std::min(Left, 1 + pick(Threads == 2 ? 4 : 3));
      Left -= Here;
      HasLock = false;
      P.Threads.push_back(makeBody(Here, 0));
    }
    return P;
  }

private:
  unsigned pick(unsigned Choices) { return static_cast<unsigned>(Random()) % Choices; }
  int8_t pickRegister() { return static_cast<int8_t>(pick(C11Program::Registers)); }

  std::vector<S> makeBody(unsigned Accesses, unsigned Depth) {
    std::vector<S> Body;
    while (Accesses) {
      S Next = makeStatement();
      const bool HasBody =
          Next.What == S::Locked || Next.What == S::TryLocked || Next.What == S::If || Next.What == S::Section;
      if (HasBody && Depth >= 2)
        continue;
      // Sections in which something waits are refused.
      if (InSection && (Next.What == S::Section || Next.What == S::Locked || Next.What == S::TryLocked ||
                        Next.What == S::Await || Next.What == S::Free))
        continue;
      if (From.OnlySections && !InSection && !HasBody && Next.What != S::Fence)
        continue;
      if (Next.What == S::Locked || Next.What == S::TryLocked) {
        if (HasLock) // it would wait for itself
          continue;
        HasLock = true;
        --Accesses;
        const unsigned Inside = std::min(Accesses, pick(3));
        Accesses -= Inside;
        Next.Body = makeBody(Inside, Depth + 1);
        HasLock = false;
      } else if (Next.What == S::Section) {
        const unsigned Inside = std::min(Accesses, 1 + pick(3));
        Accesses -= Inside;
        InSection = true;
        Next.Body = makeBody(Inside, Depth + 1);
        InSection = false;
      } else if (Next.What == S::If) {
        if (From.OnlySections && !InSection && Depth >= 1)
          continue;
        const unsigned Inside = std::min(Accesses, 1 + pick(2));
        Accesses -= Inside;
        Next.Body = makeBody(Inside, Depth + 1);
      } else if (Next.What == S::Free) {
        if (HasFree) // a second one is another kind of bug
          continue;
        HasFree = true;
        --Accesses;
      } else if (Next.What != S::Fence) {
        --Accesses;
      }
      Body.push_back(std::move(Next));
    }
    return Body;
  }

  S makeStatement() {
    S Next;
    Next.What = From.Kinds[pick(static_cast<unsigned>(From.Kinds.size()))];
    Next.Location = static_cast<uint8_t>(pick(From.Variables));
    if (From.WithBlock && pick(2) == 0)
      Next.Location = C11Program::Block;
    const bool Reads = Next.What == S::Load || Next.What == S::Await, Writes = Next.What == S::Store;
    do
      Next.How = From.Orders[pick(static_cast<unsigned>(From.Orders.size()))];
    while ((Reads && (Next.How == S::Release || Next.How == S::AcqRel)) ||
           (Writes && (Next.How == S::Acquire || Next.How == S::AcqRel)) ||
           (Next.How == S::NotAtomic && Next.What != S::Load && !Writes));
    if (From.Addresses && Next.Location < 2 && From.Variables > 1 && Next.What != S::Await && pick(4) == 0)
      Next.AddressFrom = pickRegister();
    Next.Register = static_cast<uint8_t>(pickRegister());
    Next.Value = static_cast<uint8_t>(pick(3) ? 1 + pick(2) : 0);
    if (Next.What == S::Await)
      Next.Value = static_cast<uint8_t>(pick(2));
    if (Next.What == S::If || pick(2) == 0)
      Next.From = pickRegister();
    Next.Way = From.Ways[pick(static_cast<unsigned>(From.Ways.size()))];
    if (pick(3) == 0)
      Next.ExpectedFrom = pickRegister();
    Next.Expected = static_cast<uint8_t>(pick(2));
    return Next;
  }

  std::mt19937 &Random;
  const C11Palette &From;
  bool HasLock = false, HasFree = false, InSection = false;
};

/// Bodies that are one step smaller or simpler.
std::vector<std::vector<S>> smaller(const std::vector<S> &Body) {
  std::vector<std::vector<S>> All;
  for (size_t K = 0; K < Body.size(); ++K) {
    auto Without = Body;
    Without.erase(Without.begin() + static_cast<ptrdiff_t>(K));
    All.push_back(Without);
    if (!Body[K].Body.empty()) {
      Without.insert(Without.begin() + static_cast<ptrdiff_t>(K), Body[K].Body.begin(), Body[K].Body.end());
      All.push_back(Without);
    }
    auto Try = [&](auto Change) {
      All.push_back(Body);
      Change(All.back()[K]);
    };
    for (auto &Inside : smaller(Body[K].Body))
      Try([&](S &Simpler) { Simpler.Body = Inside; });
    if (Body[K].AddressFrom >= 0)
      Try([](S &Simpler) { Simpler.AddressFrom = -1; });
    if (Body[K].From >= 0 && Body[K].What != S::If)
      Try([](S &Simpler) { Simpler.From = -1; });
    if (Body[K].ExpectedFrom >= 0)
      Try([](S &Simpler) { Simpler.ExpectedFrom = -1; });
    if (Body[K].Way != S::Plain)
      Try([](S &Simpler) { Simpler.Way = S::Plain; });
    if (Body[K].How != S::Relaxed)
      Try([](S &Simpler) { Simpler.How = S::Relaxed; });
    if (Body[K].What == S::FetchAdd || Body[K].What == S::CompareSwap)
      Try([](S &Simpler) { Simpler.What = S::Exchange; });
  }
  return All;
}

} // namespace

std::string C11Program::text(bool WithResults) const {
  std::string Text = R"(#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_int v[3];
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int out[9];
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
)";
  for (unsigned T = 0; T < Threads.size(); ++T) {
    std::string Results;
    for (unsigned R = 0; R < Registers && WithResults; ++R)
      Results += "  out[" + std::to_string(T * Registers + R) + "] = " + registerName(static_cast<int>(R)) + ";\n";
    Text += "void *t" + std::to_string(T) + "(void *p) {\n  atomic_int *h = p;\n  int r0 = 0, r1 = 0, r2 = 0, e;\n" +
            textOf(Threads[T], "  ") + Results + "  (void)h, (void)r0, (void)r1, (void)r2, (void)e;\n  return 0;\n}\n";
  }
  Text += "int main(void) {\n  pthread_t t[3];\n  void *h = calloc(1, sizeof(int));\n";
  for (unsigned T = 0; T < Threads.size(); ++T)
    Text += "  pthread_create(&t[" + std::to_string(T) + "], 0, t" + std::to_string(T) + ", h);\n";
  for (unsigned T = 0; T < Threads.size(); ++T)
    Text += "  pthread_join(t[" + std::to_string(T) + "], 0);\n";
  return Text + "}\n";
}

C11Program makeC11Program(std::mt19937 &Random, const C11Palette &From) { return Maker(Random, From).make(); }

std::vector<C11Program> shrinks(const C11Program &P) {
  std::vector<C11Program> All;
  for (size_t T = 0; T < P.Threads.size(); ++T) {
    if (P.Threads.size() > 1) {
      All.push_back(P);
      All.back().Threads.erase(All.back().Threads.begin() + static_cast<ptrdiff_t>(T));
    }
    for (auto &Body : smaller(P.Threads[T])) {
      All.push_back(P);
      All.back().Threads[T] = std::move(Body);
    }
  }
  return All;
}

} // namespace picket::testing
