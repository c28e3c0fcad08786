#include "catch.hpp"
#include "model/example.hpp"

using namespace glassformer;

namespace {

TransformerSettings settings_with_masks(const MaskSettings& masks) {
  TransformerSettings settings = example::settings(Norm::post, Tying::none);
  settings.masks = masks;
  return settings;
}

/// The probabilities under the masks that the model's settings select.
const Buffer<double>& probabilities(Transformer<double>& model, const example::PaddedBatch& batch) {
  const TransformerMasks masks = model.masks(batch.source, batch.target_input);
  return model.forward({}, {batch.source, batch.target_input, batch.target_output, masks}).p;
}

/// How much the padding of the batch's last sentence changes the probabilities at its words.
double influence_of_padding(const MaskSettings& masks) {
  example::RandomModel<double> random(settings_with_masks(masks));
  const example::PaddedBatch together = example::batch();
  const example::PaddedBatch alone = example::alone(together, 2);
  const Buffer<double> p = probabilities(random.model, alone);  // [3, V]
  return largest_difference(probabilities(random.model, together).view().middle_rows(2 * 4, 3), p);
}

}  // namespace

TEST_CASE("A model makes the masks that its settings select", "[model]") {
  const example::PaddedBatch batch = example::batch();
  for (const MaskSettings& on :
       {MaskSettings{}, MaskSettings{.encoder_padding = false}, MaskSettings{.look_ahead = false},
        MaskSettings{.target_padding = false}, MaskSettings{.cross_padding = false}}) {
    CAPTURE(on.encoder_padding, on.look_ahead, on.target_padding, on.cross_padding);
    const TransformerMasks expected = make_masks(batch.source, batch.target_input, example::kSpecial, on);
    const Transformer<double> model(settings_with_masks(on), example::vocabulary(Tying::none));
    const TransformerMasks masks = model.masks(batch.source, batch.target_input);
    CHECK(same_bits(masks.encoder_padding.blocked, expected.encoder_padding.blocked));
    CHECK(same_bits(masks.decoder_combined.blocked, expected.decoder_combined.blocked));
    CHECK(same_bits(masks.cross_padding.blocked, expected.cross_padding.blocked));
  }
}

TEST_CASE("Padding changes a sentence's probabilities only if a mask that hides it is off", "[model]") {
  CHECK(influence_of_padding({}) < 1e-12);
  CHECK(influence_of_padding({.encoder_padding = false}) > 1e-6);
  CHECK(influence_of_padding({.cross_padding = false}) > 1e-6);
  CHECK(influence_of_padding({.target_padding = false}) < 1e-12);  // it follows the words, so look-ahead hides it
  CHECK(influence_of_padding({.look_ahead = false}) < 1e-12);      // target_padding hides it
  CHECK(influence_of_padding({.look_ahead = false, .target_padding = false}) > 1e-6);
}
