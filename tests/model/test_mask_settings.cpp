#include <memory>

#include "catch.hpp"
#include "model/example.hpp"

using namespace glassformer;

namespace {

/// A random model that is taught with the given masks, and what it makes of a batch.
struct Taught {
  Transformer<double> model;
  example::LearnedModel<double> learned;
  Transformer<double>::Cache cache;

  explicit Taught(const MaskSettings& masks)
      : model{example::settings(Norm::post, Tying::none), example::vocabulary(Tying::none)},
        learned(*std::make_unique<RandomValues>(1), model.settings, model.vocabulary) {
    model.settings.masks = masks;
  }
  Matrix<double> answers(const example::PaddedBatch& batch) {
    const TransformerMasks masks = model.masks(batch.source, batch.target_input);
    model.forward(learned.p(), {batch.source, batch.target_input, batch.target_output, masks}, 0, {}, cache);
    return cache.logits;
  }
};

/// How far the probabilities of the batch's last sentence, its padding left out, depend on that padding.
double influence_of_padding(const MaskSettings& masks) {
  Taught taught(masks);
  const example::PaddedBatch together = example::batch(), alone = example::alone(together, 2);
  const Matrix<double> p = taught.answers(alone);  // [3, V]
  return largest_difference(taught.answers(together).middleRows(2 * 4, 3), p);
}

}  // namespace

TEST_CASE("A model has the masks that its settings name", "[model]") {
  const example::PaddedBatch batch = example::batch();
  for (const MaskSettings& on : {MaskSettings{}, MaskSettings{.encoder_padding = false},
                                 MaskSettings{.look_ahead = false}, MaskSettings{.target_padding = false},
                                 MaskSettings{.cross_padding = false}}) {
    CAPTURE(on.encoder_padding, on.look_ahead, on.target_padding, on.cross_padding);
    const TransformerMasks expected =
        make_masks(batch.source, example::kSourcePad, batch.target_input, example::kTargetPad, on);
    const TransformerMasks masks = Taught(on).model.masks(batch.source, batch.target_input);
    CHECK(same_bits(masks.encoder_padding.blocked, expected.encoder_padding.blocked));
    CHECK(same_bits(masks.decoder_combined.blocked, expected.decoder_combined.blocked));
    CHECK(same_bits(masks.cross_padding.blocked, expected.cross_padding.blocked));
  }
}

TEST_CASE("Padding means nothing to a sentence under the padding masks, and something without one of them", "[model]") {
  CHECK(influence_of_padding({}) < 1e-12);
  CHECK(influence_of_padding({.encoder_padding = false}) > 1e-6);
  CHECK(influence_of_padding({.cross_padding = false}) > 1e-6);
  CHECK(influence_of_padding({.target_padding = false}) < 1e-12);  // it stands behind the words, in their future
  CHECK(influence_of_padding({.look_ahead = false}) < 1e-12);      // padding is no word to come
  CHECK(influence_of_padding({.look_ahead = false, .target_padding = false}) > 1e-6);
}
