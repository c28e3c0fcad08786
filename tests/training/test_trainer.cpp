#include "training/trainer.hpp"

#include "catch.hpp"
#include "checkpoint/checkpoint.hpp"
#include "checkpoint/stand_ins.hpp"
#include "training/model_gradient_check.hpp"

using namespace glassformer;
using stand_in::TemporaryDirectory;

namespace {

namespace fs = std::filesystem;

const std::atomic<bool> kNever = false;

const DisplayTarget kNowhere{.write = [](std::string_view) { return true; }, .width = [] { return 80; }};

Config toy(const std::vector<std::string>& overrides) {
  std::vector<std::string> all = {"model.d_model=16", "model.d_ff=16", "training.max_epochs=0", "training.max_tokens=400",
                                  "data.train=valid", "training.validation.every=1000"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return read_config(fs::path(GLASSFORMER_SOURCE_DIR) / "configs/toy.yaml", all);
}

void train(const Config& config, const fs::path& directory, bool resume = false) {
  const DataSettings& data = config.data;
  const TokenizerPair tokenizers =
      make_tokenizers(config.tokenizer, data.source_file(data.train), data.target_file(data.train));
  Trainer(config, TrainingText::read(config, tokenizers),
          resume ? RunDirectory::resume(directory) : RunDirectory::create(directory, config), resume,
          kNowhere)
      .run(kNever);
}

std::string weights(const fs::path& run) { return stand_in::read_bytes(run / "last" / "model.safetensors"); }

}  // namespace

TEST_CASE("a run that was stopped in the middle of an epoch and resumed ends with the same bits", "[training]") {
  const TemporaryDirectory directory;
  train(toy({"training.max_updates=13"}), directory / "whole");
  train(toy({"training.max_updates=5"}), directory / "parts");
  CHECK(weights(directory / "whole") != weights(directory / "parts"));
  train(toy({"training.max_updates=13"}), directory / "parts", true);
  CHECK(weights(directory / "whole") == weights(directory / "parts"));
}

TEST_CASE("an interrupted run has a checkpoint of the update it was interrupted at", "[training]") {
  const TemporaryDirectory directory;
  const Config config = toy({"training.max_updates=50"});
  const TokenizerPair tokenizers = make_tokenizers(config.tokenizer, config.data.source_file("valid"),
                                                   config.data.target_file("valid"));
  const std::atomic<bool> interrupted = true;
  Trainer(config, TrainingText::read(config, tokenizers), RunDirectory::create(directory / "run", config), false,
          kNowhere)
      .run(interrupted);
  CHECK(is_checkpoint(directory / "run" / "last"));
  train(config, directory / "run", true);
  CHECK(fs::exists(directory / "run" / "step-00000050"));
}

TEST_CASE("a run leaves what it promises: config, log, metrics, curves, best, last and no more than the latest k",
          "[training]") {
  const TemporaryDirectory directory;
  train(toy({"training.max_updates=12", "training.validation.every=3", "training.log_every=2",
             "training.checkpoints.keep=1"}),
        directory / "run");
  for (const char* name : {"config.yaml", "train.log", "metrics.jsonl", "curves.svg"}) {
    CHECK(fs::exists(directory / "run" / name));
  }
  CHECK(is_checkpoint(directory / "run" / "best"));
  CHECK(fs::read_symlink(directory / "run" / "last") == "step-00000012");
  CHECK(RunDirectory::resume(directory / "run").checkpoints().size() <= 2);  // the latest, and the best
  const Metrics metrics = read_metrics(directory / "run" / "metrics.jsonl");
  CHECK(metrics.training.size() == 6);
  CHECK(metrics.validation.size() == 4);
  CHECK(metrics.validation.back().loss < metrics.validation.front().loss);
}

TEST_CASE("patience stops a run that no longer gets better", "[training]") {
  const TemporaryDirectory directory;
  // A rate of nearly nothing: exact match stays at 0, so nothing after the first validation is better.
  train(toy({"training.max_updates=100", "training.validation.every=2", "training.validation.patience=3",
             "training.validation.metric=exact_match", "training.schedule.learning_rate=1e-12"}),
        directory / "run");
  CHECK(fs::read_symlink(directory / "run" / "last") == "step-00000008");
  CHECK(fs::read_symlink(directory / "run" / "best") == "step-00000002");
}

TEST_CASE("the mean of the last checkpoints is written at the end", "[training]") {
  const TemporaryDirectory directory;
  const Config config = toy({"training.max_updates=4", "training.validation.every=2", "training.checkpoints.keep=1",
                             "training.checkpoints.average=2"});
  train(config, directory / "run");
  const std::vector<fs::path> checkpoints = RunDirectory::resume(directory / "run").checkpoints();
  REQUIRE(checkpoints.size() == 2);

  const TokenizerPair tokenizers = load_tokenizers(config.tokenizer, checkpoints[0]);
  const VocabularyShape vocabulary = vocabulary_shape(tokenizers);
  Arena<Transformer<float>::Parameters> a(config.model, vocabulary), b(config.model, vocabulary),
      mean(config.model, vocabulary);
  read_parameters(checkpoints[0], a.tensors(), a.values().data());
  read_parameters(checkpoints[1], b.tensors(), b.values().data());
  read_parameters(directory / "run" / "average", mean.tensors(), mean.values().data());
  CHECK(((a.values() + b.values()) / 2 - mean.values()).abs().maxCoeff() < 1e-7F);
}

TEST_CASE("gradcheck finds the model of the debugger's config right", "[training]") {
  const Config config = read_config(fs::path(GLASSFORMER_SOURCE_DIR) / "configs/debug.yaml", {"model.dropout=0.3"});
  const std::vector<TensorCheck> checks = check_model_gradient(config, 4);
  CHECK(checks.size() > 30);
  for (const TensorCheck& check : checks) {
    CAPTURE(check.name, check.error.written, check.error.measured);
    CHECK(check.error.relative < 1e-7);
  }
}
