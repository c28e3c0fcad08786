#include "glassformer/model/model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "glassformer/numerics/functions.hpp"
#include "glassformer/numerics/random.hpp"

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

/// The factor for the initial weights of a linear map inside a layer.
double gain_of(Role role, double initial_gain) {
  if (role == Role::query || role == Role::key) {
    return std::numbers::sqrt2 / 2;
  }
  return role == Role::value ? initial_gain * std::numbers::sqrt2 / 2 : initial_gain;
}

template <class Scalar>
void draw_matrix(MatrixView<Scalar> matrix, Role role, const RandomRow& random, const Model<Scalar>& model) {
  if (is_layer_map(role)) {
    const double glorot = std::sqrt(6.0 / static_cast<double>(matrix.rows() + matrix.cols()));
    draw_uniform(matrix, random, gain_of(role, model.settings.initial_gain) * glorot);
    return;
  }
  draw_normal(matrix, random, 1 / std::sqrt(static_cast<double>(matrix.cols())));
  const SpecialIdPair& special = model.vocabulary.special;
  const Id pad = role == Role::source_embedding ? special.source.pad : special.target.pad;
  if (pad >= 0) {
    std::ranges::fill(matrix.row(pad), Scalar{0});
  }
}

}  // namespace

template <std::floating_point Scalar>
void initialize(Model<Scalar>& model, std::uint64_t seed) {
  RandomRow random{.seed = seed};  // the site is the number of the matrix
  for (const TensorPlace& tensor : model.weights.tensors()) {
    const RowView<Scalar> values = model.weights.values(tensor);
    if (tensor.shape.size() == 1) {
      std::ranges::fill(values, static_cast<Scalar>(tensor.role == Role::gain ? 1 : 0));
      continue;
    }
    draw_matrix(MatrixView<Scalar>(values.data(), tensor.shape[0], tensor.shape[1]), tensor.role, random, model);
    ++random.site;
  }
}

template void initialize<float>(Model<float>&, std::uint64_t);
template void initialize<double>(Model<double>&, std::uint64_t);

}  // namespace glassformer
