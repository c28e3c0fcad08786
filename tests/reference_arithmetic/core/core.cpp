// Takes the place of src/numerics/functions.cpp, gemm.cpp and row_operations.cpp: the core with the reference's
// arithmetic, built by the target reference_core. It trains the same models, bit for bit, but slowly. (multiply_visible
// does not skip zeros, so the numbers must be finite.)
#include "numerics/functions.hpp"
#include "numerics/gemm.hpp"
#include "numerics/row_operations.hpp"

namespace glassformer {
namespace {

/// Row i, column j of a matrix or of its transpose.
template <class Scalar>
struct Operand {
  MatrixView<const Scalar> matrix;
  bool transposed;
  Scalar operator()(Index i, Index j) const { return transposed ? matrix(j, i) : matrix(i, j); }
};

/// C = A B, plus addend(i, j) if that is not null.
template <class Scalar>
void multiply_elements(Operand<Scalar> a, Operand<Scalar> b, Index K, MatrixView<Scalar> c, auto addend) {
  for (Index i = 0; i < c.rows(); ++i) {
    for (Index j = 0; j < c.cols(); ++j) {
      c(i, j) = reference::product_element<Scalar>(
          K, [&](Index k) { return a(i, k); }, [&](Index k) { return b(k, j); }, addend(i, j));
    }
  }
}

template <class Scalar>
void multiply_operands(Operand<Scalar> a, Operand<Scalar> b, Index K, MatrixView<Scalar> c, Result result) {
  multiply_elements(a, b, K, c, [&](Index i, Index j) { return result == Result::add ? &c(i, j) : nullptr; });
}

}  // namespace

#define GLASSFORMER_REFERENCE(Scalar)                                                                                \
  Scalar sum(RowView<const Scalar> x) { return reference::sum(x.data(), x.size()); }                                 \
  Scalar dot(RowView<const Scalar> x, RowView<const Scalar> y) {                                                     \
    return reference::dot(x.data(), y.data(), x.size());                                                             \
  }                                                                                                                  \
  Scalar mean(RowView<const Scalar> x) { return reference::mean(x.data(), x.size()); }                               \
  Scalar mean_square(RowView<const Scalar> x) { return reference::mean_product(x.data(), x.data(), x.size()); }      \
  Scalar mean_product(RowView<const Scalar> x, RowView<const Scalar> y) {                                            \
    return reference::mean_product(x.data(), y.data(), x.size());                                                    \
  }                                                                                                                  \
  double sum_of_squares(RowView<const Scalar> x) { return reference::sum_of_squares(x.data(), x.size()); }           \
  Scalar largest(RowView<const Scalar> x) { return reference::largest(x.data(), x.size()); }                         \
  Scalar exponentials(RowView<Scalar> x, Scalar shift) {                                                             \
    for (Scalar & number : x) number = number == kMinusInfinity<Scalar> ? 0 : reference::exp(number - shift);        \
    return reference::sum(x.data(), x.size());                                                                       \
  }                                                                                                                  \
  void keep(RowView<const Scalar> x, RowView<const std::uint8_t> kept, Scalar factor, RowView<Scalar> to) {          \
    for (Index j = 0; j < to.size(); ++j) to[j] = x[j] * (static_cast<Scalar>(kept[j]) * factor);                    \
  }                                                                                                                  \
  void multiply(MatrixView<const Scalar> a, MatrixView<const Scalar> b, MatrixView<Scalar> c, Result result) {       \
    multiply_operands<Scalar>({a, false}, {b, false}, a.cols(), c, result);                                          \
  }                                                                                                                  \
  void multiply_transposed_right(MatrixView<const Scalar> a, MatrixView<const Scalar> b, MatrixView<Scalar> c,       \
                                 Result result) {                                                                    \
    multiply_operands<Scalar>({a, false}, {b, true}, a.cols(), c, result);                                           \
  }                                                                                                                  \
  void multiply_transposed_right(MatrixView<const Scalar> a, MatrixView<const Scalar> b, RowView<const Scalar> bias, \
                                 MatrixView<Scalar> c) {                                                             \
    multiply_elements<Scalar>({a, false}, {b, true}, a.cols(), c, [&](Index, Index j) { return &bias[j]; });         \
  }                                                                                                                  \
  void multiply_transposed_left(MatrixView<const Scalar> a, MatrixView<const Scalar> b, MatrixView<Scalar> c,        \
                                Result result) {                                                                     \
    multiply_operands<Scalar>({a, true}, {b, false}, a.rows(), c, result);                                           \
  }                                                                                                                  \
  void multiply_visible(MatrixView<const Scalar> a, MatrixView<const Scalar> b, MatrixView<Scalar> c) {              \
    multiply(a, b, c, Result::overwrite);                                                                            \
  }
GLASSFORMER_REFERENCE(float)
GLASSFORMER_REFERENCE(double)
#undef GLASSFORMER_REFERENCE

double log(double x) { return reference::log(x); }
double pow(double x, double y) { return reference::pow(x, y); }
double sin(double x) { return reference::sin(x); }
double cos(double x) { return reference::cos(x); }

std::string instructions() { return "reference"; }

}  // namespace glassformer
