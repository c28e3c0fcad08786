#include <string>
#include <vector>

#include "catch.hpp"
#include "explanation/explained_example.hpp"
#include "explanation/padding_effect.hpp"

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

TEST_CASE("What a sentence gets alone is what it gets when it is explained alone, under the masks of every variant",
          "[explanation]") {
  for (const MaskSettings& masks : {MaskSettings{}, kNoPaddingMasks, MaskSettings{.look_ahead = false}}) {
    for (const bool dropout : {false, true}) {
      const ExplainedExample batch(without(masks), example::two_pairs(), dropout);
      // (Dropout is drawn by a pair's number, so of the pairs alone only the first draws the same.)
      for (Index b = 0; b < (dropout ? 1 : 2); ++b) {
        const ExplainedExample one(without(masks), {example::two_pairs()[static_cast<std::size_t>(b)]}, dropout);
        const Index T = one.explanation.batch.target_output.cols();
        for (std::size_t i = 0; i < batch.explanation.variants.size(); ++i) {
          const PassFigures& figures = batch.explanation.figures[i];
          CAPTURE(batch.explanation.variants[i].name, b, dropout);
          CHECK(same_bits(Matrix<float>(figures.losses_alone.row(b).leftCols(T)), one.explanation.figures[i].losses));
          CHECK(same_bits(figures.answers_alone.view().block(b, 0, 1, T), one.explanation.figures[i].answers));
        }
      }
    }
  }
}

TEST_CASE("With all masks a sentence gets alone what it gets in company, without padding masks it does not",
          "[explanation]") {
  const ExplainedExample example;
  const auto company_matters = [&](const std::string& variant, Index b, Index tokens) {
    const PassFigures& figures = example.figures(variant);
    return !figures.losses_alone.row(b).leftCols(tokens).isApprox(figures.losses.row(b).leftCols(tokens), 1e-4F);
  };
  for (const Index b : {0, 1}) {
    const Index tokens = b == 0 ? 3 : 6;
    CAPTURE(b);
    CHECK_FALSE(company_matters("right", b, tokens));
    CHECK_FALSE(company_matters("next_word_visible", b, tokens));
    CHECK(company_matters("no_cross_mask", b, tokens) == (b == 1));  // whose source is the padded one
    CHECK(company_matters("no_padding_masks", b, tokens) == (b == 1));
  }
}

TEST_CASE("The answers of a variant are its likeliest tokens", "[explanation]") {
  const ExplainedExample example;
  for (Index b = 0; b < 2; ++b) {
    for (Index t = 0; t < 6; ++t) {
      const Answer& answer = example.explanation.answers[static_cast<std::size_t>(b)][static_cast<std::size_t>(t)];
      CHECK(example.right().answers(b, t) == answer.likeliest.front().id);
    }
  }
  CHECK_FALSE(same_bits(example.figures("inverted").answers, example.right().answers));
  const Buffer<float> p{{0.2F, 0.4F, 0.4F}, {0.7F, 0.1F, 0.2F}, {0.3F, 0.3F, 0.4F}, {0.1F, 0.2F, 0.7F}};
  CHECK(same_bits(likeliest_tokens(p, 2), IdMatrix{{1, 0}, {2, 2}}));
}

TEST_CASE("Attention on padding is the weight that words give to padded keys: the mean of layers, heads and words",
          "[explanation]") {
  const ExplainedExample example;
  // Sources of 5 and 3 tokens, targets of 3 and 6: by hand, for the second source and the first target.
  const PassFigures& figures = example.figures("no_padding_masks");
  double encoder = 0, cross = 0, decoder = 0;
  for (const std::size_t layer : {0U, 1U}) {
    for (const Index head : {0, 1}) {
      for (Index word = 0; word < 3; ++word) {  // of sentence 1: rows behind its two heads, and those of sentence 0
        const auto row = figures.attention[layer].row((2 + head) * 5 + word);
        encoder += static_cast<double>(row(3)) + static_cast<double>(row(4));
      }
      for (Index word = 0; word < 6; ++word) {
        const auto row = figures.attention[2 + 2 * layer + 1].row((2 + head) * 6 + word);
        cross += static_cast<double>(row(3)) + static_cast<double>(row(4));
      }
    }
  }
  CHECK(figures.on_padding(1, 0) == Approx(encoder / (2 * 2 * 3)));
  CHECK(figures.on_padding(1, 2) == Approx(cross / (2 * 2 * 6)));
  CHECK(figures.on_padding(1, 0) > 0.01);
  CHECK(figures.on_padding(0, 1) == 0);  // its padding lies in the future
  CHECK(figures.on_padding(0, 0) == 0);  // the longest source has none
  CHECK(example.right().on_padding.isZero(0));

  const ExplainedExample sees_all(without({.look_ahead = false, .target_padding = false}));
  for (const std::size_t layer : {2U, 4U}) {
    for (const Index head : {0, 1}) {
      for (Index word = 0; word < 3; ++word) {
        decoder += sees_all.right().attention[layer].row(head * 6 + word).rightCols(3).cast<double>().sum();
      }
    }
  }
  CHECK(sees_all.right().on_padding(0, 1) == Approx(decoder / (2 * 2 * 3)));
  CHECK(sees_all.right().on_padding(0, 1) > 0.01);
  CHECK(sees_all.right().on_padding(1, 1) == 0);
}
