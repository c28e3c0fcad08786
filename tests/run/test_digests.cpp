#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <sstream>
#include <string>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "glassformer/checkpoint/checksums.hpp"
#include "glassformer/checkpoint/run_directory.hpp"
#include "glassformer/run/digests.hpp"
#include "run/toy_run.hpp"

using namespace glassformer;

TEST_CASE("digests.jsonl tells of each mean whether it was the best", "[training]") {
  const stand_in::TemporaryDirectory directory;
  const RunDirectory run = RunDirectory::create(directory / "run", [](const std::filesystem::path&) {});
  CHECK_FALSE(mean_was_best(run, 20));
  std::string lines;
  for (const char* line :
       {R"({"update":10,"best":true})", R"({"average":["a","b"],"update":20,"best":true})",
        R"({"average":["b","c"],"update":30,"best":false})", R"({"average":["c","d"],"update":40})",
        R"({"average":["c","d"],"update":50,"best":tr)", R"({"average":["d","e"],"update":60,"best":true})",
        R"({"average":["a","b"],"update":20,"best":false})"}) {
    lines += std::string(line) + "\n";
  }
  stand_in::write_bytes(run.file("digests.jsonl"), lines);
  const std::set<Index> best = {20, 60};  // 20: when it was computed again, it was not better than itself
  for (Index update = 0; update <= 70; update += 10) {
    CAPTURE(update);
    CHECK(mean_was_best(run, update) == best.contains(update));
  }
}

TEST_CASE("digests.jsonl has the first 16 digits of each tensor's SHA-256", "[training]") {
  const stand_in::TemporaryDirectory directory;
  toy_run::train_toy(toy_run::toy({"training.max_updates=1"}), directory / "run");
  std::istringstream lines(stand_in::read_bytes(directory / "run" / "digests.jsonl"));
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    last = line;
  }
  const auto digests = nlohmann::json::parse(last).at("weights");
  const LoadedModel loaded(directory / "run" / "last");
  const Arena<float>& weights = loaded.model.weights;
  CHECK(digests.size() == weights.tensors().size());
  for (const TensorPlace& tensor : weights.tensors()) {
    const std::string whole = sha256_of(std::as_bytes(std::span<const float>(weights.values(tensor))));
    CHECK(digests.at(tensor.name) == whole.substr(0, 16));
  }
}
