#pragma once

#include "reference_arithmetic/reference_arithmetic.hpp"

/// Takes the place of src/numerics/functions.hpp in the target reference_core.
namespace glassformer {

template <class Scalar>
Scalar exp(Scalar x) {
  return reference::exp(x);
}
template <class Scalar>
Scalar erfc(Scalar x) {
  return reference::erfc(x);
}
double log(double x);
double pow(double x, double y);
double sin(double x);
double cos(double x);

}  // namespace glassformer
