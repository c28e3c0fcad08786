#include "training/optimizer.hpp"

#include <cassert>
#include <cmath>

#include "numerics/parallel.hpp"

namespace glassformer {
namespace {

template <class Number>
auto part(std::span<Number> values, Index begin, Index end) {
  using Plain = Eigen::Array<std::remove_const_t<Number>, Eigen::Dynamic, 1>;
  using Array = std::conditional_t<std::is_const_v<Number>, const Plain, Plain>;
  return Eigen::Map<Array>(values.data() + begin, end - begin);
}

}  // namespace

template <std::floating_point Scalar>
double gradient_norm(std::span<const Scalar> gradient) {
  return std::sqrt(sum_ranges(static_cast<Index>(gradient.size()), [&](Index begin, Index end) {
    return part(gradient, begin, end).template cast<double>().square().sum();
  }));
}

template <std::floating_point Scalar>
Adam<Scalar>::Adam(const OptimizerSettings& settings, Index parameters)
    : settings_(settings), m_(1, parameters), v_(1, parameters) {
  m_.setZero();
  v_.setZero();
}

template <std::floating_point Scalar>
void Adam<Scalar>::update(std::span<Scalar> parameters, std::span<const Scalar> gradient, double norm, double rate,
                          Index t) {
  assert(parameters.size() == gradient.size() && gradient.size() == m().size() && t >= 1);
  const bool clip = settings_.clip_norm > 0 && norm > settings_.clip_norm;
  const auto scale = static_cast<Scalar>(clip ? settings_.clip_norm / norm : 1);
  const auto beta1 = static_cast<Scalar>(settings_.beta1), beta2 = static_cast<Scalar>(settings_.beta2);
  const auto epsilon = static_cast<Scalar>(settings_.epsilon), decay = static_cast<Scalar>(settings_.weight_decay);
  const auto step = static_cast<Scalar>(rate / (1 - std::pow(settings_.beta1, t)));
  const auto inv_sqrt_v = static_cast<Scalar>(1 / std::sqrt(1 - std::pow(settings_.beta2, t)));
  const bool decoupled = settings_.kind == OptimizerSettings::Kind::adamw;

  run_ranges(static_cast<Index>(parameters.size()), [&](Index begin, Index end) {
    auto p = part(parameters, begin, end);
    auto m = part(this->m(), begin, end), v = part(this->v(), begin, end);
    if (decoupled) p *= 1 - static_cast<Scalar>(rate) * decay;
    const auto g = scale * part(gradient, begin, end) + (decoupled ? Scalar{0} : decay) * p;
    m = beta1 * m + (1 - beta1) * g;
    v = beta2 * v + (1 - beta2) * g.square();
    p -= step * m / (v.sqrt() * inv_sqrt_v + epsilon);
  });
}

template double gradient_norm<float>(std::span<const float>);
template double gradient_norm<double>(std::span<const double>);
template class Adam<float>;
template class Adam<double>;

}  // namespace glassformer
