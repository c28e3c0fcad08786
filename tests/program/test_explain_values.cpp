#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "glassformer/page/explanation.hpp"
#include "glassformer/setup/loaded_model.hpp"
#include "program/program.hpp"

/// That explain takes the values it shows from the model's config, and its own options.
using namespace glassformer::program_test;

namespace {

const Program& with_unusual_config() {
  static const Program program;
  static const int status = program
                                .run("train " + config("debug") +
                                     " --output run --set training.max_updates=5 --set training.label_smoothing=0.25 "
                                     "--set training.seed=77 --set model.dropout=0.3 --set model.attention_dropout=0.2")
                                .status;
  REQUIRE(status == 0);
  return program;
}

const std::string kPair = "explain run --source 'she sleeps .' --target 'sie schläft .' --html page.html --json ";

nlohmann::json explained_by(const std::string& options) {
  const Program& program = with_unusual_config();
  const auto result = program.run(kPair + "trace.json " + options);
  CAPTURE(result.err);
  REQUIRE(result.status == 0);
  return nlohmann::json::parse(read_bytes(program / "trace.json"));
}

}  // namespace

TEST_CASE("explain runs the model with the label smoothing of its training, and with its dropout on request",
          "[program]") {
  const glassformer::LoadedModel loaded(with_unusual_config() / "run");
  for (const bool dropout : {false, true}) {
    CAPTURE(dropout);
    const auto trace = explained_by(dropout ? "--dropout" : "");
    const glassformer::ExplainedModel explained{{loaded.model, 0.25, dropout, 77}, loaded.tokenizers};
    const glassformer::Explanation expected = glassformer::explain(explained, {{"she sleeps .", "sie schläft ."}});
    const glassformer::LossSum& loss = expected.right().trace.loss;
    CHECK(trace.at("model").at("label_smoothing") == 0.25);
    CHECK(trace.at("model").at("dropout") == dropout);
    CHECK(trace.at("loss").at("mean").get<double>() == Approx(loss.loss / 4).epsilon(1e-6));
    CHECK(trace.at("loss").at("cross_entropy").get<double>() == Approx(loss.cross_entropy / 4).epsilon(1e-6));
  }
}

TEST_CASE("explain shows all layers, or the one asked for", "[program]") {
  CHECK(explained_by("").at("layer").is_null());
  CHECK(explained_by("--layer 0").at("layer") == 0);
}

TEST_CASE("explain accepts as many sentences, and as many tokens, as it says", "[program]") {
  const Program& program = with_unusual_config();
  std::string eight = "explain run --html page.html";
  for (int i = 0; i < 8; ++i) {
    eight += " --source a --target b";
  }
  CHECK(program.run(eight).status == 0);
  std::string longest;
  for (int i = 0; i < 60; ++i) {
    longest += "a ";
  }
  CHECK(program.run("explain run --html page.html --source '" + longest + "' --target '" + longest + "'").status == 0);
}
