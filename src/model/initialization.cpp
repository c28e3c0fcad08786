#include "model/initialization.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "numerics/random.hpp"
#include "numerics/row_operations.hpp"

namespace glassformer {
namespace {

/// Draws each matrix from random rows of its own: the site counts the matrices.
template <class Scalar>
class Initializer {
 public:
  Initializer(Arena<Scalar>& weights, std::uint64_t seed, double gain) : weights_(weights), seed_(seed), gain_(gain) {}

  void uniform(const MatrixParameter<Scalar>& matrix, double limit) {
    for_each_row(matrix.rows(), matrix.cols(), [&](Index r, const RowVector<double>& numbers) {
      const auto row = matrix.in(weights_).row(r);
      for (Index c = 0; c < row.size(); ++c) row[c] = static_cast<Scalar>((2 * numbers(c) - 1) * limit);
    });
  }

  void normal(const MatrixParameter<Scalar>& matrix, double deviation) {
    for_each_row(matrix.rows(), 2 * matrix.cols(), [&](Index r, const RowVector<double>& numbers) {
      const auto row = matrix.in(weights_).row(r);
      for (Index c = 0; c < row.size(); ++c) {  // two uniform numbers make one normal (Box & Muller 1958)
        const double radius = std::sqrt(-2 * std::log(1 - numbers(2 * c)));
        row[c] = static_cast<Scalar>(deviation * radius * std::cos(2 * std::numbers::pi * numbers(2 * c + 1)));
      }
    });
  }

  void matrix(const MatrixParameter<Scalar>& weight, double gain) {
    uniform(weight, gain * std::sqrt(6.0 / static_cast<double>(weight.rows() + weight.cols())));
  }
  void linear(const Linear<Scalar>& map, double gain) {
    matrix(map.weight, gain);
    set(map.bias.in(weights_), Scalar{0});
  }

  void attention(const Projections<Scalar>& projections, const Linear<Scalar>& output) {
    const Index D = projections.weight.cols();
    const std::array gains = {1.0, 1.0, gain_};  // of query, key, value
    for (Index i = 0; i < 3; ++i) {
      matrix(projections.weight.middle_rows(i * D, D), gains[static_cast<std::size_t>(i)] * std::numbers::sqrt2 / 2);
    }
    set(projections.bias.in(weights_), Scalar{0});
    linear(output, gain_);
  }

  void norm(const LayerNorm<Scalar>& layer_norm) {
    set(layer_norm.gain.in(weights_), Scalar{1});
    set(layer_norm.bias.in(weights_), Scalar{0});
  }

  void feed_forward(const FeedForward<Scalar>& network) {
    linear(network.expand, gain_);
    linear(network.contract, gain_);
  }

  void embedding(const MatrixParameter<Scalar>& table, Id pad) {
    normal(table, 1 / std::sqrt(static_cast<double>(table.cols())));
    if (pad >= 0) set(table.in(weights_).row(pad), Scalar{0});
  }

 private:
  void for_each_row(Index rows, Index size, const auto& use) {
    RowVector<double> numbers(size);
    for (Index r = 0; r < rows; ++r) {
      fill_uniform({.seed = seed_, .site = site_, .row = static_cast<std::uint32_t>(r)}, size, numbers.data());
      use(r, numbers);
    }
    ++site_;
  }

  Arena<Scalar>& weights_;
  std::uint64_t seed_;
  double gain_;
  std::uint32_t site_ = 0;
};

}  // namespace

template <std::floating_point Scalar>
void initialize(Model<Scalar>& shared, std::uint64_t seed) {
  const Transformer<Scalar> model(shared.settings, shared.vocabulary);  // says what each tensor is
  const Tying tied = model.settings.tied_embeddings;
  const PadIds pad = model.vocabulary.pad;
  Initializer<Scalar> initializer(shared.weights, seed, model.settings.initial_gain);
  initializer.embedding(model.source_embedding.table, pad.source);
  if (tied != Tying::all) initializer.embedding(model.target_embedding.table, pad.target);
  if (tied == Tying::none) initializer.embedding(model.output.weight, pad.target);
  set(model.output.bias.in(shared.weights), Scalar{0});

  for (const EncoderLayer<Scalar>& layer : model.encoder_layers) {
    initializer.attention(layer.self_attention.sublayer.projections, layer.self_attention.sublayer.out_proj);
    initializer.norm(layer.self_attention.join.layer_norm);
    initializer.feed_forward(layer.feed_forward.sublayer);
    initializer.norm(layer.feed_forward.join.layer_norm);
  }
  for (const DecoderLayer<Scalar>& layer : model.decoder_layers) {
    initializer.attention(layer.self_attention.sublayer.projections, layer.self_attention.sublayer.out_proj);
    initializer.norm(layer.self_attention.join.layer_norm);
    initializer.attention(layer.cross_attention.sublayer.projections, layer.cross_attention.sublayer.out_proj);
    initializer.norm(layer.cross_attention.join.layer_norm);
    initializer.feed_forward(layer.feed_forward.sublayer);
    initializer.norm(layer.feed_forward.join.layer_norm);
  }
  if (model.encoder_norm) initializer.norm(*model.encoder_norm);
  if (model.decoder_norm) initializer.norm(*model.decoder_norm);
}

template void initialize<float>(Model<float>&, std::uint64_t);
template void initialize<double>(Model<double>&, std::uint64_t);

}  // namespace glassformer
