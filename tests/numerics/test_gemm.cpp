#include <omp.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "catch.hpp"
#include "glassformer/numerics/gemm.hpp"
#include "glassformer/numerics/parallel.hpp"
#include "random_values.hpp"
#include "threads.hpp"

using namespace glassformer;

namespace {

enum class Form { plain, transposed_right, transposed_left };
constexpr Form kForms[] = {Form::plain, Form::transposed_right, Form::transposed_left};

/// Operands of C [N, M] = A B, in the shapes that the form needs. Each is a block of columns of a wider matrix that is
/// NaN elsewhere.
template <class Scalar>
struct Operands {
  Form form;
  Index N, K, M;
  Buffer<Scalar> wide_a, wide_b, wide_c;

  Operands(RandomValues& random, Form form_, Index N_, Index K_, Index M_) : form(form_), N(N_), K(K_), M(M_) {
    const bool left = form == Form::transposed_left;
    const bool right = form == Form::transposed_right;
    wide_a = with_nan_margins(random, left ? K : N, left ? N : K);
    wide_b = with_nan_margins(random, right ? M : K, right ? K : M);
    wide_c = with_nan_margins(random, N, M);
  }
  static Buffer<Scalar> with_nan_margins(RandomValues& random, Index rows, Index cols) {
    Buffer<Scalar> wide(rows, cols + 5);
    wide.fill(std::numeric_limits<Scalar>::quiet_NaN());
    random.fill(wide.view().middle_cols(2, cols));
    return wide;
  }
  MatrixView<const Scalar> a() const { return wide_a.view().middle_cols(2, wide_a.cols() - 5); }
  MatrixView<const Scalar> b() const { return wide_b.view().middle_cols(2, wide_b.cols() - 5); }
  MatrixView<Scalar> c() { return wide_c.view().middle_cols(2, M); }

  void multiply_into(MatrixView<Scalar> into, Result result) const {
    if (form == Form::plain) {
      multiply(a(), b(), into, result);
    }
    if (form == Form::transposed_right) {
      multiply_transposed_right(a(), b(), into, result);
    }
    if (form == Form::transposed_left) {
      multiply_transposed_left(a(), b(), into, result);
    }
  }
  /// One element of the product, and the sum of the magnitudes of its terms, which bounds its rounding error.
  struct Sum {
    double value = 0, magnitude = 0;
  };
  Sum sum(Index n, Index m) const {
    // Uses pointers: in unoptimized tests, a call for each number would take most of the time.
    const bool left = form == Form::transposed_left;
    const bool right = form == Form::transposed_right;
    const Index a_stride = wide_a.view().stride();
    const Index b_stride = wide_b.view().stride();
    const Scalar* x = wide_a.data() + (left ? n + 2 : n * a_stride + 2);
    const Scalar* y = wide_b.data() + (right ? m * b_stride + 2 : m + 2);
    const Index x_step = left ? a_stride : 1;
    const Index y_step = right ? 1 : b_stride;
    Sum s;
    for (Index k = 0; k < K; ++k) {
      const double term = static_cast<double>(x[k * x_step]) * static_cast<double>(y[k * y_step]);
      s.value += term;
      s.magnitude += std::abs(term);
    }
    return s;
  }
};

/// Whether C is the product from plain loops (for Result::add, plus the old C), and nothing beside C has changed.
template <class Scalar>
bool is_product(Operands<Scalar>& o, Result result) {
  if (result == Result::overwrite) {
    o.c().eigen().setConstant(std::numeric_limits<Scalar>::quiet_NaN());
  }
  const Buffer<Scalar> before = o.wide_c;
  o.multiply_into(o.c(), result);
  for (Index n = 0; n < o.N; ++n) {
    for (Index m = 0; m < o.M; ++m) {
      const double start = result == Result::add ? before(n, m + 2) : 0;
      const auto [value, magnitude] = o.sum(n, m);
      const double rounding = static_cast<double>(o.K + 1) * std::numeric_limits<Scalar>::epsilon();
      if (!(std::abs(o.c()(n, m) - (start + value)) <= rounding * (magnitude + std::abs(start)))) {
        return false;
      }
    }
  }
  const auto beside = [&](const Buffer<Scalar>& wide, Index col, Index cols) {
    return wide.view().middle_cols(col, cols);
  };
  return same_bits(beside(o.wide_c, 0, 2), beside(before, 0, 2)) &&
         same_bits(beside(o.wide_c, o.M + 2, 3), beside(before, o.M + 2, 3));
}

}  // namespace

