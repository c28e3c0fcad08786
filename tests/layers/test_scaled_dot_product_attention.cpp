#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "gradients.hpp"
#include "layers/scaled_dot_product_attention.hpp"

using namespace glassformer;
using Blocked = Matrix<std::uint8_t>;

namespace {

/// B sentences, T queries, S keys, H heads, D columns.
struct Shape {
  Index B, T, S, H, D;
};

const Shape kShapes[] = {{1, 1, 1, 1, 2}, {2, 3, 4, 2, 6}, {3, 5, 2, 1, 4}, {2, 4, 9, 4, 4}, {1, 12, 17, 2, 32}};

/// Queries, keys, values and all gradients of one attention.
template <class Scalar>
struct Example {
  Shape shape;
  Mask mask;
  double dropout;
  std::vector<Index> sentences;
  Buffer<Scalar> q, k, v, d_context, context, d_q, d_k, d_v;
  typename ScaledDotProductAttention<Scalar>::Cache cache;

  Example(RandomValues& random, const Shape& s, const Mask& mask_, double dropout_)
      : shape(s), mask(mask_), dropout(dropout_), context(s.B * s.T, s.D), d_q(s.B * s.T, s.D), d_k(s.B * s.S, s.D),
        d_v(s.B * s.S, s.D) {
    for (Index b = 0; b < s.B; ++b) sentences.push_back(10 + b);
    for (auto [matrix, rows] : {std::pair{&q, s.B * s.T}, {&k, s.B * s.S}, {&v, s.B * s.S}, {&d_context, s.B * s.T}}) {
      matrix->resize(rows, s.D);
      random.fill(*matrix);
    }
  }
  void forward() {
    const Pass pass{.training = true, .seed = 1, .update = 2, .sentences = sentences};
    ScaledDotProductAttention<Scalar>::forward(shape.B, shape.H, q, k, v, mask, dropout, pass, 3, cache, context);
  }
  void backward() {
    ScaledDotProductAttention<Scalar>::backward(shape.B, shape.H, q, k, v, cache, d_context, d_q, d_k, d_v);
  }
  /// What key j of sentence b holds.
  auto key(Index b, Index j) { return k.row(b * shape.S + j); }
  auto value(Index b, Index j) { return v.row(b * shape.S + j); }
};

/// A mask of its own for every query of every sentence. Query 0 sees nothing; of the others, about half is hidden.
Mask random_mask(RandomValues& random, const Shape& shape) {
  Mask mask{shape.B, shape.T, Blocked(shape.B * shape.T, shape.S)};
  for (Index n = 0; n < mask.blocked.rows(); ++n) {
    for (Index j = 0; j < shape.S; ++j) mask.blocked(n, j) = n % shape.T == 0 || random.index(2) == 0;
  }
  return mask;
}

/// Padding: about half of the keys are hidden from every query of their sentence.
Mask random_padding(RandomValues& random, const Shape& shape) {
  Mask mask{shape.B, 1, Blocked(shape.B, shape.S)};
  for (Index b = 0; b < shape.B; ++b) {
    for (Index j = 0; j < shape.S; ++j) mask.blocked(b, j) = random.index(2) == 0;
  }
  return mask;
}

constexpr double kAnything[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity(), 1e30};

}  // namespace

TEST_CASE("Attention is what plain loops make of the formula, the scale being sqrt(d_head)", "[layers]") {
  for (const Shape& shape : kShapes) {
    RandomValues random(1);
    Example<double> e(random, shape, random_mask(random, shape), 0);
    e.forward();
    const Index d_head = shape.D / shape.H;
    for (Index b = 0; b < shape.B; ++b) {
      for (Index h = 0; h < shape.H; ++h) {
        for (Index t = 0; t < shape.T; ++t) {
          std::vector<double> weights;
          double sum = 0;
          for (Index j = 0; j < shape.S; ++j) {
            double score = 0;
            for (Index i = h * d_head; i < (h + 1) * d_head; ++i) score += e.q(b * shape.T + t, i) * e.key(b, j)(i);
            weights.push_back(e.mask.is_blocked(b, t, j) ? 0 : std::exp(score / std::sqrt(d_head)));
            sum += weights.back();
          }
          for (Index i = h * d_head; i < (h + 1) * d_head; ++i) {
            double expected = 0;
            for (Index j = 0; j < shape.S; ++j) {
              const double weight = weights[static_cast<std::size_t>(j)];
              if (weight > 0) expected += weight / sum * e.value(b, j)(i);
            }
            CHECK(std::abs(e.context(b * shape.T + t, i) - expected) < 1e-13);
          }
          const double weight = e.cache.weights((b * shape.H + h) * shape.T + t, 0);
          CHECK(std::abs(weight - (sum > 0 ? weights[0] / sum : 0)) < 1e-13);
        }
      }
    }
  }
}

