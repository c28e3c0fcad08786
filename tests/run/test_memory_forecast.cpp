#include <tuple>

#include "catch.hpp"
#include "fake_ranks.hpp"
#include "glassformer/decoding/search.hpp"
#include "glassformer/evaluation/evaluation.hpp"
#include "glassformer/machine/memory.hpp"
#include "glassformer/model/model.hpp"
#include "glassformer/run/memory_forecast.hpp"
#include "heap_count.hpp"
#include "machine/fake_places.hpp"
#include "text/texts.hpp"
#include "threads.hpp"

using namespace glassformer;
using namespace glassformer::text_test;

namespace {

const VocabularyShape kVocabulary{1000, 1000, {}};

MemoryForecast forecast(const TrainingPlan& plan, const Corpus& text = corpus_of_lengths({{9, 9}, {5, 7}})) {
  const WithThreads with_threads(2);
  return forecast_memory(plan, kVocabulary, text, text, one_process);
}

/// How many numbers the layers of a model allocate for a batch of B pairs, all of the lengths S and T.
double numbers_allocated(const TransformerSettings& settings, const VocabularyShape& vocabulary, Index B, Index S,
                         Index T, bool training) {
  Model<float> model(settings, vocabulary);
  initialize(model, 1);
  Arena<float> gradient(model.weights.tensors());
  const auto transformer = make_transformer(model, 0.1);
  transformer->bind(model.weights, gradient);
  IdMatrix source(B, S);
  IdMatrix target_input(B, T);
  IdMatrix target_output(B, T);
  source.eigen().setConstant(4);
  target_input.eigen().setConstant(5);
  target_output.eigen().setConstant(6);
  std::vector<Index> sentences(static_cast<std::size_t>(B));
  const TransformerMasks masks = transformer->masks(source, target_input);
  const Pass pass{.training = training, .seed = 1, .update = 1, .sentences = sentences};
  const std::int64_t before = heap_bytes();
  transformer->forward(pass, {source, target_input, target_output, masks});
  if (training) {
    transformer->backward(pass, 1.0F);
  }
  return static_cast<double>(heap_bytes() - before) / sizeof(float);
}

}  // namespace

TEST_CASE("the forecast of activations agrees with the layers' buffers", "[training][linux]") {
  if (heap_bytes() < 0) {
    WARN("SKIPPED: allocations are not counted on this system or under this sanitizer");
    return;
  }
  const VocabularyShape vocabulary{100, 200, {}};
  const auto [norm, dropout, attention_dropout, training] =
      GENERATE(table<Norm, double, double, bool>({{Norm::post, 0.1, 0.0, true},
                                                  {Norm::post, 0.0, 0.1, true},
                                                  {Norm::pre, 0.1, 0.1, true},
                                                  {Norm::pre, 0.0, 0.0, true},
                                                  {Norm::post, 0.1, 0.1, false},
                                                  {Norm::pre, 0.1, 0.0, false}}));
  CAPTURE(static_cast<int>(norm), dropout, attention_dropout, training);
  for (const auto& [d_model, heads, d_ff, B, S, T] :
       {std::tuple<Index, Index, Index, Index, Index, Index>{64, 4, 256, 4, 30, 40}, {128, 8, 128, 20, 5, 8}}) {
    TransformerSettings settings{
        .d_model = d_model, .heads = heads, .encoder_layers = 2, .decoder_layers = 3, .d_ff = d_ff, .norm = norm};
    settings.dropout = settings.embedding_dropout = settings.activation_dropout = dropout;
    settings.attention_dropout = attention_dropout;
    const Index forecast = activation_count(settings, vocabulary, {B * S, B * T, S, T}, training);
    numbers_allocated(settings, vocabulary, B, S, T, training);  // the first pass also allocates what products reuse
    CHECK(numbers_allocated(settings, vocabulary, B, S, T, training) ==
          Approx(static_cast<double>(forecast)).epsilon(0.1));
  }
}

