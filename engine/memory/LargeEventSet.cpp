#include "memory/LargeEventSet.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>

namespace picket {

namespace {

constexpr size_t MostReserved = (size_t(1) << 32) * 8 - (1 << 16), LeastReserved = size_t(1) << 26;
constexpr size_t KeptFree = size_t(16) << 20; // bytes that are not given back to the system immediately

uint32_t mix(uint64_t H) {
  H *= 0x9E3779B97F4A7C15ull;
  return static_cast<uint32_t>((H ^ H >> 29) >> 20);
}

} // namespace

EventNodes::EventNodes() : Buckets(1 << 12), Memo(static_cast<Known *>(std::calloc(NumKnown, sizeof(Known)))) {
  if (!Memo)
    throw std::bad_alloc();
  // Address space only: memory is used as nodes are made.
  for (Reserved = MostReserved; Reserved >= LeastReserved; Reserved /= 2) {
    void *Space = mmap(nullptr, Reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (Space != MAP_FAILED) {
      Base = static_cast<uint8_t *>(Space);
      return;
    }
  }
  throw std::bad_alloc();
}

EventNodes::~EventNodes() {
  munmap(Base, Reserved);
  std::free(Memo);
}

size_t EventNodes::bytes() const { return Top * Unit + Buckets.capacity() * sizeof(Ref) + NumKnown * sizeof(Known); }

void EventNodes::growBuckets() {
  std::fill(Buckets.begin(), Buckets.end(), 0);
  Buckets.resize(Buckets.size() * 4);
  for (Ref N = 1; N < Top; N += node(N).Level ? InnerUnits : LeafUnits) {
    Ref &Bucket = Buckets[node(N).Hash & (Buckets.size() - 1)];
    node(N).Next = Bucket;
    Bucket = N;
  }
}

EventNodes::Ref EventNodes::add(unsigned Level, uint32_t Hash, const void *Content, size_t Size) {
  Hash &= (1u << 24) - 1;
  for (Ref N = Buckets[Hash & (Buckets.size() - 1)]; N; N = node(N).Next)
    if (node(N).Hash == Hash && node(N).Level == Level && std::memcmp(node(N).Bits, Content, Size) == 0)
      return N;
  const uint32_t Units = Level ? InnerUnits : LeafUnits;
  if ((size_t(Top) + Units) * Unit > Reserved)
    throw std::bad_alloc();
  const Ref New = Top;
  Top += Units;
  Highest = std::max(Highest, Top);
  Node &N = node(New);
  N.Serial = NextSerial++;
  N.Hash = Hash;
  N.Level = Level & 0xff;
  std::memcpy(N.Bits, Content, Size);
  Ref &Bucket = Buckets[Hash & (Buckets.size() - 1)];
  N.Next = Bucket;
  Bucket = New;
  if (++NumNodes > 2 * Buckets.size() && Buckets.size() < (size_t(1) << 24))
    growBuckets();
  return New;
}

EventNodes::Ref EventNodes::leaf(uint64_t Bits) { return Bits ? add(0, mix(Bits), &Bits, sizeof Bits) : 0; }

EventNodes::Ref EventNodes::inner(unsigned Level, const Ref *Children) {
  uint64_t Any = 0, H = Level;
  for (unsigned K = 0; K < Fan; ++K) {
    Any |= Children[K];
    H = (H ^ Children[K]) * 0xD6E8FEB86659FD93ull;
    H ^= H >> 32;
  }
  return Any ? add(Level, mix(H), Children, Fan * sizeof(Ref)) : 0;
}

void EventNodes::releaseTo(uint32_t Mark) {
  for (Ref N = Mark; N < Top; N += node(N).Level ? InnerUnits : LeafUnits) {
    // The newest are in front.
    Ref &Bucket = Buckets[node(N).Hash & (Buckets.size() - 1)];
    while (Bucket >= Mark)
      Bucket = node(Bucket).Next;
    --NumNodes;
  }
  Top = Mark;
  if ((size_t(Highest) - Top) * Unit > KeptFree) {
    const size_t Page = 4096, From = (Top * Unit + Page - 1) / Page * Page;
    madvise(Base + From, Highest * Unit - From, MADV_DONTNEED);
    Highest = Top;
  }
}

unsigned EventNodes::lastChild(Ref Inner) const {
  unsigned K = Fan - 1;
  while (!childOf(Inner, K))
    --K;
  return K;
}

EventNodes::Ref EventNodes::withoutLastChild(Ref Inner) {
  Ref Children[Fan];
  std::memcpy(Children, children(node(Inner)), sizeof Children);
  Children[lastChild(Inner)] = 0;
  return inner(levelOf(Inner), Children);
}

EventNodes::Ref EventNodes::lift(Ref N, unsigned Level) {
  if (!N)
    return 0;
  for (unsigned Here = levelOf(N); Here < Level; ++Here) {
    const Ref Children[Fan] = {N};
    N = inner(Here + 1, Children);
  }
  return N;
}

EventNodes::Ref EventNodes::lower(Ref N) {
  for (; N && levelOf(N); N = childOf(N, 0))
    for (unsigned K = 1; K < Fan; ++K)
      if (childOf(N, K))
        return N;
  return N;
}

EventNodes::Ref EventNodes::change(Ref N, unsigned Level, EventId E, bool In) {
  if (Level == 0) {
    const uint64_t Bits = N ? bitsOf(N) : 0, Bit = 1ull << (E % 64);
    const uint64_t Changed = In ? Bits | Bit : Bits & ~Bit;
    return Changed == Bits ? N : leaf(Changed);
  }
  Ref Children[Fan];
  for (unsigned K = 0; K < Fan; ++K)
    Children[K] = childAt(N, Level, K);
  const unsigned At = E >> widthOf(Level - 1) & (Fan - 1);
  Ref Child = Children[0];
  if (At != 0 && Child && levelOf(Child) + 1 < Level) // of a smaller set
    Children[0] = lift(Child, Level - 1);
  Child = change(Children[At], Level - 1, E, In);
  if (Child == Children[At] && N && levelOf(N) == Level)
    return N;
  Children[At] = Child;
  return inner(Level, Children);
}

EventNodes::Ref EventNodes::insert(Ref Root, EventId E) {
  unsigned Level = Root ? levelOf(Root) : 0;
  while (E >> widthOf(Level))
    ++Level;
  return change(Root, Level, E, true);
}

EventNodes::Ref EventNodes::erase(Ref Root, EventId E) {
  if (!Root || E >> widthOf(levelOf(Root)))
    return Root;
  return lower(change(Root, levelOf(Root), E, false));
}

bool EventNodes::contains(Ref Root, EventId E) const {
  if (!Root || E >> widthOf(levelOf(Root)))
    return false;
  for (unsigned Level = levelOf(Root); Level; --Level)
    if (!(Root = childOf(Root, E >> widthOf(Level - 1) & (Fan - 1))))
      return false;
  return bitsOf(Root) >> (E % 64) & 1;
}

EventNodes::Known &EventNodes::slotFor(Op What, Ref A, Ref B) {
  const uint64_t H = (A * 0x9E3779B97F4A7C15ull ^ B) * 0xD6E8FEB86659FD93ull + What * 0x2545F4914F6CDD1Dull;
  return Memo[(H ^ H >> 31) >> 20 & (NumKnown - 1)];
}

EventNodes::Ref EventNodes::combineAt(Op What, Ref A, Ref B, unsigned Level) {
  if (A == B)
    return What == Without ? 0 : lift(A, Level);
  if (!A)
    return What == Union ? lift(B, Level) : 0;
  if (!B)
    return What == Common ? 0 : lift(A, Level);
  if (Level == 0) {
    const uint64_t X = bitsOf(A), Y = bitsOf(B);
    return leaf(What == Union ? X | Y : What == Common ? X & Y : X & ~Y);
  }
  if (What != Without && A > B)
    std::swap(A, B);
  Known &Slot = slotFor(What, A, B);
  // The result of a lower node than asked for cannot be in the table: one of the two is of this level.
  if (matches(Slot, What, A, B) && isThere(Slot.Result, Slot.SerialResult))
    return lift(Slot.Result, Level);
  Ref Children[Fan];
  for (unsigned K = 0; K < Fan; ++K)
    Children[K] = combineAt(What, childAt(A, Level, K), childAt(B, Level, K), Level - 1);
  const Ref Result = inner(Level, Children);
  Slot = {A, B, Result, What + 1u, serialOf(A), serialOf(B), serialOf(Result)};
  return Result;
}

EventNodes::Ref EventNodes::combine(Op What, Ref A, Ref B) {
  if (A == B)
    return What == Without ? 0 : A;
  if (!A || !B)
    return What == Union ? (A ? A : B) : What == Common ? 0 : A;
  return lower(combineAt(What, A, B, std::max(levelOf(A), levelOf(B))));
}

bool EventNodes::testAt(Op What, Ref A, Ref B, unsigned Level) {
  if (What == Subset) {
    if (A == B || !A)
      return true;
    if (!B)
      return false;
  } else if (!A || !B || A == B) {
    return A && B;
  }
  if (Level == 0)
    return What == Subset ? !(bitsOf(A) & ~bitsOf(B)) : (bitsOf(A) & bitsOf(B)) != 0;
  Known &Slot = slotFor(What, A, B);
  if (matches(Slot, What, A, B))
    return Slot.Result != 0;
  bool Holds = What == Subset;
  for (unsigned K = 0; K < Fan && Holds == (What == Subset); ++K)
    Holds = testAt(What, childAt(A, Level, K), childAt(B, Level, K), Level - 1);
  Slot = {A, B, Holds, What + 1u, serialOf(A), serialOf(B), 0};
  return Holds;
}

bool EventNodes::test(Op What, Ref A, Ref B) {
  const unsigned Level = std::max(A ? levelOf(A) : 0, B ? levelOf(B) : 0);
  return testAt(What, A, B, Level);
}

EventId EventNodes::first(Ref Root) const {
  EventId From = 0;
  for (unsigned Level = levelOf(Root); Level; --Level)
    for (unsigned K = 0; K < Fan; ++K)
      if (Ref Child = childOf(Root, K)) {
        From += K << widthOf(Level - 1);
        Root = Child;
        break;
      }
  return From + static_cast<EventId>(std::countr_zero(bitsOf(Root)));
}

EventId EventNodes::last(Ref Root) const {
  EventId From = 0;
  for (unsigned Level = levelOf(Root); Level; --Level)
    for (unsigned K = Fan; K-- > 0;)
      if (Ref Child = childOf(Root, K)) {
        From += K << widthOf(Level - 1);
        Root = Child;
        break;
      }
  return From + static_cast<EventId>(std::bit_width(bitsOf(Root)) - 1);
}

} // namespace picket
