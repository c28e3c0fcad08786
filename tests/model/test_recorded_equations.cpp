#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "model/choices.hpp"
#include "model/equations_backward.hpp"
#include "model/equations_forward.hpp"

using namespace glassformer;
using example::RecordedRun;

namespace {

/// Settings for models of every kind: each value of each choice, models with a part left out, and some random
/// combinations, all with and without dropout.
std::vector<TransformerSettings> kinds_of_models() {
  TransformerSettings settings = example::settings(Norm::post, Tying::none);
  std::vector<TransformerSettings> kinds = example::with_each_choice(settings);
  RandomValues random(1);
  for (bool TransformerSettings::*part :
       {&TransformerSettings::scale_scores, &TransformerSettings::positions, &TransformerSettings::residual}) {
    for (const Norm norm : {Norm::post, Norm::pre}) {
      kinds.push_back(settings);
      kinds.back().norm = norm;
      kinds.back().*part = false;
    }
  }
  settings.scale_embeddings = false;
  for (int i = 0; i < 2; ++i) {
    example::draw_choices(random, settings);
    kinds.push_back(settings);
  }
  for (std::size_t i = 0, count = kinds.size(); i < count; ++i) {
    kinds.push_back(example::with_dropout(kinds[i]));
  }
  return kinds;
}

void for_each_kind_of_model(const auto& law) {
  std::uint64_t seed = 100;
  for (const TransformerSettings& settings : kinds_of_models()) {
    CAPTURE(settings.norm == Norm::post, static_cast<int>(settings.tied_embeddings),
            static_cast<int>(settings.activation), settings.scale_embeddings, settings.scale_scores, settings.positions,
            settings.residual, settings.dropout);
    law(++seed, settings);
  }
}

example::Known known(const RecordedRun& run, const RecordedStep& step) {
  const RecordedTensor& output = run.output(step);
  example::Known known{run.drawn.model.settings,
                       run.batch,
                       step.part,
                       {},
                       Matrix<double>::Zero(output.values.rows(), output.values.cols())};
  for (const RecordedStep::Input& input : step.inputs) {
    known.in.push_back(run.recording.tensors()[input.tensor].values);
  }
  if (step.adds && step.inputs.back().name == output.name + " so far") {
    known.before = known.in.back();
  }
  return known;
}

/// The error that rounding leaves if terms cancel. Without residual sums, all keys of a sentence are nearly the same,
/// so the gradient of a query is a sum of terms that are much larger than it.
double cancellation(const RecordedRun& run, const RecordedStep& step) {
  double terms = run.drawn.model.settings.residual ? 0 : 1e-15;
  for (const RecordedStep::Input& input : step.inputs) {
    terms *= run.recording.tensors()[input.tensor].values.cwiseAbs().maxCoeff();
  }
  return terms;
}

/// The last recorded gradient of one parameter. Recorded gradients have q, k and v side by side.
Matrix<double> recorded_gradient(const Recording& recording, std::string name, Index D) {
  const auto replace = [&name](const std::string& from, const std::string& to) {
    if (const auto at = name.find(from); at != std::string::npos) {
      name.replace(at, from.size(), to);
    }
  };
  const bool of_self = name.find(".self_attn.") != std::string::npos;
  const Index place = name.find(".k_proj") != std::string::npos ? 1 : name.find(".v_proj") != std::string::npos ? 2 : 0;
  const bool cut = name.find("_proj") != std::string::npos && name.find(".out_proj") == std::string::npos;
  replace("model.", "");
  replace("shared.", "encoder.embed_tokens.");
  replace("lm_head", "decoder.output");
  replace("final_logits_bias", "decoder.output.bias");
  for (const std::string map : {"fc1", "fc2"}) {
    replace("." + map, ".feed_forward." + map);
  }
  for (const std::string map : {".q_proj", ".k_proj", ".v_proj"}) {
    if (of_self) {
      replace(map, ".qkv_proj");
    } else if (map != ".q_proj") {
      replace(map, ".kv_proj");
    }
  }
  const auto dot = name.rfind('.');
  const std::string part = name.substr(0, dot);
  std::string tensor = "d_" + name.substr(dot + 1);
  if (part.ends_with("norm") && tensor == "d_weight") {
    tensor = "d_gain";
  }
  if (part.ends_with("embed_tokens")) {
    tensor = "d_table";
  }

  Matrix<double> values = example::last_recorded(recording, part, tensor);
  if (!cut || values.size() == 0) {
    return values;
  }
  const Index first = (of_self ? place : std::max<Index>(place - 1, 0)) * D;
  if (tensor == "d_weight") {
    return values.middleRows(first, D);
  }
  return values.middleCols(first, D);
}

}  // namespace

