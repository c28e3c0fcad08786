#include <algorithm>

#include "catch.hpp"
#include "live/live_example.hpp"

using namespace glassformer;
using namespace glassformer::live_test;
using Json = Engine::Json;

namespace {

Index count(const Json& step, const std::string& fate) {
  return std::count_if(step.begin(), step.end(), [&](const Json& extension) { return extension.at("fate") == fate; });
}

}  // namespace

TEST_CASE("The tree of a search leads to the translations that the search finds", "[live]") {
  TrainedEngine engine(60);
  for (const std::string search :
       {"decoding.beam: 1", "decoding.beam: 2", "decoding.beam: 4\ndecoding.length_penalty: 0",
        "decoding.beam: 3\ndecoding.early_stopping: true"}) {
    for (const std::string& source : sources()) {
      CAPTURE(search, source);
      const Json tree = engine.search_tree(source, search);
      CHECK(tree.at("found") == engine.translate(std::vector<std::string>{source}, search).at(0));
      CHECK(tree.at("overflowed") == false);
    }
  }
}

TEST_CASE("Every extension in a tree has a parent that ran, and a fate that follows from its rank", "[live]") {
  TrainedEngine engine(20);
  constexpr Index kBeam = 3;
  const Json tree = engine.search_tree("a b c d", "decoding.beam: 3");
  Index running = 1;  // bos
  REQUIRE(tree.at("steps").size() > 2);
  for (const Json& step : tree.at("steps")) {
    double last = 0;
    Index rank = 0;
    for (const Json& extension : step) {
      CHECK(extension.at("parent").get<Index>() < running);
      CHECK(extension.at("log_probability").get<double>() <= last);
      last = extension.at("log_probability").get<double>();
      const bool ends = extension.at("token") == 2;
      const auto fate = extension.at("fate").get<std::string>();
      CHECK(ends == (fate == "finished" || fate == "too late"));
      CHECK((fate == "finished") == (ends && rank < kBeam));
      ++rank;
    }
    running = count(step, "runs");
    CHECK(running <= kBeam);
    CHECK((count(step, "cut") == 0 || running + count(step, "hopeless") == kBeam));
  }
  CHECK(running == 0);
}