TEST_CASE("weights, gradients and moments are forecast to the byte", "[training][linux]") {
  TrainingPlan plan;
  plan.model = {.d_model = 16, .heads = 2, .encoder_layers = 1, .decoder_layers = 1, .d_ff = 24};
  plan.training.shards = 3;
  const std::int64_t resident = resident_memory().now;
  const MemoryForecast now = forecast(plan);
  const std::int64_t weights = 4 * Model<float>(plan.model, kVocabulary).weights.size();
  CHECK(now.weights == weights);
  CHECK(now.gradients == 3 * weights);
  CHECK(now.moments == 2 * weights);
  CHECK(now.certain() == 6 * weights);
  CHECK(now.program >= resident + 7'000'000);  // training loads more code
}

TEST_CASE("a rank has the gradients of its own shards, and no more workers than shards or threads",
          "[training][linux]") {
  TrainingPlan plan;
  plan.training.shards = 5;
  const auto text = corpus_of_lengths({{9, 9}, {5, 7}});
  const auto with = [&](int threads, int rank, int ranks) {
    const WithThreads with_threads(threads);
    return forecast_memory(plan, kVocabulary, text, text, test::FakeRanks(rank, ranks));
  };
  const MemoryForecast one = with(1, 0, 1);
  CHECK(with(1, 0, 2).gradients == 2 * one.weights);
  CHECK(with(1, 1, 2).gradients == 3 * one.weights);
  CHECK(with(2, 0, 1).activations == 2 * one.activations);
  CHECK(with(4, 0, 1).activations == 4 * one.activations);
  CHECK(with(9, 0, 1).activations == 5 * one.activations);
  CHECK(with(9, 0, 2).activations == 2 * one.activations);
  CHECK(with(9, 0, 1).validation == 9 * one.validation);
  // Ranks on one machine share its memory.
  CHECK(with(1, 0, 1).left.available > with(1, 0, 4).left.available);
}

TEST_CASE("a rank shares memory with all ranks of its machine, whatever processors they run on, and with no others",
          "[training][linux]") {
  TrainingPlan plan;
  plan.training.shards = 8;
  const Corpus text = corpus_of_lengths({{9, 9}, {5, 7}});
  const auto left = [&](const Processes& ranks) {
    return static_cast<double>(forecast_memory(plan, kVocabulary, text, text, ranks).left.bytes);
  };
  const double whole = left(one_process);
  const double half = left(test::FakeRanks(0, 2));
  REQUIRE(half < 0.6 * whole);
  CHECK(left(test::FakeRanks(0, 4, test::on_another_machine(1))) == Approx(whole).epsilon(0.05));
  CHECK(left(test::FakeRanks(0, 4, test::on_another_machine(2))) == Approx(half).epsilon(0.05));
  CHECK(left(test::FakeRanks(0, 2, test::on_other_processors(1))) == Approx(half).epsilon(0.05));
}

TEST_CASE("text, order and the mean of checkpoints are part of the forecast", "[training]") {
  TrainingPlan plan;
  plan.model = {.d_model = 16, .heads = 2, .encoder_layers = 1, .decoder_layers = 1, .d_ff = 24};
  const Corpus text = corpus_of_lengths({{9, 9}, {5, 7}, {3, 3}});
  const MemoryForecast before = forecast(plan, text);
  CHECK(before.text == text.bytes());
  CHECK(before.order == 3 * 3 * 8);
  plan.run.checkpoints.average = 1;  // that checkpoint itself
  CHECK(forecast(plan, text).validation == before.validation);
  plan.model.d_ff = 200'000;  // so that the mean needs more than the activations
  plan.run.checkpoints.average = 0;
  const MemoryForecast wide = forecast(plan, text);
  plan.run.checkpoints.average = 2;
  CHECK(forecast(plan, text).validation == wide.weights / 4 * (3 * 4 + 8));
  CHECK(wide.validation < wide.weights / 4 * (3 * 4 + 8));
  CHECK(wide.coming() == wide.certain() + wide.activations + wide.order + wide.validation);
}

