#include "seed_attention.hpp"

using namespace glassformer;
using namespace glassformer::seeds;

// Seed 004 (TensorFlow): the three masks of an encoder-decoder. Their shapes have a 1 for the heads: [B, 1, T, S].

namespace {

/// [B, 1, T, S]: the shape that the notebook prints.
RowVector<Index> shape_of(const Mask& mask) { return RowVector<Index>{{mask.sentences, 1, mask.queries, mask.keys()}}; }

/// tf.linalg.band_part: keeps `lower` diagonals below the main one and `upper` above it, all of them if negative.
Matrix<int> band_part(Matrix<int> a, Index lower, Index upper) {
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) {
      const bool in_band = (lower < 0 || i - j <= lower) && (upper < 0 || j - i <= upper);
      if (!in_band) {
        a(i, j) = 0;
      }
    }
  }
  return a;
}

}  // namespace

TEST_CASE("004.padding_mask: padding is blocked wherever it is", "[seeds]") {
  Golden golden("004.padding_mask");
  const Mask mask = padding_mask(golden.ids("ids"), static_cast<Id>(golden.integer("pad")));
  golden.check("mask", mask.blocked);
  golden.check("shape", shape_of(mask));
}

TEST_CASE("004.look_ahead_3: the mask depends only on the length of the sentence", "[seeds]") {
  Golden golden("004.look_ahead_3");
  golden.check("mask", look_ahead_mask(golden.integer("size")).blocked);
}

TEST_CASE("004.look_ahead_5: the look-ahead mask is what band_part(ones, -1, 0) leaves out", "[seeds]") {
  Golden golden("004.look_ahead_5");
  const Mask mask = look_ahead_mask(golden.integer("size"));
  golden.check("mask", mask.blocked);
  golden.check("band_part", 1 - mask.blocked.eigen().array());
  golden.check("band_part", band_part(Matrix<int>::Ones(5, 5), -1, 0));
}

TEST_CASE("004.band_part: keeps a band of diagonals", "[seeds]") {
  Golden golden("004.band_part");
  const Matrix<int> a = golden.input<int>("a");
  golden.check("band_1_all", band_part(a, 1, -1));
  golden.check("band_2_1", band_part(a, 2, 1));
  // The notebook uses it for the band of all keys up to the query. In the project, that is the complement of a mask.
  const Matrix<int> visible = 1 - look_ahead_mask(4).blocked.eigen().cast<int>().array();
  CHECK(band_part(Matrix<int>::Ones(4, 4), -1, 0) == visible);
}

TEST_CASE("004.combined_mask: blocks padding and what is ahead", "[seeds]") {
  Golden golden("004.combined_mask");
  const Mask padding = padding_mask(golden.ids("tgt"), static_cast<Id>(golden.integer("pad")));
  const Mask look_ahead = look_ahead_mask(padding.keys());
  const Mask combined = combined_mask(padding, look_ahead);
  golden.check("look_ahead", look_ahead.blocked);
  golden.check("tgt_padding", padding.blocked);
  golden.check("combined", combined.blocked);
  golden.check("shape", shape_of(combined));
  golden.check("min_visible_per_row", visible_keys(combined.blocked.eigen()).minCoeff());
}

TEST_CASE("004.create_mask: padding for the encoder, combined for the decoder, source padding for cross-attention",
          "[seeds]") {
  Golden golden("004.create_mask");
  const Id pad = static_cast<Id>(golden.integer("pad"));
  const TransformerMasks masks = make_masks(golden.ids("inp"), golden.ids("tgt"), {{.pad = pad}, {.pad = pad}});
  golden.check("enc_padding", masks.encoder_padding.blocked);
  golden.check("combined", masks.decoder_combined.blocked);
  golden.check("dec_padding", masks.cross_padding.blocked);
  golden.check("shapes/enc_padding", shape_of(masks.encoder_padding));
  golden.check("shapes/combined", shape_of(masks.decoder_combined));
  golden.check("shapes/dec_padding", shape_of(masks.cross_padding));
}

TEST_CASE("004.left_padding: with padding on the left, a decoder's first queries see nothing", "[seeds]") {
  Golden golden("004.left_padding");
  const Id pad = static_cast<Id>(golden.integer("pad"));
  const IdMatrix left = golden.ids("tgt");
  const IdMatrix right{{4, 5, pad, pad, pad}};
  const Mask combined = make_masks(left, left, {{.pad = pad}, {.pad = pad}}).decoder_combined;
  golden.check("combined", combined.blocked);
  golden.check("fully_masked_rows", blind_queries(combined.blocked.eigen()));
  // The project pads on the right (make_batch), so every query sees at least the first word.
  CHECK(blind_queries(make_masks(right, right, {{.pad = pad}, {.pad = pad}}).decoder_combined.blocked.eigen()).size() ==
        0);
  // If such a row occurs anyway, its weights are 0, not NaN.
  CHECK(masked_softmax<double>(Matrix<double>::Ones(5, 5), combined).topRows(3).isZero(0));
}
