#include "catch.hpp"
#include "run/training_flops.hpp"

using namespace glassformer;

TEST_CASE("The work of a sentence pair is what one counts by hand", "[model]") {
  TransformerSettings settings;
  settings.d_model = 4;
  settings.d_ff = 8;
  settings.encoder_layers = 1;
  settings.decoder_layers = 2;
  const VocabularyShape vocabulary{.source_size = 99, .target_size = 10};  // no product goes over the source vocabulary
  // A source token passes q, k, v, out (4 of 4 x 4), the feed-forward network (2 of 4 x 8), k and v of two layers.
  const double source_weights = 4 * 16 + 2 * 32 + 2 * 2 * 16;
  // A target token passes q, k, v, out, q, out and the feed-forward network of two layers, and 4 x 10 to the logits.
  const double target_weights = 2 * (6 * 16 + 2 * 32) + 40;
  // 3 source tokens see each other; 5 target tokens see 1, 2, 3, 4, 5 tokens, and the source's 3 each.
  const double pairs = 3 * 3 + 2 * (1 + 2 + 3 + 4 + 5 + 5 * 3);
  CHECK(training_flops(settings, vocabulary, 3, 5) == 6 * (3 * source_weights + 5 * target_weights) + 12 * 4 * pairs);
}
