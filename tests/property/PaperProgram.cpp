#include "property/PaperProgram.h"

#include <algorithm>
#include <cstddef>

namespace picket::testing {

namespace {

using I = PaperInstruction;

PaperExpression constant(int Value) { return {false, Value}; }
PaperExpression reg(int Number) { return {true, Number}; }

/// Writes a program both ways.
class Writer {
public:
  explicit Writer(std::mt19937 &Random) : Random(Random) {}

  PaperProgram program(bool Loops) {
    line("typedef unsigned long pthread_t;");
    line("int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);");
    line("int pthread_join(pthread_t, void **);");
    line("volatile int v[3];");
    const unsigned Looping = Loops ? below(2) : 2;
    for (unsigned T = 0; T < 2; ++T) {
      Thread = {{}, 1, 2, 0};
      line("int sink" + std::to_string(T) + ";");
      line("void *t" + std::to_string(T) + "(void *p) { int r = 0, q = 0;");
      for (unsigned K = T == Looping ? 1 : 2 + below(2); K > 0; --K)
        statement();
      if (T == Looping)
        loop();
      for (unsigned K = 1 + below(T == Looping ? 1 : 3); K > 0; --K)
        statement();
      line("sink" + std::to_string(T) + " = 16 * r + q; return p; }");
      Thread.Last = Thread.States - 1;
      Written.Threads.push_back(Thread);
      Written.ProgramStates.push_back(Thread.States);
      Written.ProgramRegisters.push_back(Thread.Registers);
    }
    line("int main(void) { pthread_t a, b; v[0] = v[1] = v[2] = 0;");
    line("pthread_create(&a, 0, t0, 0); pthread_create(&b, 0, t1, 0);");
    line("pthread_join(a, 0); pthread_join(b, 0); return 0; }");
    return Written;
  }

private:
  unsigned below(unsigned N) { return static_cast<unsigned>(Random() % N); }
  void line(const std::string &Code) {
    Written.Text += Code + "\n";
    ++Lines;
  }
  int at() const { return Thread.States - 1; } // the control state that is the last so far
  void add(I What) {
    What.Line = Lines;
    Thread.Instructions.push_back(What);
  }

  void load() {
    const int Address = static_cast<int>(below(3)), Register = static_cast<int>(below(2));
    line(std::string(Register ? "q" : "r") + " = v[" + std::to_string(Address) + "];");
    add({I::Load, at(), at() + 1, constant(Address), {}, Register});
    ++Thread.States;
  }
  void store() {
    const int Address = static_cast<int>(below(3)), Value = 1 + static_cast<int>(below(2));
    const bool OfRegister = below(4) == 0;
    line("v[" + std::to_string(Address) + "] = " + (OfRegister ? "r" : std::to_string(Value)) + ";");
    add({I::Store, at(), at() + 1, constant(Address), OfRegister ? reg(0) : constant(Value)});
    ++Thread.States;
  }
  void guarded() {
    const int Address = static_cast<int>(below(3)), Value = static_cast<int>(below(3));
    line("if (r == " + std::to_string(Value) + ") v[" + std::to_string(Address) + "] = 2;");
    add({I::Assume, at(), at() + 1, reg(0), constant(Value), 0, true});
    add({I::Assume, at(), at() + 2, reg(0), constant(Value), 0, false});
    ++Thread.States;
    add({I::Store, at(), at() + 1, constant(Address), constant(2)});
    ++Thread.States;
  }
  void statement() {
    switch (below(8)) {
    case 0: return guarded();
    case 1:
      line("__sync_synchronize();");
      add({I::Fence, at(), at() + 1, {}});
      ++Thread.States;
      return;
    case 2:
    case 3:
    case 4: return load();
    default: return store();
    }
  }
  void loop() {
    const int Head = at(), Value = static_cast<int>(below(3));
    line("do {");
    store();
    load();
    line("} while (r == " + std::to_string(Value) + ");");
    add({I::Assume, at(), Head, reg(0), constant(Value), 0, true});
    add({I::Assume, at(), at() + 1, reg(0), constant(Value), 0, false});
    ++Thread.States;
  }

