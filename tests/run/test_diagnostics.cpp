#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "decoding/tiny_model.hpp"
#include "glassformer/run/diagnostics.hpp"

using namespace glassformer;
using stand_in::Says;

namespace {

constexpr Index kWords = 20;

/// Pairs of one target word; the sources are given. Lines of the file that come between them were left out.
Corpus corpus_of_sources(const std::vector<std::vector<Id>>& sources) {
  Corpus corpus(kTinyIds, kTinyIds);
  const std::vector<Id> target = {5};
  for (const std::vector<Id>& source : sources) {
    corpus.append(source, target, 10 * corpus.size() + 3);
  }
  return corpus;
}

/// A model that computes finite numbers. Its source embedding is at the start of the arena.
struct Diagnosed {
  explicit Diagnosed(const TransformerSettings& settings = tiny_settings()) : tiny(settings, kWords) {
    training.label_smoothing = 0.1;
  }

  RowView<float> of(const std::string& name) {
    for (const TensorPlace& tensor : tiny.model.weights.tensors()) {
      if (tensor.name == name) {
        return tiny.model.weights.values(tensor);
      }
    }
    FAIL("no tensor " + name);
    return tiny.model.weights.values();
  }
  float& source_embedding(Id id, Index column) {
    return of("model.encoder.embed_tokens.weight")[id * tiny.model.settings.d_model + column];
  }
  std::string diagnosis(const Corpus& corpus, const std::vector<std::vector<Index>>& batches,
                        const ShardedGradient::Step& step = {3, 8}) const {
    return first_non_finite(tiny.model, training, corpus, batches, step);
  }

  TinyModel<float> tiny;
  TrainingSettings training;
};

/// A model that is sure to predict eos, whatever the source. Its output weights are so large that, if eos alone is
/// expected and label smoothing spreads most of the probability, the gradient of the last layer norm's gain overflows.
Diagnosed overflowing_in_the_last_gain() {
  Diagnosed diagnosed;
  diagnosed.training.label_smoothing = 0.9;
  const std::string norm = "model.decoder.layers.1.final_layer_norm.";
  std::ranges::fill(diagnosed.of(norm + "weight"), 0.0F);
  std::ranges::fill(diagnosed.of(norm + "bias"), 0.0F);
  diagnosed.tiny.output_bias()[kEos] = 1000;
  const Index width = diagnosed.tiny.model.settings.d_model;
  const RowView<float> output = diagnosed.of("lm_head.weight");
  for (Index i = 0; i < output.size(); ++i) {
    output[i] = i / width == kEos ? 3.4e38F : -3.4e38F;
  }
  return diagnosed;
}

/// So many pairs whose target is eos alone. (A second one follows, as in every sentence.)
Corpus corpus_of_eos(Index pairs) {
  Corpus corpus(kTinyIds, kTinyIds);
  for (Index i = 0; i < pairs; ++i) {
    corpus.append(std::vector<Id>{4, 5}, std::vector<Id>{kEos}, i);
  }
  return corpus;
}

const std::string kSumOverflows = "the sum over the batch: each sentence alone gives finite numbers";

}  // namespace

TEST_CASE("a parameter that is not finite is named", "[training]") {
  const Corpus corpus = corpus_of_sources({{4, 5}});
  for (const float wrong : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
    Diagnosed diagnosed;
    diagnosed.of("model.decoder.layers.1.fc2.weight")[7] = wrong;
    CHECK(diagnosed.diagnosis(corpus, {{0}}) == "the parameter model.decoder.layers.1.fc2.weight");
  }
}

TEST_CASE("the sentence that gives infinity is found in any batch, with its line in the file", "[training]") {
  Diagnosed diagnosed;
  diagnosed.source_embedding(9, 2) = 3e38F;
  const Corpus corpus = corpus_of_sources({{4}, {5, 6}, {7}, {8, 9}, {4, 4}});
  const std::string found = "encoder.embed_tokens: embedded = ";
  CHECK_THAT(diagnosed.diagnosis(corpus, {{0, 1}, {4, 3}, {2}}),
             Says(found) && Says("(training pair on line 34)"));  // the fourth pair: lines count from 1
  CHECK(diagnosed.diagnosis(corpus, {{0, 1}, {4}, {2}}) == kSumOverflows);
}

