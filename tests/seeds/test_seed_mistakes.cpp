#include "seed_attention.hpp"
#include "seeds/masking_variants.hpp"
#include "shifted_mask.hpp"

using namespace glassformer;
using namespace glassformer::seeds;

// Where the seeds are wrong or misleading: the wrong result, the right one next to it, and why. The tests spell out the
// wrong way; the library provides the right one. There are 26 points:
//
//   in this file       5, 7, 8, 10, 12, 14, 15, 24, 26, about masks and lengths
//   in the next file   2, 3, 13, 16, 17, 18, 20, 23 (test_seed_mistakes_attention.cpp)
//   in [seeds]         1 (002.scale), 4 (002.padding_outer, 002.fully_masked_row), 6 (002.clm_code),
//                      11 (002.cross_attention, 004.create_mask, 002.cross_entropy_pad),
//                      19 (003.mask_after_softmax, 003.renormalise_underflow),
//                      21 (001.float32_absorption, 002.fully_masked_row, 002.half_precision), 25 (004.left_padding)
//   not tested         9, swapped labels of encoder and decoder; 22, cells run out of order

namespace {

/// The context of the six words of seed 003, or of a changed copy of them.
Matrix<double> context_of(const Matrix<double>& x, const Mask& mask) {
  SeedAttention attention(Golden("003.causal_class"));
  attention.forward(x, mask);
  return attention.context;
}

Matrix<double> six_words() { return Golden("003.causal_class").input("x"); }

}  // namespace

TEST_CASE("Mistake 5: under a mask shifted by the prefix, words see the answers they must predict", "[mistakes]") {
  // Words 0 to 3 are given. When word 4 changes, nothing before it may change.
  const Mask wrong = shifted_mask(6, 4);
  const Mask right = prefix_mask(6, 4);
  const Matrix<double> x = six_words();
  Matrix<double> changed = x;
  changed.row(4) = -x.row(4);
  check_close(context_of(x, wrong).row(1), Matrix<double>{{-0.554283, -0.099634}});
  check_close(context_of(changed, wrong).row(1), Matrix<double>{{-0.397585, -0.045245}});
  check_close(context_of(x, right).row(1), Matrix<double>{{-0.570515, -0.085346}});
  check_close(context_of(changed, right).row(1), Matrix<double>{{-0.570515, -0.085346}});
  CHECK(same_bits(context_of(x, right).topRows(4), context_of(changed, right).topRows(4)));
}

TEST_CASE("Mistake 7: a mask of -infinity must be added; subtracting it gives NaN", "[mistakes]") {
  const Matrix<double> scores{{1, 2, 3}};
  const Mask mask = mask_of(Table{{0, 0, 1}});
  const Matrix<double> minus_infinity = additive_mask<double>(mask, to_number("-.inf"));
  // The blocked score becomes +infinity, the largest; infinity minus infinity is NaN, and so is the sum.
  CHECK(unmasked_softmax<double>(scores - minus_infinity).array().isNaN().all());
  const Matrix<double> right{{0.268941, 0.731059, 0}};
  check_close(unmasked_softmax<double>(scores + minus_infinity), right);
  check_close(masked_softmax(scores, mask), right);
}

