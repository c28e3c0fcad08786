#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <future>

#include "program/program.hpp"

using namespace glassformer::program_test;

#ifdef F_SETLEASE  // Linux

TEST_CASE("training refuses a text that changes while its tokenizers are made", "[program]") {
  const Program program;
  REQUIRE(program.run("train " + config("debug") + " --output first --set training.max_updates=1").status == 0);
  fs::copy(fs::canonical(program / "first/last"), program / "model");
  fs::copy(GLASSFORMER_SOURCE_DIR "/data/debug", program / "text");

  // Whoever opens a file on which we have a lease waits until we give it back.
  const auto previous = std::signal(SIGIO, SIG_IGN);  // the system's message that somebody waits
  const int vocabulary = ::open((program / "model/source.vocab.json").c_str(), O_RDWR | O_CLOEXEC);
  if (::fcntl(vocabulary, F_SETLEASE, F_WRLCK) == 0) {
    auto training = std::async(std::launch::async, [&] {
      return program.run("train " + config("debug") + " --output run --set model.from=model --set data.directory=text");
    });
    while (::fcntl(vocabulary, F_GETLEASE) == F_WRLCK &&
           training.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready) {
    }
    for (const char* file : {"text/train.en", "text/train.de"}) {
      std::ofstream(program / file, std::ios::app) << "a\n";
    }
    ::fcntl(vocabulary, F_SETLEASE, F_UNLCK);
    check_refused(training.get(), "text/train.en: the text was changed while training was reading it");
    CHECK_FALSE(fs::exists(program / "run"));
  } else {
    WARN("SKIPPED: this file system has no leases");
  }
  ::close(vocabulary);
  std::signal(SIGIO, previous);
}

#endif