TEST_CASE("the search for infinity draws the dropout of the update that it explains", "[training]") {
  TransformerSettings settings = tiny_settings();
  settings.embedding_dropout = 0.5;
  settings.scale_embeddings = false;
  Diagnosed diagnosed(settings);
  diagnosed.source_embedding(9, 2) = 2e38F;  // overflows if dropout keeps it, and doubles it
  const Corpus corpus = corpus_of_sources({{4}, {9}, {9}, {9}});
  const auto transformer = make_transformer(diagnosed.tiny.model);
  const IdMatrix ids{{9, kEos}};
  Index kept = 0;
  for (std::uint32_t update = 1; update <= 12; ++update) {
    for (const Index sentence : {1, 2, 3}) {
      const std::vector<Index> sentences = {sentence};
      const Pass pass{.training = true, .seed = 77, .update = update, .sentences = sentences};
      const bool overflows = !transformer->source_embedding.forward(pass, ids).eigen().allFinite();
      const std::string text = diagnosed.diagnosis(corpus, {{0, sentence}}, {77, update});
      CAPTURE(update, sentence, text);
      kept += overflows;
      CHECK((text.find("encoder.embed_tokens.dropout: y = ") == 0) == overflows);
    }
  }
  CHECK(kept > 6);
  CHECK(kept < 30);
}

TEST_CASE("infinity that appears only in the backward pass is found, too", "[training]") {
  Diagnosed diagnosed;
  // The input of the last layer norm is tiny, so its gradient is multiplied by 1 / sqrt(epsilon).
  for (const TensorPlace& tensor : diagnosed.tiny.model.weights.tensors()) {
    const auto values = diagnosed.tiny.model.weights.values(tensor);
    if (tensor.name.find("decoder.layers.1.") != std::string::npos &&
        tensor.name.find("final_layer_norm") == std::string::npos) {
      scale(values, 1e-5F);
    }
  }
  scale(diagnosed.of("lm_head.weight"), 3e36F);
  const Corpus corpus = corpus_of_sources({{4, 5}});
  CHECK_THAT(diagnosed.diagnosis(corpus, {{0}}),
             Says("decoder.layers.1.") && Says(": d_x ") && Says("(training pair on line 4)"));
}

TEST_CASE("a sum that becomes infinite is shown as a sum", "[training]") {
  const Diagnosed diagnosed = overflowing_in_the_last_gain();
  CHECK_THAT(diagnosed.diagnosis(corpus_of_eos(1), {{0}}),
             Says("decoder.layers.1.final_layer_norm: d_gain += sum over n of "));
}

TEST_CASE("the search for infinity smooths the labels as training does", "[training]") {
  Diagnosed diagnosed = overflowing_in_the_last_gain();
  diagnosed.training.label_smoothing = 0;  // the model is right, so its gradient is 0
  CHECK(diagnosed.diagnosis(corpus_of_eos(1), {{0}}) == kSumOverflows);
}

TEST_CASE("the search for infinity divides gradients by the tokens of all batches of the update", "[training]") {
  const Diagnosed diagnosed = overflowing_in_the_last_gain();
  constexpr Index kPairs = 50;
  const Corpus corpus = corpus_of_eos(kPairs);
  std::vector<Index> others(kPairs - 1);
  std::iota(others.begin(), others.end(), 1);
  CHECK_THAT(diagnosed.diagnosis(corpus, {{0}}), Says("d_gain"));
  CHECK(diagnosed.diagnosis(corpus, {{0}, others}) == kSumOverflows);
  CHECK(diagnosed.diagnosis(corpus, {others, {0}}) == kSumOverflows);
}

TEST_CASE("gradcheck uses up to three sentences, the config's seed, its label smoothing, and every kind of dropout",
          "[training]") {
  TransformerSettings settings = tiny_settings();
  settings.d_model = 4;
  settings.d_ff = 4;
  settings.encoder_layers = settings.decoder_layers = 1;
  const auto errors = [&](const Corpus& corpus, const TrainingSettings& training) {
    Model<double> model(settings, {kWords, kWords, {kTinyIds, kTinyIds}});
    std::vector<double> found;
    for (const TensorCheck& check : check_model_gradient(model, training, corpus, 1)) {
      CHECK(check.error.relative < 1e-7);
      found.push_back(check.error.relative);
    }
    return found;
  };
  const Corpus one = corpus_of_sources({{4, 5}});
  const Corpus three = corpus_of_sources({{4, 5}, {6}, {7, 8, 9}});
  const Corpus five = corpus_of_sources({{4, 5}, {6}, {7, 8, 9}, {7}, {7}});
  const TrainingSettings training;
  CHECK(errors(one, training) != errors(three, training));
  CHECK(errors(three, training) == errors(five, training));
  TrainingSettings other = training;
  ++other.seed;
  CHECK(errors(three, other) != errors(three, training));
  other = training;
  other.label_smoothing += 0.1;
  CHECK(errors(three, other) != errors(three, training));
  const std::vector<double> before = errors(three, training);
  for (double TransformerSettings::*rate :
       {&TransformerSettings::dropout, &TransformerSettings::embedding_dropout, &TransformerSettings::attention_dropout,
        &TransformerSettings::activation_dropout}) {
    const double usual = settings.*rate;
    settings.*rate = 0.3;
    CHECK(errors(three, training) != before);
    settings.*rate = usual;
  }
}