TEST_CASE("Mistake 8: a padding mask needs a byte for each key, not a float for each query and key", "[mistakes]") {
  const Index length = 3000;
  const Matrix<float> wrong = Matrix<float>::Zero(length, length);  // which the seed then never uses
  const Mask right = padding_mask(buffer_of(Matrix<Id>::Constant(1, length, 5)), 0);
  CHECK(wrong.size() * static_cast<Index>(sizeof(float)) == 36'000'000);
  CHECK(right.blocked.size() * static_cast<Index>(sizeof(std::uint8_t)) == 3'000);
}

TEST_CASE("Mistake 10: (1, 0, .., 0) generates the causal mask; as a padding mask it would hide the sentence",
          "[mistakes]") {
  const IdMatrix target_input{{1, 10, 11, 12, 13, 14, 15, 16}};  // bos and seven words: no padding
  const IdMatrix tgt_mask{{1, 0, 0, 0, 0, 0, 0, 0}};             // step 5 of seed 002, 1 = visible
  const Mask wrong = combined_mask(padding_mask(tgt_mask, 0), look_ahead_mask(8));
  const Mask right = combined_mask(padding_mask(target_input, 0), look_ahead_mask(8));
  CHECK(visible_keys(wrong.blocked.eigen()) == RowVector<Index>{{1, 1, 1, 1, 1, 1, 1, 1}});
  CHECK(visible_keys(right.blocked.eigen()) == RowVector<Index>{{1, 2, 3, 4, 5, 6, 7, 8}});
  CHECK(same_bits(right.blocked, prefix_mask(8, 1).blocked));  // a prefix of one word, as its author intended
}

TEST_CASE("Mistake 12: M words are s_0 .. s_(M-1), and with N padding tokens the layers give M + N rows",
          "[mistakes]") {
  const Index M = 4;
  const Index N = 2;
  IdMatrix ids(1, M + N);
  ids.fill(0);
  for (Index i = 0; i < M; ++i) {
    ids(0, i) = static_cast<Id>(5 + i);  // the last is at M - 1
  }
  CHECK(visible_keys(padding_mask(ids, 0).blocked.eigen())(0) == M);
  const Matrix<double> context = context_of(six_words(), padding_mask(ids, 0));
  CHECK(context.rows() == M + N);      // right
  CHECK(context.rows() != M + N - 1);  // wrong: the seed's output shape
}

TEST_CASE("Mistake 14: the encoder needs a mask too, or padding changes its output for the words", "[mistakes]") {
  const Matrix<double> padded = six_words();  // the last two stand for padding
  const Mask padding = padding_mask(IdMatrix{{5, 6, 7, 8, 0, 0}}, 0);
  const Matrix<double> alone = context_of(padded.topRows(4), nothing_blocked(4));
  check_close(alone.row(0), Matrix<double>{{-0.571270, -0.081566}});
  check_close(context_of(padded, nothing_blocked(6)).row(0), Matrix<double>{{-0.533739, -0.105092}});  // wrong
  check_close(context_of(padded, padding).row(0), Matrix<double>{{-0.571270, -0.081566}});             // right
  CHECK(largest_difference(context_of(padded, padding).topRows(4), alone) < 1e-15);
}

TEST_CASE("Mistake 15: the causal mask is no limitation; in translation too, a word sees only itself and earlier ones",
          "[mistakes]") {
  // When a translation has three words so far, the third sees only these. With the causal mask, it saw the same in
  // training; without the mask, it saw more.
  const Matrix<double> x = six_words();
  const Matrix<double> translation = context_of(x.topRows(3), nothing_blocked(3)).row(2);
  check_close(translation, Matrix<double>{{-0.630023, -0.063183}});
  check_close(context_of(x, nothing_blocked(6)).row(2), Matrix<double>{{-0.532322, -0.107925}});  // wrong
  check_close(context_of(x, look_ahead_mask(6)).row(2), Matrix<double>{{-0.630023, -0.063183}});  // right
  // "Only tokens preceding it" would leave the first word nothing to see. It sees itself.
  CHECK(visible_keys(look_ahead_mask(6).blocked.eigen())(0) == 1);
  check_close(context_of(x, look_ahead_mask(6)).row(0), context_of(x.topRows(1), nothing_blocked(1)));
}

TEST_CASE("Mistake 24: the padding id is a setting, and ids are integers", "[mistakes]") {
  const IdMatrix ids{{0, 7, 9, 1, 1}};  // from a vocabulary in which 1 is padding and 0 a word
  CHECK(padding_mask(ids, 0).blocked.eigen() == Table{{1, 0, 0, 0, 0}});  // wrong: hides a word, shows the padding
  CHECK(padding_mask(ids, 1).blocked.eigen() == Table{{0, 0, 0, 1, 1}});  // right
  // Source and target each have their own padding id.
  const TransformerMasks masks = make_masks(ids, IdMatrix{{0, 1, 2}}, {{.pad = 1}, {.pad = 2}});
  CHECK(masks.encoder_padding.blocked.eigen() == Table{{0, 0, 0, 1, 1}});
  CHECK(masks.decoder_combined.blocked.eigen() == Table{{0, 1, 1}, {0, 0, 1}, {0, 0, 1}});

  const Id large = (1 << 24) + 1;
  CHECK(static_cast<Id>(static_cast<float>(large)) == large - 1);  // wrong: a float has 24 bits, so the id changes
  CHECK(IdMatrix{{large}}(0, 0) == large);                         // right
}

TEST_CASE("Mistake 26: some write 1 for visible, some for blocked; confusing them shows only the future",
          "[mistakes]") {
  const Table visible = 1 - look_ahead_mask(6).blocked.eigen().array();  // as seeds 000, 002 and 003 (tril) write it
  SeedAttention attention(Golden("003.causal_class"));
  attention.forward(six_words(), mask_of(visible));  // wrong: the project writes 1 for blocked
  check_close(attention.weights.row(0), Matrix<double>{{0, 0.212700, 0.212579, 0.187737, 0.196375, 0.190609}});
  check_close(attention.weights.row(5), Matrix<double>::Zero(1, 6));
  attention.forward(six_words(), mask_of(1 - visible.array()));
  check_close(attention.weights.row(0), Matrix<double>{{1, 0, 0, 0, 0, 0}});
  check_close(attention.weights.row(5), Matrix<double>{{0.162449, 0.170880, 0.170636, 0.165401, 0.162460, 0.168174}});
}
