#pragma once

#include "glassformer/layers/part.hpp"
#include "glassformer/layers/pass.hpp"
#include "random_values.hpp"

namespace glassformer {

/// A layer on its own, with random weights and a gradient that starts at 0:
///
///   RandomValues random(1);
///   SingleLayer<LayerNorm<double>> norm(random, 6);
///   const Buffer<double>& y = norm->forward({}, x);
///   norm->gain.in(norm.weights)[0] = 1;
///
/// The names of its tensors begin with "layer.", and its first dropout site is 0.
template <class Layer, class Scalar = double>
class SingleLayer {
  BoundMemory<Scalar> bound_;
  Construction<Scalar> construction_{ParameterCursor<Scalar>(bound_)};
  Layer layer_;

 public:
  Arena<Scalar> weights, gradient;

  /// `arguments` are passed to the layer's constructor after its part.
  explicit SingleLayer(RandomValues& random, const auto&... arguments)
      : layer_(Part<Scalar>(construction_, "layer", "layer."), arguments...),
        weights(construction_.cursor.tensors()),
        gradient(construction_.cursor.tensors()) {
    random.fill(weights);
    bound_ = {weights.values().data(), gradient.values().data()};
  }
  SingleLayer(const SingleLayer&) = delete;  // its parameters point to bound_
  SingleLayer& operator=(const SingleLayer&) = delete;

  Layer& operator*() { return layer_; }
  Layer* operator->() { return &layer_; }
};

/// A training pass over two sentences, for layers with dropout.
inline constexpr Index kTwoSentences[] = {5, 2};
inline constexpr Pass kTrainingPass{.training = true, .seed = 1, .update = 2, .sentences = kTwoSentences};

}  // namespace glassformer
