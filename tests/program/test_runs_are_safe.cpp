// A command never destroys something that was fine: runs, configs, and the files of other programs.
#include <map>

#include "program/program.hpp"

using namespace glassformer::program_test;

namespace {

std::string train_debug(const std::string& options) { return "train " + config("debug") + " " + options; }
std::string until(int number) { return " --set training.max_updates=" + std::to_string(number); }

/// The contents of all files and the targets of all links below a directory.
std::map<std::string, std::string> contents_below(const fs::path& directory) {
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    const std::string name = fs::relative(entry.path(), directory).string();
    if (entry.is_symlink()) {
      found[name] = fs::read_symlink(entry.path()).string();
    } else if (entry.is_regular_file()) {
      found[name] = read_bytes(entry.path());
    }
  }
  return found;
}

std::string with_errors(const std::string& call, const std::string& with) {
  return "FAIL_CALL=" + call + " FAIL_WITH=" + with +
         " FAIL_AT=1 FAIL_ONCE=0 FAIL_BELOW=/run ASAN_OPTIONS=verify_asan_link_order=0 "
         "LD_PRELOAD='" GLASSFORMER_FAILING_DISK "' \"$glassformer\" ";
}

bool says(const Program::Result& result, const std::string& text) { return result.err.find(text) != std::string::npos; }

}  // namespace

TEST_CASE("a checkpoint is not mistaken for a run", "[program]") {
  const Program program;
  REQUIRE(program.run(train_debug("--output run") + until(4)).status == 0);
  const auto before = contents_below(program / "run");
  for (const std::string place : {"run/last", "run/best/", "run/step-00000004"}) {
    for (const std::string option : {"", " --resume"}) {
      CAPTURE(place, option);
      check_refused(program.run(train_debug("--output " + place + option) + until(8)), "--resume");
    }
  }
  CHECK(contents_below(program / "run") == before);
}

TEST_CASE("training does not write over a config that it did not write", "[program]") {
  const Program program;
  fs::create_directory(program / "exp");
  const std::string mine = "# my comments\nbase: " GLASSFORMER_SOURCE_DIR "/configs/debug.yaml\n";
  write_bytes(program / "exp/config.yaml", mine);
  check_refused(program.run("train exp/config.yaml --output exp"), "--output");
  check_refused(program.run("train exp/config.yaml --output exp --resume"), "exp/config.yaml");
  write_bytes(program / "exp/train.log", "the log of another program\n");
  check_refused(program.run("train exp/config.yaml --output exp"), "exp");
  check_refused(program.run(train_debug("--output exp")), "exp");
  check_refused(program.run(train_debug("--output exp --resume")), "exp");
  CHECK(read_bytes(program / "exp/config.yaml") == mine);
  CHECK(read_bytes(program / "exp/train.log") == "the log of another program\n");

  // The config of a run, copied elsewhere and edited.
  REQUIRE(program.run(train_debug("--output run") + until(1)).status == 0);
  fs::create_directory(program / "copy");
  write_bytes(program / "copy/config.yaml", read_bytes(program / "run/config.yaml") + "# my comment\n");
  check_refused(program.run("train copy/config.yaml --output copy"), "would replace this config");
  check_refused(program.run("train copy/config.yaml --output copy --resume"), "no run to continue");
}

TEST_CASE("a run whose checkpoints were moved away is not started over", "[program]") {
  const Program program;
  REQUIRE(program.run(train_debug("--output run") + until(4)).status == 0);
  fs::create_directory(program / "elsewhere");
  fs::rename(program / "run/step-00000004", program / "elsewhere/step-00000004");
  const auto before = contents_below(program / "run");
  check_refused(program.run(train_debug("--output run --resume") + until(8)), "checkpoints are missing");
  CHECK(contents_below(program / "run") == before);
  fs::rename(program / "elsewhere/step-00000004", program / "run/step-00000004");
  CHECK(program.run(train_debug("--output run --resume") + until(8)).status == 0);
}

