#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "catch.hpp"
#include "page/explained_example.hpp"

using namespace glassformer;
using example::ExplainedExample;

namespace {

TransformerSettings without(const MaskSettings& masks) {
  TransformerSettings settings = tiny_settings();
  settings.masks = masks;
  return settings;
}

constexpr MaskSettings kNoPaddingMasks{.encoder_padding = false, .target_padding = false, .cross_padding = false};

}  // namespace

TEST_CASE("explain runs the pairs as one padded batch, in their order", "[page]") {
  const ExplainedExample example;
  const Batch& batch = example.explanation.batch;
  CHECK(batch.size() == 2);
  CHECK(batch.source.cols() == 5);
  CHECK(batch.target_input.cols() == 6);
  CHECK(std::ranges::count(batch.source.row(1), Id{0}) == 2);
  CHECK(std::ranges::count(batch.target_output.row(0), Id{0}) == 3);
  CHECK(example.tokenizers.source->piece(batch.source(1, 0)) == "e");
  CHECK(example.explanation.pairs.at(1).target == "w x y t z");
}

TEST_CASE("Each mask variant changes what it claims to change, and only the unchanged model is recorded", "[page]") {
  const ExplainedExample example;
  const auto from_future = [](const Trace& trace) {  // the first query's weight on the next word
    return trace.attention.at(2).weights(0, 1);
  };
  CHECK(from_future(example.right()) == 0);
  CHECK(from_future(example.trace("no_look_ahead")) > 0);
  CHECK(from_future(example.trace("next_word_visible")) > 0);
  CHECK(example.trace("no_look_ahead").attention.at(2).weights(0, 2) > 0);
  CHECK(example.trace("next_word_visible").attention.at(2).weights(0, 2) == 0);
  CHECK(example.trace("no_look_ahead").loss.loss != example.right().loss.loss);

  const auto to_padding = [](const Trace& trace) {  // weight on padding of source 1, cross-attention of layer 0
    return trace.attention.at(3).weights.bottomRows(6).rightCols(2).sum();
  };
  CHECK(to_padding(example.right()) == 0);
  CHECK(to_padding(example.trace("no_cross_mask")) > 0);
  CHECK(same_bits(example.trace("no_cross_mask").attention.at(1).weights, example.right().attention.at(1).weights));
  const Matrix<float> right = example::losses(example.right().answers);
  const Matrix<float> no_cross = example::losses(example.trace("no_cross_mask").answers);
  // The longest source has no padding that could be seen.
  CHECK(no_cross.row(0).isApprox(right.row(0), 1e-6F));
  CHECK_FALSE(no_cross.row(1).isApprox(right.row(1), 1e-6F));

  const Trace& queries = example.trace("padded_queries");
  CHECK(example::losses(queries.answers).isApprox(right, 1e-6F));
  CHECK(queries.attention.at(0).weights.bottomRows(2).isZero(0));
  CHECK_FALSE(example.right().attention.at(0).weights.bottomRows(2).isZero(0));

  CHECK(example::likeliest(example.trace("inverted").answers[1]) != example::likeliest(example.right().answers[1]));

  std::size_t losses = 0;
  for (const RecordedStep& step : example.explanation.recording.steps()) {
    losses += step.part == "loss";
  }
  CHECK(losses == 3);  // steps: p, losses and d_logits
}

TEST_CASE("Masks that block the same cells give the same results", "[page]") {
  const ExplainedExample example(tiny_settings(), {{"a b c", "t u"}});  // no padding, so these three equal "right"
  for (const char* name : {"no_padding_masks", "no_cross_mask", "padded_queries"}) {
    CAPTURE(name);
    CHECK(example.trace(name).loss.loss == example.right().loss.loss);
    CHECK(example.trace(name).gradient_norms == example.right().gradient_norms);
  }
  CHECK(example.trace("inverted").gradient_norms != example.right().gradient_norms);
}

TEST_CASE("A sentence without words can be explained", "[page]") {
  const ExplainedExample example(tiny_settings(), {{"", ""}});
  CHECK(example.right().loss.tokens == 1);
  CHECK(example.right().answers.at(0).size() == 1);
  CHECK(example.tokenizers.target->piece(example.right().answers[0][0].expected) == "</s>");
}

