#include <cmath>
#include <numeric>

#include "catch.hpp"
#include "decoding/tiny_model.hpp"
#include "glassformer/evaluation/evaluation.hpp"
#include "glassformer/text/corpus.hpp"

using namespace glassformer;

namespace {

constexpr Index kForcedVocabulary = 30;

/// Enough pairs for several batches.
Corpus random_corpus() {
  Corpus corpus({kPad, kBos, kEos, 3}, {kPad, kBos, kEos, 3});
  const auto sources = random_sources(300, 0, 9, kForcedVocabulary, 1);
  const auto targets = random_sources(300, 0, 12, kForcedVocabulary, 2);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    corpus.append(std::span(sources[i]).first(sources[i].size() - 1),
                  std::span(targets[i]).first(targets[i].size() - 1), static_cast<Index>(i));
  }
  return corpus;
}

}  // namespace

TEST_CASE("the teacher-forced loss is the sum of -log p of each token, eos included", "[evaluation]") {
  const TinyModel<float> tiny(tiny_settings(), kForcedVocabulary);
  const Corpus corpus = random_corpus();
  double expected = 0;
  Index tokens = 0;
  for (Index i = 0; i < corpus.size(); ++i) {
    std::vector<Id> source(corpus.source(i).begin(), corpus.source(i).end());
    source.push_back(kEos);
    const std::vector<Id> target(corpus.target(i).begin(), corpus.target(i).end());
    expected -= forced_log_probabilities(tiny, source, {target}).front();
    tokens += std::ssize(target) + 1;
  }
  const LossSum found = teacher_forced_loss(tiny.model, corpus);
  CHECK(found.cross_entropy == Approx(expected).epsilon(1e-5));
  CHECK(found.loss == found.cross_entropy);
  CHECK(found.tokens == tokens);
}

TEST_CASE("forced decoding gives each token's log-probability, eos included, and their sum is the cross-entropy",
          "[evaluation]") {
  const TinyModel<float> tiny(tiny_settings(), kForcedVocabulary);
  Corpus corpus = random_corpus();
  corpus.append({}, {}, corpus.size());  // an empty line still has an eos
  const auto log_probabilities = token_log_probabilities(tiny.model, corpus);
  REQUIRE(std::ssize(log_probabilities) == corpus.size());
  double sum = 0;
  for (Index i = 0; i < corpus.size(); ++i) {
    const auto& tokens = log_probabilities[static_cast<std::size_t>(i)];
    REQUIRE(std::ssize(tokens) == std::ssize(corpus.target(i)) + 1);
    sum += std::accumulate(tokens.begin(), tokens.end(), 0.0);
  }
  CHECK(sum == Approx(-teacher_forced_loss(tiny.model, corpus).cross_entropy).epsilon(1e-9));
}

TEST_CASE("a search gives a translation the log-probability that its teacher-forced loss implies", "[evaluation]") {
  TinyModel<float> tiny(tiny_settings(), kForcedVocabulary);
  tiny.output_bias()[kEos] += 1;
  const auto sources = random_sources(20, 0, 8, kForcedVocabulary);
  DecodingSettings settings;
  settings.beam = settings.n_best = 3;
  const auto found = translate(tiny.model, settings, kTinyIds, sources);
  int compared = 0;
  for (std::size_t b = 0; b < sources.size(); ++b) {
    for (const Hypothesis& hypothesis : found[b]) {
      if (!hypothesis.finished) {
        continue;
      }
      Corpus pair({kPad, kBos, kEos, 3}, {kPad, kBos, kEos, 3});
      pair.append(std::span(sources[b]).first(sources[b].size() - 1), hypothesis.ids, 0);
      CHECK(-teacher_forced_loss(tiny.model, pair).cross_entropy == Approx(hypothesis.log_probability).margin(1e-4));
      ++compared;
    }
  }
  CHECK(compared > 10);
}

TEST_CASE("a model is evaluated with the masks that it was trained with", "[evaluation]") {
  const Corpus corpus = random_corpus();
  const auto loss_under = [&](const MaskSettings& masks) {
    TransformerSettings settings = tiny_settings();
    settings.masks = masks;
    const TinyModel<float> tiny(settings, kForcedVocabulary);  // the same weights each time
    return teacher_forced_loss(tiny.model, corpus).cross_entropy;
  };
  const double loss = loss_under({});
  for (const MaskSettings& masks : {MaskSettings{.encoder_padding = false}, MaskSettings{.look_ahead = false},
                                    MaskSettings{.cross_padding = false}}) {
    CHECK(std::abs(loss_under(masks) - loss) > 1e-3);
  }
}
