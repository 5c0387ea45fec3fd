// Long executions are explored, and followed, deep in calls: on a stack that has room for that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace picket {

constexpr size_t StackReserve = size_t(1) << 20; // bytes that are left when there is said to be no room

/// Calls What on a stack of about as many bytes, and waits for its end. What it throws is thrown here.
void onLargeStack(uint64_t Bytes, const std::function<void()> &What);

/// Of the stack that onLargeStack made for this thread; without limit if it made none.
size_t stackSize();

} // namespace picket