TEST_CASE("Scores are divided by the root of the head's width, not of the model's", "[layers]") {
  // Raw scores 2, 0, -2 in head 0 of 4 heads with 2 columns each.
  RandomValues random(1);
  Example<double> e(random, {1, 1, 3, 4, 8}, look_ahead_mask(1), 0);
  e.mask = {1, 1, Blocked::Zero(1, 3)};
  e.q.row(0).head(2) << 1, 1;
  e.k.col(0) << 1, 0, -1;
  e.k.col(1) << 1, 0, -1;
  e.forward();
  const RowVector<double> expected{{0.767917936139, 0.186693700948, 0.0453883629138}};
  CHECK(largest_difference(e.cache.weights.row(0), expected) < 1e-12);  // 0.576 0.284 0.140 with sqrt(8)
}

TEST_CASE("The gradients of attention are what differences say, under any mask, with dropout too", "[layers]") {
  for (const Shape& shape : {Shape{2, 3, 4, 2, 6}, {3, 5, 2, 1, 4}, {1, 1, 1, 1, 2}}) {
    for (const double dropout : {0.0, 0.4}) {
      RandomValues random(2);
      for (const Mask& mask : {random_mask(random, shape), random_padding(random, shape),
                               Mask{1, 1, Blocked::Zero(1, shape.S)}, Mask{1, 1, Blocked::Ones(1, shape.S)}}) {
        Example<double> e(random, shape, mask, dropout);
        CAPTURE(shape.B, shape.T, shape.S, shape.H, shape.D, dropout, e.mask.blocked.cast<int>());
        require_gradients(
            [&] {
              e.forward();
              return weighted_sum(e.context, e.d_context);
            },
            [&] { e.backward(); }, {{"q", e.q, e.d_q}, {"k", e.k, e.d_k}, {"v", e.v, e.d_v}});
      }
    }
  }
}

TEST_CASE("Causal attention with padding gives the context and gradients that PyTorch gives", "[layers]") {
  const Matrix<double> x{{0.43, 0.15, 0.89}, {0.55, 0.87, 0.66}, {0.57, 0.85, 0.64},
                         {0.22, 0.58, 0.33}, {0.77, 0.25, 0.10}, {0.05, 0.80, 0.55}};
  const Matrix<double> Wq{{-0.235429644585, 0.0191244762391, -0.286745935678},
                          {0.217726618052, -0.491934210062, 0.423223078251}};
  const Matrix<double> Wk{{-0.419641405344, -0.459017664194, -0.364820182323},
                          {0.261478185654, -0.213326394558, 0.216052174568}};
  const Matrix<double> Wv{{-0.490014135838, -0.350292056799, -0.211989194155},
                          {-0.113460719585, -0.440439373255, 0.378043621778}};
  RandomValues random(1);
  const IdMatrix ids{{1, 1, 1, 1, 0, 0}};
  Example<double> e(random, {1, 6, 6, 1, 2}, combined_mask(padding_mask(ids, 0), look_ahead_mask(6)), 0);
  e.q = x * Wq.transpose();
  e.k = x * Wk.transpose();
  e.v = x * Wv.transpose();
  e.forward();
  e.d_context.view() = e.context;  // loss = sum of context^2 / 2
  e.backward();
  CHECK(0.5 * e.context.squaredNorm() == Approx(0.994220029713).epsilon(1e-10));
  const Matrix<double> context{{-0.451920269728, 0.221604807973},   {-0.58743504937, 0.00577610990149},
                               {-0.630023085603, -0.0631826005186}, {-0.567456688923, -0.0842531428038},
                               {-0.568696720602, -0.0831169759383}, {-0.567814108881, -0.084982753615}};
  const Matrix<double> d_q{{0, 0},
                           {-0.00795127025147, -0.00460327019905},
                           {-0.00860327960838, -0.00497352969165},
                           {-0.0113829830208, -0.000961106747021},
                           {-0.0113538357273, -0.00103834520665},
                           {-0.0114037898777, -0.000950040930961}};
  const Matrix<double> d_k{{0.0248083643237, 0.00396267101348},
                           {-0.020805328655, -0.00380107453086},
                           {-0.0125717319224, -0.00299640075439},
                           {0.00856869625375, 0.00283480427177},
                           {0, 0},
                           {0, 0}};
  const Matrix<double> d_v{{-1.35424495675, 0.142422018551},    {-0.953229178127, -0.0829649412422},
                           {-0.64880118011, -0.0858373171217},  {-0.417070608115, -0.0617743151884},
                           {0, 0},                              {0, 0}};
  CHECK(largest_difference(e.context, context) < 1e-10);
  CHECK(largest_difference(e.d_q, d_q) < 1e-10);
  CHECK(largest_difference(e.d_k, d_k) < 1e-10);
  CHECK(largest_difference(e.d_v, d_v) < 1e-10);
}

