#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "glassformer/checkpoint/safetensors.hpp"

using namespace glassformer;
using namespace glassformer::stand_in;

TEST_CASE("the training progress is read back from JSON exactly", "[checkpoint]") {
  RunProgress progress = some_progress();
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(-1070, 1023);
  for (int i = 0; i < 1000; ++i) {
    progress.best_metric = std::ldexp(mantissa(random), exponent(random));
    progress.best_loss = std::ldexp(mantissa(random), exponent(random));
    progress.minutes = std::abs(std::ldexp(mantissa(random), exponent(random)));
    CHECK(read_progress(write_progress(progress), "here") == progress);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {infinity, -infinity, 0.1, 1.0, std::numeric_limits<double>::denorm_min()}) {
    progress.best_metric = value;
    CHECK(read_progress(write_progress(progress), "here") == progress);
  }
  progress.best_metric = std::nan("");
  CHECK(std::isnan(read_progress(write_progress(progress), "here").best_metric));
  progress.update = 4294967294;
  CHECK(read_progress(write_progress(progress), "here").update == progress.update);
}

TEST_CASE("damaged training progress is refused, and the error says where it is", "[checkpoint]") {
  const std::string good = write_progress(some_progress());
  for (std::size_t length = 0; length < good.size(); ++length) {
    CHECK_THAT(complaint([&] { read_progress(good.substr(0, length), "here"); }), Says("here: "));
  }
  const auto complaint_with = [&](const std::string& key, const nlohmann::json& value) {
    nlohmann::json object = nlohmann::json::parse(good);
    object[key] = value;
    return complaint([&] { read_progress(object.dump(), "here"); });
  };
  CHECK(complaint_with("update", 13).empty());
  CHECK_THAT(complaint_with("update", -1), Says("\"update\"") && Says("-1"));
  CHECK_THAT(complaint_with("epoch", 1.5), Says("\"epoch\"") && Says("1.5"));
  CHECK_THAT(complaint_with("batch", ~std::uint64_t{0}), Says("\"batch\""));
  CHECK_THAT(complaint_with("minutes", "soon"), Says("here: "));
  // Numbers that would overflow, or that contradict each other.
  CHECK_THAT(complaint_with("epoch", (std::uint64_t{1} << 63) - 1), Says("\"epoch\""));
  CHECK_THAT(complaint_with("without_best", (std::uint64_t{1} << 63) - 1), Says("\"without_best\""));
  CHECK(complaint_with("text_lines", (std::uint64_t{1} << 63) - 1).empty());  // a fingerprint
  CHECK_THAT(complaint_with("minutes", -1), Says("\"minutes\""));
  CHECK_THAT(complaint_with("minutes", "inf"), Says("\"minutes\""));
  CHECK_THAT(complaint_with("validated", 13), Says("\"validated\""));
  CHECK_THAT(complaint_with("best_update", 13), Says("\"best_update\""));
  CHECK_THAT(complaint_with("skipped", 13), Says("\"skipped\""));
  CHECK_THAT(complaint_with("skipped_in_row", 10), Says("\"skipped_in_row\""));
  CHECK(complaint_with("part", 0).empty());  // as version 0.1 writes it
  CHECK_THAT(complaint_with("part", 2), Says("here: ") && Says("found part 2") && Says("version 0.1"));
  CHECK_THAT(complaint([&] { read_progress("[]", "here"); }), Says("here: "));
}

TEST_CASE("progress may lack the keys that older versions did not write, and no other", "[checkpoint]") {
  nlohmann::json object = nlohmann::json::parse(write_progress(some_progress()));
  RunProgress expected = some_progress();
  object.erase("best_loss");  // since version 0.3
  expected.best_loss = std::numeric_limits<double>::infinity();
  CHECK(read_progress(object.dump(), "here") == expected);
  for (const char* key : {"text_lines", "valid_text_lines", "skipped", "skipped_in_row"}) {  // since version 0.2
    object.erase(key);
  }
  expected.text = expected.valid_text = expected.skipped = expected.skipped_in_row = 0;
  CHECK(read_progress(object.dump(), "here") == expected);
  for (const auto& [key, value] : object.items()) {
    CAPTURE(key);
    nlohmann::json damaged = object;
    damaged.erase(key);
    CHECK_THAT(complaint([&] { read_progress(damaged.dump(), "here"); }), Says("here: ") && Says(key));
  }
}

TEST_CASE("a training state is read back as it was written", "[checkpoint]") {
  const TemporaryDirectory directory;
  const std::vector<float> m{1, -2, 3};
  const std::vector<float> v{4, 5, 1e-40F};
  const RunProgress progress = some_progress();
  write_training_state(directory.path(), {m, v, progress});
  const ReadState state = read_state(directory.path(), 3);
  CHECK(state.adam_m == m);
  CHECK(state.adam_v == v);
  CHECK(state.progress == progress);
}

TEST_CASE("a training state that is missing, incomplete or from another model is refused", "[checkpoint]") {
  const TemporaryDirectory directory;
  const auto complaint_for = [&](Index parameters) {
    return complaint([&] { read_state(directory.path(), parameters); });
  };
  CHECK_THAT(complaint_for(3), Says(directory.path().string()) && Says("no training_state.safetensors"));

  const std::vector<float> numbers{1, 2, 3};
  write_training_state(directory.path(), {numbers, numbers, {}});
  CHECK(complaint_for(3).empty());
  CHECK_THAT(complaint_for(4), Says("[3]") && Says("4 parameters"));

  const fs::path file = directory / "training_state.safetensors";
  const std::vector<float> negative{1, -1e-30F, 3};  // a mean of squares cannot be negative
  write_training_state(directory.path(), {negative, numbers, {}});
  CHECK(complaint_for(3).empty());
  write_training_state(directory.path(), {numbers, negative, {}});
  CHECK_THAT(complaint_for(3), Says("adam.v has a negative number"));
  write_safetensors(file, {{"adam.m", {3}, numbers}}, {{"progress", write_progress({})}});
  CHECK_THAT(complaint_for(3), Says("adam.v is missing"));
  write_safetensors(file, {{"adam.m", {3}, numbers}, {"adam.v", {3}, numbers}});
  CHECK_THAT(complaint_for(3), Says("progress"));
  write_safetensors(file, {{"adam.m", {3}, numbers}, {"adam.v", {3}, numbers}}, {{"progress", "{"}});
  CHECK_THAT(complaint_for(3), Says("training_state.safetensors: "));
}
