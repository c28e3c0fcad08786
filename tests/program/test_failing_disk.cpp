#include <map>
#include <string>

#include "catch.hpp"
#include "checkpoint/checkpoint.hpp"
#include "checkpoint/checksums.hpp"
#include "program/program.hpp"

using namespace glassformer;
using namespace glassformer::program_test;

namespace {

constexpr int kMostCalls = 400;

std::string train(int updates) {
  return "train " + config("debug") + " --output run --set training.validation.every=10 --set training.max_updates=" +
         std::to_string(updates);
}

/// The program on a disk whose calls fail from this one on.
std::string with_failing(const std::string& call, int at, bool once) {
  return "FAIL_CALL=" + call + " FAIL_AT=" + std::to_string(at) + " FAIL_ONCE=" + (once ? "1" : "0") +
         " FAIL_BELOW=/run ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD='" GLASSFORMER_FAILING_DISK
         "' \"$glassformer\" ";
}

}  // namespace

TEST_CASE("whichever call of a save fails, there is one message, and a sound checkpoint to go on from", "[program]") {
  const Program whole;
  REQUIRE(whole.run(train(20)).status == 0);
  const std::string weights = read_bytes(whole / "run/last/model.safetensors");

  for (const std::string call : {"write", "fsync", "rename"}) {
    for (const bool once : {false, true}) {
      const Program program;
      REQUIRE(program.run(train(10)).status == 0);
      fs::copy(program / "run", program / "begun", fs::copy_options::recursive | fs::copy_options::copy_symlinks);
      int at = 1;
      for (bool failed = true; failed; ++at) {
        CAPTURE(call, once, at);
        REQUIRE(at < kMostCalls);
        fs::remove_all(program / "run");
        fs::copy(program / "begun", program / "run", fs::copy_options::recursive | fs::copy_options::copy_symlinks);
        const auto result = program.shell(with_failing(call, at, once) + train(20) + " --resume");
        failed = result.status != 0;
        if (!failed && once) {  // a failure that does no harm (a line of the log), or no call is left
          failed = result.err.find("cannot") != std::string::npos;
          if (failed) continue;
        }
        CHECK((result.status == 0 || result.status == 1 || result.status == 2));
        if (failed) CHECK(result.err.find("glassformer: ") != std::string::npos);

        const fs::path last = fs::canonical(program / "run/last");
        CHECK(is_checkpoint(last));
        verify_checksums(last, Verify::all);
        const auto resumed = program.run(train(20) + " --resume");
        CAPTURE(resumed.err);
        CHECK(resumed.status == 0);
        CHECK(read_bytes(program / "run/last/model.safetensors") == weights);
      }
      CHECK(at > 3);
    }
  }
}