TEMPLATE_TEST_CASE("What padded keys and values hold changes no bit of the context or of any gradient", "[layers]",
                   float, double) {
  for (const Shape& shape : kShapes) {
    for (const double dropout : {0.0, 0.4}) {
      RandomValues random(3);
      Example<TestType> e(random, shape, random_padding(random, shape), dropout);
      e.forward();
      e.backward();
      const Matrix<TestType> context = e.context, d_q = e.d_q, d_k = e.d_k, d_v = e.d_v;
      for (const double anything : kAnything) {
        for (Index b = 0; b < shape.B; ++b) {
          for (Index j = 0; j < shape.S; ++j) {
            if (!e.mask.is_blocked(b, 0, j)) continue;
            e.key(b, j).setConstant(static_cast<TestType>(anything));
            e.value(b, j).setConstant(static_cast<TestType>(anything));
          }
        }
        e.forward();
        e.backward();
        CAPTURE(shape.B, shape.T, shape.S, shape.H, shape.D, dropout, anything);
        REQUIRE(same_bits(e.context, context));
        REQUIRE(same_bits(e.d_q, d_q));
        for (Index b = 0; b < shape.B; ++b) {
          for (Index j = 0; j < shape.S; ++j) {
            const Index row = b * shape.S + j;
            if (e.mask.is_blocked(b, 0, j)) {
              REQUIRE(e.d_k.row(row).cwiseAbs().maxCoeff() == 0);
              REQUIRE(e.d_v.row(row).cwiseAbs().maxCoeff() == 0);
            } else {
              REQUIRE(same_bits(e.d_k.row(row), d_k.row(row)));
              REQUIRE(same_bits(e.d_v.row(row), d_v.row(row)));
            }
          }
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("What the future holds changes no bit of the context of earlier queries", "[layers]", float, double) {
  for (const Index T : {2, 5, 19}) {
    for (const Index d_head : {1, 3, 16}) {
      RandomValues random(4);
      Example<TestType> e(random, {2, T, T, 2, 2 * d_head}, look_ahead_mask(T), 0);
      e.forward();
      const Matrix<TestType> context = e.context;
      for (const double anything : kAnything) {
        const Index from = T / 2;  // keys from here on are changed, in sentence 0 alone
        for (Index j = from; j < T; ++j) {
          e.key(0, j).setConstant(static_cast<TestType>(anything));
          e.value(0, j).setConstant(static_cast<TestType>(anything));
        }
        e.forward();
        CAPTURE(T, d_head, anything);
        CHECK(same_bits(e.context.topRows(from), context.topRows(from)));
        CHECK(same_bits(e.context.bottomRows(T), context.bottomRows(T)));
        CHECK_FALSE(same_bits(e.context.row(from), context.row(from)));
        if (std::isnan(anything)) CHECK(std::isnan(e.context(from, 0)));  // what is visible is not hidden
      }
    }
  }
}

TEST_CASE("A query that sees nothing gets a context of zeros and gives no gradient", "[layers]") {
  RandomValues random(5);
  const Shape shape{2, 3, 4, 2, 6};
  Example<double> e(random, shape, random_mask(random, shape), 0.3);
  e.forward();
  e.backward();
  for (const Index row : {0, 3}) {
    CHECK(e.context.row(row).cwiseAbs().maxCoeff() == 0);
    CHECK(e.d_q.row(row).cwiseAbs().maxCoeff() == 0);
  }
  CHECK(e.context.cwiseAbs().maxCoeff() > 0);
  const Matrix<double> d_k = e.d_k, d_v = e.d_v;
  e.d_context.row(0) *= 100;
  e.d_context.row(3) *= 100;
  e.backward();
  CHECK(largest_difference(e.d_k, d_k) == 0);
  CHECK(largest_difference(e.d_v, d_v) == 0);
}

TEST_CASE("The weights of every query that sees something sum to 1, and those used carry the dropout", "[layers]") {
  RandomValues random(6);
  const Shape shape{2, 3, 4, 2, 6};
  Example<double> e(random, shape, random_padding(random, shape), 0.5);
  e.mask.blocked.setZero();
  e.forward();
  CHECK((e.cache.weights.rowwise().sum().array() - 1).abs().maxCoeff() < 1e-15);
  for (Index i = 0; i < e.cache.weights.size(); ++i) {
    const double used = e.cache.used_weights().data()[i], weight = e.cache.weights.data()[i];
    CHECK((used == 0 || std::abs(used - 2 * weight) < 1e-15));
  }
  e.dropout = 0;
  e.forward();
  CHECK(same_bits(e.cache.used_weights(), e.cache.weights));
}

TEST_CASE("Where lengths are multiples of 4, a sentence's context has the same bits whatever its place in the batch",
          "[layers][batches]") {
  RandomValues random(8);
  for (const Index S : {4, 12, 20, 28, 36, 52}) {
    const Shape shape{5, S, S, 3, 24};
    Example<float> e(random, shape, Mask{1, 1, Blocked::Zero(1, S)}, 0);
    for (Buffer<float>* matrix : {&e.q, &e.k, &e.v}) {
      for (Index b = 1; b < shape.B; ++b) matrix->middleRows(b * S, S) = matrix->topRows(S);
    }
    e.forward();
    CAPTURE(S);
    for (Index b = 1; b < shape.B; ++b) CHECK(same_bits(e.context.middleRows(b * S, S), e.context.topRows(S)));
  }
}
