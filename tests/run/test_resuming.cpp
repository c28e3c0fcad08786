#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "report/read_metrics.hpp"
#include "run/toy_run.hpp"

using namespace glassformer;
using namespace toy_run;
using stand_in::read_bytes;
using stand_in::Says;
using stand_in::TemporaryDirectory;

namespace {

RunProgress progress_of(const fs::path& run) {
  return stand_in::read_state(run / "last", parameters_of(run / "last")).progress;
}

/// Changes what the last checkpoint knows of the run.
void change_progress(const fs::path& run, const std::function<void(RunProgress&)>& change) {
  const fs::path last = fs::canonical(run / "last");
  stand_in::ReadState state = stand_in::read_state(last, parameters_of(last));
  change(state.progress);
  fs::remove(last / "SHA256SUMS");
  write_training_state(last, {state.adam_m, state.adam_v, state.progress});
}

/// A run in which no weight changes, so no validation is better than the first.
Config standing_still(const std::vector<std::string>& more) {
  std::vector<std::string> keys = {"training.validation.every=2", "training.schedule.learning_rate=1e-30",
                                   "training.schedule.initial_rate=1e-30"};
  keys.insert(keys.end(), more.begin(), more.end());
  return toy(keys);
}

}  // namespace

TEST_CASE("a resumed run's clock goes on from the minutes that it had trained", "[training]") {
  const TemporaryDirectory directory;
  const fs::path run = directory / "run";
  train_toy(toy({"training.max_updates=2"}), run);
  change_progress(run, [](RunProgress& progress) { progress.minutes = 500; });
  train_toy(toy({"training.max_updates=4", "training.log_every=1"}), run, true);
  const Metrics metrics = read_metrics(run / "metrics.jsonl");
  CHECK(metrics.training.back().minutes >= 500);
  CHECK(metrics.training.back().minutes < 510);
  CHECK(metrics.validation.back().minutes >= 500);
  CHECK(progress_of(run).minutes > 500);
  CHECK(progress_of(run).minutes < 510);
  train_toy(toy({"training.max_updates=9", "training.max_minutes=400"}), run, true);  // it has trained longer already
  CHECK(fs::read_symlink(run / "last") == "step-00000004");
}

TEST_CASE("a resumed run counts the validations without a new best from before", "[training]") {
  const TemporaryDirectory directory;
  const fs::path run = directory / "run";
  train_toy(standing_still({"training.max_updates=4"}), run);
  CHECK(progress_of(run).best_update == 2);
  CHECK(progress_of(run).without_best == 1);
  train_toy(standing_still({"training.max_updates=100", "training.validation.patience=3"}), run, true);
  CHECK(fs::read_symlink(run / "last") == "step-00000008");
  CHECK(progress_of(run).without_best == 3);
}

