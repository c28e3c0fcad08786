#include "glassformer/run/diagnostics.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "glassformer/batching/batch.hpp"
#include "glassformer/numerics/random.hpp"
#include "glassformer/recording/recording.hpp"
#include "glassformer/training/schedule.hpp"

namespace glassformer {
namespace {

/// Describes the first recorded step whose output is not finite. (The parameters have already been checked.)
std::optional<std::string> first_non_finite_step(const Recording& recording) {
  for (const RecordedStep& step : recording.steps()) {
    const RecordedTensor& output = recording.tensors()[step.output];
    if (output.values.allFinite()) {
      continue;
    }
    return step.part + ": " + output.name + (step.adds ? " += " : " = ") + step.formula;
  }
  return std::nullopt;
}

/// Moves every weight by up to 0.1, so that no weight has a value that makes a term vanish.
void perturb(Arena<double>& weights, std::uint64_t seed) {
  RowVector<double> noise(weights.size());
  fill_uniform({.seed = seed, .site = 1'000'000}, noise.size(), noise.data());
  weights.values().eigen().array() += 0.2 * noise.array() - 0.1;
}

}  // namespace

std::string first_non_finite(const Model<float>& model, const TrainingSettings& settings, const Corpus& corpus,
                             std::span<const std::vector<Index>> batches, const ShardedGradient::Step& step) {
  for (const TensorPlace& tensor : model.weights.tensors()) {
    if (!model.weights.values(tensor).eigen().allFinite()) {
      return "the parameter " + tensor.name;
    }
  }
  TokenCount count;
  for (const std::vector<Index>& batch : batches) {
    count += count_tokens(corpus, batch);
  }
  Arena<float> gradient(model.weights.tensors());
  const auto transformer = make_transformer(model, settings.label_smoothing);
  transformer->bind(model.weights, gradient);
  for (const std::vector<Index>& sentences : batches) {
    for (const Index sentence : sentences) {
      const Batch batch = make_batch(corpus, std::span(&sentence, 1));
      const TransformerMasks masks = transformer->masks(batch.source, batch.target_input);
      Recording recording;
      const Pass pass{.training = true,
                      .seed = step.seed,
                      .update = step.update,
                      .sentences = batch.sentences,
                      .recorder = &recording};
      std::ranges::fill(gradient.values(), 0.0F);
      transformer->forward(pass, {batch.source, batch.target_input, batch.target_output, masks});
      transformer->backward(pass, 1 / static_cast<float>(count.target));
      if (const auto found = first_non_finite_step(recording)) {
        return fmt::format("{} (training pair on line {})", *found, corpus.line(sentence) + 1);
      }
    }
  }
  return "the sum over the batch: each sentence alone gives finite numbers";
}

void warn_about(const TransformerSettings& model, const TrainingSettings& training) {
  const ScheduleSettings& schedule = training.schedule;
  if (model.norm == Norm::post && schedule.warmup == 0) {
    spdlog::warn(
        "model.norm is post and training.schedule.warmup is 0: the first updates are often too large for a post-norm "
        "transformer. Set a warmup of a few hundred updates, set model.norm to pre, or lower model.initial_gain, which "
        "is {:g}",
        model.initial_gain);
  }
  constexpr Index kFewest = 10;  // updates: with fewer, someone is only trying things out
  if (training.max_updates >= kFewest && schedule.warmup >= training.max_updates) {
    spdlog::warn(
        "training ends at update {} (training.max_updates), and the warm-up lasts {} updates "
        "(training.schedule.warmup), so the learning rate rises to the end, where it is {:g} "
        "(training.schedule.learning_rate: {:g}); set a shorter warmup",
        training.max_updates, schedule.warmup, learning_rate(schedule, training.max_updates, training.max_updates),
        schedule.learning_rate);
  }
  const MaskSettings& masks = model.masks;
  const auto warn_if_off = [](bool is_on, const char* mask, const char* effect) {
    if (!is_on) {
      spdlog::warn("masks.{} is OFF: {} (see docs/course/01-masks.md)", mask, effect);
    }
  };
  warn_if_off(masks.encoder_padding, "encoder_padding", "the encoder attends to padding as if it were words");
  warn_if_off(masks.look_ahead, "look_ahead", "the decoder sees the words that it has to predict");
  warn_if_off(masks.target_padding, "target_padding", "the decoder attends to padding in the target");
  warn_if_off(masks.cross_padding, "cross_padding", "the decoder attends to the encoder's output for padding");
}

std::vector<TensorCheck> check_model_gradient(Model<double>& model, const TrainingSettings& training,
                                              const SentencePairs& text, Index samples) {
  constexpr Index kSentences = 3;  // usually of different lengths, so there is padding to mask
  std::vector<Index> sentences(static_cast<std::size_t>(std::min(kSentences, text.size())));
  std::iota(sentences.begin(), sentences.end(), Index{0});
  const Batch batch = make_batch(text, sentences);

  initialize(model, training.seed);
  perturb(model.weights, training.seed);
  Arena<double> gradient(model.weights.tensors());
  const auto transformer = make_transformer(model, training.label_smoothing);
  transformer->bind(model.weights, gradient);

  const TransformerMasks masks = transformer->masks(batch.source, batch.target_input);
  const ModelInput input{batch.source, batch.target_input, batch.target_output, masks};
  const Pass pass{.training = true, .seed = training.seed, .update = 1, .sentences = batch.sentences};

  const auto tokens = static_cast<double>(transformer->forward(pass, input).tokens);
  transformer->backward(pass, 1 / tokens);
  const auto loss = [&] { return transformer->forward(pass, input).loss / tokens; };

  std::vector<TensorCheck> checks;
  for (const TensorPlace& tensor : model.weights.tensors()) {
    checks.push_back({tensor.name, tensor.shape,
                      check_gradient(model.weights.values(tensor), gradient.values(tensor), loss, samples)});
  }
  return checks;
}

}  // namespace glassformer
