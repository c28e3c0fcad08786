#include <cmath>

#include "catch.hpp"
#include "glassformer/model/model.hpp"
#include "random_values.hpp"

using namespace glassformer;

namespace {

constexpr Index kWidth = 16, kInner = 40, kEmbeddedVocabulary = 200;
constexpr Id kPadRow = 3;

/// A freshly initialized model, and a transformer that locates each parameter.
struct Fresh {
  Model<double> model;
  Transformer<double> layers;

  explicit Fresh(double initial_gain, std::uint64_t seed = 1)
      : model({.d_model = kWidth,
               .heads = 2,
               .d_ff = kInner,
               .tied_embeddings = Tying::all,
               .initial_gain = initial_gain},
              {kEmbeddedVocabulary, kEmbeddedVocabulary, {{.pad = kPadRow}, {.pad = kPadRow}}}),
        layers(model.settings, model.vocabulary) {
    initialize(model, seed);
  }
  auto operator()(const auto& parameter) { return parameter.in(model.weights).eigen(); }
};

double deviation(const Matrix<double>& m) { return std::sqrt(m.squaredNorm() / static_cast<double>(m.size())); }

/// The standard deviation of uniform numbers in +-sqrt(6 / (in + out)).
double xavier(Index in, Index out) { return std::sqrt(2.0 / static_cast<double>(in + out)); }

}  // namespace

TEST_CASE("a fresh model's weights have the documented standard deviations; its padding embedding and biases are 0",
          "[model]") {
  Fresh fresh(1);
  const DecoderLayer<double>& layer = fresh.layers.decoder_layers[1];
  const CrossAttention<double>& attention = layer.cross_attention.sublayer;
  const FeedForward<double>& feed_forward = layer.feed_forward.sublayer;
  CHECK(deviation(fresh(fresh.layers.source_embedding.table)) == Approx(1 / std::sqrt(kWidth)).epsilon(0.05));
  CHECK(fresh(fresh.layers.source_embedding.table).row(kPadRow).isZero(0));
  CHECK(deviation(fresh(attention.projections.weight)) == Approx(std::sqrt(0.5) * xavier(kWidth, kWidth)).epsilon(0.1));
  CHECK(deviation(fresh(attention.out_proj.weight)) == Approx(xavier(kWidth, kWidth)).epsilon(0.1));
  CHECK(deviation(fresh(feed_forward.expand.weight)) == Approx(xavier(kWidth, kInner)).epsilon(0.1));
  CHECK(fresh(attention.projections.bias).isZero(0));
  CHECK(fresh(feed_forward.contract.bias).isZero(0));
  for (const TensorPlace& tensor : fresh.model.weights.tensors()) {
    CHECK((tensor.role == Role::gain) == (fresh.model.weights.values(tensor).eigen().array() == 1).all());
  }
  CHECK(same_bits(fresh.model.weights.values(), Fresh(1).model.weights.values()));
  CHECK_FALSE(same_bits(fresh.model.weights.values(), Fresh(1, 2).model.weights.values()));
}

TEST_CASE("the initial gain scales the value, output and feed-forward weights, and no others", "[model]") {
  Fresh full(1);
  Fresh half(0.5);
  const auto is_same = [&](const auto& parameter) { return half(parameter) == full(parameter); };
  const auto is_half = [&](const auto& parameter) { return half(parameter) == 0.5 * full(parameter); };
  const auto check_attention = [&](const auto& attention) {
    CHECK(is_same(attention.projections.weight.middle_rows(0, 2 * kWidth)));
    CHECK(is_half(attention.projections.weight.middle_rows(2 * kWidth, kWidth)));
    CHECK(is_half(attention.out_proj.weight));
  };
  CHECK(is_same(full.layers.source_embedding.table));
  for (std::size_t l = 0; l < 2; ++l) {
    const EncoderLayer<double>& encoder = full.layers.encoder_layers[l];
    const DecoderLayer<double>& decoder = full.layers.decoder_layers[l];
    for (const auto* feed_forward : {&encoder.feed_forward.sublayer, &decoder.feed_forward.sublayer}) {
      CHECK(is_half(feed_forward->expand.weight));
      CHECK(is_half(feed_forward->contract.weight));
    }
    check_attention(encoder.self_attention.sublayer);
    check_attention(decoder.self_attention.sublayer);
    check_attention(decoder.cross_attention.sublayer);
  }
}

TEST_CASE("weights are initialized by the roles of their tensors, whatever their names", "[model]") {
  const BoundMemory<double> memory;
  ParameterCursor<double> cursor(memory);
  constexpr Index kRows = 300;
  constexpr Index kCols = 20;
  const auto matrix = [&](const char* name, Role role) { return cursor.matrix(name, kRows, kCols, role); };
  const auto gain = cursor.vector("rms_norm.weight", kCols, Role::gain);
  const auto bias = cursor.vector("layer_norm.weight", kCols, Role::bias);
  const auto source = matrix("model.encoder.layers.0.q_proj.weight", Role::source_embedding);
  const auto target = matrix("model.encoder.table.weight", Role::target_embedding);
  const auto output = matrix("v_proj.weight", Role::output);
  const auto query = matrix("a", Role::query);
  const auto key = matrix("b", Role::key);
  const auto value = matrix("c", Role::value);
  const auto projection = matrix("model.shared.weight", Role::projection);

  Model<double> model({.d_model = kCols, .initial_gain = 0.5}, {kRows, kRows, {{.pad = 4}, {.pad = 7}}});
  model.weights = Arena<double>(cursor.tensors());
  initialize(model, 1);
  const auto of = [&](const auto& parameter) { return parameter.in(model.weights).eigen(); };
  CHECK((of(gain).array() == 1).all());
  CHECK((of(bias).array() == 0).all());
  CHECK(of(source).row(4).isZero(0));
  CHECK_FALSE(of(source).row(7).isZero(0));
  for (const auto& of_target : {target, output}) {
    CHECK(of(of_target).row(7).isZero(0));
    CHECK_FALSE(of(of_target).row(4).isZero(0));
    CHECK(deviation(of(of_target)) == Approx(1 / std::sqrt(kCols)).epsilon(0.05));
  }
  const double limit = std::sqrt(6.0 / (kRows + kCols));
  CHECK(of(projection).cwiseAbs().maxCoeff() == Approx(0.5 * limit).epsilon(0.02));
  CHECK(of(value).cwiseAbs().maxCoeff() == Approx(0.5 * std::sqrt(0.5) * limit).epsilon(0.02));
  CHECK(of(query).cwiseAbs().maxCoeff() == Approx(std::sqrt(0.5) * limit).epsilon(0.02));
  CHECK(of(key).cwiseAbs().maxCoeff() == Approx(std::sqrt(0.5) * limit).epsilon(0.02));
}
