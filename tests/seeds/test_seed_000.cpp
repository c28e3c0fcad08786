#include "seed_attention.hpp"
#include "seeds/masking_variants.hpp"

using namespace glassformer;
using namespace glassformer::seeds;

// Seed 000 (numpy): the causal mask, added to the scores before the softmax; first one head, then a batch of heads.

namespace {

/// Scores of which the notebook shows the visible ones. The others may have been anything; here they are 9.
Matrix<double> scores_of(const Golden& golden) {
  const Matrix<double> visible = golden.input("scores_visible");
  return visible.array().isFinite().select(visible, 9.0);
}

}  // namespace

TEST_CASE("000.causal_rule: a query sees the keys up to its own place", "[seeds]") {
  Golden golden("000.causal_rule");
  const Mask mask = look_ahead_mask(golden.integer("T"));
  golden.check("mask", 1 - mask.blocked.eigen().array());  // the notebook writes 1 for visible, the project for blocked
}

TEST_CASE("000.causal_additive: the same rule, as a number to add to each score", "[seeds]") {
  Golden golden("000.causal_additive");
  const Mask mask = look_ahead_mask(golden.integer("T"));
  golden.check("mask", additive_mask<double>(mask, golden.number("neg")));
  // The notebook's 0 * -1e9 prints as -0. To a score, adding -0 and adding 0 are the same.
}

TEST_CASE("000.single_head: scores, causal mask, softmax, times V", "[seeds]") {
  Golden golden("000.single_head");
  const Matrix<double> scores = golden.input("scores"), V = golden.input("V");  // [T, T], [T, D]
  const Mask mask = look_ahead_mask(scores.rows());
  CHECK(mask.blocked.eigen() == golden.input<std::uint8_t>("blocked"));

  // As the notebook does it: add -1e9, then an ordinary softmax.
  const Matrix<double> added = unmasked_softmax<double>(scores + additive_mask<double>(mask, -1e9));
  golden.check("attn", added);
  // As the project does it: the softmax leaves out what is blocked.
  const Matrix<double> attn = masked_softmax(scores, mask);
  golden.check("attn", attn);
  golden.check_printed("attn", attn);
  golden.check("output", attn * V);
  golden.check_printed("output", attn * V);
  // Both subtract the largest of a row first, or exp(1000) would be infinite.
  golden.check("attn", masked_softmax<double>(scores.array() + 1000, mask));

  // And by the layer. With the unit matrix for keys and sqrt(d_head) times the scores for queries, Q K^T / sqrt(d_head)
  // is the scores.
  const Matrix<double> q = std::sqrt(4.0) * scores, k = Matrix<double>::Identity(4, 4);
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
