// Large stacks: long executions are explored, and replayed, deep in calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace picket {

constexpr size_t StackReserve = size_t(1) << 20; // bytes that are left when the stack counts as full

/// Calls What on a stack of about as many bytes, and waits for its end. What it throws is thrown here.
void onLargeStack(uint64_t Bytes, const std::function<void()> &What);

/// The size of the stack that onLargeStack made for this thread; without limit if it made none.
size_t stackSize();

} // namespace picket
