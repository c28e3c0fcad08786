#include "model/initialization.hpp"

#include <cmath>

#include "catch.hpp"

using namespace glassformer;

namespace {

constexpr Index kWidth = 16, kInner = 40, kVocabulary = 200;
constexpr Id kPad = 3;

/// The parameters of a fresh model.
struct Fresh {
  Transformer<double> model;
  Arena<Transformer<double>::Parameters> arena;

  explicit Fresh(double initial_gain, std::uint64_t seed = 1)
      : model{{.d_model = kWidth, .heads = 2, .d_ff = kInner, .tied_embeddings = Tying::all,
               .initial_gain = initial_gain},
              {kVocabulary, kVocabulary, kPad, kPad}},
        arena(model.settings, model.vocabulary) {
    initialize(model, seed, arena.parameters());
  }
  auto& p() { return arena.parameters(); }
};

double deviation(ConstMatrixRef<double> m) { return std::sqrt(m.squaredNorm() / static_cast<double>(m.size())); }

/// Of uniform numbers in +-sqrt(6 / (in + out)).
double xavier(Index in, Index out) { return std::sqrt(2.0 / static_cast<double>(in + out)); }

}  // namespace

TEST_CASE("a fresh model's weights are as wide as they are said to be, its padding embedding and biases are 0",
          "[model]") {
  Fresh fresh(1);
  auto& layer = fresh.p().decoder[1];
  CHECK(deviation(fresh.p().source_embedding) == Approx(1 / std::sqrt(kWidth)).epsilon(0.05));
  CHECK(fresh.p().source_embedding.row(kPad).isZero(0));
  CHECK(deviation(layer.cross_attention.query_key_value.weight) ==
        Approx(std::sqrt(0.5) * xavier(kWidth, kWidth)).epsilon(0.1));
  CHECK(deviation(layer.cross_attention.output.weight) == Approx(xavier(kWidth, kWidth)).epsilon(0.1));
  CHECK(deviation(layer.feed_forward.expand.weight) == Approx(xavier(kWidth, kInner)).epsilon(0.1));
  CHECK(layer.feed_forward.contract.bias.isZero(0));
  CHECK((layer.feed_forward_norm.gain.array() == 1).all());
  CHECK((fresh.arena.values() == Fresh(1).arena.values()).all());
  CHECK((fresh.arena.values() != Fresh(1, 2).arena.values()).any());
}

TEST_CASE("the initial gain makes the value, output and feed-forward weights smaller, and no others", "[model]") {
  Fresh whole(1), half(0.5);
  CHECK(half.p().source_embedding == whole.p().source_embedding);
  for (std::size_t l = 0; l < 2; ++l) {
    const auto& small = half.p().encoder[l].feed_forward;
    const auto& large = whole.p().encoder[l].feed_forward;
    CHECK(small.expand.weight == 0.5 * large.expand.weight);
    CHECK(small.contract.weight == 0.5 * large.contract.weight);
    for (const auto part : {&DecoderLayer<double>::Parameters::self_attention,
                            &DecoderLayer<double>::Parameters::cross_attention}) {
      const auto& a = half.p().decoder[l].*part;
      const auto& b = whole.p().decoder[l].*part;
      CHECK(a.query_key_value.weight.topRows(2 * kWidth) == b.query_key_value.weight.topRows(2 * kWidth));
      CHECK(a.query_key_value.weight.bottomRows(kWidth) == 0.5 * b.query_key_value.weight.bottomRows(kWidth));
      CHECK(a.output.weight == 0.5 * b.output.weight);
    }
  }
}
