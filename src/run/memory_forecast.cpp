#include "glassformer/run/memory_forecast.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "glassformer/evaluation/evaluation.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/machine/rank_places.hpp"
#include "glassformer/model/transformer.hpp"
#include "glassformer/numerics/parallel.hpp"

namespace glassformer {
namespace {

constexpr std::int64_t kFloat = sizeof(float), kDouble = sizeof(double);

/// Library code that is loaded on first use, and the stacks of threads: we measured 8 to 10 MB.
constexpr std::int64_t kStillToLoad = 8'000'000;

/// The size of all workers' buffers. They grow with the batches, which leaves gaps in the heap: we measured 10 to 50 %.
std::int64_t buffer_bytes(Index workers, Index numbers) { return kFloat * workers * numbers * 5 / 4; }

std::string megabytes(std::int64_t bytes) {
  const double number = static_cast<double>(bytes) / 1e6;
  return fmt::format("{:.{}f}", number, number < 10 ? 1 : 0);
}

/// Sentence lengths of a text, eos included.
struct Lengths {
  Index longest_source = 1, longest_target = 1;
  Index pairs = 0, source = 1, target = 1;  // source, target: all tokens of a side

  explicit Lengths(const SentencePairs& text) : pairs(text.size()) {
    for (Index i = 0; i < text.size(); ++i) {
      const Index s = std::ssize(text.source(i)) + 1;
      const Index t = std::ssize(text.target(i)) + 1;
      longest_source = std::max(longest_source, s);
      longest_target = std::max(longest_target, t);
      source += s;
      target += t;
    }
  }
};

/// A micro-batch has about training.micro_batch_tokens padded tokens, unless a shard has fewer or a pair has more.
BatchShape largest_micro_batch(const TrainingSettings& training, const Lengths& text) {
  const Index shard = (2 * training.max_tokens + training.shards - 1) / training.shards;
  const Index tokens =
      std::max(text.longest_source + text.longest_target, std::min(shard, training.micro_batch_tokens));
  const double source_fraction = static_cast<double>(text.source) / static_cast<double>(text.source + text.target);
  const Index source = std::max(text.longest_source, static_cast<Index>(source_fraction * static_cast<double>(tokens)));
  return {source, std::max(text.longest_target, tokens - source), text.longest_source, text.longest_target};
}

/// Memory for validation: for its loss, in evaluation.cpp's batches, or for its translations, whichever is more.
std::int64_t validation_bytes(const TrainingPlan& plan, const VocabularyShape& vocabulary, const Lengths& valid) {
  const TransformerSettings& model = plan.model;
  const Index S = valid.longest_source;
  const Index T = valid.longest_target;
  const Index source = std::min(valid.source, std::max(S, kEvaluationTokens));
  const Index target = std::min(valid.target, std::max(T, kEvaluationTokens));
  const Index loss = activation_count(model, vocabulary, {source, target, S, T}, false);
  const Index sentences = std::min(plan.decoding.batch, valid.pairs);
  const Index longest = longest_translation(plan.decoding, S);
  TransformerSettings encoder = model;
  encoder.decoder_layers = 0;
  const Index translation = activation_count(encoder, vocabulary, {sentences * S, 0, S, 0}, false) +
                            2 * model.d_model * sentences * (model.decoder_layers * (S + longest)) +
                            sentences * vocabulary.target_size;
  return buffer_bytes(thread_count(), std::max(loss, translation));
}

}  // namespace

Index activation_count(const TransformerSettings& settings, const VocabularyShape& vocabulary, const BatchShape& batch,
                       bool training) {
  const Index D = settings.d_model;
  const Index F = settings.d_ff;
  const Index H = settings.heads;
  const Index S = batch.longest_source;
  const Index T = batch.longest_target;
  // Numbers per token in each part of a layer: what forward keeps and, in training, what backward needs. These are
  // means over the variants (norm, dropout), which differ by less than a tenth; test_memory_forecast.cpp measures the
  // layers.
  const Index before_dropout = settings.dropout > 0 ? D : 0;             // the gradient of dropout's input
  const Index add_and_norm = training ? 3 * D + before_dropout : 2 * D;  // x_hat, output; the gradient of the sum
  const Index self_attention = training ? 10 * D : 5 * D;                // query, key, value, context, output
  const Index cross_attention = training ? 6 * D : 3 * D;                // query, context, output
  const Index key_value = training ? 5 * D : 2 * D;                      // key and value of the encoder's output
  const Index feed_forward = training ? 3 * F + 2 * D : 2 * F + D;
  const Index weights = H * (training ? (settings.attention_dropout > 0 ? 3 : 2) : 1);  // per query and key

  const Index encoder_token = self_attention + feed_forward + 2 * add_and_norm + weights * S;
  const Index decoder_token = self_attention + cross_attention + feed_forward + 3 * add_and_norm + weights * (T + S);
  const Index embedded = training ? 3 * D : D;
  return batch.source * (settings.encoder_layers * encoder_token + settings.decoder_layers * key_value + embedded) +
         batch.target * (settings.decoder_layers * decoder_token + embedded + vocabulary.target_size);
}

MemoryForecast forecast_memory(const TrainingPlan& plan, const VocabularyShape& vocabulary, const Corpus& text,
                               const Corpus& valid, const Processes& ranks) {
  const TrainingSettings& training = plan.training;
  const std::int64_t program = std::max(resident_memory().now, text.bytes()) + kStillToLoad;  // now may be unknown: 0
  const TensorPlace last = Transformer<float>(plan.model, vocabulary).tensors().back();       // allocates no tensor
  const std::int64_t parameters = last.offset + last.size;
  const Index own_shards = ranks.block(training.shards).size();
  const Index workers = std::min<Index>(thread_count(), own_shards);
  const BatchShape micro_batch = largest_micro_batch(training, Lengths(text));
  // The mean, the sum in double precision, and a checkpoint twice: in its file's order and in the model's.
  const std::int64_t average = plan.run.checkpoints.average > 1 ? parameters * (3 * kFloat + kDouble) : 0;
  MemoryForecast forecast{
      .program = program,
      .text = text.bytes(),
      .weights = kFloat * parameters,
      .gradients = kFloat * parameters * own_shards,
      .moments = 2 * kFloat * parameters,
      .activations = buffer_bytes(workers, activation_count(plan.model, vocabulary, micro_batch, true)),
      .order = 3 * static_cast<std::int64_t>(sizeof(Index)) * text.size(),  // sorted, and in batches
      .validation = std::max(average, validation_bytes(plan, vocabulary, Lengths(valid))),
      .left = memory_left(rank_places(ranks).here)};
  ranks.together([&] { forecast.throw_if_over_limit(); });
  return forecast;
}

std::string MemoryForecast::text_for_log() const {
  return fmt::format(
      "expected peak memory: about {} MB (weights {}, gradients {}, optimizer moments {}, activations {}, validation "
      "{}, training text {}, the program itself {})",
      megabytes(program + coming()), megabytes(weights), megabytes(gradients), megabytes(moments),
      megabytes(activations), megabytes(validation), megabytes(text + order), megabytes(program - text));
}

void MemoryForecast::throw_if_over_limit() const {
  if (left.bytes == 0 || certain() <= left.bytes) {
    return;
  }
  throw UserError(
      fmt::format("this run needs at least {} MB of memory (weights {}, gradients of its shards {}, optimizer moments "
                  "{}), but {} leaves only {} MB. Lower training.shards (each shard holds a gradient), train a "
                  "smaller model, or raise the limit.",
                  megabytes(certain()), megabytes(weights), megabytes(gradients), megabytes(moments), left.limit,
                  megabytes(left.bytes)));
}

std::string MemoryForecast::warning() const {
  if (left.available == 0 || coming() <= left.available) {
    return "";
  }
  return fmt::format(
      "memory may run out: this run is expected to need {} MB more, but only {} MB are available. Lower "
      "training.shards, training.micro_batch_tokens or decoding.batch to need less.",
      megabytes(coming()), megabytes(left.available));
}

}  // namespace glassformer