  std::mt19937 &Random;
  PaperProgram Written;
  PaperThread Thread;
  int Lines = 0;
};

} // namespace

PaperProgram makePaperProgram(std::mt19937 &Random, bool Loops) { return Writer(Random).program(Loops); }

static PaperPath makePathFrom(std::mt19937 &Random, const PaperThread &T, size_t First) {
  constexpr size_t Longest = 9, MostStores = 3;
  PaperPath Path{First}, Good;
  for (size_t NumStores = 1; Path.size() < Longest && NumStores <= MostStores;) {
    std::vector<size_t> Next;
    for (size_t K = 0; K < T.Instructions.size(); ++K)
      if (T.Instructions[K].From == T.Instructions[Path.back()].To && T.Instructions[K].What != I::Fence)
        Next.push_back(K);
    if (Next.empty())
      break;
    Path.push_back(Next[Random() % Next.size()]);
    NumStores += T.Instructions[Path.back()].What == I::Store;
    if (T.Instructions[Path.back()].What == I::Load && (Good.empty() || Random() % 2))
      Good = Path;
  }
  return Good;
}

PaperPath makePath(std::mt19937 &Random, const PaperThread &T) {
  std::vector<size_t> Stores;
  for (size_t K = 0; K < T.Instructions.size(); ++K)
    if (T.Instructions[K].What == I::Store)
      Stores.push_back(K);
  if (Stores.empty())
    return {};
  PaperPath Good;
  for (int Tries = 0; Tries < 4 && Good.empty(); ++Tries)
    Good = makePathFrom(Random, T, Stores[Random() % Stores.size()]);
  return Good;
}

PaperThread extend(const PaperThread &T, const PaperPath &Path) {
  PaperThread New = T;
  std::vector<int> StoreLines;
  const int FirstRegister = T.Registers;
  auto ArOf = [&](size_t J) { return FirstRegister + 2 * static_cast<int>(J); }; // the J-th store's, from 0
  auto VrOf = [&](size_t J) { return ArOf(J) + 1; };
  auto Add = [&](I What, int From, int To) {
    What.From = From;
    What.To = To;
    New.Instructions.push_back(What);
  };
  /// Recreates the stores from the first one on, and goes to a state; `Fenced`: with a fence after the first.
  auto Flush = [&](int From, size_t Count, bool Fenced, int To) {
    int At = From;
    for (size_t J = 0; J < Count; ++J) {
      const bool IsLast = J + 1 == Count && !(Fenced && J == 0);
      const int Next = IsLast ? To : New.States++;
      Add({I::Store, 0, 0, reg(ArOf(J)), reg(VrOf(J)), 0, true, StoreLines[J]}, At, Next);
      At = Next;
      if (Fenced && J == 0) {
        const int Behind = Count == 1 ? To : New.States++;
        Add({I::Fence, 0, 0, {}}, At, Behind);
        At = Behind;
      }
    }
  };
  std::vector<int> Q{T.Instructions[Path.front()].From}; // q0, q1, ...
  std::vector<size_t> Counts{0};                         // stores up to there
  for (size_t K : Path) {
    const I &Here = T.Instructions[K];
    const int From = Q.back(), To = New.States++;
    size_t Count = Counts.back();
    switch (Here.What) {
    case I::Store: {
      const int Between = New.States++;
      Add({I::Assign, 0, 0, Here.A, {}, ArOf(Count)}, From, Between);
      Add({I::Assign, 0, 0, Here.B, {}, VrOf(Count)}, Between, To);
      StoreLines.push_back(Here.Line);
      ++Count;
      break;
    }
    case I::Load: {
      int Check = From;
      for (size_t J = Count; J-- > 0;) {
        const int Found = New.States++, Next = New.States++;
        Add({I::Assume, 0, 0, reg(ArOf(J)), Here.A, 0, true}, Check, Found);
        Add({I::Assume, 0, 0, reg(ArOf(J)), Here.A, 0, false}, Check, Next);
        Add({I::Assign, 0, 0, reg(VrOf(J)), {}, Here.Register}, Found, To);
        Check = Next;
      }
      Add(Here, Check, To);
      break;
    }
    default: Add(Here, From, To);
    }
    Q.push_back(To);
    Counts.push_back(Count);
  }
  const size_t N = Path.size();
  Flush(Q[N], Counts[N], false, T.Instructions[Path.back()].To);
  for (size_t K = 1; K < N; ++K) {
    // Whoever leaves the path makes its stores visible first. The state in front of the (K+1)-th instruction is q_K.
    for (size_t Other = 0; Other < T.Instructions.size(); ++Other)
      if (T.Instructions[Other].From == T.Instructions[Path[K]].From && Other != Path[K]) {
        const int Before = New.States++;
        Flush(Q[K], Counts[K], false, Before);
        Add(T.Instructions[Other], Before, T.Instructions[Other].To);
      }
    // Whoever has executed a load, or the first store only, may have the first store reach memory there. The paper says
    // that this leads back in front of the load; its invariants (Inv-1) need the state behind it.
    if (K == 1 || T.Instructions[Path[K - 1]].What == I::Load)
      Flush(Q[K], Counts[K], true, T.Instructions[Path[K - 1]].To);
  }
  New.Registers += 2 * static_cast<int>(Counts[N]);
  New.Instructions.erase(New.Instructions.begin() + static_cast<std::ptrdiff_t>(Path.front()));
  return New;
}

namespace {

struct State {
  std::vector<int> Pcs, Memory = {0, 0, 0};
  std::vector<std::vector<int>> Registers;
  std::vector<std::vector<std::pair<int, int>>> Buffers; // oldest first
  auto operator<=>(const State &) const = default;
};

int valueOf(const State &S, size_t T, const PaperExpression &E) {
  return E.IsRegister ? S.Registers[T][static_cast<size_t>(E.Number)] : E.Number;
}

/// The state behind an instruction, if it can be executed.
bool step(State &S, size_t T, const I &What, size_t MostBuffered) {
  auto &Buffer = S.Buffers[T];
  switch (What.What) {
  case I::Store: {
    const std::pair Stored(valueOf(S, T, What.A), valueOf(S, T, What.B));
    if (MostBuffered == 0)
      S.Memory[static_cast<size_t>(Stored.first)] = Stored.second;
    else if (Buffer.size() < MostBuffered)
      Buffer.push_back(Stored);
    else
      return false;
    break;
  }
  case I::Load: {
    const int Address = valueOf(S, T, What.A);
    auto Own = std::find_if(Buffer.rbegin(), Buffer.rend(), [&](auto &Entry) { return Entry.first == Address; });
    S.Registers[T][static_cast<size_t>(What.Register)] =
        Own == Buffer.rend() ? S.Memory[static_cast<size_t>(Address)] : Own->second;
    break;
  }
  case I::Fence:
    if (!Buffer.empty())
      return false;
    break;
  case I::Assign: S.Registers[T][static_cast<size_t>(What.Register)] = valueOf(S, T, What.A); break;
  case I::Assume:
    if ((valueOf(S, T, What.A) == valueOf(S, T, What.B)) != What.Equal)
      return false;
    break;
  }
  S.Pcs[T] = What.To;
  return true;
}

} // namespace

PaperStates reach(const PaperProgram &P, size_t MostBuffered) {
  constexpr size_t TooMany = 150'000;
  State Start;
  for (const PaperThread &T : P.Threads) {
    Start.Pcs.push_back(0);
    Start.Registers.emplace_back(static_cast<size_t>(T.Registers));
    Start.Buffers.emplace_back();
  }
  std::set<State> Seen{Start};
  std::vector<const State *> Work{&*Seen.begin()};
  PaperStates Result;
  auto Go = [&](State Next) {
    if (auto [Where, IsNew] = Seen.insert(std::move(Next)); IsNew)
      Work.push_back(&*Where);
  };
  while (!Work.empty()) {
    if (Seen.size() > TooMany) {
      Result.Complete = false;
      break;
    }
    const State &Here = *Work.back();
    Work.pop_back();
    bool IsOfProgram = true, HasEnded = true;
    PaperState Known = Here.Memory;
    for (size_t T = 0; T < P.Threads.size(); ++T) {
      IsOfProgram &= Here.Buffers[T].empty() && Here.Pcs[T] < P.ProgramStates[T];
      HasEnded &= Here.Pcs[T] == P.Threads[T].Last;
      Known.push_back(Here.Pcs[T]);
      Known.insert(Known.end(), Here.Registers[T].begin(), Here.Registers[T].begin() + P.ProgramRegisters[T]);
      for (const I &What : P.Threads[T].Instructions)
        if (State Next = Here; What.From == Here.Pcs[T] && step(Next, T, What, MostBuffered))
          Go(std::move(Next));
      if (!Here.Buffers[T].empty()) {
        State Next = Here;
        Next.Memory[static_cast<size_t>(Next.Buffers[T].front().first)] = Next.Buffers[T].front().second;
        Next.Buffers[T].erase(Next.Buffers[T].begin());
        Go(std::move(Next));
      }
    }
    if (IsOfProgram)
      Result.All.insert(Known);
    if (IsOfProgram && HasEnded)
      Result.Last.insert(Known);
  }
  return Result;
}

} // namespace picket::testing
