#include "training/benchmark.hpp"

#include <cstdlib>
#include <vector>

#include "catch.hpp"
#include "model/example.hpp"
#include "numerics/fma_peak.hpp"
#include "numerics/heap_count.hpp"
#include "random_values.hpp"

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
  std::free(memory);
  int* volatile number = new int(3);
  delete number;
  CHECK(heap_allocations() - before == 4);
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
    const std::int64_t before = heap_allocations();
    update(small);
    update(large);
    CHECK(heap_allocations() - before == 0);
  }
}

TEST_CASE("The peak of multiply-adds is a number", "[training]") { CHECK(measure_fma_peak() > 0); }
