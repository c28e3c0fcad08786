#pragma once

#include <atomic>
#include <exception>

namespace glassformer {

/// From now on, Ctrl-C, SIGTERM and SIGHUP (the terminal is closed) only set stop_signal(). A second Ctrl-C ends the
/// program at once; a second SIGTERM does not, because timeout(1) may send two.
void stop_on_signals();
const std::atomic<int>& stop_signal();  ///< 0: none yet
struct Interrupted : std::exception {};
void throw_if_interrupted();  ///< \throws Interrupted once there is a stop_signal()

}  // namespace glassformer
