#include "model/model.hpp"

#include <cmath>
#include <numbers>
#include <string_view>

#include "numerics/functions.hpp"
#include "numerics/random.hpp"
#include "numerics/row_operations.hpp"

namespace glassformer {
namespace {

template <class Scalar>
void draw_uniform(MatrixView<Scalar> matrix, RandomRow random, double limit) {
  RowVector<double> numbers(matrix.cols());
  for (Index r = 0; r < matrix.rows(); ++r) {
    random.row = static_cast<std::uint32_t>(r);
    fill_uniform(random, numbers.size(), numbers.data());
    for (Index c = 0; c < matrix.cols(); ++c) {
      matrix(r, c) = static_cast<Scalar>((2 * numbers(c) - 1) * limit);
    }
  }
}

template <class Scalar>
void draw_normal(MatrixView<Scalar> matrix, RandomRow random, double deviation) {
  RowVector<double> numbers(2 * matrix.cols());  // two uniform numbers give one normal (Box & Muller 1958)
  for (Index r = 0; r < matrix.rows(); ++r) {
    random.row = static_cast<std::uint32_t>(r);
    fill_uniform(random, numbers.size(), numbers.data());
    for (Index c = 0; c < matrix.cols(); ++c) {
      const double radius = std::sqrt(-2 * log(1 - numbers(2 * c)));
      matrix(r, c) = static_cast<Scalar>(deviation * radius * cos(2 * std::numbers::pi * numbers(2 * c + 1)));
    }
  }
}

/// The factor for the initial weights of a linear map.
double gain_of(std::string_view name, double initial_gain) {
  if (name.ends_with("q_proj.weight") || name.ends_with("k_proj.weight")) {
    return std::numbers::sqrt2 / 2;
  }
  if (name.ends_with("v_proj.weight")) {
    return initial_gain * std::numbers::sqrt2 / 2;
  }
  return initial_gain;
}

}  // namespace

template <std::floating_point Scalar>
void initialize(Model<Scalar>& model, std::uint64_t seed) {
  RandomRow random{.seed = seed};  // the site is the number of the matrix
  for (const TensorPlace& tensor : model.weights.tensors()) {
    const std::string_view name = tensor.name;
    const RowView<Scalar> values = model.weights.values(tensor);
    if (tensor.shape.size() == 1) {
      set(values, static_cast<Scalar>(name.ends_with("layer_norm.weight") ? 1 : 0));
      continue;
    }
    const Index rows = tensor.shape[0];
    const Index cols = tensor.shape[1];
    const MatrixView<Scalar> matrix(values.data(), rows, cols);
    if (name.find(".layers.") != std::string_view::npos) {
      const double glorot = std::sqrt(6.0 / static_cast<double>(rows + cols));
      draw_uniform(matrix, random, gain_of(name, model.settings.initial_gain) * glorot);
    } else {  // an embedding or the output map
      draw_normal(matrix, random, 1 / std::sqrt(static_cast<double>(cols)));
      const bool is_source = name.starts_with("model.encoder.") || name.starts_with("model.shared.");
      const Id pad = is_source ? model.vocabulary.pad.source : model.vocabulary.pad.target;
      if (pad >= 0) {
        set(matrix.row(pad), Scalar{0});
      }
    }
    ++random.site;
  }
}

template void initialize<float>(Model<float>&, std::uint64_t);
template void initialize<double>(Model<double>&, std::uint64_t);

}  // namespace glassformer
