#include "model/initialization.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "numerics/random.hpp"

namespace glassformer {
namespace {

/// Draws each matrix from random rows of its own: the site counts the matrices.
template <class Scalar>
class Initializer {
 public:
  Initializer(std::uint64_t seed, double gain) : seed_(seed), gain_(gain) {}

  void uniform(MatrixView<Scalar> matrix, double limit) {
    for_each_row(matrix.rows(), matrix.cols(), [&](Index r, const RowVector<double>& numbers) {
      matrix.row(r) = ((2 * numbers.array() - 1) * limit).template cast<Scalar>();
    });
  }

  void normal(MatrixView<Scalar> matrix, double deviation) {
    for_each_row(matrix.rows(), 2 * matrix.cols(), [&](Index r, const RowVector<double>& numbers) {
      for (Index c = 0; c < matrix.cols(); ++c) {  // two uniform numbers make one normal (Box & Muller 1958)
        const double radius = std::sqrt(-2 * std::log(1 - numbers(2 * c)));
        matrix(r, c) = static_cast<Scalar>(deviation * radius * std::cos(2 * std::numbers::pi * numbers(2 * c + 1)));
      }
    });
  }

  void linear(typename Linear<Scalar>::Parameters& p, double gain = 1) {
    uniform(p.weight, gain * std::sqrt(6.0 / static_cast<double>(p.weight.rows() + p.weight.cols())));
    p.bias.setZero();
  }

  void attention(AttentionParameters<Scalar>& p) {
    const std::array gains = {1.0, 1.0, gain_};  // of query, key, value
    for (Index part = 0; part < 3; ++part) {
      typename Linear<Scalar>::Parameters projection = p.query_key_value.outputs(part * p.width(), p.width());
      linear(projection, gains[static_cast<std::size_t>(part)] * std::numbers::sqrt2 / 2);
    }
    linear(p.output, gain_);
  }

  void norm(typename LayerNorm<Scalar>::Parameters& p) {
    p.gain.setOnes();
    p.bias.setZero();
  }

  void feed_forward(typename FeedForward<Scalar>::Parameters& p) {
    linear(p.expand, gain_);
    linear(p.contract, gain_);
  }

  void embedding(MatrixView<Scalar> table, Id pad) {
    normal(table, 1 / std::sqrt(static_cast<double>(table.cols())));
    if (pad >= 0) table.row(pad).setZero();
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

  std::uint64_t seed_;
  double gain_;
  std::uint32_t site_ = 0;
};

}  // namespace

template <std::floating_point Scalar>
void initialize(const Transformer<Scalar>& model, std::uint64_t seed, typename Transformer<Scalar>::Parameters& p) {
  const Tying tied = model.settings.tied_embeddings;
  Initializer<Scalar> initializer(seed, model.settings.initial_gain);
  initializer.embedding(p.source_embedding, model.vocabulary.source_pad);
  if (tied != Tying::all) initializer.embedding(p.target_embedding, model.vocabulary.target_pad);
  if (tied == Tying::none) initializer.embedding(p.output.weight, model.vocabulary.target_pad);
  p.output.bias.setZero();

  for (auto& layer : p.encoder) {
    initializer.attention(layer.self_attention);
    initializer.norm(layer.self_attention_norm);
    initializer.feed_forward(layer.feed_forward);
    initializer.norm(layer.feed_forward_norm);
  }
  for (auto& layer : p.decoder) {
    initializer.attention(layer.self_attention);
    initializer.norm(layer.self_attention_norm);
    initializer.attention(layer.cross_attention);
    initializer.norm(layer.cross_attention_norm);
    initializer.feed_forward(layer.feed_forward);
    initializer.norm(layer.feed_forward_norm);
  }
  if (p.encoder_norm) initializer.norm(*p.encoder_norm);
  if (p.decoder_norm) initializer.norm(*p.decoder_norm);
}

template void initialize<float>(const Transformer<float>&, std::uint64_t, Transformer<float>::Parameters&);
template void initialize<double>(const Transformer<double>&, std::uint64_t, Transformer<double>::Parameters&);

}  // namespace glassformer
