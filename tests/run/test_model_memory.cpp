#include "catch.hpp"
#include "model/transformer.hpp"
#include "run/model_memory.hpp"

using namespace glassformer;

TEST_CASE("the number of parameters is that of the arena", "[model]") {
  TransformerSettings settings{.d_model = 12, .heads = 3, .encoder_layers = 2, .decoder_layers = 3, .d_ff = 20};
  settings.norm = GENERATE(Norm::post, Norm::pre);
  settings.tied_embeddings = GENERATE(Tying::none, Tying::target, Tying::all);
  const VocabularyShape vocabulary{settings.tied_embeddings == Tying::all ? 40 : 30, 40, {}};
  const Transformer<float> model(settings, vocabulary);
  const Arena<float> arena(model.tensors());
  CHECK(parameter_count(settings, vocabulary) == arena.size());
}

TEST_CASE("activations grow with the batch, with attention over long sentences, and from evaluation to training",
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
