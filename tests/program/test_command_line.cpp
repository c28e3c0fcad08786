#include <regex>
#include <sstream>
#include <vector>

#include "catch.hpp"
#include "glassformer/numerics/gemm.hpp"
#include "program/program.hpp"

using glassformer::instructions;
using namespace glassformer::program_test;

TEST_CASE("--help lists every command, fits a terminal, and works with help2man", "[program]") {
  const Program program;
  const std::string help = program.run("--help").out;
  CHECK(help.find("\nUsage: glassformer [OPTIONS] SUBCOMMAND\n") != std::string::npos);
  for (const char* command : {"", "train", "evaluate", "translate", "explain", "gradcheck", "benchmark"}) {
    CAPTURE(command);
    CHECK(help.find(std::string("\n  ") + command) != std::string::npos);
    const auto result = program.run(std::string(command) + " --help");
    CHECK(result.status == 0);
    CHECK(result.err.empty());
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) {
      CHECK(line.size() <= 100);
    }
  }
}

TEST_CASE("--version prints the same digest of the arithmetic for all instructions, on every machine",
          "[program][linux]") {
  const Program program;
  const auto expected = [](const std::string& instructions) {
    return "glassformer " GLASSFORMER_VERSION "\ninstructions " + instructions + "\narithmetic   f871d317be4ce341\n";
  };
  CHECK(program.run("--version").out == expected(instructions()));
  CHECK(program.shell("GLASSFORMER_INSTRUCTIONS= \"$glassformer\" --version").out == expected(instructions()));
  const std::string slower = instructions() == "avx512" ? "avx2" : instructions();
  const auto forced = program.shell("GLASSFORMER_INSTRUCTIONS=" + slower + " \"$glassformer\" --version");
  CHECK(forced.out == expected(slower));
  CHECK(forced.status == 0);
}

TEST_CASE("instructions that the program does not have are refused", "[program]") {
  const Program program;
  check_refused(program.shell("GLASSFORMER_INSTRUCTIONS=sse \"$glassformer\" --version"),
                "GLASSFORMER_INSTRUCTIONS: expected " + instructions());
  const auto hidden = program.shell(
      "export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F; GLASSFORMER_INSTRUCTIONS=avx512 \"$glassformer\" --version");
  if (instructions() == "avx512" || instructions() == "avx2") {
    check_refused(hidden, "expected avx2 (what");
  }
}

TEST_CASE("an error names the mistake on the command line, and what was probably meant", "[program]") {
  const Program program;
  check_refused(program.run("trian run --beam 2"), "unknown command trian; did you mean train?");
  check_refused(program.run("export run"), "unknown command export; ");
  check_refused(program.run("train x --ouput=y"), "unknown option --ouput; did you mean --output?");
  check_refused(program.run("evaluate --beem 2"), "unknown option --beem; did you mean --beam?");
  check_refused(program.run("--resume"), "unknown option --resume");
  check_refused(program.run("translate run sentence"), "unexpected argument \"sentence\"");
  check_refused(program.run("translate run other"), "other");
  check_refused(program.run("train x --set training.max_updates 4"), "example --set training.max_updates=4");
  check_refused(program.run("train x --set training.max_updates = 4"), "example --set training.max_updates=VALUE");
  check_refused(program.run("train x --set training.max_updates =4"), "example --set training.max_updates=4");
  check_refused(program.run("train x resume"), "did you mean --resume? See glassformer train");
  check_refused(program.run("train x " + config("debug")), "one config is enough");
  check_refused(program.run("gradcheck x y"), "unexpected argument \"y\"; see glassformer gradcheck --help");
  check_refused(program.run(""), "expected a command (train, evaluate, ");
  check_refused(program.run("train"), "train: config is required; see glassformer train --help");
  check_refused(program.run("explain run"), "explain: --source is required; see glassformer explain --help");
  check_refused(program.run("train toy.yaml --output"), "--output");
}

TEST_CASE("train logs that it runs on OMP_NUM_THREADS threads", "[program]") {
  const Program program;
  CHECK(program.shell("OMP_NUM_THREADS=3 \"$glassformer\" train " + config("debug") + " --output run")
            .err.find(" threads: 3; ") != std::string::npos);
}

#ifndef __clang__  // clang's OpenMP does not print what this test reads
TEST_CASE("train, evaluate and translate run on OMP_NUM_THREADS threads", "[program]") {
  const Program program;
  write_bytes(program / "a.en", "she sleeps .\n");
  write_bytes(program / "a.de", "sie schläft .\n");
  // When several threads first share work, OpenMP makes each of them print its number.
  const std::string threads = "OMP_NUM_THREADS=3 OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT='thread %n of %N' ";
  const std::vector<std::string> commands = {"train " + config("debug") + " --output run", "translate run --input a.en",
                                             "evaluate run --source a.en --reference a.de"};
  for (const std::string& command : commands) {
    const auto result = program.shell(threads + "\"$glassformer\" " + command);
    CAPTURE(command, result.err);
    CHECK(result.status == 0);
    for (const char* thread : {"thread 0 of 3", "thread 1 of 3", "thread 2 of 3"}) {
      CHECK(result.err.find(thread) != std::string::npos);
    }
    CHECK_FALSE(std::regex_search(result.err, std::regex("of [0124-9]\n")));
  }
}
#endif
