#include "catch.hpp"
#include "glassformer/training/trainer.hpp"
#include "text/texts.hpp"

using namespace glassformer;
using namespace glassformer::text_test;

namespace {

/// The first update of a model whose logits are 0, and so all parameters except those that `change` sets.
void check_skipped(double clip_norm, const std::function<void(const std::string&, RowView<float>)>& change) {
  const Corpus corpus = corpus_of_lengths({{3, 3}, {3, 3}, {3, 3}});  // the first word has the id 10
  Model<float> model(
      {.d_model = 8, .heads = 1, .encoder_layers = 1, .decoder_layers = 1, .tied_embeddings = Tying::none}, {20, 20});
  for (const TensorPlace& tensor : model.weights.tensors()) {
    change(tensor.name, model.weights.values(tensor));
  }
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

/// Trains on six pairs, two per batch.
class Example {
 public:
  explicit Example(Index accumulation = 1)
      : settings_{.max_tokens = 8, .accumulation = accumulation, .optimizer = {}, .schedule = {}} {}
  const Progress& progress() const { return trainer_.progress(); }
  bool continue_from(const Progress& progress) { return trainer_.continue_from(progress); }
  std::vector<std::vector<Index>> batches() const { return {trainer_.batches().begin(), trainer_.batches().end()}; }
  bool has_gradient() const {
    return std::ranges::any_of(trainer_.gradient(), [](float g) { return g != 0; });
  }
  /// Makes one update and returns its batches.
  std::vector<std::vector<Index>> step() {
    const auto batches = trainer_.step().batches;
    return {batches.begin(), batches.end()};
  }

 private:
  Corpus corpus_ = corpus_of_lengths({{3, 3}, {3, 3}, {3, 3}, {3, 3}, {3, 3}, {3, 3}});
  Model<float> model_{{.d_model = 8, .heads = 1, .encoder_layers = 1, .decoder_layers = 1, .d_ff = 8}, {20, 20}};
  TrainingSettings settings_;
  Trainer trainer_{model_, settings_, corpus_};
};

}  // namespace

TEST_CASE("batches come in the order of the plan, epoch after epoch, and every epoch has its own plan", "[training]") {
  Example example;
  std::vector<std::vector<std::vector<Index>>> epochs(2);
  for (Index epoch = 0; epoch < 2; ++epoch) {
    for (Index i = 0; i < 3; ++i) {
      CHECK(example.progress().epoch == epoch);
      CHECK(example.progress().batch == i);
      const auto batches = example.step();
      REQUIRE(batches.size() == 1);
      epochs[static_cast<std::size_t>(epoch)].push_back(batches[0]);
    }
  }
  CHECK(example.progress().epoch == 2);
  CHECK(example.progress().batch == 0);
  CHECK(epochs[0] != epochs[1]);
  for (const auto& epoch : epochs) {
    std::vector<Index> sentences;
    for (const auto& batch : epoch) {
      sentences.insert(sentences.end(), batch.begin(), batch.end());
    }
    std::ranges::sort(sentences);
    CHECK(sentences == std::vector<Index>{0, 1, 2, 3, 4, 5});
  }
}

TEST_CASE("the last update of an epoch has the remaining batches", "[training]") {
  Example example(2);
  CHECK(example.step().size() == 2);
  CHECK(example.step().size() == 1);
  CHECK(example.progress().epoch == 1);
}

TEST_CASE("training continues from a given progress if its batch exists", "[training]") {
  Example example;
  for (int i = 0; i < 4; ++i) {
    example.step();
  }
  Progress progress = example.progress();
  REQUIRE(progress.epoch == 1);
  REQUIRE(progress.batch == 1);
  const auto next = example.step();

  Example resumed;
  CHECK(resumed.continue_from(progress));
  CHECK(resumed.step() == next);
  for (const auto& [batch, exists] : {std::pair(0, true), std::pair(2, true), std::pair(3, false)}) {
    progress.batch = batch;
    CHECK(Example().continue_from(progress) == exists);
  }

  const Progress before = resumed.progress();
  const auto batches = resumed.batches();
  CHECK(resumed.has_gradient());
  progress.epoch = 0;  // whose batches are others
  CHECK_FALSE(resumed.continue_from(progress));
  CHECK(resumed.progress() == before);
  CHECK(resumed.batches() == batches);
  CHECK(resumed.has_gradient());
  CHECK(resumed.step() == example.step());
  CHECK(resumed.continue_from(before));
  CHECK_FALSE(resumed.has_gradient());
}

TEST_CASE("an update whose squared gradient overflows is skipped, so that the moments stay finite", "[training]") {
  check_skipped(0, [](const std::string& name, auto values) {
    if (name == "model.decoder.layers.0.final_layer_norm.bias") {
      values.eigen().fill(1e25F);
    }
  });
}

TEST_CASE("an update with an infinite gradient is skipped, even if gradients are clipped", "[training]") {
  check_skipped(1, [](const std::string& name, auto values) {
    if (name == "model.decoder.layers.0.final_layer_norm.weight") {
      values.eigen().fill(1);
    }
    if (name == "lm_head.weight") {  // gradients of about 2e38 at three positions, whose sum is the gradient of a bias
      for (Index d = 0; d < 8; ++d) {
        values.eigen()(10 * 8 + d) = d % 2 == 0 ? 8e36F : -8e36F;
      }
    }
  });
}
