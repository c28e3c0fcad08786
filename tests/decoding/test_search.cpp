#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "glassformer/decoding/beam_search.hpp"
#include "glassformer/decoding/greedy_search.hpp"
#include "tiny_model.hpp"

using namespace glassformer;

namespace {

/// All sequences of at most `longest` tokens in 3 .. V - 1.
std::vector<std::vector<Id>> all_sequences(Index vocabulary_size, std::size_t longest) {
  std::vector<std::vector<Id>> all = {{}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].size() == longest) {
      continue;
    }
    for (Id token = 3; token < vocabulary_size; ++token) {
      all.push_back(all[i]);
      all.back().push_back(token);
    }
  }
  return all;
}

}  // namespace

TEST_CASE("a beam wide enough for all hypotheses finds the same ones as exhaustive search", "[decoding]") {
  constexpr Index kVocabulary = 5;  // two words
  DecodingSettings settings;
  settings.length_penalty = GENERATE(0.0, 0.6, 1.0);
  settings.max_length_ratio = 0;               // at most 10 tokens
  settings.beam = settings.n_best = 3 * 1024;  // the number of extensions of all hypotheses of 10 tokens
  const TinyModel<float> tiny(tiny_settings(), kVocabulary, 11);
  const std::vector<Id> source = {4, 3, 3, 4, kEos};
  IncrementalDecoder<float> decoder(tiny.model);
  const std::span<const Id> sources[] = {source};
  const std::vector<Hypothesis> found = beam_search(settings, kTinyIds, sources, decoder).front();

  const std::vector<std::vector<Id>> all = all_sequences(kVocabulary, 10);
  const std::vector<double> log_probabilities = forced_log_probabilities(tiny, source, all);
  std::vector<Hypothesis> expected;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double score =
        log_probabilities[i] / std::pow(static_cast<double>(all[i].size() + 1), settings.length_penalty);
    expected.push_back({all[i], log_probabilities[i], score, true});
  }
  std::sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    REQUIRE(found[i].score == Approx(expected[i].score).margin(1e-4));
    REQUIRE(found[i].finished);
  }
  CHECK(found.front().ids == expected.front().ids);
}

TEST_CASE("hypotheses come best first, with the scores that teacher forcing gives them", "[decoding]") {
  constexpr Index kVocabulary = 30;
  TransformerSettings shape = tiny_settings();
  shape.norm = GENERATE(Norm::post, Norm::pre);
  TinyModel<float> tiny(shape, kVocabulary, 3);
  tiny.output_bias()[kEos] += 1;
  DecodingSettings settings;
  settings.beam = settings.n_best = 4;
  const std::vector<std::vector<Id>> sources = random_sources(20, 0, 8, kVocabulary);
  const auto found = translate(tiny.model, settings, kTinyIds, sources);

  std::size_t finished = 0;
  for (std::size_t b = 0; b < sources.size(); ++b) {
    REQUIRE(!found[b].empty());
    REQUIRE(found[b].size() <= 4);
    for (std::size_t i = 0; i < found[b].size(); ++i) {
      const Hypothesis& hypothesis = found[b][i];
      if (i > 0) {
        REQUIRE(hypothesis.score <= found[b][i - 1].score);
      }
      if (!hypothesis.finished) {
        continue;
      }
      ++finished;
      const double log_p = forced_log_probabilities(tiny, sources[b], {hypothesis.ids}).front();
      REQUIRE(hypothesis.log_probability == Approx(log_p).margin(1e-4));
      REQUIRE(hypothesis.score == Approx(log_p / static_cast<double>(hypothesis.ids.size() + 1)).margin(1e-4));
    }
  }
  CHECK(finished > 20);
}

TEST_CASE("a beam of one is greedy search", "[decoding]") {
  // Without a length penalty: with one, a beam of one would keep looking for a longer hypothesis after the first eos.
  constexpr Index kVocabulary = 30;
  TinyModel<float> tiny(tiny_settings(), kVocabulary, 3);
  tiny.output_bias()[kEos] += 1;
  DecodingSettings settings;
  settings.length_penalty = 0;
  const std::vector<std::vector<Id>> sources = random_sources(100, 0, 12, kVocabulary);
  const std::vector<std::span<const Id>> spans(sources.begin(), sources.end());
  IncrementalDecoder<float> decoder(tiny.model);
  const auto greedy = greedy_search(settings, kTinyIds, spans, decoder);
  const auto beam = beam_search(settings, kTinyIds, spans, decoder);
  std::size_t finished = 0;
  for (std::size_t b = 0; b < sources.size(); ++b) {
    CAPTURE(b);
    REQUIRE(beam[b].size() == 1);
    REQUIRE(greedy[b].front().ids == beam[b].front().ids);
    REQUIRE(greedy[b].front().finished == beam[b].front().finished);
    REQUIRE(greedy[b].front().log_probability == beam[b].front().log_probability);
    REQUIRE(greedy[b].front().score == beam[b].front().score);
    finished += greedy[b].front().finished ? 1U : 0U;
  }
  CHECK(finished > 10);  // both ways of ending occur
  CHECK(finished < 100);
}

TEST_CASE("long sentences get the log-probabilities of teacher forcing, at every position", "[decoding]") {
  constexpr Index kVocabulary = 30;
  TransformerSettings shape = tiny_settings();
  shape.encoder_layers = 1;
  shape.decoder_layers = 2;
  TinyModel<float> tiny(shape, kVocabulary, 3);
  tiny.output_bias()[kEos] = -100;  // no translation ends before the limit
  const std::vector<std::vector<Id>> sources = random_sources(2, 90, 120, kVocabulary);
  for (const Index beam : {1, 3}) {
    DecodingSettings settings{.beam = beam, .max_length_ratio = 2};
    const auto found = translate(tiny.model, settings, kTinyIds, sources);
    for (std::size_t b = 0; b < sources.size(); ++b) {
      CAPTURE(beam, b);
      const Hypothesis& best = found[b].front();
      REQUIRE(std::ssize(best.ids) == longest_translation(settings, std::ssize(sources[b])));
      REQUIRE(best.ids.size() > 180);
      const Buffer<float> logits = forced_logits(tiny, sources[b], {best.ids});
      double log_p = 0;
      for (std::size_t t = 0; t < best.ids.size(); ++t) {
        const Eigen::ArrayXd row = logits.row(static_cast<Index>(t)).eigen().cast<double>().transpose();
        log_p += row[best.ids[t]] - row.maxCoeff() - std::log((row - row.maxCoeff()).exp().sum());
        if (beam == 1) {
          REQUIRE(row[best.ids[t]] == Approx(row.maxCoeff()).margin(1e-4));
        }
      }
      CHECK_FALSE(best.finished);
      CHECK(best.log_probability == Approx(log_p).margin(1e-3));
    }
  }
}
