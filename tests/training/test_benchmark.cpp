#include "training/benchmark.hpp"

#include <chrono>
#include <cstdlib>
#include <memory>
#include <vector>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "model/example.hpp"
#include "model/vocabulary.hpp"
#include "model/work.hpp"
#include "numerics/fma_peak.hpp"
#include "numerics/heap_count.hpp"
#include "random_values.hpp"
#include "threads.hpp"

using namespace glassformer;

TEST_CASE("The heap's allocations are counted, of new and of malloc", "[training]") {
  const std::int64_t before = heap_allocations();
  if (before < 0) {
    WARN("SKIPPED: on this system, or under this sanitizer, nobody counts");
    return;
  }
  void* volatile memory = std::malloc(100);  // volatile: or the compiler would leave it out
  std::free(memory);
  memory = std::calloc(10, 10);
  std::free(memory);
  memory = std::aligned_alloc(64, 128);
  memory = std::realloc(memory, 1000);
  std::free(memory);
  void* other = nullptr;
  CHECK(posix_memalign(&other, 64, 128) == 0);
  memory = other;
  std::free(memory);
  int* volatile number = new int(3);
  delete number;
  CHECK(heap_allocations() - before == 6);
}

TEMPLATE_TEST_CASE("Once warm, layers and model allocate nothing, forward or backward", "[training]", float, double) {
  TransformerSettings settings{.d_model = 16, .heads = 2, .encoder_layers = 2, .decoder_layers = 2, .d_ff = 24};
  settings.dropout = settings.embedding_dropout = settings.attention_dropout = settings.activation_dropout = 0.1;
  for (const Norm norm : {Norm::post, Norm::pre}) {
    settings.norm = norm;
    const Transformer<TestType> model{settings, example::vocabulary(settings.tied_embeddings)};
    RandomValues random(1);
    Arena<typename Transformer<TestType>::Parameters> parameters(settings, model.vocabulary);
    Arena<typename Transformer<TestType>::Parameters> gradient(settings, model.vocabulary);
    random.fill(parameters);
    const example::PaddedBatch large = example::random_batch(random, 5, 9), small = example::random_batch(random, 3, 4);
    typename Transformer<TestType>::Cache cache;
    const auto update = [&](const example::PaddedBatch& batch) {
      model.forward(parameters.parameters(), batch.input(), 0.1, batch.training(), cache);
      model.backward(parameters.parameters(), batch.input(), 0.1, TestType{1}, cache, gradient.parameters());
    };
    update(large);
    update(small);  // products of small matrices have buffers of their own
    const std::int64_t before = heap_allocations();
    update(small);
    update(large);
    CHECK(heap_allocations() - before == 0);
  }
}

TEST_CASE("The benchmark's figures are those of the batches it trained on, and of no others", "[training]") {
  Config config;
  config.model = {.d_model = 16, .heads = 2, .encoder_layers = 1, .decoder_layers = 1, .d_ff = 24};
  config.training.max_tokens = 1000;  // all in one batch, so that every update has the same work
  const auto tokenizer = std::make_shared<stand_in::Tokenizer>(12);
  const TokenizerPair tokenizers{tokenizer, tokenizer};
  Corpus corpus(tokenizers.source->special(), tokenizers.target->special());
  double source_tokens = 0, target_tokens = 0, work = 0;
  for (Index i = 0; i < 9; ++i) {
    const std::vector<Id> source(static_cast<std::size_t>(1 + i), 5), target(static_cast<std::size_t>(2 + i % 4), 6);
    corpus.append(source, target, i);
    source_tokens += static_cast<double>(source.size() + 1);
    target_tokens += static_cast<double>(target.size() + 1);
    work += training_flops(config.model, vocabulary_shape(tokenizers), std::ssize(source) + 1, std::ssize(target) + 1);
  }
  const WithThreads with_threads(2);
  const auto start = std::chrono::steady_clock::now();
  const BenchmarkFigures figures = run_benchmark(config, tokenizers, corpus, 0.1);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  const double seconds = figures.seconds.total() / static_cast<double>(figures.updates);  // of one update
  CHECK(figures.updates > 0);
  CHECK(figures.seconds.total() < passed.count());
  CHECK(figures.source_tokens_per_second * seconds == Approx(source_tokens));
  CHECK(figures.target_tokens_per_second * seconds == Approx(target_tokens));
  CHECK(figures.gflops * 1e9 * seconds == Approx(work));
  CHECK(figures.padding_share > 0);
  CHECK(figures.padding_share < 0.6);
  CHECK(figures.threads == 2);
}

TEST_CASE("The peak of multiply-adds is a number", "[training]") { CHECK(measure_fma_peak() > 0); }
