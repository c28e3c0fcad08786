#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "numerics/gradient_check.hpp"

namespace glassformer {

/// How the gradient of one tensor compares with differences of the loss.
struct TensorCheck {
  std::string name;
  std::vector<Index> shape;
  GradientError error;
};

/// Builds the config's model in double precision with random weights (biases and gains too, because a gain of 1 or a
/// bias of 0 hides mistakes), and compares every tensor's gradient of a small padded batch, dropout included, with
/// differences of the loss: at up to `samples` numbers of each (0: all). \throws UserError: unusable training text
std::vector<TensorCheck> check_model_gradient(const Config& config, Index samples);

}  // namespace glassformer