TEST_CASE("if last does not lead to the latest checkpoint, resuming says what it does", "[program]") {
  const Program program;
  const std::string every = " --set training.validation.every=2" + until(4);
  REQUIRE(program.run(train_debug("--output run --set training.checkpoints.keep=2" + every)).status == 0);
  const std::string resume = train_debug("--output run --resume" + every);
  const auto resume_from = [&](const char* checkpoint) {
    fs::remove(program / "run/last");
    fs::create_symlink(checkpoint, program / "run/last");
    auto resumed = program.run(resume);
    CHECK(resumed.status == 0);
    CHECK(fs::read_symlink(program / "run/last") == "step-00000004");
    return resumed;
  };
  const auto dangling = resume_from("step-00000009");
  CHECK(says(dangling, "best is the best checkpoint"));
  CHECK(says(dangling, "last pointed to step-00000009, which is not there; it now points to the latest checkpoint, "));
  CHECK(says(resume_from("step-00000002"),
             "last leads to step-00000002, but there are later checkpoints: step-00000004."));
  CHECK_FALSE(says(program.run(resume), "warning"));
}

TEST_CASE("an interrupted run that was copied without links continues like the original", "[program]") {
  const Program program;
  const std::string every = " --set training.validation.every=10 --set training.checkpoints.keep=1";
  // Interrupted between two validations, so the next checkpoint replaces the one written then.
  const auto stopped = program.shell("\"$glassformer\" " + train_debug("--output run") + every + until(100000) +
                                     " & until [ -e run/last ]; do sleep 0.05; done; kill -TERM $!; wait $!");
  CAPTURE(stopped.err);
  REQUIRE(stopped.status == 143);
  REQUIRE(program.shell("cp -rL run copy").status == 0);
  REQUIRE(fs::is_directory(fs::symlink_status(program / "copy/last")));
  const std::string name = fs::read_symlink(program / "run/last").string();
  const int more = std::stoi(name.substr(name.find('-') + 1)) + 15;
  for (const std::string run : {"run", "copy"}) {
    const auto resumed = program.run(train_debug("--output " + run + " --resume") + every + until(more));
    CAPTURE(run, resumed.err);
    CHECK(resumed.status == 0);
    CHECK(fs::is_symlink(program / run / "last"));
  }
  CHECK(read_bytes(program / "copy/last/model.safetensors") == read_bytes(program / "run/last/model.safetensors"));
  CHECK(fs::read_symlink(program / "copy/best") == fs::read_symlink(program / "run/best"));
}

TEST_CASE("two runs cannot share a directory, even if .lock is removed", "[program]") {
  const Program program;
  const auto both = program.shell("\"$glassformer\" " + train_debug("--output run") + until(1000000) +
                                  " 2>first.err & sleep 1; rm -f run/.lock; \"$glassformer\" " +
                                  train_debug("--output run --resume") + "; echo $? >status; kill $!; wait $!; true");
  CAPTURE(both.err);
  CHECK(read_bytes(program / "status") == "2\n");
  CHECK(says(both, "another process is training in this directory"));
}

TEST_CASE("without locks there is a warning; without symbolic links training does not begin", "[program][linux]") {
  const Program program;
  const auto unlocked = program.shell(with_errors("lock", "ENOLCK") + train_debug("--output run") + until(1));
  CAPTURE(unlocked.err);
  CHECK(unlocked.status == 0);
  CHECK(says(unlocked, "has no locks"));
  const auto linkless = program.shell(with_errors("link", "EPERM") + train_debug("--output run2") + until(1));
  CAPTURE(linkless.err);
  CHECK(linkless.status == 2);
  CHECK(says(linkless, "symbolic links"));
  CHECK_FALSE(fs::exists(program / "run2/config.yaml"));
  CHECK(program.run(train_debug("--output run2") + until(1)).status == 0);
}

