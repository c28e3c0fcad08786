#include <set>

#include "catch.hpp"
#include "glassformer/batching/batch.hpp"
#include "glassformer/batching/plan.hpp"
#include "glassformer/report/metrics.hpp"
#include "text/texts.hpp"

using namespace glassformer;
using namespace glassformer::text_test;

namespace {

using Plan = std::vector<std::vector<Index>>;

std::vector<Index> sorted_sentences(const Plan& plan) {
  std::vector<Index> all;
  for (const auto& batch : plan) {
    all.insert(all.end(), batch.begin(), batch.end());
  }
  std::ranges::sort(all);
  return all;
}

std::vector<Index> numbers_below(Index count) {
  std::vector<Index> numbers;
  for (Index i = 0; i < count; ++i) {
    numbers.push_back(i);
  }
  return numbers;
}

/// Padded tokens of the larger side.
Index padded_tokens(const Corpus& corpus, const std::vector<Index>& sentences) {
  const Batch batch = make_batch(corpus, sentences);
  return std::max(batch.source.size(), batch.target_output.size());
}

double padding_share(const Corpus& corpus, const Plan& plan) {
  TokenCount count;
  for (const auto& batch : plan) {
    count += count_tokens(corpus, batch);
  }
  return glassformer::padding_share(count);
}

/// The batches as sets, so that order does not matter.
std::set<std::set<Index>> batches_as_sets(const Plan& plan) {
  std::set<std::set<Index>> batches;
  for (const auto& batch : plan) {
    batches.emplace(batch.begin(), batch.end());
  }
  return batches;
}

}  // namespace

TEST_CASE("every sentence is in exactly one batch of an epoch", "[batching]") {
  for (const Index size : {0, 1, 2, 17, 500}) {
    for (const Index max_tokens : {1, 20, 300, 100000}) {
      const Corpus corpus = random_corpus(size, static_cast<std::uint64_t>(size));
      CAPTURE(size, max_tokens);
      CHECK(sorted_sentences(plan_epoch(corpus, max_tokens, 1, 1)) == numbers_below(size));
      CHECK(sorted_sentences(plan_in_order(corpus, max_tokens)) == numbers_below(size));
    }
  }
}

TEST_CASE("no batch is larger than max_tokens, except a single sentence that is longer", "[batching]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Corpus corpus = random_corpus(300, seed, 40);
    const Index max_tokens = 30 + static_cast<Index>(seed) * 20;
    for (const Plan& plan : {plan_epoch(corpus, max_tokens, seed, 3), plan_in_order(corpus, max_tokens)}) {
      for (const auto& batch : plan) {
        REQUIRE_FALSE(batch.empty());
        if (batch.size() > 1) {
          CHECK(padded_tokens(corpus, batch) <= max_tokens);
        }
      }
    }
  }
}

TEST_CASE("a batch takes as many sentences as fit, counting eos", "[batching]") {
  const Corpus corpus = corpus_of_lengths(std::vector<std::pair<Index, Index>>(10, {4, 3}));  // 5 with eos
  CHECK(plan_in_order(corpus, 25) == Plan{{0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}});
  CHECK(plan_in_order(corpus, 24).size() == 3);
  CHECK(plan_in_order(corpus, 50).size() == 1);
  CHECK(plan_in_order(corpus, 4).size() == 10);
}

TEST_CASE("an epoch's plan is the same for the same arguments and different for any others", "[batching]") {
  const Corpus corpus = random_corpus(400, 7);
  const Plan plan = plan_epoch(corpus, 200, 1, 1);
  CHECK(plan == plan_epoch(corpus, 200, 1, 1));
  for (const Plan& other : {plan_epoch(corpus, 200, 1, 2), plan_epoch(corpus, 200, 2, 1),
                            plan_epoch(corpus, 200, (std::uint64_t{1} << 32) + 1, 1)}) {
    CHECK(plan != other);
    CHECK(batches_as_sets(plan) != batches_as_sets(other));  // not just in a different order
  }
}

TEST_CASE("a plan is the same on every platform", "[batching]") {
  // This plan was recorded once. std::mt19937_64 and std::seed_seq are the same everywhere, so our plan must be, too.
  const Corpus corpus = random_corpus(12, 1);
  CHECK(plan_epoch(corpus, 40, 1, 1) == Plan{{11}, {3, 0}, {10, 7}, {2, 8, 5}, {6, 4}, {1, 9}});
}

TEST_CASE("the order of batches does not follow length", "[batching]") {
  const Corpus corpus = random_corpus(2000, 3);
  const Plan plan = plan_epoch(corpus, 300, 1, 1);
  Index rises = 0;
  for (std::size_t i = 1; i < plan.size(); ++i) {
    rises += corpus.source(plan[i].front()).size() > corpus.source(plan[i - 1].front()).size() ? 1 : 0;
  }
  const auto fraction = static_cast<double>(rises) / static_cast<double>(plan.size());
  CHECK(fraction > 0.3);
  CHECK(fraction < 0.7);
}

TEST_CASE("over the epochs, a sentence shares a batch with many others of its length", "[batching]") {
  const Corpus corpus = corpus_of_lengths(std::vector<std::pair<Index, Index>>(100, {4, 4}));
  std::set<Index> met;
  for (Index epoch = 0; epoch < 50; ++epoch) {
    for (const auto& batch : plan_epoch(corpus, 50, 1, epoch)) {
      if (std::ranges::count(batch, 0) > 0) {
        met.insert(batch.begin(), batch.end());
      }
    }
  }
  CHECK(met.size() > 90);  // 50 epochs, each with 9 others out of 99
}

TEST_CASE("sentences of similar length are in the same batch, so there is little padding", "[batching]") {
  const Corpus corpus = random_corpus(20000, 11);
  CHECK(padding_share(corpus, plan_epoch(corpus, 2048, 1, 1)) < 0.03);
  CHECK(padding_share(corpus, plan_in_order(corpus, 2048)) < 0.03);
}

TEST_CASE("a plan in order begins with the longest sentences", "[batching]") {
  const Corpus corpus = corpus_of_lengths({{2, 2}, {9, 1}, {5, 5}, {1, 12}, {5, 5}});
  CHECK(plan_in_order(corpus, 1) == Plan{{3}, {1}, {2}, {4}, {0}});
}
