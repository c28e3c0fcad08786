#pragma once

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"

/// Helpers for tests that run the program.
namespace glassformer::program_test {

namespace fs = std::filesystem;
using stand_in::read_bytes;
using stand_in::TemporaryDirectory;
using stand_in::write_bytes;

/// Runs the program as a user does: in a directory of its own, with arguments that the shell parses.
class Program {
 public:
  struct Result {
    int status;
    std::string out, err;
  };

  Result run(const std::string& arguments, const std::string& input = "") const {
    return shell("\"$glassformer\" " + arguments, input);
  }
  /// Runs shell commands; "$glassformer" is the program.
  Result shell(const std::string& commands, const std::string& input = "") const {
    write_bytes(directory_ / ".in", input);
    const int status =
        std::system(("cd '" + directory_.path().string() + "' && glassformer='" GLASSFORMER_PROGRAM "' && { " +
                     commands + "; } <.in >.out 2>.err")
                        .c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_bytes(directory_ / ".out"),
            read_bytes(directory_ / ".err")};
  }
  fs::path operator/(const fs::path& name) const { return directory_ / name; }

 private:
  TemporaryDirectory directory_;
};

inline std::string config(const std::string& name) { return "'" GLASSFORMER_SOURCE_DIR "/configs/" + name + ".yaml'"; }

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Checks for a user error: one line on standard error, nothing on standard output, status 2.
inline void check_refused(const Program::Result& result, const std::string& expected) {
  CAPTURE(result.err);
  CHECK(result.status == 2);
  CHECK(result.out.empty());
  CHECK(result.err.find(expected) != std::string::npos);
  CHECK(result.err.find("glassformer: ") == 0);
  CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
}

}  // namespace glassformer::program_test