TEST_CASE("a FIFO in the place of a run's file is reported, and nothing waits for it", "[program]") {
  const Program program;
  REQUIRE(program.run(train_debug("--output run") + until(1)).status == 0);
  for (const std::string name : {"digests.jsonl", "metrics.jsonl", "train.log", "config.yaml"}) {
    CAPTURE(name);
    fs::rename(program / "run" / name, program / "kept");
    REQUIRE(program.shell("mkfifo run/" + name).status == 0);
    const auto resumed =
        program.shell("timeout 20 \"$glassformer\" " + train_debug("--output run --resume") + until(2));
    CAPTURE(resumed.err);
    CHECK(resumed.status == 2);
    CHECK(says(resumed, name));
    fs::remove(program / "run" / name);
    fs::rename(program / "kept", program / "run" / name);
  }
  REQUIRE(program.shell("rm -f run/.lock; mkfifo run/.lock").status == 0);
  CHECK(program.shell("timeout 20 \"$glassformer\" " + train_debug("--output run --resume") + until(2)).status == 0);
}

TEST_CASE("a fine-tuned run can be resumed without the model that it started from", "[program]") {
  const Program program;
  REQUIRE(program.run(train_debug("--output first") + until(4)).status == 0);
  const std::string tune = train_debug("--output second --set model.from=first/best");
  REQUIRE(program.run(tune + until(2)).status == 0);
  fs::rename(program / "first", program / "gone");
  const auto resumed = program.run("train second/config.yaml --resume --output second" + until(4));
  CAPTURE(resumed.err);
  CHECK(resumed.status == 0);
  CHECK(fs::exists(program / "second/step-00000004"));
  check_refused(program.run(train_debug("--output third --set model.from=first/best")), "model.from");
  const auto other =
      program.run("train second/config.yaml --resume --output second --set model.from=gone/best" + until(5));
  CHECK(other.status == 0);
  CHECK(says(other, "keys with no effect: model.from"));
  // The path of the model that it started from is no longer looked at.
  CHECK(program.run(tune + " --resume" + until(6)).status == 0);
  fs::remove(program / "second/config.yaml");
  check_refused(program.run(tune + " --resume" + until(7)), "Every checkpoint in second has a copy");
}

TEST_CASE("a run can be resumed after the .model files of its tokenizers were deleted", "[program]") {
  const Program program;
  const std::string pieces = " --set data.directory=" GLASSFORMER_SOURCE_DIR
                             "/data/toy --set data.train=valid --set tokenizer.kind=sentencepiece"
                             " --set tokenizer.vocabulary_size=60 --set training.max_tokens=500";
  REQUIRE(program.run(train_debug("--output first" + pieces) + until(1)).status == 0);
  for (const char* side : {"source", "target"}) {
    fs::copy_file(program / "first/last" / (std::string(side) + ".spm"), program / (std::string(side) + ".model"));
  }
  const std::string given =
      pieces + " --set tokenizer.source_model=source.model --set tokenizer.target_model=target.model";
  REQUIRE(program.run(train_debug("--output second" + given) + until(1)).status == 0);
  fs::remove(program / "source.model");
  fs::remove(program / "target.model");
  const auto resumed = program.run(train_debug("--output second --resume" + given) + until(2));
  CAPTURE(resumed.err);
  CHECK(resumed.status == 0);
  check_refused(program.run(train_debug("--output third" + given)), "source_model");
}

TEST_CASE("numbers that single precision cannot hold are refused", "[program]") {
  const Program program;
  for (const std::string setting :
       {"training.optimizer.epsilon=1e-60", "training.optimizer.beta2=0.999999999999",
        "training.schedule.learning_rate=1e-60", "training.schedule.learning_rate=1e60", "model.dropout=0.99999999999",
        "training.label_smoothing=0.9999999999", "training.optimizer.clip_norm=1e-60"}) {
    CAPTURE(setting);
    check_refused(program.run(train_debug("--output run --set " + setting)), "in single precision");
  }
  CHECK_FALSE(fs::exists(program / "run"));
}

