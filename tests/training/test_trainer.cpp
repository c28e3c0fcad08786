#include "catch.hpp"
#include "text/texts.hpp"
#include "training/trainer.hpp"

using namespace glassformer;
using namespace glassformer::text_test;

namespace {

/// The first update of a model whose logits are 0, and so all parameters except those that `change` sets.
void check_skipped(double clip_norm, const std::function<void(const std::string&, RowView<float>)>& change) {
  const Corpus corpus = corpus_of_lengths({{3, 3}, {3, 3}, {3, 3}});  // the first word has the id 10
  Model<float> model(
      {.d_model = 8, .heads = 1, .encoder_layers = 1, .decoder_layers = 1, .tied_embeddings = Tying::none}, {20, 20});
  for (const TensorPlace& tensor : model.weights.tensors()) change(tensor.name, model.weights.values(tensor));
  TrainingSettings settings;
  settings.optimizer.clip_norm = clip_norm;
  Trainer trainer(model, settings, corpus);
  const Trainer::Update update = trainer.step();
  CHECK(std::isfinite(update.loss.loss));
  CHECK_FALSE(std::isnan(update.gradient_norm));
  CHECK(update.skipped);
  CHECK(std::ranges::all_of(trainer.optimizer().v(), [](float x) { return std::isfinite(x); }));
  CHECK(model.weights.values().eigen().allFinite());
}

}  // namespace

TEST_CASE("an update whose squared gradient overflows is skipped, so that the moments stay finite", "[training]") {
  check_skipped(0, [](const std::string& name, auto values) {
    if (name == "model.decoder.layers.0.final_layer_norm.bias") values.eigen().fill(1e25F);
  });
}

TEST_CASE("an update with an infinite gradient is skipped, even if gradients are clipped", "[training]") {
  check_skipped(1, [](const std::string& name, auto values) {
    if (name == "model.decoder.layers.0.final_layer_norm.weight") values.eigen().fill(1);
    if (name == "lm_head.weight")  // gradients of about 2e38 at three positions, whose sum is the gradient of a bias
      for (Index d = 0; d < 8; ++d) values.eigen()(10 * 8 + d) = d % 2 == 0 ? 8e36F : -8e36F;
  });
}
