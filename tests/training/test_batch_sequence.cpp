#include "catch.hpp"
#include "text/texts.hpp"
#include "training/batch_sequence.hpp"

using namespace glassformer;
using namespace glassformer::text_test;

namespace {

/// Six pairs, two per batch.
class Example {
 public:
  explicit Example(Index accumulation = 1) {
    settings_.max_tokens = 8;
    settings_.accumulation = accumulation;
  }
  BatchSequence sequence() const { return {settings_, corpus_}; }

 private:
  Corpus corpus_ = corpus_of_lengths({{3, 3}, {3, 3}, {3, 3}, {3, 3}, {3, 3}, {3, 3}});
  TrainingSettings settings_;
};

/// Advances by one update and returns its batches.
std::vector<BatchSequence::Batch> step(BatchSequence& sequence, Progress& progress) {
  sequence.prepare(progress);
  const auto next = sequence.next(progress);
  std::vector<BatchSequence::Batch> batches(next.begin(), next.end());
  sequence.advance(progress, batches.size());
  return batches;
}

}  // namespace

TEST_CASE("batches come in the order of the plan, epoch after epoch, and every epoch has its own plan", "[training]") {
  const Example example;
  BatchSequence sequence = example.sequence();
  Progress progress;
  std::vector<std::vector<BatchSequence::Batch>> epochs(2);
  for (Index epoch = 0; epoch < 2; ++epoch) {
    for (Index i = 0; i < 3; ++i) {
      CHECK(progress.epoch == epoch);
      CHECK(progress.batch == i);
      const auto batches = step(sequence, progress);
      REQUIRE(batches.size() == 1);
      epochs[static_cast<std::size_t>(epoch)].push_back(batches[0]);
    }
  }
  CHECK(progress.epoch == 2);
  CHECK(progress.batch == 0);
  CHECK(epochs[0] != epochs[1]);
  for (const auto& epoch : epochs) {
    std::vector<Index> sentences;
    for (const auto& batch : epoch) sentences.insert(sentences.end(), batch.begin(), batch.end());
    std::ranges::sort(sentences);
    CHECK(sentences == std::vector<Index>{0, 1, 2, 3, 4, 5});
  }
}

TEST_CASE("the last update of an epoch has the remaining batches", "[training]") {
  const Example example(2);
  BatchSequence sequence = example.sequence();
  Progress progress;
  CHECK(step(sequence, progress).size() == 2);
  CHECK(step(sequence, progress).size() == 1);
  CHECK(progress.epoch == 1);
}

TEST_CASE("a sequence continues from a given progress if its batch exists", "[training]") {
  const Example example;
  BatchSequence sequence = example.sequence();
  Progress progress;
  for (int i = 0; i < 4; ++i) step(sequence, progress);
  REQUIRE(progress.epoch == 1);
  REQUIRE(progress.batch == 1);
  const std::vector<BatchSequence::Batch> next = step(sequence, progress);

  progress.batch = 1;
  BatchSequence resumed = example.sequence();
  CHECK(resumed.go_to(progress));
  CHECK(step(resumed, progress) == next);
  for (const auto& [batch, exists] : {std::pair(0, true), std::pair(2, true), std::pair(3, false)}) {
    progress.batch = batch;
    CHECK(example.sequence().go_to(progress) == exists);
  }
}
