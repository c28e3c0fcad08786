#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>

#include "glassformer/layers/activation.hpp"

namespace glassformer {

/// What an activation computes, written with the standard library, and the slope.
struct ActivationFormula {
  double (*value)(double x);
  double (*slope)(double x);
};

inline double logistic(double x) { return 0.5 + 0.5 * std::tanh(x / 2); }
inline double normal_probability(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

inline const ActivationFormula& formula_of(Activation activation) {
  static const std::map<std::string, ActivationFormula> kFormulas = {
      {"relu", {[](double x) { return std::max(x, 0.0); }, [](double x) { return x > 0 ? 1.0 : 0.0; }}},
      {"gelu",
       {[](double x) { return x * normal_probability(x); },
        [](double x) { return normal_probability(x) + x * std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); }}},
      {"swish",
       {[](double x) { return x * logistic(x); },
        [](double x) { return logistic(x) + x * logistic(x) * logistic(-x); }}},
  };
  return kFormulas.at(kActivationNames[static_cast<std::size_t>(activation)]);
}

}  // namespace glassformer
