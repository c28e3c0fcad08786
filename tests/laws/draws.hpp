#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "glassformer/numerics/row_operations.hpp"
#include "model/choices.hpp"
#include "model/example.hpp"

/// A law is a statement that holds for every model and every batch. We check each law on 200 models and batches of
/// random shape and content, always the same 200. They are drawn so that the law applies to all of them.
namespace glassformer::laws {

#ifdef __SANITIZE_ADDRESS__
constexpr int kDraws = 20;  // this sanitizer looks for other errors, and is ten times slower
#else
constexpr int kDraws = 200;
#endif

/// Calls `law(random)` once for each of `draws` draws. A failure reports the number of the draw. (Laws have different
/// seeds, so that they are not all checked on the same models.)
void hold(std::uint64_t seed, const auto& law, int draws = kDraws) {
  RandomValues random(seed);
  for (int draw = 0; draw < draws; ++draw) {
    CAPTURE(draw);
    law(random);
  }
}

/// A random number in low .. high.
inline Index between(RandomValues& random, Index low, Index high) { return low + random.index(high - low + 1); }

/// Settings for a small, fast model of random shape, without dropout.
inline TransformerSettings draw_settings(RandomValues& random) {
  TransformerSettings settings = example::settings(Norm::post, Tying::none);
  example::draw_choices(random, settings);
  settings.heads = between(random, 1, 3);
  settings.d_model = settings.heads * 2 * between(random, 4 / settings.heads, 4);
  settings.d_ff = between(random, 1, 20);
  settings.encoder_layers = between(random, 1, 3);
  settings.decoder_layers = between(random, 1, 3);
  settings.scale_embeddings = random.index(2) == 0;
  return settings;
}

/// The settings with random dropout rates at all four places.
inline TransformerSettings draw_dropout(RandomValues& random, TransformerSettings settings) {
  for (double* rate :
       {&settings.dropout, &settings.embedding_dropout, &settings.attention_dropout, &settings.activation_dropout}) {
    *rate = random.number(0.05, 0.6);
  }
  return settings;
}

/// 2 to 6 sentence pairs with 1 to 9 tokens on each side, padded. The last pair is shorter than the first on both
/// sides, and some sources also have padding in the middle.
inline example::PaddedBatch draw_batch(RandomValues& random) {
  example::PaddedBatch batch = example::random_batch(random, between(random, 2, 6), between(random, 2, 9));
  const Index last = batch.source.rows() - 1;
  const Index length = batch.source.cols();
  batch.source(last, length - 1) = example::kSourcePad;
  batch.target_input(last, length - 1) = batch.target_output(last, length - 1) = example::kTargetPad;
  for (Index b = 0; b <= last; ++b) {
    const Index s = random.index(length - 1);
    if (batch.source(b, s + 1) != example::kSourcePad && random.index(3) > 0) {
      batch.source(b, s) = example::kSourcePad;
    }
  }
  batch.remake_masks();
  return batch;
}

/// A model whose weights are about as large as after training: they shrink with the width, and gains are about 1.
template <class Scalar>
struct DrawnModel : example::RandomModel<Scalar> {
  Matrix<Scalar> logits;  // of the last forward, which replaces them with probabilities

  DrawnModel(RandomValues& random, const TransformerSettings& settings) : example::RandomModel<Scalar>(settings) {
    for (const TensorPlace& tensor : this->weights.tensors()) {
      const auto values = this->weights.values(tensor);
      random.fill(values);
      const double width = tensor.shape.size() == 2 ? static_cast<double>(tensor.shape[1]) : 10.0;
      scale(values, static_cast<Scalar>(1 / std::sqrt(width)));
      if (tensor.name.ends_with("norm.weight")) {
        values.eigen().array() += Scalar{1};
      }
    }
  }

  void forward(const example::PaddedBatch& batch, const Pass& pass) {
    const Buffer<Scalar>& memory = this->model.encode(pass, batch.source, batch.masks.encoder_padding);
    logits = this->model.decode(pass, batch.target_input, memory, batch.masks).eigen();
    this->example::template RandomModel<Scalar>::forward(batch, pass);
  }
  /// Replaces `gradient` with the gradient of the summed loss.
  void forward_backward(const example::PaddedBatch& batch) {
    forward(batch, batch.training());
    std::ranges::fill(this->gradient.values(), Scalar{0});
    this->model.backward(batch.training(), 1);
  }
};

template <class Scalar>
void copy_weights(const DrawnModel<Scalar>& from, DrawnModel<Scalar>& to) {
  to.weights.values().eigen() = from.weights.values().eigen();
}

/// A huge number, infinity or NaN, for a place that must not be read.
inline double draw_extreme_value(RandomValues& random) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kValues[] = {1e30, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()};
  return kValues[random.index(4)];
}

}  // namespace glassformer::laws
