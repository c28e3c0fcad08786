#include "training/rehearsal.hpp"

#include "catch.hpp"
#include "numerics/parallel.hpp"
#include "text/texts.hpp"

using namespace glassformer;
using namespace glassformer::text_test;

TEST_CASE("the batches that are rehearsed are the largest in each respect", "[training]") {
  const Corpus corpus = corpus_of_lengths({{3, 3}, {50, 2}, {2, 60}, {9, 9}, {9, 9}, {9, 9}, {9, 9}, {9, 9}, {1, 1}});
  std::vector<std::vector<Index>> batches(20, {0});
  batches[17] = {1};
  batches[18] = {2};
  batches[19] = {3, 4, 5, 6, 7};
  const auto rehearsed = rehearsed_batches(corpus, batches);
  const auto is_rehearsed = [&](const std::vector<Index>& batch) { return std::ranges::count(rehearsed, batch) > 0; };
  CHECK(is_rehearsed({1}));
  CHECK(is_rehearsed({2}));
  CHECK(is_rehearsed({3, 4, 5, 6, 7}));
  CHECK(rehearsed.size() < batches.size());
  const std::vector<std::vector<Index>> one = {{8}};
  CHECK_FALSE(rehearsed_batches(corpus, one).empty());
}

TEST_CASE("the pairs that are rehearsed are the longest", "[training]") {
  const TemporaryDirectory directory;
  const TokenizerPair tokenizers = make_tokenizers({}, directory.write("words.en", "a\n"), directory.write("words.de", "x\n"));
  std::string sources, references;
  for (int i = 1; i <= 100; ++i) {
    for (int k = 0; k < i; ++k) sources += "a ";
    sources += '\n';
    references += "x\n";
  }
  const TestText all = TestText::read(directory.write("en", sources), directory.write("de", references), tokenizers);
  const TestText some = rehearsed_pairs(all, tokenizers, 1);
  REQUIRE(std::ssize(some.sources) == std::min<Index>(100, 4 * thread_count()));
  CHECK(some.sources.front() == all.sources.back());
  CHECK(some.references.size() == some.sources.size());
  CHECK(some.corpus.size() == std::ssize(some.sources));
  CHECK(rehearsed_pairs(all, tokenizers, 1000).sources.size() == 100);
}

TEST_CASE("a forecast of memory says what it is for", "[training]") {
  MemoryForecast forecast{.peak = 1'000'000'000, .weights = 10'000'000, .gradients = 20'000'000,
                          .moments = 30'000'000, .text = 4'000'000};
  CHECK(forecast.text_for_log() == "about 1000 MB at the peak: weights 10, gradients 20, the optimizer's moments 30, "
                                   "training text 4.0; activations, translations and the program 936");
  TrainingSettings training;
  training.shards = 3;
  training.checkpoints.average = 0;
  const MemoryForecast now = memory_forecast(training, 1000, training.shards, 77);
  CHECK(now.weights == 4000);
  CHECK(now.gradients == 12000);
  CHECK(now.moments == 8000);
  CHECK(now.text == 77);
  training.checkpoints.average = 5;
  constexpr Index kMany = 1'000'000'000;
  CHECK(memory_forecast(training, kMany, training.shards, 0).peak > 20 * kMany);
}
