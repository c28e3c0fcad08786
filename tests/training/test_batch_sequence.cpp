#include "training/batch_sequence.hpp"

#include <string>

#include "catch.hpp"
#include "temporary_directory.hpp"

using namespace glassformer;
using test::complaint;
using test::contains;

namespace {

/// `parts` parts of six pairs, each with three batches of two.
class Text {
 public:
  explicit Text(Index parts, const std::string& in_first_part = "a b c") {
    for (Index i = 0; i < 6 * parts; ++i) lines_ += (i < 6 ? in_first_part : "a b c") + "\n";
    for (const char* name : {"train.x", "train.y"}) directory_.write(name, lines_);
    for (const char* name : {"valid.x", "valid.y"}) directory_.write(name, "a b\n");
    config_.data.directory = directory_.path();
    config_.data.source_language = "x";
    config_.data.target_language = "y";
    config_.data.valid = "valid";
    config_.data.max_length = 5;
    config_.data.lines_in_memory = 6;
    config_.tokenizer.kind = TokenizerKind::word;
    config_.training.max_tokens = 8;
  }
  Config& config() { return config_; }
  BatchSequence sequence() const {
    const auto file = [&](const char* name) { return directory_ / name; };
    return {config_, TrainingText(config_, make_tokenizers(config_.tokenizer, file("train.x"), file("train.y"))), {}};
  }

 private:
  test::TemporaryDirectory directory_;
  std::string lines_;
  Config config_;
};

/// Trains one update; how many batches it had.
std::size_t step(BatchSequence& sequence, Progress& progress) {
  sequence.prepare(progress);
  const std::size_t count = sequence.next(progress).size();
  sequence.advance(progress, count);
  return count;
}

}  // namespace

TEST_CASE("batches come part after part, and epoch after epoch", "[training]") {
  const Text text(2);
  BatchSequence sequence = text.sequence();
  Progress progress;
  sequence.prepare(progress);
  const auto batches = static_cast<Index>(sequence.all().size());
  REQUIRE(batches > 1);
  for (Index i = 0; i < batches; ++i) {
    CHECK(progress.part == 0);
    CHECK(progress.batch == i);
    CHECK(step(sequence, progress) == 1);
  }
  CHECK(progress.part == 1);
  CHECK(progress.batch == 0);
  for (Index i = 0; i < batches; ++i) step(sequence, progress);
  CHECK(progress.part == 0);
  CHECK(progress.epoch == 1);
}

TEST_CASE("the last update of a part has the batches that are left", "[training]") {
  Text text(1);
  BatchSequence all = text.sequence();
  Progress progress;
  all.prepare(progress);
  const std::size_t batches = all.all().size();
  text.config().training.accumulation = static_cast<Index>(batches) - 1;
  BatchSequence sequence = text.sequence();
  progress = {};
  CHECK(step(sequence, progress) == batches - 1);
  CHECK(step(sequence, progress) == 1);
  CHECK(progress.epoch == 1);
}

TEST_CASE("a part without a batch is passed over", "[training]") {
  const auto updates_of_an_epoch = [](const std::string& in_first_part) {
    const Text text(2, in_first_part);
    BatchSequence sequence = text.sequence();
    Progress progress;
    int updates = 0;
    for (; progress.epoch == 0; ++updates) step(sequence, progress);
    return updates;
  };
  CHECK(updates_of_an_epoch("a b c") == 2 * updates_of_an_epoch("a b c d e f g"));  // longer than max_length
}

TEST_CASE("a place is found again, and one that is none is refused", "[training]") {
  const Text text(2);
  BatchSequence sequence = text.sequence();
  Progress progress;
  sequence.prepare(progress);
  const auto batches = static_cast<Index>(sequence.all().size());
  for (Index i = 0; i < batches + 1; ++i) step(sequence, progress);
  REQUIRE(progress.part == 1);
  REQUIRE(progress.batch == 1);
  BatchSequence again = text.sequence();
  again.go_to(progress, "runs/a/step-1");
  CHECK(again.next(progress).front() == sequence.next(progress).front());

  const auto refusal = [&] { return complaint([&] { text.sequence().go_to(progress, "runs/a/step-1"); }); };
  progress.batch = batches;
  CHECK(contains(refusal(), "runs/a/step-1: expected a state"));
  progress.batch = 0;
  progress.part = 2;
  CHECK(contains(refusal(), "found part 2, batch 0"));
}
