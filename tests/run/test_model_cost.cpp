#include "catch.hpp"
#include "run/model_cost.hpp"

using namespace glassformer;

TEST_CASE("activations grow with the batch and with its longest sentence; training needs more than evaluation",
          "[model]") {
  const TransformerSettings settings;
  const VocabularyShape vocabulary{100, 200, {}};
  const BatchShape batch{.source = 300, .target = 400, .longest_source = 30, .longest_target = 40};
  BatchShape longer = batch, larger = batch;
  longer.longest_source += 10;
  larger.target += 100;
  const Index count = activation_count(settings, vocabulary, batch, true);
  CHECK(activation_count(settings, vocabulary, batch, false) < count);
  CHECK(activation_count(settings, vocabulary, longer, true) - count ==
        10 * 2 * settings.heads * (300 * settings.encoder_layers + 400 * settings.decoder_layers));
  CHECK(activation_count(settings, vocabulary, larger, true) - count > 100 * vocabulary.target_size);
}

TEST_CASE("the operations for a sentence pair equal a count by hand", "[model]") {
  TransformerSettings settings;
  settings.d_model = 4;
  settings.d_ff = 8;
  settings.encoder_layers = 1;
  settings.decoder_layers = 2;
  const VocabularyShape vocabulary{.source_size = 99, .target_size = 10};  // no product involves the source vocabulary
  // A source token passes through q, k, v, out (4 of 4 x 4), feed-forward (2 of 4 x 8), and k and v of two layers.
  const double source_weights = 4 * 16 + 2 * 32 + 2 * 2 * 16;
  // A target token passes through q, k, v, out, q, out and feed-forward of two layers, and 4 x 10 to the logits.
  const double target_weights = 2 * (6 * 16 + 2 * 32) + 40;
  // 3 source tokens see each other; 5 target tokens see 1, 2, 3, 4, 5 tokens, and the source's 3 each.
  const double pairs = 3 * 3 + 2 * (1 + 2 + 3 + 4 + 5 + 5 * 3);
  CHECK(training_flops(settings, vocabulary, 3, 5) == 6 * (3 * source_weights + 5 * target_weights) + 12 * 4 * pairs);
}
