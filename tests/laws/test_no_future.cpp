#include "laws/draws.hpp"
#include "seeds/shifted_mask.hpp"

/// The decoder's output at position t does not depend on any target token after t. The leak detector is tested, too.
using namespace glassformer;
using namespace glassformer::laws;

namespace {

/// The logits of a batch if the decoder's self-attention uses the mask `used`.
template <class Scalar>
Matrix<Scalar> logits_under(DrawnModel<Scalar>& drawn, const example::PaddedBatch& batch, const Mask& used) {
  TransformerMasks masks = batch.masks;
  masks.decoder_combined = used;
  const Buffer<Scalar>& memory = drawn.model.encode({}, batch.source, masks.encoder_padding);
  return drawn.model.decode({}, batch.target_input, memory, masks).eigen();
}

/// The leak detector. Changes the tokens of a single sentence one at a time, and counts the cells that leak. A cell
/// (t, j) leaks if token j affects the logits at t although the mask `promised` blocks it. The decoder uses the mask
/// `used`.
template <class Scalar>
Index leaking_cells(DrawnModel<Scalar>& drawn, const example::PaddedBatch& sentence, const Mask& used,
                    const Mask& promised) {
  const Matrix<Scalar> logits = logits_under(drawn, sentence, used);
  Index leaks = 0;
  for (Index j = 0; j < sentence.target_input.cols(); ++j) {
    example::PaddedBatch changed = sentence;
    changed.target_input(0, j) = sentence.target_input(0, j) == 4 ? 5 : 4;
    const Matrix<Scalar> others = logits_under(drawn, changed, used);
    for (Index t = 0; t < sentence.target_input.cols(); ++t) {
      leaks += promised.is_blocked(0, t, j) && !same_bits(others.row(t), logits.row(t));
    }
  }
  return leaks;
}

}  // namespace

TEMPLATE_TEST_CASE("Law: no target token changes a bit of the logits before it, whatever else is in the batch",
                   "[laws]", float, double) {
  hold(11, [](RandomValues& random) {
    const example::PaddedBatch batch = draw_batch(random);
    const Index B = batch.source.rows();
    const Index T = batch.target_input.cols();
    DrawnModel<TestType> drawn(random, draw_settings(random));
    drawn.forward(batch, {});
    const Matrix<TestType> logits = drawn.logits;

    const Index from = between(random, 1, T - 1);  // replaces the tokens from here on, some with padding
    example::PaddedBatch changed = batch;
    for (Index b = 0; b < B; ++b) {
      for (Index t = from; t < T; ++t) {
        changed.target_input(b, t) = static_cast<Id>(random.index(7));
      }
    }
    changed.remake_masks();
    drawn.forward(changed, {});
    for (Index b = 0; b < B; ++b) {
      CHECK(same_bits(drawn.logits.middleRows(b * T, from), logits.middleRows(b * T, from)));
    }
  });
}

TEMPLATE_TEST_CASE("Law: the detector finds no leak under the look-ahead mask, and finds one without it", "[laws]",
                   float, double) {
  hold(12, [](RandomValues& random) {
    const Index T = between(random, 2, 9);
    const example::PaddedBatch sentence = example::random_batch(random, 1, T);
    DrawnModel<TestType> drawn(random, draw_settings(random));
    const Mask promised = look_ahead_mask(T);
    const Mask nothing_blocked = all_visible(1, 1, T);
    CHECK(leaking_cells(drawn, sentence, sentence.masks.decoder_combined, promised) == 0);
    CHECK(leaking_cells(drawn, sentence, nothing_blocked, promised) > 0);
  });
}

TEMPLATE_TEST_CASE("Law: under a model's own masks the future stays hidden if look_ahead is on, and leaks if it is off",
                   "[laws]", float, double) {
  hold(15, [](RandomValues& random) {
    const Index T = between(random, 2, 9);
    const example::PaddedBatch sentence = example::random_batch(random, 1, T);
    TransformerSettings settings = draw_settings(random);
    for (const bool on : {true, false}) {
      settings.masks.look_ahead = on;
      DrawnModel<TestType> drawn(random, settings);
      const Mask used = drawn.model.masks(sentence.source, sentence.target_input).decoder_combined;
      CHECK((leaking_cells(drawn, sentence, used, look_ahead_mask(T)) == 0) == on);
    }
  });
}

TEST_CASE("Law: under a prefix mask, only the prefix is visible to earlier positions", "[laws]") {
  hold(13, [](RandomValues& random) {
    const Index T = between(random, 2, 9);
    const example::PaddedBatch sentence = example::random_batch(random, 1, T);
    DrawnModel<double> drawn(random, draw_settings(random));
    const Mask promised = prefix_mask(T, random.index(T + 1));
    CHECK(leaking_cells(drawn, sentence, promised, promised) == 0);
  });
}

TEST_CASE("Law: the shifted mask of seed 002 leaks in 18 cells of a one-layer decoder", "[laws]") {
  // It is meant to show a prefix of 4 tokens and be causal after that. But row t sees the keys up to t + 3.
  const Mask seed = seeds::shifted_mask(10, 4);
  const Mask meant = prefix_mask(10, 4);
  CHECK((seed.blocked.eigen().array() == 0 && meant.blocked.eigen().array() == 1).count() == 18);
  hold(14, [&](RandomValues& random) {
    TransformerSettings settings = draw_settings(random);
    settings.decoder_layers = 1;  // with more layers, leaks spread
    const example::PaddedBatch sentence = example::random_batch(random, 1, 10);
    DrawnModel<double> drawn(random, settings);
    CHECK(leaking_cells(drawn, sentence, seed, meant) == 18);
    CHECK(leaking_cells(drawn, sentence, meant, meant) == 0);
  });
}
