#include "catch.hpp"
#include "glassformer/batching/batch.hpp"
#include "glassformer/batching/plan.hpp"
#include "text/texts.hpp"

using namespace glassformer;
using namespace glassformer::text_test;

namespace {

using Plan = std::vector<std::vector<Index>>;

/// cut_into_parts, always reusing the same memory.
Plan cut(const Corpus& corpus, std::span<const Index> sentences, Index parts) {
  static SentenceGroups groups;
  groups = cut_into_parts(corpus, sentences, parts, std::move(groups));
  Plan plan;
  for (Index i = 0; i < groups.size(); ++i) {
    plan.emplace_back(groups[i].begin(), groups[i].end());
  }
  return plan;
}

std::vector<Index> all_of(const Corpus& corpus) {
  std::vector<Index> sentences;
  for (Index i = 0; i < corpus.size(); ++i) {
    sentences.push_back(i);
  }
  return sentences;
}

/// The cost of the costliest shard in the best cut of this order into consecutive groups, found by trying all cuts.
Index best_bottleneck(const Corpus& corpus, std::span<const Index> order, Index shards) {
  if (order.empty()) {
    return 0;
  }
  if (shards == 1) {
    return count_tokens(corpus, order).cells;
  }
  Index best = count_tokens(corpus, order).cells;
  for (std::size_t first = 1; first < order.size(); ++first) {
    best = std::min(best, std::max(count_tokens(corpus, order.first(first)).cells,
                                   best_bottleneck(corpus, order.subspan(first), shards - 1)));
  }
  return best;
}

Index bottleneck(const Corpus& corpus, const Plan& shards) {
  Index largest = 0;
  for (const auto& shard : shards) {
    largest = std::max(largest, count_tokens(corpus, shard).cells);
  }
  return largest;
}

}  // namespace

TEST_CASE("shards hold every sentence of the batch exactly once, and none is empty", "[batching]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Corpus corpus = random_corpus(200, seed);
    for (const auto& batch : plan_epoch(corpus, 300, seed, 1)) {
      for (const Index count : {1, 2, 3, 8, 100}) {
        const Plan shards = cut(corpus, batch, count);
        CHECK(static_cast<Index>(shards.size()) <= count);
        std::vector<Index> together;
        for (const auto& shard : shards) {
          CHECK_FALSE(shard.empty());
          together.insert(together.end(), shard.begin(), shard.end());
        }
        std::vector<Index> expected = batch;
        std::ranges::sort(together);
        std::ranges::sort(expected);
        CHECK(together == expected);
      }
    }
  }
}

TEST_CASE("no other cut of the sorted batch has a cheaper costliest shard", "[batching]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Corpus corpus = random_corpus(9, seed);
    for (const Index count : {1, 2, 3, 4}) {
      const Plan shards = cut(corpus, all_of(corpus), count);
      std::vector<Index> order;
      for (const auto& shard : shards) {
        order.insert(order.end(), shard.begin(), shard.end());
      }
      CHECK(bottleneck(corpus, shards) == best_bottleneck(corpus, order, count));
    }
  }
}

TEST_CASE("shards of a full training batch cost about the same and have no more padding than the batch", "[batching]") {
  const Corpus corpus = random_corpus(5000, 2);
  for (const auto& batch : plan_epoch(corpus, 4096, 1, 1)) {
    if (batch.size() < 100) {
      continue;  // left over at the end of the corpus
    }
    const Plan shards = cut(corpus, batch, 8);
    REQUIRE(shards.size() == 8);
    TokenCount sum;
    for (const auto& shard : shards) {
      sum += count_tokens(corpus, shard);
    }
    CHECK(static_cast<double>(bottleneck(corpus, shards)) < 1.1 * static_cast<double>(sum.cells) / 8);
    CHECK(sum.cells <= count_tokens(corpus, batch).cells);
  }
}

TEST_CASE("a batch with few sentences gives one shard per sentence, and an empty batch none", "[batching]") {
  const Corpus corpus = corpus_of_lengths({{3, 3}, {30, 30}, {4, 4}});
  CHECK(cut(corpus, all_of(corpus), 8) == Plan{{1}, {2}, {0}});
  CHECK(cut(corpus, all_of(corpus), 2) == Plan{{1}, {2, 0}});
  CHECK(cut(corpus, all_of(corpus), 1) == Plan{{1, 2, 0}});
  CHECK(cut(corpus, std::vector<Index>{2}, 8) == Plan{{2}});
  CHECK(cut(corpus, {}, 8).empty());
}

TEST_CASE("shards are the same for equal arguments", "[batching]") {
  const Corpus corpus = random_corpus(100, 4);
  CHECK(cut(corpus, all_of(corpus), 8) == cut(corpus, all_of(corpus), 8));
}
