#include <cmath>
#include <vector>

#include "catch.hpp"
#include "gradients.hpp"
#include "layers/attention_example.hpp"

using namespace glassformer;
using example::AttentionExample, example::AttentionShape;

TEST_CASE("Attention matches plain loops over the formula, with scores divided by sqrt(d_head)", "[layers]") {
  for (const AttentionShape& shape :
       {AttentionShape{1, 1, 1, 1, 2}, {2, 3, 4, 2, 6}, {3, 5, 2, 1, 4}, {2, 4, 9, 4, 4}, {1, 12, 17, 2, 32}}) {
    RandomValues random(1);
    AttentionExample<double> e(random, shape, example::random_mask(random, shape), 0);
    e.forward();
    const Index d_head = shape.D / shape.H;
    for (Index b = 0; b < shape.B; ++b) {
      for (Index h = 0; h < shape.H; ++h) {
        for (Index t = 0; t < shape.T; ++t) {
          std::vector<double> weights;
          double sum = 0;
          for (Index j = 0; j < shape.S; ++j) {
            double score = 0;
            for (Index i = h * d_head; i < (h + 1) * d_head; ++i) {
              score += e.q(b * shape.T + t, i) * e.key(b, j)[i];
            }
            weights.push_back(e.mask.is_blocked(b, t, j) ? 0 : std::exp(score / std::sqrt(d_head)));
            sum += weights.back();
          }
          for (Index i = h * d_head; i < (h + 1) * d_head; ++i) {
            double expected = 0;
            for (Index j = 0; j < shape.S; ++j) {
              const double weight = weights[static_cast<std::size_t>(j)];
              if (weight > 0) {
                expected += weight / sum * e.value(b, j)[i];
              }
            }
            CHECK(std::abs(e.context(b * shape.T + t, i) - expected) < 1e-13);
          }
          const double weight = e.layer->weights()((b * shape.H + h) * shape.T + t, 0);
          CHECK(std::abs(weight - (sum > 0 ? weights[0] / sum : 0)) < 1e-13);
        }
      }
    }
  }
}

TEST_CASE("The gradients of attention are right under any mask, with and without dropout", "[layers]") {
  for (const AttentionShape& shape : {AttentionShape{2, 3, 4, 2, 6}, {3, 5, 2, 1, 4}, {1, 1, 1, 1, 2}}) {
    for (const double dropout : {0.0, 0.4}) {
      RandomValues random(2);
      Mask all_blocked = all_visible(1, 1, shape.S);
      all_blocked.blocked.fill(1);
      for (const Mask& mask : {example::random_mask(random, shape), example::random_padding(random, shape),
                               all_visible(1, 1, shape.S), all_blocked}) {
        AttentionExample<double> e(random, shape, mask, dropout);
        CAPTURE(shape.B, shape.T, shape.S, shape.H, shape.D, dropout, mask.blocked.eigen().cast<int>());
        require_gradients(
            [&] {
              e.forward();
              return weighted_sum(e.context, e.d_context);
            },
            [&]() -> InputGradients {
              e.backward();
              return {{"q", e.q, e.d_q}, {"k", e.k, e.d_k}, {"v", e.v, e.d_v}};
            });
      }
    }
  }
}

TEST_CASE(
    "Attention without scaling is that of queries which are sqrt(d_head) times as long, and its gradients are right",
    "[layers]") {
  const AttentionShape shape{2, 3, 4, 2, 2 * 5};
  RandomValues random(3);
  const Mask mask = example::random_mask(random, shape);
  AttentionExample<double> scaled(random, shape, mask, 0.4);
  AttentionExample<double> unscaled(random, shape, mask, 0.4, false);
  unscaled.q = scaled.q;
  unscaled.k = scaled.k;
  unscaled.v = scaled.v;
  scaled.q.eigen() *= std::sqrt(5.0);
  scaled.forward();
  unscaled.forward();
  CHECK(largest_difference(scaled.context, unscaled.context) < 1e-14);
  require_gradients(
      [&] {
        unscaled.forward();
        return weighted_sum(unscaled.context, unscaled.d_context);
      },
      [&]() -> InputGradients {
        unscaled.backward();
        return {{"q", unscaled.q, unscaled.d_q}, {"k", unscaled.k, unscaled.d_k}, {"v", unscaled.v, unscaled.d_v}};
      });
}

TEST_CASE("The weights of a query that sees something sum to 1, and dropout applies to those that are used",
          "[layers]") {
  const AttentionShape shape{2, 3, 4, 2, 2 * 4};
  for (const double dropout : {0.0, 0.5}) {
    RandomValues random(6);
    AttentionExample<double> e(random, shape, all_visible(1, 1, 4), dropout);
    // Each head's values are the identity matrix, so the context holds the weights that were used.
    e.v.eigen() = Matrix<double>::Identity(4, 4).replicate(2, 2);
    e.forward();
    const Buffer<double>& weights = e.layer->weights();
    CHECK((weights.eigen().rowwise().sum().array() - 1).abs().maxCoeff() < 1e-15);
    for (Index n = 0; n < weights.rows(); ++n) {
      const Index b = n / (2 * 3);
      const Index h = n / 3 % 2;
      const Index t = n % 3;
      for (Index j = 0; j < 4; ++j) {
        const double used = e.context(b * 3 + t, h * 4 + j);
        CHECK((used == weights(n, j) / (1 - dropout) || (used == 0 && dropout > 0)));
      }
    }
    CHECK((e.context.eigen().array() == 0).any() == (dropout > 0));
  }
}

TEST_CASE("If lengths are multiples of 4, a sentence's context has the same bits at any place in the batch",
          "[layers][batches]") {
  RandomValues random(8);
  for (const Index S : {4, 12, 20, 28, 36, 52}) {
    const AttentionShape shape{5, S, S, 3, 24};
    AttentionExample<float> e(random, shape, all_visible(1, 1, S), 0);
    for (Buffer<float>* matrix : {&e.q, &e.k, &e.v}) {
      for (Index b = 1; b < shape.B; ++b) {
        matrix->eigen().middleRows(b * S, S) = matrix->eigen().topRows(S);
      }
    }
    e.forward();
    CAPTURE(S);
    const auto context = e.context.view();
    for (Index b = 1; b < shape.B; ++b) {
      CHECK(same_bits(context.middle_rows(b * S, S), context.middle_rows(0, S)));
    }
  }
}
