#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "catch.hpp"
#include "mpirun.hpp"
#include "program.hpp"

using namespace glassformer;
using namespace program_test;

namespace {

std::string ranks(int count) { return mpirun() + "-n " + std::to_string(count) + " "; }

/// Provides a text "few" to validate on, which takes less time than the toy's.
class RanksProgram : public Program {
 public:
  RanksProgram() {
    REQUIRE(
        shell("for l in en de; do head -n 20 '" GLASSFORMER_SOURCE_DIR "/data/toy/valid.'$l >few.$l; done").status ==
        0);
  }
};

/// A small training run: summing its gradients takes several segments, and its batches have more sentences than shards.
std::string train(const std::string& run, const std::string& more = "") {
  return "\"$glassformer\" train " + config("toy") + " --output " + run +
         " --set data.train=valid --set data.valid=\"$PWD/few\" --set training.max_tokens=400"
         " --set training.max_epochs=0 --set training.log_every=1"
         " --set training.max_updates=6 --set training.validation.every=3 --set training.validation.unit=updates"
         " --set training.schedule.warmup=5 --set training.checkpoints.average=0 --set decoding.max_length_ratio=0.1 " +
         more;
}

std::string weight_bytes(const fs::path& run) { return read_bytes(run / "last/model.safetensors"); }

/// The numbers of a run's metrics that do not depend on time.
std::vector<double> figures(const fs::path& run) {
  std::vector<double> found;
  std::istringstream lines(read_bytes(run / "metrics.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line);
    for (const char* key : {"update", "epoch", "loss", "perplexity", "gradient_norm", "padding_share", "bleu"}) {
      if (json.contains(key)) {
        found.push_back(json.at(key));
      }
    }
  }
  return found;
}

Index occurrences(const std::string& text, const std::string& part) {
  Index found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

/// Checks for one message, from one rank, and status 2; mpirun prints more.
void check_one_message(const Program::Result& result, const std::string& expected) {
  CAPTURE(result.err);
  CHECK(result.status == 2);
  CHECK(result.err.find(expected) != std::string::npos);
  CHECK(occurrences(result.err, "glassformer: ") == 1);
}

}  // namespace

TEST_CASE("weights and figures have the same bits on 1, 2, 3 and 4 ranks, and without mpirun", "[program][mpi]") {
  if (!can_start_ranks()) {
    return;
  }
  const RanksProgram program;
  const std::string more = GENERATE("", "--set training.optimizer.kind=muon --set model.norm=pre",
                                    "--set training.shards=5 --set training.accumulation=2",
                                    // More segments than are in flight at once.
                                    "--set model.d_model=128 --set model.d_ff=1024 --set training.max_updates=3");
  CAPTURE(more);
  REQUIRE(program.shell(train("alone", more)).status == 0);
  REQUIRE(figures(program / "alone").size() > 20);
  for (const int n : {1, 2, 3, 4}) {
    const std::string run = "ranks-" + std::to_string(n);
    const auto result = program.shell(ranks(n) + train(run, more));
    CAPTURE(n, result.err);
    REQUIRE(result.status == 0);
    CHECK(weight_bytes(program / run) == weight_bytes(program / "alone"));
    CHECK(figures(program / run) == figures(program / "alone"));
    CHECK(occurrences(result.err, "done: ") == 1);
  }
}

TEST_CASE("a run can continue on fewer ranks, and only the first one needs its directory", "[program][mpi]") {
  if (!can_start_ranks()) {
    return;
  }
  const RanksProgram program;
  fs::create_directory(program / "elsewhere");
  const std::string more = "--set training.max_updates=12";
  const std::string half = "--set training.max_updates=6";
  REQUIRE(program.shell(train("whole", more)).status == 0);
  REQUIRE(program.shell(ranks(4) + train("run", half)).status == 0);
  const auto resumed = program.shell(mpirun() + "-n 1 " + train("run", more + " --resume") +
                                     " : -n 2 -wdir elsewhere " + train("run", more + " --resume"));
  CAPTURE(resumed.err);
  REQUIRE(resumed.status == 0);
  CHECK(weight_bytes(program / "run") == weight_bytes(program / "whole"));
  CHECK(figures(program / "run") == figures(program / "whole"));
  CHECK(fs::is_empty(program / "elsewhere"));
}

TEST_CASE("killing a rank ends the others, and the run can continue from its last checkpoint", "[program][mpi]") {
  if (!can_start_ranks()) {
    return;
  }
  const RanksProgram program;
  const std::string more = "--set training.max_updates=";
  const std::string long_run = more + "1000000";
  const auto killed = program.shell(
      ranks(3) + "sh -c 'echo $$ >pid.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; exec \"$0\" \"$@\"' " +
      train("run", long_run) +
      " & while kill -0 $! && [ ! -e run/last ]; do sleep 0.05; done; kill -KILL $(cat pid.1); wait $!; status=$?; "
      "while kill -0 $(cat pid.0); do sleep 0.05; done; (exit $status)");  // mpirun does not wait for rank 0 to end
  CAPTURE(killed.err);
  CHECK(killed.status != 0);
  CHECK(killed.err.find("rank 1") != std::string::npos);  // mpirun's own message
  const Index update = std::stol(fs::read_symlink(program / "run/last").string().substr(5));
  const std::string end = more + std::to_string(update + 2);
  REQUIRE(program.shell(train("run", end + " --resume")).status == 0);
  REQUIRE(program.shell(train("whole", end)).status == 0);
  CHECK(weight_bytes(program / "run") == weight_bytes(program / "whole"));
}

TEST_CASE("if one rank gets SIGTERM, the ranks write one checkpoint and say how to continue", "[program][mpi]") {
  if (!can_start_ranks()) {
    return;
  }
  const RanksProgram program;
  const auto ended = program.shell(
      ranks(2) + "sh -c 'echo $$ >pid.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; exec \"$0\" \"$@\"' " +
      train("run", "--set training.max_updates=1000000 --set training.validation.every=1000000") +
      " & while kill -0 $! && ! grep -q 'update *3 ' .err; do sleep 0.05; done; kill -TERM $(cat pid.1); wait $!");
  CAPTURE(ended.err);
  CHECK(ended.status == 143);
  CHECK(occurrences(ended.err, "--resume") == 1);
  CHECK(fs::exists(program / "run/last/model.safetensors"));
}

TEST_CASE("a mistake made when starting ranks gives one message", "[program][mpi]") {
  if (!can_start_ranks()) {
    return;
  }
  const RanksProgram program;
  check_one_message(program.shell(ranks(3) + train("run", "--set training.shards=2")), "2 shards and 3 processes");
  check_one_message(program.shell(ranks(3) + train("run", "--set training.shard=2")), "did you mean");
  check_one_message(
      program.shell(mpirun() + "-n 1 " + train("run") + ": -n 1 " + train("run", "--set training.seed=5")),
      "the command and the config: not the same on rank 1 on");
  std::string benchmark = train("run");
  benchmark.replace(benchmark.find("train "), 6, "benchmark ").erase(benchmark.find(" --output run"), 13);
  check_one_message(program.shell(mpirun() + "-n 1 " + train("run") + ": -n 1 " + benchmark), "on rank 1 on");
  const auto several =
      program.shell(mpirun() + "-n 1 " + train("run") + ": -n 1 \"$glassformer\" translate run </dev/null");
  CAPTURE(several.err);
  CHECK(several.status == 2);
  CHECK(several.err.find("translate: expected one process, found 2") != std::string::npos);
  for (const char* name : {"valid.en", "valid.de"}) {
    std::string text = read_bytes(fs::path(GLASSFORMER_SOURCE_DIR) / "data/toy" / name);
    fs::create_directories(program / "text");
    write_bytes(program / "text" / name, text + text.substr(0, text.find('\n') + 1));
  }
  check_one_message(program.shell(mpirun() + "-n 1 " + train("run") + ": -n 1 " +
                                  train("run", "--set data.directory=text --set data.tests=[]")),
                    "rank 1 on");
  CHECK_FALSE(fs::exists(program / "run"));
}

TEST_CASE("a benchmark of several ranks gives one report, and counts each token once", "[program][mpi]") {
  if (!can_start_ranks()) {
    return;
  }
  const Program program;
  std::vector<double> tokens;  // per update
  for (const int n : {1, 3}) {
    const auto result = program.shell(ranks(n) + "\"$glassformer\" benchmark " + config("debug") +
                                      " --set training.shards=4 --seconds 0.01");
    CAPTURE(n, result.err);
    REQUIRE(result.status == 0);
    const auto report = nlohmann::json::parse(result.out);
    CHECK(report.at("ranks") == n);
    CHECK(report.at("threads") == 1);
    const double seconds = report.at("seconds").at("total");
    tokens.push_back(report.at("target_tokens_per_second").get<double>() * seconds /
                     report.at("updates").get<double>());
  }
  CHECK(tokens[1] == Approx(tokens[0]));
}

TEST_CASE("a program without MPI refuses to train as several ranks", "[program][mpi]") {
  if (fs::exists(GLASSFORMER_MPIRUN)) {
    return;
  }
  const RanksProgram program;
  check_refused(program.shell("OMPI_COMM_WORLD_SIZE=2 " + train("run")), "built without MPI");
}

TEST_CASE("the ranks of a benchmark stop together, even if they were given different times", "[program][mpi]") {
  if (!can_start_ranks()) {
    return;
  }
  const Program program;
  const std::string benchmark = "\"$glassformer\" benchmark " + config("debug") + " --set training.shards=4 --seconds ";
  const auto result = program.shell(mpirun() + "-n 1 " + benchmark + "0.01 : -n 1 " + benchmark + "0.5");
  CAPTURE(result.err);
  REQUIRE(result.status == 0);
  CHECK(nlohmann::json::parse(result.out).at("updates") > 1);
}
