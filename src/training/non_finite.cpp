#include "training/non_finite.hpp"

#include "layers/recorder.hpp"

namespace glassformer {
namespace {

using Parameters = Transformer<float>::Parameters;

std::optional<std::string> in_parameters(const Arena<Parameters>& parameters) {
  for (const TensorPlace& tensor : parameters.tensors()) {
    if (!parameters.values(tensor).allFinite()) return "the parameter " + tensor.name;
  }
  return std::nullopt;
}

/// What steps were given is right, now that the parameters are: the first wrong number has been computed.
std::optional<std::string> in_recording(const Recording& recording) {
  for (const RecordedStep& step : recording.steps()) {
    const RecordedTensor& output = recording.tensors()[step.output];
    if (output.values.allFinite()) continue;
    return step.part + ": " + output.name + (step.adds ? " += " : " = ") + step.formula;
  }
  return std::nullopt;
}

}  // namespace

std::string first_non_finite(const Transformer<float>& model, const Arena<Parameters>& parameters,
                             const Corpus& corpus, std::span<const std::vector<Index>> batches,
                             const ShardedGradient::Step& step) {
  if (const auto found = in_parameters(parameters)) return *found;
  TokenCount count;
  for (const std::vector<Index>& batch : batches) count += count_tokens(corpus, batch);
  Arena<Parameters> gradient(model.settings, model.vocabulary);
  Transformer<float>::Cache cache;
  for (const std::vector<Index>& sentences : batches) {
    for (const Index sentence : sentences) {
      const Batch batch = make_batch(corpus, std::span(&sentence, 1));
      const TransformerMasks masks = model.masks(batch.source, batch.target_input);
      const ModelInput input{batch.source, batch.target_input, batch.target_output, masks};
      const Pass pass{.training = true, .seed = step.seed, .update = step.update, .sentences = batch.sentences};
      Recording recording;
      const Recorder recorder(recording);
      gradient.values().setZero();
      model.forward(parameters.parameters(), input, step.label_smoothing, pass, cache, recorder);
      model.backward(parameters.parameters(), input, step.label_smoothing, 1 / static_cast<float>(count.target), cache,
                     gradient.parameters(), recorder);
      if (const auto found = in_recording(recording)) {
        return *found + " (of the training pair in line " + std::to_string(corpus.line(sentence) + 1) + ")";
      }
    }
  }
  return "the sum over the batch: every sentence by itself has finite numbers";
}

}  // namespace glassformer
