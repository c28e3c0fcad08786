#include "catch.hpp"
#include "text/texts.hpp"
#include "training/trainer.hpp"

using namespace glassformer;
using namespace glassformer::text_test;

TEST_CASE("an update whose squared gradient overflows is skipped, so that the moments stay finite", "[training]") {
  const Corpus corpus = corpus_of_lengths({{3, 3}});
  Model<float> model(
      {.d_model = 8, .heads = 1, .encoder_layers = 1, .decoder_layers = 1, .tied_embeddings = Tying::none}, {20, 20});
  for (const TensorPlace& tensor : model.weights.tensors())  // everything else is 0, and so are the logits
    if (tensor.name == "model.decoder.layers.0.final_layer_norm.bias") model.weights.values(tensor).eigen().fill(1e25F);
  TrainingSettings settings;
  settings.optimizer.clip_norm = 0;
  Trainer trainer(model, settings, [&](Index) -> SentencePairs { return corpus; });
  const Trainer::Update update = trainer.step();
  CHECK(std::isfinite(update.loss.loss));
  CHECK(update.gradient_norm > 1e24);
  CHECK(update.skipped);
  CHECK(std::ranges::all_of(trainer.optimizer().v(), [](float x) { return std::isfinite(x); }));
}