TEST_CASE("validation needs memory for its loss or its translations, whichever is more", "[training]") {
  TrainingPlan plan;
  plan.model = {.d_model = 16, .heads = 2, .encoder_layers = 1, .decoder_layers = 3, .d_ff = 24};
  plan.decoding.batch = 2;
  const auto validation = [&](const TrainingPlan& of_run, const std::vector<std::pair<Index, Index>>& lengths) {
    const WithThreads one(1);
    return forecast_memory(of_run, kVocabulary, corpus_of_lengths({{3, 3}}), corpus_of_lengths(lengths), one_process)
        .validation;
  };
  // The loss is computed in batches of at most kEvaluationTokens tokens on a side, eos included.
  const std::vector<std::pair<Index, Index>> many(200, {29, 39});
  const Index loss = activation_count(plan.model, kVocabulary, {kEvaluationTokens, kEvaluationTokens, 30, 40}, false);
  CHECK(validation(plan, many) == 4 * loss * 5 / 4);
  // Translations keep each token's keys and values, and what the encoder has computed.
  plan.decoding.batch = 1000;
  plan.decoding.max_length_ratio = 50;
  const Index longest = longest_translation(plan.decoding, 30);
  TransformerSettings encoder = plan.model;
  encoder.decoder_layers = 0;
  const Index translation = activation_count(encoder, kVocabulary, {200 * 30, 0, 30, 0}, false) +
                            2 * 16 * 200 * 3 * (30 + longest) + 200 * 1000;
  REQUIRE(translation > loss);
  CHECK(validation(plan, many) == 4 * translation * 5 / 4);
}

TEST_CASE("validation counts a sentence that is longer than its batches, on either side", "[training]") {
  constexpr Index kLong = 2 * kEvaluationTokens;
  const WithThreads one(1);
  TrainingPlan plan;
  plan.model = {.d_model = 16, .heads = 2, .encoder_layers = 1, .decoder_layers = 3, .d_ff = 24};
  plan.decoding.max_length_ratio = 0.1;  // so that the loss needs more than the translation
  const std::vector<Id> ids(kLong, 10);
  const std::span<const Id> all(ids);
  for (const auto& [S, T] : {std::pair(kLong, Index{10}), std::pair(Index{10}, kLong)}) {
    CAPTURE(S, T);
    Corpus text;  // the lengths S and T include eos
    text.append(all.first(static_cast<std::size_t>(S - 1)), all.first(static_cast<std::size_t>(T - 1)), 0);
    const Index loss = activation_count(plan.model, kVocabulary, {S, T, S, T}, false);
    CHECK(forecast_memory(plan, kVocabulary, text, text, one_process).validation ==
          Approx(static_cast<double>(4 * loss * 5 / 4)).epsilon(0.01));
  }
}

TEST_CASE("a micro-batch is divided between the sides as the text is, and holds the longest sentence of each",
          "[training]") {
  TrainingPlan plan;
  plan.training.shards = 1;
  plan.training.max_tokens = 1000;
  const auto check_activations = [&](const std::vector<std::pair<Index, Index>>& lengths, const BatchShape& largest) {
    CAPTURE(largest.source, largest.target);
    const Index count = activation_count(plan.model, kVocabulary, largest, true);
    CHECK(forecast(plan, corpus_of_lengths(lengths)).activations ==
          Approx(static_cast<double>(4 * count * 5 / 4)).epsilon(0.01));
  };
  using Pairs = std::vector<std::pair<Index, Index>>;
  plan.training.micro_batch_tokens = 800;
  check_activations(Pairs(100, {29, 9}), {600, 200, 30, 10});
  check_activations(Pairs(100, {9, 29}), {200, 600, 10, 30});
  plan.training.micro_batch_tokens = 1;  // the longest sentences of the sides are in different pairs
  check_activations({{99, 3}, {3, 9}, {3, 9}, {3, 9}}, {100, 10, 100, 10});
  check_activations({{3, 99}, {9, 3}, {9, 3}, {9, 3}}, {26, 100, 10, 100});
}

