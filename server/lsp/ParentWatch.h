// Ends the server when the editor that started it is gone, even if its pipes stay open.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>

namespace picket {

/// Watches a process. When it ends, `CleanUp` is called and this process exits with code 1. `Leaving` ends the watch.
/// The thread is not started if there is no such process.
std::thread watchParent(std::optional<int64_t> Process, const std::atomic<bool> &Leaving,
                        std::function<void()> CleanUp);

} // namespace picket
