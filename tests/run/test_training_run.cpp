#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "glassformer/checkpoint/checkpoint.hpp"
#include "glassformer/checkpoint/checksums.hpp"
#include "glassformer/checkpoint/file_names.hpp"
#include "glassformer/checkpoint/parameters.hpp"
#include "glassformer/checkpoint/safetensors.hpp"
#include "glassformer/checkpoint/training_state.hpp"
#include "glassformer/evaluation/evaluation.hpp"
#include "glassformer/run/diagnostics.hpp"
#include "glassformer/run/digests.hpp"
#include "glassformer/run/start_run.hpp"
#include "glassformer/setup/loaded_model.hpp"
#include "glassformer/setup/read_config.hpp"
#include "glassformer/setup/training_setup.hpp"
#include "random_values.hpp"
#include "read_lines.hpp"
#include "report/read_metrics.hpp"
#include "run/toy_run.hpp"

using namespace glassformer;
using namespace toy_run;
using stand_in::TemporaryDirectory;

namespace {

namespace fs = std::filesystem;

Config moved_config(const std::string& updates) {
  return toy({"training.max_updates=" + updates, "training.validation.every=6", "training.log_every=1"});
}

/// Trains, calls `change` after the ninth update, and returns the message with which the run ends.
std::string complaint_of_run_changed_by(const std::function<void()>& change, const fs::path& directory) {
  DisplayTarget display = kNowhere;
  display.write = [&](std::string_view text) {
    if (text.find("update  9 ") != std::string_view::npos) {
      change();
    }
  };
  try {
    train_toy(moved_config("12"), directory, false, kNever, display);
  } catch (const UserError&) {
    FAIL("not a mistake by the user");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

/// Makes the embedding of the rarest source word so large that it overflows. Removes the checksums. Returns the word.
std::string overflow_rarest_word(const fs::path& checkpoint) {
  const Config config = read_config_of_checkpoint(checkpoint / "config.yaml");
  const std::shared_ptr<const Tokenizer> source = load_tokenizers(config.tokenizer, checkpoint).source;
  const Index word = source->vocabulary_size() - 1;
  const fs::path file = checkpoint / "model.safetensors";
  std::vector<NamedTensor> tensors = stand_in::tensors_of(Safetensors(file));
  NamedTensor& table = *std::ranges::find(tensors, "model.encoder.embed_tokens.weight", &NamedTensor::name);
  std::vector<float> numbers(table.values.begin(), table.values.end());
  std::fill_n(numbers.begin() + word * table.shape.at(1), table.shape.at(1), 3e38F);
  table.values = numbers;
  write_safetensors(file, tensors);
  fs::remove(checkpoint / "SHA256SUMS");
  return source->piece(static_cast<Id>(word));
}

}  // namespace

TEST_CASE("a run that was stopped in the middle of an epoch and resumed ends with the same weights, bit for bit",
          "[training]") {
  for (const std::string kind : OptimizerSettings::kNames) {
    CAPTURE(kind);
    const std::string optimizer = "training.optimizer.kind=" + kind;
    const TemporaryDirectory directory;
    train_toy(toy({"training.max_updates=13", optimizer}), directory / "whole");
    train_toy(toy({"training.max_updates=5", optimizer}), directory / "parts");
    CHECK(weights(directory / "whole") != weights(directory / "parts"));
    train_toy(toy({"training.max_updates=13", optimizer}), directory / "parts", true);
    CHECK(weights(directory / "whole") == weights(directory / "parts"));
  }
}

TEST_CASE("an interrupted run writes a checkpoint at the update where it stopped", "[training]") {
  const TemporaryDirectory directory;
  const Config config = toy({"training.max_updates=50"});
  train_toy(config, directory / "run", false, SIGINT);
  CHECK(is_checkpoint(directory / "run" / "last"));
  train_toy(config, directory / "run", true);
  CHECK(fs::exists(directory / "run" / "step-00000050"));
}

TEST_CASE("if its directory is moved, a run stops, and can be continued in the new place", "[training]") {
  const TemporaryDirectory directory;
  const fs::path run = directory / "parent" / "run";
  const bool parent = GENERATE(false, true);   // its parent is moved with it
  const bool replace = GENERATE(false, true);  // another directory takes its place
  CAPTURE(parent, replace);
  const fs::path now = directory / (parent ? "moved/run" : "moved");
  const auto move = [&] {
    fs::rename(directory / (parent ? "parent" : "parent/run"), directory / "moved");
    if (replace) {
      fs::create_directories(run);
    }
  };
  const std::string message = complaint_of_run_changed_by(move, run);
  CHECK_THAT(message, stand_in::Says("run: this run's directory was moved or deleted during training"));
  CHECK_THAT(message, stand_in::Says("--resume continues from its last checkpoint; give --output its new path"));
  CHECK(fs::exists(run) == replace);
  if (replace) {
    CHECK(fs::is_empty(run));
  }
  CHECK(fs::read_symlink(now / "last") == "step-00000006");
  train_toy(moved_config("12"), now, true);
  train_toy(moved_config("12"), directory / "whole");
  CHECK(weights(now) == weights(directory / "whole"));
}

TEST_CASE("if its directory is deleted, a run stops and does not create it again", "[training]") {
  const TemporaryDirectory directory;
  const std::string message =
      complaint_of_run_changed_by([&] { fs::remove_all(directory / "run"); }, directory / "run");
  CHECK_THAT(message, stand_in::Says("run: this run's directory was moved or deleted"));
  CHECK(fs::is_empty(directory.path()));
}

TEST_CASE("an error while a checkpoint is written ends the run; nothing is tried again", "[training]") {
  const TemporaryDirectory directory;
  const Config config = toy({"training.max_updates=1"});
  const TokenizerPair tokenizers = tokenizers_of(config);
  TrainingPlan plan = plan_training(config, tokenizers);
  int calls = 0;
  plan.describe_model = [&](const fs::path&) {
    ++calls;
    throw std::runtime_error("the disk is full");
  };
  const auto run = start_run(plan, text_of(config, tokenizers), directory / "run", {}, kNowhere);
  CHECK_THROWS_WITH(run->train(kNever), stand_in::Says("the disk is full"));
  CHECK(calls == 1);
}

TEST_CASE("if its directory is moved while a checkpoint is written, a run says so", "[training]") {
  const TemporaryDirectory directory;
  const Config config = toy({"training.max_updates=1"});
  const TokenizerPair tokenizers = tokenizers_of(config);
  TrainingPlan plan = plan_training(config, tokenizers);
  plan.describe_model = [&](const fs::path&) { fs::rename(directory / "run", directory / "moved"); };
  const auto run = start_run(plan, text_of(config, tokenizers), directory / "run", {}, kNowhere);
  CHECK_THROWS_WITH(run->train(kNever), stand_in::Says("run: this run's directory was moved or deleted"));
  CHECK(!fs::exists(directory / "run"));
}

TEST_CASE("a run writes config, log, metrics, best and last, and keeps only the best and the latest k checkpoints",
          "[training]") {
  const TemporaryDirectory directory;
  train_toy(toy({"training.max_updates=12", "training.validation.every=3", "training.log_every=2",
                 "training.checkpoints.keep=1"}),
            directory / "run");
  for (const char* name : {"config.yaml", "train.log", "metrics.jsonl"}) {
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

TEST_CASE("with the unit epochs, a run validates after every N epochs", "[training]") {
  const TemporaryDirectory directory;
  train_toy(toy({"training.max_epochs=5", "training.validation.every=2", "training.validation.unit=epochs"}),
            directory / "run");
  const Metrics metrics = read_metrics(directory / "run" / "metrics.jsonl");
  REQUIRE(metrics.validation.size() == 3);  // and at the end
  CHECK(metrics.validation[0].epoch == 2);
  CHECK(metrics.validation[1].epoch == 4);
  CHECK(metrics.validation[2].epoch == 5);
}

TEST_CASE("patience stops a run that no longer improves", "[training]") {
  const TemporaryDirectory directory;
  // With this learning rate, no weight changes, so no validation is better than the first.
  train_toy(toy({"training.max_updates=100", "training.validation.every=2", "training.validation.patience=3",
                 "training.validation.metric=exact_match", "training.schedule.learning_rate=1e-30",
                 "training.schedule.initial_rate=1e-30"}),
            directory / "run");
  CHECK(fs::read_symlink(directory / "run" / "last") == "step-00000008");
  CHECK(fs::read_symlink(directory / "run" / "best") == "step-00000002");
}

TEST_CASE("while the loss falls, a metric that stays at 0 neither ends the run nor keeps the first checkpoint",
          "[training]") {
  const TemporaryDirectory directory;
  train_toy(toy({"training.max_updates=10", "training.validation.every=2", "training.validation.patience=1",
                 "training.validation.metric=exact_match"}),
            directory / "run");
  const Metrics metrics = read_metrics(directory / "run" / "metrics.jsonl");
  REQUIRE(metrics.validation.size() == 5);
  for (const ValidationMetrics& validation : metrics.validation) {
    CHECK(validation.exact_match == 0);
  }
  CHECK(fs::read_symlink(directory / "run" / "best") == "step-00000010");
}

TEST_CASE("the mean of the last checkpoints is written at the end", "[training]") {
  const TemporaryDirectory directory;
  const Config config = toy({"training.max_updates=4", "training.validation.every=2", "training.checkpoints.keep=1",
                             "training.checkpoints.average=2"});
  train_toy(config, directory / "run");
  const std::vector<fs::path> checkpoints = RunDirectory::resume(directory / "run").checkpoints();
  REQUIRE(checkpoints.size() == 2);

  const TokenizerPair tokenizers = load_tokenizers(config.tokenizer, checkpoints[0]);
  const VocabularyShape vocabulary = vocabulary_shape(tokenizers);
  Arena<float> a = Model<float>(config.model, vocabulary).weights;
  Arena<float> b = a;
  Arena<float> mean = a;
  read_parameters(checkpoints[0], a.tensors(), a.values().data());
  read_parameters(checkpoints[1], b.tensors(), b.values().data());
  read_parameters(directory / "run" / "average-00000004", mean.tensors(), mean.values().data());
  CHECK(largest_difference((a.values().eigen() + b.values().eigen()) / 2, mean.values()) < 1e-7);
}

TEST_CASE("resuming a finished run with training.checkpoints.average writes the mean", "[training]") {
  const TemporaryDirectory directory;
  const auto config = [](const std::string& average) {
    return toy({"training.max_updates=4", "training.validation.every=2", "training.checkpoints.average=" + average});
  };
  train_toy(config("2"), directory / "at_once");
  train_toy(config("0"), directory / "later");
  train_toy(config("2"), directory / "later", true);
  const fs::path mean = "average-00000004/model.safetensors";
  CHECK((stand_in::read_bytes(directory / "at_once" / mean) == stand_in::read_bytes(directory / "later" / mean)));
  CHECK(fs::exists(directory / "later" / mean));
}

TEST_CASE("a new mean replaces an earlier one, even if it is not the best", "[training]") {
  const TemporaryDirectory directory;
  const auto config = [](const std::string& updates, const std::string& more) {
    return toy(
        {"training.max_updates=" + updates, "training.validation.every=2", "training.checkpoints.average=2", more});
  };
  const std::string valid = GENERATE("data.valid=\"\"", "data.valid=valid");
  train_toy(config("4", valid), directory / "run");
  CHECK(fs::exists(directory / "run/average-00000004"));
  train_toy(config("8", valid), directory / "run", true);
  CHECK(fs::exists(directory / "run/average-00000008"));
  CHECK_FALSE(fs::exists(directory / "run/average-00000004"));
}

TEST_CASE("an interrupt changes neither the last weights nor the mean, and its checkpoint is removed", "[training]") {
  const TemporaryDirectory directory;
  const Config config = toy({"training.max_updates=12", "training.validation.every=4", "training.log_every=1",
                             "training.checkpoints.keep=1", "training.checkpoints.average=3"});
  train_toy(config, directory / "whole");
  train_up_to(6, config, directory / "parts");
  CHECK(fs::read_symlink(directory / "parts" / "last") == "step-00000006");
  fs::copy(directory / "parts", directory / "with-notes",
           fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  std::ofstream(directory / "with-notes" / "step-00000006" / "notes.txt") << "my own\n";
  train_toy(config, directory / "parts", true);
  CHECK_FALSE(fs::exists(directory / "parts" / "step-00000006"));
  train_toy(config, directory / "with-notes", true);
  CHECK(fs::exists(directory / "with-notes" / "step-00000006" / "notes.txt"));
  CHECK(weights(directory / "whole") == weights(directory / "parts"));
  for (const char* name : {"average-00000012/model.safetensors", "step-00000008/model.safetensors"}) {
    CAPTURE(name);
    CHECK((stand_in::read_bytes(directory / "whole" / name) == stand_in::read_bytes(directory / "parts" / name)));
  }
}

TEST_CASE("a run interrupted in its last update is validated when it is resumed", "[training]") {
  const TemporaryDirectory directory;
  const Config config = toy({"training.max_updates=3", "training.log_every=1"});
  train_up_to(3, config, directory / "run");
  CHECK_FALSE(fs::exists(directory / "run" / "best"));
  train_toy(config, directory / "run", true);
  CHECK(fs::read_symlink(directory / "run" / "best") == "step-00000003");
}

TEST_CASE("a run interrupted during its last validation is complete", "[training]") {
  const TemporaryDirectory directory;
  CHECK(train_until("validation +loss", toy({"training.max_updates=3"}), directory / "run"));
  CHECK(fs::read_symlink(directory / "run" / "best") == "step-00000003");
}

TEST_CASE("if the mean is the best, it stays the best until something better comes along", "[training]") {
  const TemporaryDirectory directory;
  // The learning rate is so high that the weights jump back and forth: their mean is better than any of them.
  const std::vector<std::string> keys = {"training.validation.every=5",         "training.checkpoints.keep=1",
                                         "training.schedule.kind=constant",     "training.schedule.warmup=0",
                                         "training.schedule.learning_rate=0.3", "training.validation.metric=loss"};
  const auto config = [&](const std::string& updates, const std::string& average) {
    std::vector<std::string> all = keys;
    all.insert(all.end(), {"training.max_updates=" + updates, "training.checkpoints.average=" + average});
    return toy(all);
  };
  const auto loss_of_best = [&] {
    const LoadedModel best(directory / "run");
    const DataSettings& data = best.config.data;
    const TestText text = TestText::read(data.source_file("valid"), data.target_file("valid"), best.tokenizers);
    const LossSum sum = teacher_forced_loss(best.model, text.corpus);
    return sum.cross_entropy / static_cast<double>(sum.tokens);
  };
  train_toy(config("30", "3"), directory / "run");
  REQUIRE(fs::read_symlink(directory / "run" / "best") == "average-00000030");
  train_toy(config("30", "3"), directory / "run", true);  // computes the same mean, which is not better than itself
  REQUIRE(fs::read_symlink(directory / "run" / "best") == "average-00000030");
  CHECK(mean_was_best(RunDirectory::resume(directory / "run"), 30));
  const double loss_of_mean = loss_of_best();
  train_toy(config("34", "0"), directory / "run", true);
  CHECK(loss_of_best() <= loss_of_mean);
}

TEST_CASE("a run cannot be resumed with a different text", "[training]") {
  const TemporaryDirectory directory;
  train_toy(toy({"training.max_updates=2"}), directory / "run");
  CHECK_THAT(stand_in::complaint([&] {
               train_toy(toy({"training.max_updates=4", "data.train=test"}), directory / "run", true);
             }),
             stand_in::Says("text has changed"));
}

TEST_CASE("a run copied without its links can be resumed", "[training]") {
  const TemporaryDirectory directory;
  train_toy(toy({"training.max_updates=2"}), directory / "run");
  fs::copy(directory / "run", directory / "copy", fs::copy_options::recursive);
  train_toy(toy({"training.max_updates=4"}), directory / "copy", true);
  CHECK(fs::read_symlink(directory / "copy" / "last") == "step-00000004");
}

TEST_CASE("a line of digests.jsonl that was written only in part is dropped when the run is resumed", "[training]") {
  const TemporaryDirectory directory;
  const fs::path digests = directory / "run" / "digests.jsonl";
  train_toy(toy({"training.max_updates=2"}), directory / "run");
  const std::string whole = stand_in::read_bytes(digests);
  std::ofstream(digests, std::ios::app) << R"({"update":2,"arithm)";
  train_toy(toy({"training.max_updates=3"}), directory / "run", true);
  CHECK_THAT(stand_in::read_bytes(digests), Catch::StartsWith(whole + R"({"update":2,"program":")"));
}

TEST_CASE("digests.jsonl has the digest of each checkpoint's checksums, and a line for the mean", "[training]") {
  const TemporaryDirectory directory;
  train_toy(toy({"training.max_updates=3", "training.validation.every=1", "training.checkpoints.average=2"}),
            directory / "run");
  const auto sums = [&](const std::string& checkpoint) {
    return sha256_of(directory / "run" / checkpoint / "SHA256SUMS");
  };
  std::map<std::string, nlohmann::json> last_lines;  // by the name of the checkpoint
  std::istringstream lines(stand_in::read_bytes(directory / "run" / "digests.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const auto entry = nlohmann::json::parse(line);
    if (entry.contains("checksums")) {
      last_lines[(entry.contains("average") ? "average-" : "step-") + entry.at("update").dump()] = entry;
    }
  }
  REQUIRE(last_lines.size() == 4);
  CHECK(last_lines.at("step-2").at("checksums") == sums("step-00000002"));
  CHECK(last_lines.at("step-3").at("checksums") == sums("step-00000003"));  // also if a better mean changed its state
  const nlohmann::json& mean = last_lines.at("average-3");
  CHECK(mean.at("average") == nlohmann::json{"step-00000002", "step-00000003"});
  CHECK(mean.at("checksums") == sums("average-00000003"));
  CHECK(mean.at("weights").size() == last_lines.at("step-3").at("weights").size());
  CHECK(mean.at("weights") != last_lines.at("step-3").at("weights"));
  CHECK(mean.at("best") == (fs::read_symlink(directory / "run" / "best") == "average-00000003"));
}

TEST_CASE("training draws the curves at each validation, and a resumed run keeps its curve", "[training]") {
  const TemporaryDirectory directory;
  const auto points = [&] {  // of the training loss
    const std::string svg = stand_in::read_bytes(directory / "run" / "curves.svg");
    const std::string path = svg.substr(svg.find("<g fill='#0072b2'><path d='"));
    return std::ranges::count_if(path.substr(0, path.find("' style")), [](char c) { return c == 'M' || c == 'L'; });
  };
  const auto config = [&](const char* max_updates) {
    return toy({"training.validation.every=2", "training.log_every=1", max_updates});
  };
  train_toy(config("training.max_updates=4"), directory / "run");
  CHECK(points() == 4);
  train_toy(config("training.max_updates=6"), directory / "run", true);
  CHECK(points() == 6);
}

TEST_CASE("if the curves cannot be drawn, training goes on", "[training]") {
  const TemporaryDirectory directory;
  std::string log;
  DisplayTarget display = kNowhere;
  display.write = [&](std::string_view text) {
    log += text;
    if (text.find("update  1 ") != std::string_view::npos) {
      fs::create_directories(directory / "run/curves.svg/in/the/way");
    }
  };
  CHECK(train_toy(toy({"training.max_updates=12", "training.validation.every=2", "training.log_every=1"}),
                  directory / "run", false, kNever, display));
  const std::string warning = "warning: training continues, but its curves could not be drawn: ";
  CHECK_THAT(log, stand_in::Says(warning));
  CHECK(log.find(warning) == log.rfind(warning));
  CHECK(fs::exists(directory / "run/step-00000012/model.safetensors"));
}

TEST_CASE("a run that diverges stops, reports it, and keeps its last checkpoint", "[training]") {
  for (const Index skipped : {0, 3}) {
    CAPTURE(skipped);
    const TemporaryDirectory directory;
    const Config config =
        toy({"training.max_updates=50", "training.validation.every=1", "training.schedule.kind=constant",
             "training.schedule.warmup=0", "training.schedule.learning_rate=1e30",
             "training.max_skipped=" + std::to_string(skipped)});
    CHECK_THROWS_WITH(train_toy(config, directory / "run"),
                      stand_in::Says("diverged") && stand_in::Says("step-") &&
                          stand_in::Says(std::to_string(skipped + 1) + " times in a row"));
    CHECK(is_checkpoint(directory / "run" / "last"));
  }
}

TEST_CASE("no checkpoint contains weights that are not finite", "[training]") {
  const TemporaryDirectory directory;
  const Config config = toy({"training.max_updates=50", "training.validation.every=1", "training.schedule.warmup=0",
                             "training.schedule.kind=constant", "training.schedule.learning_rate=1e38",
                             "training.optimizer.clip_norm=0", "training.validation.metric=bleu"});
  CHECK_THROWS_WITH(train_toy(config, directory / "run"), stand_in::Says("infinite or NaN"));
  for (const auto& entry : fs::directory_iterator(directory / "run")) {
    if (!is_checkpoint(entry.path())) {
      continue;
    }
    const std::vector<float> weights = weights_of(entry.path());
    CHECK(std::ranges::all_of(weights, [](float weight) { return std::isfinite(weight); }));
  }
  for (const ValidationMetrics& metrics : read_metrics(directory / "run" / "metrics.jsonl").validation) {
    CHECK((!metrics.best || std::isfinite(metrics.loss)));
  }
}

TEST_CASE("a run stops at the first weight that is not finite, even if the loss is", "[training]") {
  const TemporaryDirectory directory;
  // Words that do not occur in a batch have the gradient 0, and 0 / (sqrt(0) + 0) is NaN. The batch's loss is finite.
  Config config = toy({"training.max_updates=50", "training.max_tokens=40"});
  config.training.optimizer.epsilon = 1e-60;
  CHECK_THROWS_WITH(train_toy(config, directory / "run"),
                    stand_in::Says("update 1 made a weight of ") && stand_in::Says("epsilon"));
  CHECK_FALSE(fs::exists(directory / "run" / "last"));
}

TEST_CASE("a run that has lost its link to the best checkpoint gets it back before old checkpoints are removed",
          "[training]") {
  const TemporaryDirectory directory;
  const fs::path run = directory / "run";
  const auto config = [](const std::string& updates) {
    return toy({"training.max_updates=" + updates, "training.validation.every=2", "training.checkpoints.keep=1"});
  };
  train_toy(toy({"training.max_updates=4", "training.validation.every=2", "training.checkpoints.keep=2"}), run);
  const fs::path last = run / "step-00000004";
  stand_in::ReadState state = stand_in::read_state(last, parameters_of(last));
  state.progress.best_update = 2;
  state.progress.best_metric = -1;  // a loss that nothing can beat
  write_training_state(last, {state.adam_m, state.adam_v, state.progress});
  fs::remove(last / "SHA256SUMS");
  fs::remove(run / "best");

  train_toy(config("6"), run, true);
  CHECK(fs::read_symlink(run / "best") == "step-00000002");
  CHECK(is_checkpoint(run / "step-00000002"));

  // If the digests say that the mean was the best, the link leads to the mean.
  fs::copy(run / "step-00000006", run / "average-00000002", fs::copy_options::recursive);
  std::ofstream(run / "digests.jsonl", std::ios::app) << R"({"average":["a","b"],"update":2,"best":true})"
                                                      << "\n";
  fs::remove(run / "best");
  train_toy(config("6"), run, true);
  CHECK(fs::read_symlink(run / "best") == "average-00000002");
  fs::remove_all(run / "average-00000002");

  fs::remove_all(run / "step-00000002");  // the search starts over
  train_toy(config("8"), run, true);
  CHECK(fs::read_symlink(run / "best") == "step-00000008");
}

TEST_CASE("the training state of another update is refused", "[training]") {
  const TemporaryDirectory directory;
  const fs::path run = directory / "run";
  train_toy(toy({"training.max_updates=4", "training.validation.every=2"}), run);
  fs::remove(run / "step-00000004" / "SHA256SUMS");
  fs::copy_file(run / "step-00000002" / kStateFile, run / "step-00000004" / kStateFile,
                fs::copy_options::overwrite_existing);
  CHECK_THAT(stand_in::complaint([&] { train_toy(toy({"training.max_updates=6"}), run, true); }),
             stand_in::Says("expected the training state of update 4, found that of update 2"));
}

TEST_CASE("a checkpoint that training removes while it is read is found again, and never mixed with another",
          "[training][threads]") {
  const TemporaryDirectory directory;
  const fs::path run = directory / "run";
  // Two models of the same shape with other words, so a mixture of both could be loaded.
  const auto one_way = toy({"training.max_updates=1", "tokenizer.vocabulary_size=20"});
  const auto other_way = toy(
      {"training.max_updates=1", "tokenizer.vocabulary_size=20", "data.source_language=de", "data.target_language=en"});
  train_toy(one_way, run);
  train_toy(other_way, directory / "other");
  const auto describe = [](const LoadedModel& loaded) {
    const Tokenizer& source = *loaded.tokenizers.source;
    return std::pair(source.piece(10), loaded.model.weights.values()[100]);
  };
  const std::set known = {describe(LoadedModel(run)), describe(LoadedModel(directory / "other"))};
  REQUIRE(known.size() == 2);
  const fs::path originals[] = {directory / "one", directory / "two"};
  fs::copy(run / "step-00000001", originals[0], fs::copy_options::recursive);
  fs::copy(directory / "other" / "step-00000001", originals[1], fs::copy_options::recursive);

  std::atomic<bool> done = false;
  std::atomic<Index> written = 1;
  std::atomic<Index> allowed = 1;
  std::thread training([&] {  // as a run does that validates after every update and keeps one checkpoint
    const RunDirectory rotated = RunDirectory::resume(run);
    for (Index update = 2; !done; ++update) {
      while (update > allowed && !done) {
        std::this_thread::yield();
      }
      fs::copy(originals[update % 2], rotated.path() / "copy", fs::copy_options::recursive);
      fs::rename(rotated.path() / "copy", rotated.checkpoint(update));
      rotated.point("best", rotated.checkpoint(update));
      rotated.point("last", rotated.checkpoint(update));
      rotated.prune(1);
      written = update;
    }
  });
  std::string wrong;
  bool is_mixed = false;
  for (int i = 0; i < 50 && wrong.empty(); ++i) {
    for (const fs::path& path : {run, run / "best", run / "last"}) {
      allowed = written + 10;  // however slow the reader is, one of its attempts is not disturbed
      wrong += stand_in::complaint([&] { is_mixed = is_mixed || !known.contains(describe(LoadedModel(path))); });
    }
  }
  done = true;
  training.join();
  CHECK(wrong == "");
  CHECK_FALSE(is_mixed);
}

TEST_CASE("training without a validation text writes checkpoints, none of which is the best", "[training]") {
  const TemporaryDirectory directory;
  train_toy(toy({"training.max_updates=4", "training.validation.every=2", "data.valid=\"\"",
                 "training.checkpoints.average=2"}),
            directory / "run");
  CHECK(is_checkpoint(directory / "run" / "step-00000002"));
  CHECK(is_checkpoint(directory / "run" / "average-00000004"));
  CHECK(fs::read_symlink(directory / "run" / "last") == "step-00000004");
  CHECK_FALSE(fs::exists(directory / "run" / "best"));
  CHECK(read_metrics(directory / "run" / "metrics.jsonl").validation.empty());
  CHECK(resolve_checkpoint(directory / "run") == directory / "run" / "step-00000004");
}

TEST_CASE("a training state that does not fit the text is rejected", "[training]") {
  const TemporaryDirectory directory;
  train_toy(toy({"training.max_updates=2"}), directory / "run");
  const fs::path last = directory / "run" / "last";
  const stand_in::ReadState good = stand_in::read_state(last, parameters_of(last));
  fs::remove(last / "SHA256SUMS");
  const auto complaint_with = [&](Index RunProgress::*key, Index number) {
    RunProgress progress = good.progress;
    progress.*key = number;
    write_training_state(last, {good.adam_m, good.adam_v, progress});
    return stand_in::complaint([&] { train_toy(toy({"training.max_updates=3"}), directory / "run", true); });
  };
  CHECK_THAT(complaint_with(&RunProgress::batch, 999), stand_in::Says("batch 999"));
  CHECK_THAT(complaint_with(&RunProgress::update, std::numeric_limits<Index>::max()), stand_in::Says("update"));
  CHECK(complaint_with(&RunProgress::batch, good.progress.batch).empty());
}

TEST_CASE("a changed validation text is reported, and the search for the best starts over", "[training]") {
  const TemporaryDirectory directory;
  train_toy(toy({"training.max_updates=2"}), directory / "run");
  const auto best_update = [&] {
    const fs::path last = directory / "run" / "last";
    return stand_in::read_state(last, parameters_of(last)).progress.best_update;
  };
  CHECK(best_update() == 2);
  const Config begun = toy({"training.max_updates=3"});
  const fs::path text = directory / "text";
  fs::copy(begun.data.directory, text);
  for (const char* language : {"en", "de"}) {
    const auto lines = read_lines(text / ("valid." + std::string(language)));
    std::ofstream(text / ("train." + std::string(language))).write("", 0);
    std::ofstream train_text(text / ("other." + std::string(language)));
    for (const std::string& line : lines) {
      train_text << line << '\n';
    }
    std::ofstream(text / ("valid." + std::string(language))) << lines.at(0) << '\n' << lines.at(1) << '\n';
  }
  train_toy(toy({"training.max_updates=3", "data.directory=" + text.string(), "data.train=other"}), directory / "run",
            true);
  CHECK(stand_in::read_bytes(directory / "run" / "train.log").find("validation text has changed") != std::string::npos);
  CHECK(best_update() == 3);
}

TEST_CASE("an update whose loss is not finite is skipped, and the log shows where NaN or infinity first appeared",
          "[training]") {
  const TemporaryDirectory directory;
  const std::vector<std::string> overrides{"training.max_tokens=100", "training.max_skipped=20",
                                           "training.log_every=1"};
  const auto with = [&](const std::string& more) {
    std::vector<std::string> all = overrides;
    all.push_back(more);
    return toy(all);
  };
  train_toy(with("training.max_updates=1"), directory / "run");
  const std::string word = overflow_rarest_word(directory / "run" / "last");
  train_toy(with("training.max_updates=40"), directory / "run", true);

  const std::string log = stand_in::read_bytes(directory / "run" / "train.log");
  CHECK_THAT(log, stand_in::Says("is skipped: its loss is not finite. NaN or infinity first appeared in "
                                 "encoder.embed_tokens: embedded = "));
  CHECK(std::regex_search(
      log,
      std::regex("the logits of [1-9][0-9]* validation sentences are infinite or NaN, so they have no translation")));
  std::smatch line;
  REQUIRE(std::regex_search(log, line, std::regex("training pair on line ([0-9]+)")));
  const Config config = with("training.max_updates=1");
  const auto source = read_lines(config.data.source_file(config.data.train));
  CHECK_THAT(source.at(std::stoul(line[1]) - 1), stand_in::Says(word));

  const Metrics metrics = read_metrics(directory / "run" / "metrics.jsonl");
  const Index skipped = metrics.training.back().skipped;
  CHECK(skipped > 0);
  CHECK(skipped < 39);
  const auto state = stand_in::read_state(directory / "run" / "last", parameters_of(directory / "run" / "last"));
  CHECK(state.progress.skipped == skipped);
  CHECK(state.progress.skipped_in_row < skipped);  // finite updates came in between
  CHECK(std::ranges::all_of(state.adam_m, [](float number) { return std::isfinite(number); }));
}

TEST_CASE("a skipped update does not count in Adam's bias correction", "[training]") {
  const auto with = [](const std::string& updates) {
    return toy({"training.schedule.kind=constant", "training.schedule.warmup=0",
                "training.schedule.learning_rate=0.001", "training.max_updates=" + updates});
  };
  const TemporaryDirectory directory;
  train_toy(with("1"), directory / "run");
  const fs::path last = directory / "run" / "last";
  const std::vector<float> before = weights_of(last);
  stand_in::ReadState state = stand_in::read_state(last, parameters_of(last));
  std::ranges::fill(state.adam_m, 0.0F);  // as if the first update had been skipped
  std::ranges::fill(state.adam_v, 0.0F);
  state.progress.skipped = 1;
  fs::remove(last / "SHA256SUMS");
  write_training_state(last, {state.adam_m, state.adam_v, state.progress});
  train_toy(with("2"), directory / "run", true);
  const std::vector<float> after = weights_of(last);
  float largest = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    largest = std::max(largest, std::abs(after[i] - before[i]));
  }
  CHECK(largest == Approx(0.001).epsilon(0.01));  // Adam's first step, whatever the gradient's size
}

TEST_CASE("a run that skips updates ends with the same weights whether or not it was stopped and resumed",
          "[training]") {
  const TemporaryDirectory directory;
  const auto with = [&](const std::string& updates) {
    return toy({"training.max_tokens=100", "training.max_skipped=20", "training.max_updates=" + updates});
  };
  train_toy(with("1"), directory / "whole");
  overflow_rarest_word(directory / "whole" / "last");
  fs::copy(directory / "whole", directory / "parts", fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  train_toy(with("30"), directory / "whole", true);
  for (const char* updates : {"7", "16", "30"}) {
    train_toy(with(updates), directory / "parts", true);
  }
  CHECK(weights(directory / "whole") == weights(directory / "parts"));
}

TEST_CASE("the last updates are reported, however few they are", "[training]") {
  const TemporaryDirectory directory;
  train_toy(toy({"training.max_updates=7", "training.log_every=5"}), directory / "run");
  const Metrics metrics = read_metrics(directory / "run" / "metrics.jsonl");
  REQUIRE(metrics.training.size() == 2);
  CHECK(metrics.training[1].update == 7);
}

TEST_CASE("a run without a mask warns about it, trains without it, and must be resumed and used without it",
          "[training]") {
  const TemporaryDirectory directory;
  const Config right = toy({"training.max_updates=2"});
  const Config leaking = toy({"training.max_updates=2", "masks.look_ahead=false"});
  train_toy(right, directory / "right");
  train_toy(leaking, directory / "leaking");
  CHECK(stand_in::read_bytes(directory / "right" / "train.log").find("is OFF") == std::string::npos);
  CHECK_THAT(stand_in::read_bytes(directory / "leaking" / "train.log"),
             stand_in::Says("warning: masks.look_ahead is OFF: the decoder sees the words"));
  CHECK(weights(directory / "right") != weights(directory / "leaking"));

  CHECK(LoadedModel(directory / "right").model.settings.masks == MaskSettings{});
  CHECK(LoadedModel(directory / "leaking").model.settings.masks == MaskSettings{.look_ahead = false});
  CHECK_THAT(stand_in::complaint([&] { accept_changes(RunDirectory::resume(directory / "leaking"), right); }),
             stand_in::Says("masks.look_ahead (false)"));
}

TEST_CASE("gradcheck passes for the model of configs/debug.yaml, with its masks and without", "[training]") {
  const std::string masks = GENERATE("true", "false");
  const Config config = read_config(fs::path(GLASSFORMER_SOURCE_DIR) / "configs/debug.yaml",
                                    {"model.dropout=0.3", "masks.encoder_padding=" + masks, "masks.look_ahead=" + masks,
                                     "masks.target_padding=" + masks, "masks.cross_padding=" + masks});
  const TokenizerPair tokenizers = tokenizers_of(config);
  const Corpus text = Corpus::read(config.data.source_file(config.data.train),
                                   config.data.target_file(config.data.train), tokenizers, config.data.max_length);
  Model<double> model(config.model, vocabulary_shape(tokenizers));
  const auto checks = check_model_gradient(model, config.training, text, 4);
  CHECK(checks.size() > 30);
  for (const TensorCheck& check : checks) {
    CAPTURE(check.name, check.error.worst);
    CHECK(check.error.relative < 1e-7);
  }
}
