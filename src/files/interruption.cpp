#include "glassformer/files/interruption.hpp"

#include <csignal>

namespace glassformer {
namespace {

std::atomic<int> received = 0;

}  // namespace

void stop_on_signals() {
  struct sigaction stop {};
  stop.sa_handler = [](int signal) {
    received = signal;
    std::signal(SIGINT, SIG_DFL);  // Ctrl-C then ends the program
  };
  stop.sa_flags = SA_RESTART;  // interrupted reads and writes continue
  for (const int signal : {SIGINT, SIGTERM}) {
    sigaction(signal, &stop, nullptr);  // even if the shell's & disabled them
  }
  struct sigaction hang_up {};
  sigaction(SIGHUP, nullptr, &hang_up);
  if (hang_up.sa_handler != SIG_IGN) {
    sigaction(SIGHUP, &stop, nullptr);  // nohup keeps its effect
  }
}

const std::atomic<int>& stop_signal() { return received; }
void throw_if_interrupted() {
  if (received != 0) {
    throw Interrupted();
  }
}

}  // namespace glassformer