TEMPLATE_TEST_CASE("All forms of the product match plain loops, for full and partial tiles and for blocks of columns",
                   "[numerics]", float, double) {
  RandomValues random(1);
  for (const Form form : kForms) {
    for (const Index N : {1, 2, 7, 11, 12, 13, 33, 110}) {
      for (const Index K : {1, 3, 31, 32, 33, 70}) {
        for (const Index M : {1, 2, 5, 31, 32, 33, 70}) {
          Operands<TestType> operands(random, form, N, K, M);
          CAPTURE(static_cast<int>(form), N, K, M);
          REQUIRE(is_product(operands, Result::overwrite));
          REQUIRE(is_product(operands, Result::add));
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("Long, thin products are right too", "[numerics]", float, double) {
  RandomValues random(1);
  for (const Form form : kForms) {
    for (const auto& [N, K, M] : {std::array<Index, 3>{1, 64, 2000},
                                  {2000, 64, 1},
                                  {3, 5000, 4},
                                  {1, 1, 40'000},
                                  {26, 1030, 300},
                                  {100, 512, 258}}) {
      Operands<TestType> operands(random, form, N, K, M);
      CAPTURE(static_cast<int>(form), N, K, M);
      REQUIRE(is_product(operands, Result::overwrite));
      REQUIRE(is_product(operands, Result::add));
    }
  }
}

TEST_CASE("A product with inner size 0 is 0, and one without rows writes nothing", "[numerics]") {
  RandomValues random(1);
  for (const Form form : kForms) {
    Operands<float> over_nothing(random, form, 3, 0, 4);
    CHECK(is_product(over_nothing, Result::overwrite));
    CHECK(is_product(over_nothing, Result::add));
    Operands<float> no_rows(random, form, 0, 3, 4);
    CHECK(is_product(no_rows, Result::overwrite));
  }
}

TEMPLATE_TEST_CASE("A product has the same bits with 1, 2 and 5 threads, called inside or outside of tasks",
                   "[numerics][threads]", float, double) {
  RandomValues random(1);
  for (const Form form : kForms) {
    for (const auto& [N, K, M] : {std::array<Index, 3>{20, 20, 20}, {70, 70, 70}, {200, 128, 96}}) {
      CAPTURE(static_cast<int>(form), N, K, M);
      const Operands<TestType> operands(random, form, N, K, M);
      const Buffer<TestType> start = random.matrix<TestType>(N, M);
      const auto product = [&] {
        Buffer<TestType> c = start;
        operands.multiply_into(c, Result::add);
        return c;
      };
      Buffer<TestType> expected;
      {
        const WithThreads one(1);
        expected = product();
      }
      for (const int threads : {1, 2, 5}) {
        const WithThreads with(threads);
        CHECK(same_bits(product(), expected));
        CHECK(omp_get_max_threads() == threads);  // a product does not change the setting

        std::vector<Buffer<TestType>> products(6, start);
        run_tasks(6, [&](Index i) { operands.multiply_into(products[static_cast<std::size_t>(i)], Result::add); });
        for (const auto& c : products) {
          CHECK(same_bits(c, expected));
        }
        CHECK(omp_get_max_threads() == threads);
      }
    }
  }
}

TEMPLATE_TEST_CASE("A row of a product has the same bits at any position among any number of rows",
                   "[numerics][batches]", float, double) {
  RandomValues random(1);
  for (const auto& [K, M] :
       {std::array<Index, 2>{8, 8}, {13, 37}, {64, 192}, {64, 1}, {300, 100}, {24, 513}, {512, 300}, {1100, 40}}) {
    const Buffer<TestType> b = random.matrix<TestType>(M, K);
    const Buffer<TestType> b_transposed = buffer_of(b.eigen().transpose());
    const Buffer<TestType> row = random.matrix<TestType>(1, K);
    const Buffer<TestType> start = random.matrix<TestType>(1, M);
    const auto repeated = [](const Buffer<TestType>& one, Index N) { return buffer_of(one.eigen().replicate(N, 1)); };
    Buffer<TestType> expected = start;
    multiply_transposed_right(row, b, expected, Result::add);
    for (const Index N : {1, 2, 5, 11, 12, 13, 24, 97, 200}) {
      CAPTURE(K, M, N);
      const Buffer<TestType> rows = repeated(row, N);
      const Buffer<TestType> columns = buffer_of(rows.eigen().transpose());
      Buffer<TestType> c = repeated(start, N);
      multiply_transposed_right(rows, b, c, Result::add);
      REQUIRE(same_bits(c, repeated(expected, N)));
      c = repeated(start, N);
      multiply(rows, b_transposed, c, Result::add);  // the layout does not matter either
      REQUIRE(same_bits(c, repeated(expected, N)));
      c = repeated(start, N);
      multiply_transposed_left(columns, b_transposed, c, Result::add);
      REQUIRE(same_bits(c, repeated(expected, N)));
    }
  }
}

TEMPLATE_TEST_CASE("Terms of 0 at the end of a sum change no bits", "[numerics][batches]", float, double) {
  RandomValues random(2);
  Buffer<TestType> wide_a = random.matrix<TestType>(5, 57);
  const Buffer<TestType> tall_b = random.matrix<TestType>(57, 33);
  wide_a.eigen().rightCols(17).setZero();
  Buffer<TestType> expected(5, 33);
  Buffer<TestType> longer(5, 33);
  multiply(wide_a.view().middle_cols(0, 40), tall_b.view().middle_rows(0, 40), expected, Result::overwrite);
  multiply(wide_a, tall_b, longer, Result::overwrite);
  CHECK(same_bits(longer, expected));
}

TEMPLATE_TEST_CASE("A bias is added to every row of A B^T", "[numerics]", float, double) {
  RandomValues random(3);
  for (const auto& [N, K, M] : {std::array<Index, 3>{1, 4, 1}, {13, 40, 33}, {30, 1100, 290}}) {
    const Buffer<TestType> a = random.matrix<TestType>(N, K);
    const Buffer<TestType> b = random.matrix<TestType>(M, K);
    const Buffer<TestType> bias = random.matrix<TestType>(1, M);
    Buffer<TestType> expected = buffer_of(bias.eigen().replicate(N, 1));
    Buffer<TestType> c(N, M);
    multiply_transposed_right(a, b, expected, Result::add);
    c.fill(std::numeric_limits<TestType>::quiet_NaN());
    multiply_transposed_right(a, b, bias.row(0), c);
    CHECK(same_bits(c, expected));
  }
}

TEMPLATE_TEST_CASE("Packed weights give the same bits, for any number of rows", "[numerics]", float, double) {
  RandomValues random(5);
  for (const auto& [K, M] :
       {std::array<Index, 2>{1, 1}, {4, 16}, {40, 33}, {64, 192}, {512, 256}, {1100, 290}, {24, 513}}) {
    const Buffer<TestType> w = random.matrix<TestType>(M, K);
    const Buffer<TestType> bias = random.matrix<TestType>(1, M);
    PackedWeights<TestType> packed;
    for (const Index N : {1, 2, 3, 4, 6, 7, 12, 13, 40}) {
      CAPTURE(K, M, N);
      const Buffer<TestType> a = random.matrix<TestType>(N, K);
      Buffer<TestType> expected(N, M);
      Buffer<TestType> c(N, M);
      multiply_transposed_right(a, w, bias.row(0), expected);
      multiply_transposed_right(a, WeightView<TestType>{w.view(), &packed}, bias.row(0), c);
      REQUIRE(same_bits(c, expected));
    }
  }
}

TEMPLATE_TEST_CASE("multiply_visible skips a row of B where its factor is exactly 0, even if the row is NaN",
                   "[numerics]", float, double) {
  RandomValues random(4);
  for (const auto& [N, K, M] : {std::array<Index, 3>{1, 1, 1}, {5, 9, 7}, {13, 40, 33}}) {
    Buffer<TestType> a = random.matrix<TestType>(N, K);
    Buffer<TestType> b = random.matrix<TestType>(K, M);
    Buffer<TestType> expected(N, M);
    Buffer<TestType> c(N, M);
    multiply(a, b, expected, Result::overwrite);
    multiply_visible(a, b, c);
    CHECK(same_bits(c, expected));

    // Every row of A skips some rows of B, and all of them skip the last one.
    for (Index n = 0; n < N; ++n) {
      for (Index k = 0; k < K; ++k) {
        if (k == K - 1 || random.index(3) == 0) {
          a(n, k) = random.index(2) == 0 ? TestType{0} : -TestType{0};
        }
      }
    }
    multiply(a, b, expected, Result::overwrite);
    b.eigen().row(K - 1).setConstant(std::numeric_limits<TestType>::quiet_NaN());
    multiply_visible(a, b, c);
    CHECK(largest_difference(c, expected) == 0);  // 0 or -0

    for (const TestType anything :
         {std::numeric_limits<TestType>::infinity(), std::numeric_limits<TestType>::quiet_NaN()}) {
      b.eigen().row(0).setConstant(anything);
      multiply_visible(a, b, c);
      for (Index n = 0; n < N; ++n) {
        CHECK(c.eigen().row(n).allFinite() == (a(n, 0) == 0));
      }
    }
  }
}
