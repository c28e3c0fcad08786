#include "seed_attention.hpp"
#include "seeds/masking_variants.hpp"

using namespace glassformer;
using namespace glassformer::seeds;

// Seed 000 (numpy): the causal mask, added to the scores before the softmax; first one head, then a batch of heads.

namespace {

/// The notebook shows only the visible scores. The others could be anything; this makes them 9.
Matrix<double> scores_of(const Golden& golden) {
  const Matrix<double> visible = golden.input("scores_visible");
  return visible.array().isFinite().select(visible, 9.0);
}

}  // namespace

TEST_CASE("000.causal_rule: a query sees the keys up to its own position", "[seeds]") {
  Golden golden("000.causal_rule");
  const Mask mask = look_ahead_mask(golden.integer("T"));
  golden.check("mask", 1 - mask.blocked.eigen().array());  // the notebook writes 1 for visible, the project for blocked
}

TEST_CASE("000.causal_additive: the same rule, as a number to add to each score", "[seeds]") {
  Golden golden("000.causal_additive");
  const Mask mask = look_ahead_mask(golden.integer("T"));
  golden.check("mask", additive_mask<double>(mask, golden.number("neg")));
  // The notebook's 0 * -1e9 prints as -0. Adding -0 to a score is the same as adding 0.
}

TEST_CASE("000.single_head: scores, causal mask, softmax, times V", "[seeds]") {
  Golden golden("000.single_head");
  const Matrix<double> scores = golden.input("scores");
  const Matrix<double> V = golden.input("V");  // [T, T], [T, D]
  const Mask mask = look_ahead_mask(scores.rows());
  CHECK(mask.blocked.eigen() == golden.input<std::uint8_t>("blocked"));

  // The notebook's way: add -1e9, then an ordinary softmax.
  const Matrix<double> added = unmasked_softmax<double>(scores + additive_mask<double>(mask, -1e9));
  golden.check("attn", added);
  // The project's way: the softmax leaves out blocked keys.
  const Matrix<double> attn = masked_softmax(scores, mask);
  golden.check("attn", attn);
  golden.check_printed("attn", attn);
  golden.check("output", attn * V);
  golden.check_printed("output", attn * V);
  // Both subtract the row's largest score first; otherwise, exp(1000) would be infinite.
  golden.check("attn", masked_softmax<double>(scores.array() + 1000, mask));

  // With the layer: if the keys are the identity matrix and the queries are sqrt(d_head) times the scores, then
  // Q K^T / sqrt(d_head) gives the scores.
  const Matrix<double> q = std::sqrt(4.0) * scores;
  const Matrix<double> k = Matrix<double>::Identity(4, 4);
  const Attended<double> attended = attend(q, k, V, mask);
  golden.check("attn", attended.weights);
  golden.check("output", attended.context);
}

TEST_CASE("000.batch0_heads: one causal mask serves three heads", "[seeds]") {
  Golden golden("000.batch0_heads");
  const Matrix<double> attn = masked_softmax(scores_of(golden), look_ahead_mask(4));  // [H * T, T]
  golden.check("attn", attn);
  golden.check_printed("attn", attn);
}

TEST_CASE("000.batch1_head0_rows01: the first two queries of the second sentence", "[seeds]") {
  Golden golden("000.batch1_head0_rows01");
  const Matrix<double> attn = masked_softmax(scores_of(golden), look_ahead_mask(2));
  golden.check("attn", attn);
  golden.check_printed("attn", attn);
}