TEST_CASE("if the search for the best starts over, so does patience", "[training]") {
  const TemporaryDirectory directory;
  const fs::path run = directory / "run";
  const std::vector<std::string> keys = {"training.max_updates=100", "training.validation.patience=2",
                                         "training.validation.translate=false"};
  train_toy(standing_still(keys), run);
  REQUIRE(fs::read_symlink(run / "last") == "step-00000006");  // without a new best at 4 and 6
  const auto links_after_resuming = [&](const std::string& copy, const std::string& valid,
                                        const std::function<void(const fs::path&)>& change) {
    fs::copy(run, directory / copy, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    change(directory / copy);
    std::vector<std::string> all = keys;
    all.push_back("data.valid=" + valid);
    train_toy(standing_still(all), directory / copy, true);
    return fs::read_symlink(directory / copy / "best").string() + " " +
           fs::read_symlink(directory / copy / "last").string();
  };
  const auto no_change = [](const fs::path&) {};
  CHECK(links_after_resuming("same", "valid", no_change) == "step-00000002 step-00000006");
  CHECK(links_after_resuming("other", "test", no_change) == "step-00000008 step-00000012");
  CHECK(links_after_resuming("lost", "valid", [](const fs::path& copy) { fs::remove_all(copy / "step-00000002"); }) ==
        "step-00000008 step-00000012");
}

TEST_CASE("a run of version 0.1.0, which has no fingerprints of its texts, can be resumed and gets them",
          "[training]") {
  const TemporaryDirectory directory;
  const fs::path run = directory / "run";
  train_toy(toy({"training.max_updates=2"}), run);
  const RunProgress before = progress_of(run);
  REQUIRE(before.text != 0);
  REQUIRE(before.valid_text != 0);
  change_progress(run, [](RunProgress& progress) { progress.text = progress.valid_text = 0; });
  train_toy(toy({"training.max_updates=3"}), run, true);
  CHECK(progress_of(run).text == before.text);
  CHECK(progress_of(run).valid_text == before.valid_text);
  CHECK_THAT(read_bytes(run / "train.log"), !Says("has changed"));
}

TEST_CASE("a run that is interrupted as soon as it is resumed has nothing to save", "[training]") {
  const TemporaryDirectory directory;
  const std::string saving = "interrupted: saving a checkpoint";
  const auto log_of = [&](const std::string& run) { return read_bytes(directory / run / "train.log"); };
  const auto config = [](const std::string& updates) {
    return toy({"training.log_every=1", "training.max_updates=" + updates});
  };
  train_toy(config("2"), directory / "run");
  CHECK_FALSE(train_toy(config("9"), directory / "run", true, SIGINT));
  CHECK_THAT(log_of("run"), !Says(saving));

  // Its checkpoint may be that of an earlier interruption, which the next one replaces.
  train_up_to(3, config("9"), directory / "other");
  CHECK_FALSE(train_toy(config("9"), directory / "other", true, SIGINT));
  CHECK_THAT(log_of("other"), Says(saving));
  CHECK(log_of("other").find(saving) == log_of("other").rfind(saving));
  CHECK(fs::read_symlink(directory / "other" / "last") == "step-00000003");
  train_toy(config("9"), directory / "other", true);
  CHECK_FALSE(fs::exists(directory / "other" / "step-00000003"));
}

TEST_CASE("the checkpoint of a run that is interrupted before its first update is replaced by the next", "[training]") {
  const TemporaryDirectory directory;
  const fs::path run = directory / "run";
  CHECK_FALSE(train_toy(toy({"training.max_updates=2"}), run, false, SIGINT));
  REQUIRE(fs::read_symlink(run / "last") == "step-00000000");
  train_toy(toy({"training.max_updates=2"}), run, true);
  CHECK(fs::read_symlink(run / "last") == "step-00000002");
  CHECK_FALSE(fs::exists(run / "step-00000000"));
}

TEST_CASE("a resumed run has to beat the best metric from before and, if the metrics are equal, its loss",
          "[training]") {
  const TemporaryDirectory directory;
  const fs::path run = directory / "run";
  const auto config = [](const std::string& updates) {
    return standing_still({"training.validation.metric=exact_match", "training.max_updates=" + updates});
  };
  train_toy(config("2"), run);
  const auto best_after = [&](const std::string& updates, double metric, double loss) {
    change_progress(run, [&](RunProgress& progress) {
      progress.best_metric = metric;
      progress.best_loss = loss;
    });
    train_toy(config(updates), run, true);
    return fs::read_symlink(run / "best").string();
  };
  CHECK(best_after("4", 0, -1) == "step-00000002");
  CHECK(best_after("6", 0.5, 1e9) == "step-00000002");
  CHECK(best_after("8", 0, 1e9) == "step-00000008");
  CHECK(progress_of(run).best_metric == 0);
  CHECK(progress_of(run).best_loss > 0);
  CHECK(progress_of(run).best_loss < 100);
}

TEST_CASE("a resumed run counts the updates skipped in a row from before", "[training]") {
  const TemporaryDirectory directory;
  const fs::path run = directory / "run";
  train_toy(toy({"training.max_updates=3"}), run);
  const fs::path file = fs::canonical(run / "last") / "model.safetensors";
  std::vector<NamedTensor> tensors = stand_in::tensors_of(Safetensors(file));
  NamedTensor& table = *std::ranges::find(tensors, "model.encoder.embed_tokens.weight", &NamedTensor::name);
  std::vector<float> huge(table.values.begin(), table.values.end());
  std::ranges::replace_if(
      huge, [](float x) { return x != 0; }, 3e38F);  // every loss overflows; padding stays padding
  table.values = huge;
  write_safetensors(file, tensors);
  fs::remove(file.parent_path() / "SHA256SUMS");
  change_progress(run, [](RunProgress& progress) { progress.skipped = progress.skipped_in_row = 2; });
  CHECK_THROWS_WITH(train_toy(toy({"training.max_updates=9", "training.max_skipped=2"}), run, true),
                    Says("update 4: training has diverged") && Says("3 times in a row"));
}

TEST_CASE("a run says which checkpoints its mean has, if there are fewer than were asked for", "[training]") {
  const auto log_with = [](const std::string& updates) {
    const TemporaryDirectory directory;
    train_toy(toy({"training.max_updates=" + updates, "training.validation.every=2", "training.checkpoints.average=3"}),
              directory / "run");
    CHECK(fs::exists(directory / "run" / ("average-0000000" + updates)) == (updates != "2"));
    return read_bytes(directory / "run" / "train.log");
  };
  CHECK_THAT(log_with("2"),
             Says("training.checkpoints.average is 3, but this run has only 1 checkpoint, so there is no mean\n"));
  CHECK_THAT(log_with("4"),
             Says("training.checkpoints.average is 3, but this run has only 2 checkpoints; their mean is computed\n") &&
                 Says("mean of the last 2 checkpoints, in "));
  const std::string enough = log_with("8");
  CHECK_THAT(enough, !Says("but this run has only") && Says("mean of the last 3 checkpoints, in "));
}

TEST_CASE("a key that a resumed run cannot change is named, with the way to use it", "[training]") {
  const TemporaryDirectory directory;
  const fs::path run = directory / "run";
  train_toy(toy({"training.max_updates=2"}), run);
  const auto refusal = [&](const std::vector<std::string>& keys) {
    return stand_in::complaint([&] { accept_changes(RunDirectory::resume(run), toy(keys)); });
  };
  CHECK(refusal({"training.max_updates=9", "decoding.beam=3"}).empty());
  const std::string from_weights =
      "start another run from its weights, with --output and with model.from set to " + (run / "last").string() + ".";
  const std::string from_scratch = "start another run with --output.";
  const std::string dropout = refusal({"training.max_updates=2", "model.dropout=0.7"});
  CHECK_THAT(dropout, Says("with other values: model.dropout (") && Says(from_weights));
  CHECK_THAT(refusal({"training.max_updates=2", "training.seed=9", "masks.look_ahead=false"}),
             Says("masks.look_ahead (true), training.seed (") && Says(from_weights));
  CHECK_THAT(refusal({"training.max_updates=2", "model.d_ff=32"}), Says("model.d_ff (16)") && Says(from_scratch));
  CHECK_THAT(refusal({"training.max_updates=2", "tokenizer.min_frequency=2"}), Says(from_scratch));
  CHECK(dropout.find("cosine") == std::string::npos);
  const Config begun = toy({"training.max_updates=2"});
  const RunDirectory young =
      RunDirectory::create(directory / "young", plan_training(begun, tokenizers_of(begun)).write_config);
  CHECK_THAT(stand_in::complaint([&] {
               accept_changes(young, toy({"training.max_updates=2", "model.dropout=0.7"}));
             }),
             Says("with other values: model.dropout (") && Says(from_scratch));  // it has no weights yet

  const auto cosine = [](const std::string& updates) {
    return toy({"training.schedule.kind=cosine", "training.schedule.warmup=1", "training.max_updates=" + updates});
  };
  train_toy(cosine("3"), directory / "cosine");
  CHECK_THAT(stand_in::complaint([&] { accept_changes(RunDirectory::resume(directory / "cosine"), cosine("5")); }),
             Says("training.max_updates (3)") && Says("its end cannot be moved."));
}
