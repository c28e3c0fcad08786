#include <map>
#include <string>

#include "catch.hpp"
#include "glassformer/checkpoint/checkpoint.hpp"
#include "glassformer/checkpoint/checksums.hpp"
#include "heap_count.hpp"
#include "program/program.hpp"

using namespace glassformer;
using namespace glassformer::program_test;

namespace {

std::string train(int updates) {
  return "train " + config("debug") +
         " --output run --set training.validation.every=10 --set training.max_updates=" + std::to_string(updates);
}

/// The start of a shell command that runs the program on a disk where call number `at` fails and, unless `once`, all
/// later calls fail too. If `at` is 0, no call fails.
std::string with_failing(const std::string& call, int at, bool once, const std::string& below = "/run") {
  return "FAIL_CALL=" + call + " FAIL_AT=" + std::to_string(at) + " FAIL_ONCE=" + (once ? "1" : "0") +
         " FAIL_BELOW=" + below +
         " FAIL_COUNT=count ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD='" GLASSFORMER_FAILING_DISK
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
        if (result.status != 0) {
          CHECK(result.err.find("glassformer: ") != std::string::npos);
        }

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

TEST_CASE("whenever memory runs out, the message says so", "[program]") {
  if (heap_allocations() < 0) {
    return;  // a sanitizer's operator new comes before that of failing_disk
  }
  const Program program;
  REQUIRE(program.run(train(10)).status == 0);
  const std::string explain = "explain run --source 'she sleeps .' --json page.json --html page.html";
  REQUIRE(program.shell(with_failing("new", 0, false) + explain).status == 0);
  const int calls = std::stoi(read_bytes(program / "count"));
  CHECK(calls > 1000);
  for (const bool once : {false, true}) {
    for (int at = 1; at <= calls; at += at < 200 ? 20 : calls / 50) {
      CAPTURE(once, at);
      const auto result = program.shell(with_failing("new", at, once) + explain);
      CAPTURE(result.err);
      if (result.status == 0) {
        continue;  // std::stable_sort works without a buffer
      }
      CHECK(result.status == 1);
      CHECK(result.err.find("memory") != std::string::npos);
    }
  }
}

TEST_CASE("a file that cannot be read is not treated as missing", "[program]") {
  const Program program;
  REQUIRE(program.run(train(20)).status == 0);
  const std::string evaluate = "evaluate run/last --source '" GLASSFORMER_SOURCE_DIR
                               "/data/debug/valid.en' --reference '" GLASSFORMER_SOURCE_DIR "/data/debug/valid.de'";
  for (const std::string file : {"/config.yaml", "/model.safetensors"}) {
    CAPTURE(file);
    const auto result = program.shell(with_failing("stat", 1, false, file) + evaluate);
    CAPTURE(result.err);
    CHECK(result.status == 1);
    CHECK(result.err.find(file) != std::string::npos);
    CHECK(result.err.find("Input/output error") != std::string::npos);
  }
  const auto resumed = program.shell(with_failing("read", 1, false, "/metrics.jsonl") + train(30) + " --resume");
  CAPTURE(resumed.err);
  CHECK(resumed.status == 1);
  CHECK(resumed.err.find("metrics.jsonl: cannot be read") != std::string::npos);
}
