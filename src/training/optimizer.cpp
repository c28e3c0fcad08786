#include "glassformer/training/optimizer.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>

#include "glassformer/numerics/functions.hpp"
#include "glassformer/numerics/parallel.hpp"
#include "glassformer/numerics/row_operations.hpp"

namespace glassformer {
namespace {

/// Elements [begin, end), as an array for elementwise arithmetic.
template <class Number>
auto part(std::span<Number> values, Index begin, Index end) {
  return RowView<Number>(values.data() + begin, end - begin).eigen().array();
}

/// The weight matrices inside layers. Embeddings and the output matrix, which have a row per token, are left to AdamW.
std::vector<TensorPlace> matrices_for_muon(const OptimizerSettings& settings, const std::vector<TensorPlace>& tensors) {
  std::vector<TensorPlace> matrices;
  if (settings.kind != OptimizerSettings::Kind::muon) {
    return matrices;
  }
  std::ranges::copy_if(tensors, std::back_inserter(matrices),
                       [](const TensorPlace& tensor) { return is_layer_map(tensor.role); });
  return matrices;
}

}  // namespace

template <std::floating_point Scalar>
double euclidean_norm(std::span<const Scalar> gradient) {
  return std::sqrt(sum_ranges(static_cast<Index>(gradient.size()), [&](Index begin, Index end) {
    return sum_of_squares(RowView<const Scalar>(gradient.data() + begin, end - begin));
  }));
}

template <std::floating_point Scalar>
Optimizer<Scalar>::Optimizer(const OptimizerSettings& settings, const std::vector<TensorPlace>& tensors)
    : settings_(settings), muon_(settings.momentum, settings.weight_decay, matrices_for_muon(settings, tensors)) {
  const Index parameters = tensors.back().offset + tensors.back().size;
  m_.resize(1, parameters);
  v_.resize(1, parameters);
  m_.fill(0);
  v_.fill(0);
  Index begin = 0;
  for (const TensorPlace& matrix : muon_.matrices()) {
    if (begin < matrix.offset) {
      adam_ranges_.push_back({begin, matrix.offset});
    }
    begin = matrix.offset + matrix.size;
  }
  if (begin < parameters) {
    adam_ranges_.push_back({begin, parameters});
  }
}

template <std::floating_point Scalar>
void Optimizer<Scalar>::update(std::span<Scalar> parameters, std::span<const Scalar> gradient, double norm, double rate,
                               Index t) {
  assert(parameters.size() == gradient.size() && gradient.size() == m().size() && t >= 1);
  const bool clip = settings_.clip_norm > 0 && norm > settings_.clip_norm;
  const auto scale = static_cast<Scalar>(clip ? settings_.clip_norm / norm : 1);
  for (const Range& range : adam_ranges_) {
    update_by_adam(range, parameters, gradient, scale, rate, t);
  }
  muon_.update(parameters, gradient, scale, rate, m());
}

template <std::floating_point Scalar>
void Optimizer<Scalar>::update_by_adam(Range range, std::span<Scalar> parameters, std::span<const Scalar> gradient,
                                       Scalar scale, double rate, Index t) {
  const auto beta1 = static_cast<Scalar>(settings_.beta1);
  const auto beta2 = static_cast<Scalar>(settings_.beta2);
  const auto epsilon = static_cast<Scalar>(settings_.epsilon);
  const auto decay = static_cast<Scalar>(settings_.weight_decay);
  const auto updates = static_cast<double>(t);
  // The divisors of m and v do not depend on the parameter, so they become part of these two factors.
  const auto step = static_cast<Scalar>(rate / (1 - pow(settings_.beta1, updates)));
  const auto sqrt_v_factor = static_cast<Scalar>(1 / std::sqrt(1 - pow(settings_.beta2, updates)));
  const bool decoupled = settings_.kind != OptimizerSettings::Kind::adam;

  run_ranges(range.end - range.begin, [&](Index begin, Index end) {
    begin += range.begin;
    end += range.begin;
    auto p = part(parameters, begin, end);
    auto m = part(this->m(), begin, end);
    auto v = part(this->v(), begin, end);
    if (decoupled) {
      p *= 1 - static_cast<Scalar>(rate) * decay;
    }
    const auto g = scale * part(gradient, begin, end) + (decoupled ? Scalar{0} : decay) * p;
    m = beta1 * m + (1 - beta1) * g;
    v = beta2 * v + (1 - beta2) * g.square();
    p -= step * m / (v.sqrt() * sqrt_v_factor + epsilon);
  });
}

template double euclidean_norm<float>(std::span<const float>);
template double euclidean_norm<double>(std::span<const double>);
template class Optimizer<float>;
template class Optimizer<double>;

}  // namespace glassformer
