#include <cstdlib>

#include "catch.hpp"
#include "glassformer/setup/read_config.hpp"
#include "glassformer/setup/training_setup.hpp"
#include "glassformer/text/corpus.hpp"
#include "glassformer/training/trainer.hpp"
#include "heap_count.hpp"
#include "model/example.hpp"
#include "random_values.hpp"
#include "threads.hpp"

using namespace glassformer;

namespace {

/// A config, with the toy text as training data.
Config config_for_toy_text(const std::string& name) {
  const std::string source = GLASSFORMER_SOURCE_DIR;
  return read_config(source + "/configs/" + name + ".yaml",
                     {"data.directory=" + source + "/data/toy", "data.valid=valid", "tokenizer.kind=word"});
}

}  // namespace

TEST_CASE("new, malloc and related functions are counted", "[training]") {
  const std::int64_t before = heap_allocations();
  if (before < 0) {
    WARN("SKIPPED: allocations are not counted on this system or under this sanitizer");
    return;
  }
  void* volatile memory = std::malloc(100);  // volatile, so that the compiler does not drop it
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

TEMPLATE_TEST_CASE("After a warm-up, layers and models allocate nothing, forward or backward", "[training]", float,
                   double) {
  TransformerSettings settings{.d_model = 16, .heads = 2, .encoder_layers = 2, .decoder_layers = 2, .d_ff = 24};
  settings.dropout = settings.embedding_dropout = settings.attention_dropout = settings.activation_dropout = 0.1;
  for (const Norm norm : {Norm::post, Norm::pre}) {
    settings.norm = norm;
    RandomValues random(1);
    example::RandomModel<TestType> model(settings);
    const example::PaddedBatch large = example::random_batch(random, 5, 9);
    const example::PaddedBatch small = example::random_batch(random, 3, 4);
    const auto update = [&](const example::PaddedBatch& batch) { model.forward_backward(batch); };
    update(large);
    update(small);  // narrow products have their own buffers
    const std::int64_t before = heap_allocations();
    update(small);
    update(large);
    CHECK(heap_allocations() - before == 0);
  }
}

TEST_CASE("after a warm-up, an update allocates nothing", "[training]") {
  const std::string name = GENERATE("toy", "benchmark/tiny", "benchmark/small");
  const WithThreads one(1);  // each thread grows its buffers when it first gets the longest sentences
  const Config config = config_for_toy_text(name);
  const TokenizerPair tokenizers = starting_tokenizers(config, "config.yaml");
  const Corpus corpus = Corpus::read(config.data.source_file("train"), config.data.target_file("train"), tokenizers,
                                     config.data.max_length);
  Model<float> model(config.model, vocabulary_shape(tokenizers));
  initialize(model, config.training.seed);
  Trainer trainer(model, config.training, corpus);
  const auto update_on_first_batch = [&](Index number) {
    trainer.continue_from({.update = number - 1});
    trainer.step();
  };
  for (Index number = 1; number <= 2; ++number) {
    update_on_first_batch(number);
  }
  const std::int64_t before = heap_allocations();
  update_on_first_batch(3);
  const std::int64_t allocated = heap_allocations() - before;
  CAPTURE(name, allocated);
  CHECK(allocated == 0);
}