TEST_CASE("Every recorded equation gives the recorded result, and every known equation is recorded", "[model]") {
  std::map<std::string, example::Law> laws = example::forward_laws();
  laws.merge(example::backward_laws());
  std::set<std::string> used;
  for_each_kind_of_model([&](std::uint64_t seed, const TransformerSettings& settings) {
    const RecordedRun run(seed, settings, example::batch());
    REQUIRE(run.recording.steps().size() > 200);
    for (const RecordedStep& step : run.recording.steps()) {
      const std::string equation = example::equation(run.recording, step);
      CAPTURE(step.part, equation);
      REQUIRE(laws.contains(equation));
      used.insert(equation);
      const Matrix<double>& recorded = run.output(step).values;
      const Matrix<double> computed = laws.at(equation)(known(run, step));
      REQUIRE((computed.rows() == recorded.rows() && computed.cols() == recorded.cols()));
      CHECK(largest_difference(computed, recorded) <= 1e-12 * recorded.cwiseAbs().maxCoeff() + cancellation(run, step));
    }
  });
  for (const auto& [equation, law] : laws) {
    CAPTURE(equation);
    CHECK(used.contains(equation));
  }
}

TEST_CASE("Recording changes no bit of the loss or gradient", "[model]") {
  for_each_kind_of_model([](std::uint64_t seed, const TransformerSettings& settings) {
    const RecordedRun recorded(seed, settings, example::batch());
    const RecordedRun plain(seed, settings, example::batch(), false);
    CHECK(plain.recording.steps().empty());
    CHECK(recorded.loss.loss == plain.loss.loss);
    CHECK(recorded.loss.cross_entropy == plain.loss.cross_entropy);
    CHECK(recorded.drawn.gradient.values().eigen().cwiseAbs().maxCoeff() > 0);
    CHECK(same_bits(recorded.drawn.gradient.values(), plain.drawn.gradient.values()));
  });
}

TEST_CASE("The last recorded gradient of every parameter is the one in the arena", "[model]") {
  for_each_kind_of_model([](std::uint64_t seed, const TransformerSettings& settings) {
    const RecordedRun run(seed, settings, example::batch());
    for (const TensorPlace& place : run.drawn.gradient.tensors()) {
      CAPTURE(place.name);
      const Matrix<double> recorded = recorded_gradient(run.recording, place.name, settings.d_model);
      REQUIRE(recorded.size() == place.size);
      CHECK(recorded.rows() == (place.shape.size() == 2 ? place.shape[0] : 1));
      CHECK(same_bits(RowView<const double>(recorded.data(), recorded.size()), run.drawn.gradient.values(place)));
    }
  });
}

TEST_CASE("Every input is a parameter, ids, a mask, a constant, what dropout keeps, or the result of an earlier step",
          "[model]") {
  const std::set<std::string> given{"table", "id",   "position", "scale",    "weight",
                                    "bias",  "gain", "mask",     "expected", "d_loss"};
  for_each_kind_of_model([&](std::uint64_t seed, const TransformerSettings& settings) {
    const RecordedRun run(seed, settings, example::batch());
    std::set<std::size_t> computed;
    std::set<std::string> found;
    for (const RecordedStep& step : run.recording.steps()) {
      for (const RecordedStep::Input& input : step.inputs) {
        const RecordedTensor& tensor = run.recording.tensors()[input.tensor];
        CAPTURE(step.part, step.formula, input.name);
        CHECK(tensor.computed == computed.contains(input.tensor));
        if (!tensor.computed) {
          found.insert(tensor.name);
        }
      }
      CHECK(run.output(step).computed);
      CHECK(computed.insert(step.output).second);
    }
    std::set<std::string> expected = given;
    if (settings.dropout > 0) {
      expected.insert("kept");
    }
    CHECK(found == expected);
  });
}

TEST_CASE("If embeddings are tied, all uses read one tensor, and their gradients add up in one place", "[model]") {
  const RecordedRun run(7, example::settings(Norm::post, Tying::all), example::batch());
  std::set<std::size_t> tables;
  std::vector<const RecordedStep*> gradients;
  for (const RecordedStep& step : run.recording.steps()) {
    const bool is_output = step.part == "decoder.output";
    const bool is_embedding = step.part.ends_with("embed_tokens");
    const std::string& name = run.output(step).name;
    if (is_embedding && name == "embedded") {
      tables.insert(step.inputs[1].tensor);
    }
    if (is_output && name == "y") {
      tables.insert(step.inputs[1].tensor);
    }
    if ((is_embedding && name == "d_table") || (is_output && name == "d_weight")) {
      gradients.push_back(&step);
    }
  }
  CHECK(tables.size() == 1);
  REQUIRE(gradients.size() == 3);
  CHECK(gradients[0]->inputs.size() == 2);
  for (std::size_t i = 1; i < 3; ++i) {
    CHECK(gradients[i]->inputs.back().tensor == gradients[i - 1]->output);
  }
}
