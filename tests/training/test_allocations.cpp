#include <cstdlib>

#include "catch.hpp"
#include "checkpoint/starting_point.hpp"
#include "heap_count.hpp"
#include "model/example.hpp"
#include "model/initialization.hpp"
#include "random_values.hpp"
#include "text/corpus.hpp"
#include "threads.hpp"
#include "training/optimizer.hpp"
#include "training/schedule.hpp"
#include "training/sharded_gradient.hpp"

using namespace glassformer;

namespace {

// The most that a warm update may allocate. To be lowered, to 0 in the end.
constexpr std::int64_t kMostToy = 1567, kMostTiny = 2471, kMostSmall = 2471;

/// What an update needs and changes.
struct Learner {
  Config config;
  TokenizerPair tokenizers = starting_tokenizers(config);
  Corpus corpus = Corpus::read(config.data.source_file("train"), config.data.target_file("train"), tokenizers,
                               config.data.max_length);
  Model<float> model{config.model, vocabulary_shape(tokenizers)};
  ShardedGradient gradient{model, config.training};
  Optimizer<float> optimizer{config.training.optimizer, model.weights.tensors()};

  explicit Learner(Config settings) : config(std::move(settings)) { initialize(model, config.training.seed); }

  void update(const std::vector<Index>& batch, Index number) {
    const TrainingSettings& training = config.training;
    gradient.compute(corpus, {&batch, 1}, {training.seed, static_cast<std::uint32_t>(number)});
    optimizer.update(model.weights.values(), gradient.gradient(), gradient_norm(gradient.gradient()),
                     learning_rate(training.schedule, training.max_updates, number), number);
  }
};

/// A config, trained on the toy's text.
Config config_for_toy_text(const std::string& name) {
  const std::string source = GLASSFORMER_SOURCE_DIR;
  return read_config(source + "/configs/" + name + ".yaml",
                     {"data.directory=" + source + "/data/toy", "data.valid=valid", "tokenizer.kind=word"});
}

}  // namespace

TEST_CASE("new, malloc and its relatives are counted", "[training]") {
  const std::int64_t before = heap_allocations();
  if (before < 0) {
    WARN("SKIPPED: on this system, or under this sanitizer, allocations are not counted");
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

TEMPLATE_TEST_CASE("Once warm, layers and model allocate nothing, forward or backward", "[training]", float, double) {
  TransformerSettings settings{.d_model = 16, .heads = 2, .encoder_layers = 2, .decoder_layers = 2, .d_ff = 24};
  settings.dropout = settings.embedding_dropout = settings.attention_dropout = settings.activation_dropout = 0.1;
  for (const Norm norm : {Norm::post, Norm::pre}) {
    settings.norm = norm;
    RandomValues random(1);
    example::RandomModel<TestType> model(settings);
    const example::PaddedBatch large = example::random_batch(random, 5, 9), small = example::random_batch(random, 3, 4);
    const auto update = [&](const example::PaddedBatch& batch) { model.forward_backward(batch); };
    update(large);
    update(small);  // products of small matrices have buffers of their own
    const std::int64_t before = heap_allocations();
    update(small);
    update(large);
    CHECK(heap_allocations() - before == 0);
  }
}

TEST_CASE("a warm update allocates no more than it used to", "[training]") {
  const auto [name, most] = GENERATE(std::pair("toy", kMostToy), std::pair("benchmark/tiny", kMostTiny),
                                     std::pair("benchmark/small", kMostSmall));
  const WithThreads one(1);
  Learner learner(config_for_toy_text(name));
  const auto batches = plan_epoch(learner.corpus, learner.config.training.max_tokens, 1, 0);
  for (Index update = 1; update <= 2; ++update) learner.update(batches.front(), update);
  const std::int64_t before = heap_allocations();
  learner.update(batches.front(), 3);
  const std::int64_t allocated = heap_allocations() - before;
  CAPTURE(name, allocated);
  CHECK(allocated <= most);
}
