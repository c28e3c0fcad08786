#include <cmath>
#include <vector>

#include "catch.hpp"
#include "gradients.hpp"
#include "layers/attention_example.hpp"

using namespace glassformer;
using Blocked = Matrix<std::uint8_t>;
using Shape = example::AttentionShape;
template <class Scalar>
using Example = example::AttentionExample<Scalar>;
using example::random_mask, example::random_padding;

TEST_CASE("Attention is what plain loops make of the formula, the scale being sqrt(d_head)", "[layers]") {
  for (const Shape& shape : {Shape{1, 1, 1, 1, 2}, {2, 3, 4, 2, 6}, {3, 5, 2, 1, 4}, {2, 4, 9, 4, 4},
                             {1, 12, 17, 2, 32}}) {
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