TEST_CASE("messages name only what exists", "[program]") {
  const Program program;
  const auto none =
      program.run(train_debug("--output run --set training.max_updates=0 --set training.max_minutes=1e-9"));
  CAPTURE(none.err);
  CHECK(none.status == 0);
  CHECK(says(none, "there is no checkpoint"));
  CHECK_FALSE(says(none, "run/last"));
  const auto without = program.run(train_debug("--output other --set data.valid='\"\"'") + until(12));
  CAPTURE(without.err);
  CHECK(without.status == 0);
  CHECK(says(without, "other/last is the last checkpoint"));
  CHECK_FALSE(fs::exists(program / "other/best"));
  CHECK(program.run("translate other", "she sleeps .\n").status == 0);
}

TEST_CASE("a validation that does not translate measures the same loss", "[program]") {
  const Program program;
  const auto trained = program.run(train_debug("--output run --set training.validation.translate=false") + until(12));
  CAPTURE(trained.err);
  CHECK(trained.status == 0);
  CHECK_FALSE(says(trained, "BLEU"));
  const std::string metrics = read_bytes(program / "run/metrics.jsonl");
  CHECK(metrics.find("\"bleu\":null") != std::string::npos);
  REQUIRE(program.run(train_debug("--output usual") + until(12)).status == 0);
  const auto loss_of = [](const std::string& text) {
    const std::size_t line = text.find("\"kind\":\"validation\"");
    return text.substr(text.find("\"loss\":", line), 20);
  };
  CHECK(loss_of(metrics) == loss_of(read_bytes(program / "usual/metrics.jsonl")));
  check_refused(program.run(train_debug("--output x --set training.validation.translate=false"
                                        " --set training.validation.metric=bleu")),
                "translate");
  check_refused(program.run(train_debug("--output x --set data.valid='\"\"' --set training.validation.patience=3")),
                "patience");
}

TEST_CASE("the program names the way on", "[program]") {
  const Program program;
  REQUIRE(program.run(train_debug("--output run") + until(2)).status == 0);
  check_refused(program.run("train run"), "--resume");
  check_refused(program.run("train run/last/config.yaml"), "config of a checkpoint");
  check_refused(program.run(train_debug("--output ''")), "--output");
  check_refused(program.run("train x.yaml --set training.max_updates 220"), "--set training.max_updates=220");
  check_refused(program.run("translate run 'she sleeps .'"), "echo ");
  write_bytes(program / "text.en", "she sleeps .\n");
  check_refused(program.run("translate run --input tetx.en"), "did you mean text.en?");
  check_refused(program.run("train run/last"), "model.from");
  check_refused(program.run("translate run text.en"), "--input");
  check_refused(program.run("evaluate run text.en"), "--source FILE --reference FILE");
  check_refused(program.run("explain run 'she sleeps .'"), "--source");
  check_refused(program.run(train_debug("--output run --resume --set training.schedule.learning_rate=0.5")),
                "model.from");
  const std::string cosine = " --set training.schedule.kind=cosine --set training.schedule.warmup=1";
  REQUIRE(program.run(train_debug("--output cosine") + cosine + until(4)).status == 0);
  check_refused(program.run(train_debug("--output cosine --resume") + cosine + until(8)), "cosine schedule");
  const auto changed = program.run(train_debug("--output run --resume --set decoding.max_length_ratio=20") + until(2));
  CHECK(changed.status == 0);
  CHECK(says(changed, "--set to translate and evaluate"));
  check_refused(program.shell("OMP_NUM_THREADS=100000 \"$glassformer\" translate run"), "OMP_NUM_THREADS");
  // The config of a run leads to its directory.
  CHECK(program.run("train run/config.yaml --resume" + until(3)).status == 0);
  CHECK(fs::exists(program / "run/step-00000003"));
}
