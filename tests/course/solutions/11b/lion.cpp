#include "lion.hpp"

#include <cassert>

namespace glassformer {

double sign(double x) {
  // 0 needs a case of its own: a parameter that never has a gradient, such as the embedding of a word that does not
  // occur, has c = 0 and must stay where it is.
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

void Lion::update(std::span<double> parameters, std::span<const double> gradient, double norm, double rate) {
  assert(parameters.size() == gradient.size() && gradient.size() == m_.size());
  // The sign of c would not change if all gradients were scaled alike. But c also contains m, so a single huge gradient
  // could decide the signs of many updates to come: clipping still matters.
  const bool clip = settings_.clip_norm > 0 && norm > settings_.clip_norm;
  const double scale = clip ? settings_.clip_norm / norm : 1;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const double g = scale * gradient[i];
    const double c = settings_.beta1 * m_[i] + (1 - settings_.beta1) * g;
    // Decay cannot be part of the gradient: the sign would swallow it.
    parameters[i] -= rate * (sign(c) + settings_.weight_decay * parameters[i]);
    // With beta2 > beta1, the direction c gives more weight to the newest gradient than m will.
    m_[i] = settings_.beta2 * m_[i] + (1 - settings_.beta2) * g;
  }
}

}  // namespace glassformer