TEST_CASE("activations are those of the largest micro-batch", "[training]") {
  TrainingPlan plan;
  plan.training.shards = 4;
  plan.training.max_tokens = 4000;
  plan.training.micro_batch_tokens = 500;
  const std::int64_t before = forecast(plan).activations;
  plan.training.micro_batch_tokens = 1000;
  CHECK(forecast(plan).activations == Approx(2 * before).epsilon(0.02));
  plan.training.micro_batch_tokens = 10'000;  // more than a shard has
  CHECK(forecast(plan).activations == Approx(4 * before).epsilon(0.02));
  plan.training.micro_batch_tokens = 1;  // a sentence is computed as a whole
  CHECK(forecast(plan, corpus_of_lengths({{50, 50}})).activations > 4 * forecast(plan).activations);
}

TEST_CASE("a run that is certain to need too much memory is refused; one that may need too much gets a warning",
          "[training]") {
  MemoryForecast forecast{.program = 1'000'000,
                          .text = 400'000,
                          .weights = 10'000'000,
                          .gradients = 20'000'000,
                          .moments = 30'000'000,
                          .activations = 5'000'000,
                          .order = 600'000,
                          .validation = 4'000'000,
                          .left = {}};
  CHECK(forecast.text_for_log() ==
        "expected peak memory: about 71 MB (weights 10, gradients 20, optimizer moments 30, activations 5.0, "
        "validation 4.0, training text 1.0, the program itself 0.6)");
  forecast.left = {.bytes = 60'000'000, .available = 60'000'000, .limit = "ulimit -v"};
  CHECK_NOTHROW(forecast.throw_if_over_limit());
  CHECK(contains(forecast.warning(), "expected to need 70 MB more, but only 60 MB are available"));
  forecast.left = {.bytes = 59'999'999, .available = 59'999'999, .limit = "ulimit -v"};
  CHECK(contains(complaint([&] { forecast.throw_if_over_limit(); }),
                 "needs at least 60 MB of memory (weights 10, gradients of its shards 20, optimizer moments 30), but "
                 "ulimit -v leaves only 60 MB. Lower training.shards"));
  forecast.left.available = 70'000'000;
  CHECK(forecast.warning().empty());
  forecast.left = {};  // unknown
  CHECK_NOTHROW(forecast.throw_if_over_limit());
  CHECK(forecast.warning().empty());
}

TEST_CASE("activations grow with the batch and with its longest sentence; training needs more than evaluation",
          "[model]") {
  const TransformerSettings settings;
  const VocabularyShape vocabulary{100, 200, {}};
  const BatchShape batch{.source = 300, .target = 400, .longest_source = 30, .longest_target = 40};
  BatchShape longer = batch;
  BatchShape larger = batch;
  longer.longest_source += 10;
  larger.target += 100;
  const Index count = activation_count(settings, vocabulary, batch, true);
  CHECK(activation_count(settings, vocabulary, batch, false) < count);
  CHECK(activation_count(settings, vocabulary, longer, true) - count ==
        10 * 2 * settings.heads * (300 * settings.encoder_layers + 400 * settings.decoder_layers));
  CHECK(activation_count(settings, vocabulary, larger, true) - count > 100 * vocabulary.target_size);
  // A layer of the decoder also keeps the keys and values of the source.
  const BatchShape source{.source = 300, .target = 0, .longest_source = 30, .longest_target = 40};
  TransformerSettings deeper = settings;
  ++deeper.decoder_layers;
  CHECK(activation_count(deeper, vocabulary, source, true) - activation_count(settings, vocabulary, source, true) ==
        300 * 5 * settings.d_model);
}
