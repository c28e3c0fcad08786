// Takes the place of src/numerics/functions.cpp, gemm.cpp and row_operations.cpp: the core with the reference's
// arithmetic, built by the target reference_core. It trains the same models, bit for bit, but slowly. (multiply_visible
// does not skip zeros, so the numbers must be finite.) examples/one_file/transformer.cpp is an independent
// implementation, but of the toy config only; this one supports every size and setting.
#include <vector>

#include "glassformer/numerics/functions.hpp"
#include "glassformer/numerics/gemm.hpp"
#include "glassformer/numerics/row_operations.hpp"

namespace glassformer {
namespace {

/// Element (i, j) of a matrix or of its transpose, which has `rows` rows.
template <class Scalar>
struct Operand {
  MatrixView<const Scalar> matrix;
  bool is_transposed;
  Index rows() const { return is_transposed ? matrix.cols() : matrix.rows(); }
  Scalar operator()(Index i, Index j) const { return is_transposed ? matrix(j, i) : matrix(i, j); }
};

template <class Scalar>
Operand<Scalar> plain(MatrixView<const Scalar> matrix) {
  return {matrix, false};
}
template <class Scalar>
Operand<Scalar> transposed(MatrixView<const Scalar> matrix) {
  return {matrix, true};
}

/// C = A B, plus addend(i, j) if that is not null.
template <class Scalar>
void multiply_elements(Operand<Scalar> a, Operand<Scalar> b, MatrixView<Scalar> c, auto addend) {
  for (Index i = 0; i < c.rows(); ++i) {
    for (Index j = 0; j < c.cols(); ++j) {
      c(i, j) = reference::product_element<Scalar>(
          b.rows(), [&](Index k) { return a(i, k); }, [&](Index k) { return b(k, j); }, addend(i, j));
    }
  }
}

template <class Scalar>
void multiply_operands(Operand<Scalar> a, Operand<Scalar> b, MatrixView<Scalar> c, Result result) {
  multiply_elements(a, b, c, [&](Index i, Index j) { return result == Result::add ? &c(i, j) : nullptr; });
}

template <class Scalar>
Scalar exponentials_of(RowView<Scalar> x, Scalar shift) {
  for (Scalar& number : x) {
    number = number == kMinusInfinity<Scalar> ? 0 : reference::exp(number - shift);
  }
  return reference::sum(x.data(), x.size());
}

template <class Scalar>
void keep_in(RowView<const Scalar> x, RowView<const std::uint8_t> kept, Scalar factor, RowView<Scalar> to) {
  for (Index j = 0; j < to.size(); ++j) {
    to[j] = x[j] * (static_cast<Scalar>(kept[j]) * factor);
  }
}

}  // namespace

float sum(RowView<const float> x) { return reference::sum(x.data(), x.size()); }
double sum(RowView<const double> x) { return reference::sum(x.data(), x.size()); }
float dot(RowView<const float> x, RowView<const float> y) { return reference::dot(x.data(), y.data(), x.size()); }
double dot(RowView<const double> x, RowView<const double> y) { return reference::dot(x.data(), y.data(), x.size()); }
float mean(RowView<const float> x) { return reference::mean(x.data(), x.size()); }
double mean(RowView<const double> x) { return reference::mean(x.data(), x.size()); }
float mean_square(RowView<const float> x) { return mean_product(x, x); }
double mean_square(RowView<const double> x) { return mean_product(x, x); }
float mean_product(RowView<const float> x, RowView<const float> y) {
  return reference::mean_product(x.data(), y.data(), x.size());
}
double mean_product(RowView<const double> x, RowView<const double> y) {
  return reference::mean_product(x.data(), y.data(), x.size());
}
double sum_of_squares(RowView<const float> x) { return reference::sum_of_squares(x.data(), x.size()); }
double sum_of_squares(RowView<const double> x) { return reference::sum_of_squares(x.data(), x.size()); }
float largest(RowView<const float> x) { return reference::largest(x.data(), x.size()); }
double largest(RowView<const double> x) { return reference::largest(x.data(), x.size()); }
float sum_of_exponentials(RowView<const float> x, float shift) {
  std::vector<float> powers(x.begin(), x.end());
  return exponentials_of(RowView<float>(powers.data(), x.size()), shift);
}
float exponentials(RowView<float> x, float shift) { return exponentials_of(x, shift); }
double exponentials(RowView<double> x, double shift) { return exponentials_of(x, shift); }
void keep(RowView<const float> x, RowView<const std::uint8_t> kept, float factor, RowView<float> to) {
  keep_in(x, kept, factor, to);
}
void keep(RowView<const double> x, RowView<const std::uint8_t> kept, double factor, RowView<double> to) {
  keep_in(x, kept, factor, to);
}

void multiply(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c, Result result) {
  multiply_operands(plain(a), plain(b), c, result);
}
void multiply(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c, Result result) {
  multiply_operands(plain(a), plain(b), c, result);
}

void multiply_transposed_right(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                               Result result) {
  multiply_operands(plain(a), transposed(b), c, result);
}
void multiply_transposed_right(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c,
                               Result result) {
  multiply_operands(plain(a), transposed(b), c, result);
}

void multiply_transposed_right(MatrixView<const float> a, MatrixView<const float> b, RowView<const float> bias,
                               MatrixView<float> c) {
  multiply_elements(plain(a), transposed(b), c, [&](Index, Index j) { return &bias[j]; });
}
void multiply_transposed_right(MatrixView<const double> a, MatrixView<const double> b, RowView<const double> bias,
                               MatrixView<double> c) {
  multiply_elements(plain(a), transposed(b), c, [&](Index, Index j) { return &bias[j]; });
}

void multiply_transposed_right(MatrixView<const float> a, WeightView<float> w, RowView<const float> bias,
                               MatrixView<float> c) {
  multiply_transposed_right(a, MatrixView<const float>(w), bias, c);
}
void multiply_transposed_right(MatrixView<const double> a, WeightView<double> w, RowView<const double> bias,
                               MatrixView<double> c) {
  multiply_transposed_right(a, MatrixView<const double>(w), bias, c);
}

void multiply_transposed_left(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                              Result result) {
  multiply_operands(transposed(a), plain(b), c, result);
}
void multiply_transposed_left(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c,
                              Result result) {
  multiply_operands(transposed(a), plain(b), c, result);
}

void multiply_visible(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  multiply(a, b, c, Result::overwrite);
}
void multiply_visible(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c) {
  multiply(a, b, c, Result::overwrite);
}

double log(double x) { return reference::log(x); }
double pow(double x, double y) { return reference::pow(x, y); }
double sin(double x) { return reference::sin(x); }
double cos(double x) { return reference::cos(x); }

std::string instructions() { return "reference"; }

}  // namespace glassformer
