#include "seed_attention.hpp"
#include "seeds/masking_variants.hpp"

using namespace glassformer;
using namespace glassformer::seeds;

// Seed 001 (TensorFlow, hence float): scaled dot-product attention of three words under a look-ahead mask.

namespace {

/// The notebook's scaled_dot_product_attention(q, k, v, mask), with its intermediate results.
template <class Scalar>
struct PrefixAttention {
  Mask mask = look_ahead_mask(3);
  Matrix<Scalar> q, k, v;  // [T, D]
  Attended<Scalar> attended;

  explicit PrefixAttention(const Golden& golden)
      : q(golden.input<Scalar>("q")),
        k(golden.input<Scalar>("k")),
        v(golden.input<Scalar>("v")),
        attended(attend(q, k, v, mask)) {}
  /// [T, T] with `blocked_value` added where a key is blocked
  Matrix<Scalar> logits(double blocked_value) const {
    return q * k.transpose() / std::sqrt(static_cast<Scalar>(q.cols())) + additive_mask<Scalar>(mask, blocked_value);
  }
};

}  // namespace

TEST_CASE("001.look_ahead_3: the keys after each query are blocked", "[seeds]") {
  Golden golden("001.look_ahead_3");
  golden.check("mask", look_ahead_mask(golden.integer("size")).blocked);
}

TEST_CASE("001.sdpa_prefix: a prefix of three words attends to itself", "[seeds]") {
  Golden golden("001.sdpa_prefix");
  const PrefixAttention<double> exact(golden);
  const PrefixAttention<float> printed(golden);
  CHECK(exact.mask.blocked.eigen() == golden.input<std::uint8_t>("blocked"));
  CHECK(exact.q.cols() == golden.integer("d_k"));

  golden.check("logits_visible", exact.logits(to_number("-.inf")));
  golden.check("attn", exact.attended.weights);
  golden.check("output", exact.attended.context);
  golden.check("attn", printed.attended.weights);
  golden.check("output", printed.attended.context);

  // The example is saturated: a wrong scale gives the same output. Only the tiny weights reveal it, so the tolerance is
  // relative: a few units in float's last place.
  constexpr Tolerance kFloat{.relative = 4e-7};
  golden.check_printed("logits", printed.logits(-1e9), kFloat);
  golden.check_printed("attn", printed.attended.weights, kFloat);
  golden.check_printed("output", printed.attended.context, kFloat);
  golden.check_printed("attn", exact.attended.weights, kFloat);
}

TEST_CASE("001.float32_absorption: near 1e9 floats are 64 apart, so a score added to -1e9 is lost", "[seeds]") {
  Golden golden("001.float32_absorption");
  const Matrix<float> scores = golden.input<float>("scores");
  const Mask all = mask_of(Table::Ones(1, 3));
  golden.check("sum_f32", scores + additive_mask<float>(all, golden.number("add")));
  // The project adds nothing to scores; it leaves blocked keys out of the sum.
  CHECK(masked_softmax(scores, all).isZero(0));
}
