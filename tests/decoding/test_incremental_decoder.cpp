#include <algorithm>
#include <span>
#include <vector>

#include "catch.hpp"
#include "decoding/incremental_decoder.hpp"
#include "tiny_model.hpp"

using namespace glassformer;

namespace {

constexpr Index kVocabulary = 37;

struct Follower {  // a running hypothesis and all that it holds
  Index sentence;
  std::vector<Id> ids;
};

std::vector<std::span<const Id>> as_spans(const std::vector<std::vector<Id>>& sources) {
  return {sources.begin(), sources.end()};
}

/// Steps along random hypotheses, as a beam would: children of random parents, up to `beam` for each sentence, some
/// sentences dropping out on the way. Gives the largest difference from teacher forcing.
template <class Scalar>
double difference_from_teacher_forcing(const TransformerSettings& settings, Index steps, Index beam) {
  const TinyModel<Scalar> tiny(settings, kVocabulary);
  const std::vector<std::vector<Id>> sources = random_sources(6, 0, 9, kVocabulary);
  RandomValues random(3);
  IncrementalDecoder<Scalar> decoder;
  decoder.start(tiny.model, tiny.p(), as_spans(sources), beam);

  std::vector<Follower> running;
  std::vector<Extension> rows;
  for (Index b = 0; b < 6; ++b) {
    running.push_back({b, {}});
    rows.push_back({b, 0, kBos});
  }
  double largest = 0;
  for (Index t = 0; t < steps; ++t) {
    const auto logits = decoder.step(rows);
    for (std::size_t r = 0; r < running.size(); ++r) {
      const std::vector<Id>& source = sources[static_cast<std::size_t>(running[r].sentence)];
      const Buffer<Scalar> forced = forced_logits(tiny, source, {running[r].ids});
      largest = std::max(largest, largest_difference(logits.row(static_cast<Index>(r)), forced.row(t)));
    }
    std::vector<Follower> next;
    rows.clear();
    for (Index b = 0; b < 6; ++b) {
      if (b == 4 && t >= 2) continue;  // this sentence has ended
      std::vector<Index> parents;
      for (std::size_t r = 0; r < running.size(); ++r) {
        if (running[r].sentence == b) parents.push_back(static_cast<Index>(r));
      }
      for (Index i = 0; i < beam; ++i) {
        const Index parent = parents[static_cast<std::size_t>(random.index(static_cast<Index>(parents.size())))];
        const Id token = static_cast<Id>(2 + random.index(kVocabulary - 2));
        next.push_back(running[static_cast<std::size_t>(parent)]);
        next.back().ids.push_back(token);
        rows.push_back({b, parent, token});
      }
    }
    std::swap(running, next);
  }
  return largest;
}

}  // namespace

TEST_CASE("step by step with the cache, the logits are those of teacher forcing", "[decoding]") {
  for (const Norm norm : {Norm::post, Norm::pre}) {
    for (const Tying tying : {Tying::none, Tying::target, Tying::all}) {
      for (const Activation activation : {Activation::relu, Activation::swish}) {
        TransformerSettings settings = tiny_settings();
        settings.norm = norm;
        settings.tied_embeddings = tying;
        settings.activation = activation;
        CAPTURE(static_cast<int>(norm), static_cast<int>(tying), static_cast<int>(activation));
        CHECK(difference_from_teacher_forcing<double>(settings, 5, 3) < 1e-10);
        CHECK(difference_from_teacher_forcing<float>(settings, 5, 3) < 1e-5);
      }
    }
  }
}

TEST_CASE("the cache holds as many tokens as a long translation needs", "[decoding]") {
  CHECK(difference_from_teacher_forcing<double>(tiny_settings(), 40, 2) < 1e-10);
}

TEST_CASE("a model may have more layers on one side, or none", "[decoding]") {
  TransformerSettings settings = tiny_settings();
  settings.encoder_layers = 0;
  settings.decoder_layers = 3;
  CHECK(difference_from_teacher_forcing<double>(settings, 4, 2) < 1e-10);
  settings.encoder_layers = 1;
  settings.decoder_layers = 0;
  CHECK(difference_from_teacher_forcing<double>(settings, 4, 2) < 1e-10);
}

TEST_CASE("a hypothesis' logits are the same to the bit, whatever is decoded beside it", "[decoding][batches]") {
  TransformerSettings settings = tiny_settings();
  const Index width = GENERATE(16, 24, 40);
  settings.d_model = width;
  const TinyModel<float> tiny(settings, kVocabulary);
  const std::vector<std::vector<Id>> sources = random_sources(70, 0, 20, kVocabulary);
  const std::vector<std::span<const Id>> all = as_spans(sources);

  const std::vector<Id> tokens = {kBos, 5, 9, 30, 4};
  IncrementalDecoder<float> together, alone;
  together.start(tiny.model, tiny.p(), all, 1);
  std::vector<Matrix<float>> expected;
  for (const Id token : tokens) {
    std::vector<Extension> rows;
    for (Index b = 0; b < 70; ++b) rows.push_back({b, b, token});
    expected.push_back(together.step(rows));
  }
  for (const Index b : {0, 1, 17, 69}) {  // `alone` is used again and again
    alone.start(tiny.model, tiny.p(), std::span(all).subspan(static_cast<std::size_t>(b), 1), 1);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      const Extension row{0, 0, tokens[t]};
      CAPTURE(width, b, t);
      CHECK(same_bits(alone.step({&row, 1}), expected[t].row(b)));
    }
  }
}
