#include <map>
#include <string>

#include "catch.hpp"
#include "checkpoint/checkpoint.hpp"
#include "program/program.hpp"

using namespace glassformer;
using namespace glassformer::program_test;

namespace {

std::string train(int updates) {
  return "train " + config("debug") + " --output run --set training.validation.every=10 --set training.max_updates=" +
         std::to_string(updates);
}

/// The start of a shell command that runs the program on a disk where call number `at` fails and, unless `once`, all
/// later calls fail too. If `at` is 0, no call fails.
std::string with_failing(const std::string& call, int at, bool once) {
  return "FAIL_CALL=" + call + " FAIL_AT=" + std::to_string(at) + " FAIL_ONCE=" + (once ? "1" : "0") +
         " FAIL_BELOW=/run FAIL_COUNT=count ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD='" GLASSFORMER_FAILING_DISK
         "' \"$glassformer\" ";
}

/// A run of ten updates that can be resumed repeatedly.
class ResumableRun {
 public:
  ResumableRun() {
    REQUIRE(program_.run(train(10)).status == 0);
    copy("run", "begun");
  }

  Program::Result resume_with_failing(const std::string& call, int at, bool once) {
    fs::remove_all(program_ / "run");
    copy("begun", "run");
    return program_.shell(with_failing(call, at, once) + train(20) + " --resume");
  }
  int calls(const std::string& call) {
    REQUIRE(resume_with_failing(call, 0, false).status == 0);
    return std::stoi(read_bytes(program_ / "count"));
  }
  const Program& program() const { return program_; }

 private:
  void copy(const char* from, const char* to) {
    fs::copy(program_ / from, program_ / to, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  }

  Program program_;
};

}  // namespace

TEST_CASE("if a call fails during a save, an error gives a message, and an intact checkpoint remains to resume from",
          "[program]") {
  const Program whole;
  REQUIRE(whole.run(train(20)).status == 0);
  const std::string weights = read_bytes(whole / "run/last/model.safetensors");
  const fs::path best = fs::read_symlink(whole / "run/best");

  ResumableRun resumable;
  const Program& program = resumable.program();
  for (const std::string call : {"write", "fsync", "rename"}) {
    const int calls = resumable.calls(call);
    CHECK(calls > 3);
    for (int at = 1; at <= calls; ++at) {
      for (const bool once : {false, true}) {
        CAPTURE(call, at, once);
        const auto result = resumable.resume_with_failing(call, at, once);
        CAPTURE(result.err);
        CHECK((result.status == 0 || result.status == 1 || result.status == 2));
        if (result.status != 0) CHECK(result.err.find("glassformer: ") != std::string::npos);

        const fs::path last = fs::canonical(program / "run/last");
        CHECK(is_checkpoint(last));
        verify_checksums(last, Verify::all);
        const auto resumed = program.run(train(20) + " --resume");
        CAPTURE(resumed.err);
        CHECK(resumed.status == 0);
        CHECK(read_bytes(program / "run/last/model.safetensors") == weights);
        CHECK(fs::read_symlink(program / "run/best") == best);
      }
    }
  }
}
