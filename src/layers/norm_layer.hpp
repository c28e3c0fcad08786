#pragma once

#include <array>
#include <concepts>

#include "glassformer/layers/layer_norm.hpp"

namespace glassformer {

/// Where layer normalisation is applied: after the residual sum, or before the sublayer.
enum class Norm { post, pre };
inline constexpr std::array kNormNames = {"post", "pre"};  ///< in the order of the enum

struct AddAndNormSettings {
  Norm norm = Norm::post;
  Index width = 0;       ///< D
  double dropout = 0;    ///< rate, for the sublayer's output
  bool residual = true;  ///< add x to the sublayer's output
};

/// The normalisation in every residual connection, and at the end of a pre-norm stack. Only this alias and the function
/// below choose it.
template <std::floating_point Scalar>
using NormLayer = LayerNorm<Scalar>;

/// Constructs the normalisation.
template <std::floating_point Scalar>
NormLayer<Scalar> norm_layer(const Part<Scalar>& part, const AddAndNormSettings& settings) {
  return {part, settings.width};
}

}  // namespace glassformer
