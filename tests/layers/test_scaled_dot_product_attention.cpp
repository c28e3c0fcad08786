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