TEST_CASE("`alone` equals the result of explaining each sentence alone, for every variant", "[page]") {
  for (const MaskSettings& masks : {MaskSettings{}, kNoPaddingMasks, MaskSettings{.look_ahead = false}}) {
    for (const bool dropout : {false, true}) {
      const ExplainedExample batch(without(masks), example::two_pairs(), dropout);
      // (Dropout depends on the pair's number, so only the first pair gets the same dropout when it is alone.)
      for (Index b = 0; b < (dropout ? 1 : 2); ++b) {
        const ExplainedExample one(without(masks), {example::two_pairs()[static_cast<std::size_t>(b)]}, dropout);
        const Index T = one.explanation.batch.target_output.cols();
        for (std::size_t i = 0; i < batch.explanation.variants.size(); ++i) {
          const ExplainedVariant& variant = batch.explanation.variants[i];
          const ExplainedVariant& expected = one.explanation.variants[i];
          CAPTURE(variant.name, b, dropout);
          const Matrix<float> by_itself = example::losses(variant.alone).row(b).leftCols(T);
          CHECK(same_bits(by_itself, example::losses(expected.trace.answers)));
          CHECK(example::likeliest(variant.alone.at(static_cast<std::size_t>(b))) ==
                example::likeliest(expected.trace.answers.at(0)));
        }
      }
    }
  }
}

TEST_CASE("Other sentences in the batch change a sentence's losses only if padding masks are off", "[page]") {
  const ExplainedExample example;
  const auto batch_matters = [&](const std::string& variant, Index b, Index tokens) {
    const Matrix<float> by_itself = example::losses(example.variant(variant).alone);
    const Matrix<float> in_batch = example::losses(example.trace(variant).answers);
    return !by_itself.row(b).leftCols(tokens).isApprox(in_batch.row(b).leftCols(tokens), 1e-4F);
  };
  for (const Index b : {0, 1}) {
    const Index tokens = b == 0 ? 3 : 6;
    CAPTURE(b);
    CHECK_FALSE(batch_matters("right", b, tokens));
    CHECK_FALSE(batch_matters("next_word_visible", b, tokens));
    CHECK(batch_matters("no_cross_mask", b, tokens) == (b == 1));  // the one with the padded source
    CHECK(batch_matters("no_padding_masks", b, tokens) == (b == 1));
  }
}

TEST_CASE("Attention to padding is averaged over layers, heads and words, but not over padded queries", "[page]") {
  const ExplainedExample example;
  // Sources have 5 and 3 tokens, targets 3 and 6. Computed by hand for the second source and the first target.
  const ExplainedVariant& variant = example.variant("no_padding_masks");
  const std::vector<AttentionWeights>& attention = variant.trace.attention;
  double encoder = 0;
  double cross = 0;
  double decoder = 0;
  for (const std::size_t layer : {0U, 1U}) {
    for (const Index head : {0, 1}) {
      for (Index word = 0; word < 3; ++word) {  // the rows of sentence 1 follow the two heads of sentence 0
        const auto row = attention[layer].weights.row((2 + head) * 5 + word);
        encoder += static_cast<double>(row(3)) + static_cast<double>(row(4));
      }
      for (Index word = 0; word < 6; ++word) {
        const auto row = attention[2 + 2 * layer + 1].weights.row((2 + head) * 6 + word);
        cross += static_cast<double>(row(3)) + static_cast<double>(row(4));
      }
    }
  }
  CHECK(variant.on_padding[1][0] == Approx(encoder / (2 * 2 * 3)));
  CHECK(variant.on_padding[1][2] == Approx(cross / (2 * 2 * 6)));
  CHECK(variant.on_padding[1][0] > 0.01);
  CHECK(variant.on_padding[0][1] == 0);  // its padding is in the future
  CHECK(variant.on_padding[0][0] == 0);  // the longest source has none
  for (const auto& shares : example.variant("right").on_padding) {
    CHECK(shares == std::array<double, 3>{});
  }

  const ExplainedExample sees_all(without({.look_ahead = false, .target_padding = false}));
  for (const std::size_t layer : {2U, 4U}) {
    for (const Index head : {0, 1}) {
      for (Index word = 0; word < 3; ++word) {
        decoder += sees_all.right().attention[layer].weights.row(head * 6 + word).rightCols(3).cast<double>().sum();
      }
    }
  }
  CHECK(sees_all.variant("right").on_padding[0][1] == Approx(decoder / (2 * 2 * 3)));
  CHECK(sees_all.variant("right").on_padding[0][1] > 0.01);
  CHECK(sees_all.variant("right").on_padding[1][1] == 0);
}
