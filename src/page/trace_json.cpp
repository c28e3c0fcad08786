#include "glassformer/page/trace_json.hpp"

#include "glassformer/page/answer_json.hpp"
#include "glassformer/page/attention_title.hpp"
#include "glassformer/page/json_list.hpp"
#include "glassformer/page/mask_variants.hpp"
#include "glassformer/page/trace_steps.hpp"
#include "glassformer/page/what_if_json.hpp"

namespace glassformer {
namespace {

using Json = nlohmann::ordered_json;

Json model(const ExplainedModel& explained) {
  const TransformerSettings& settings = explained.model.settings;
  return {{"d_model", settings.d_model},
          {"heads", settings.heads},
          {"encoder_layers", settings.encoder_layers},
          {"decoder_layers", settings.decoder_layers},
          {"d_ff", settings.d_ff},
          {"norm", kNormNames[static_cast<std::size_t>(settings.norm)]},
          {"activation", kActivationNames[static_cast<std::size_t>(settings.activation)]},
          {"tied_embeddings", kTyingNames[static_cast<std::size_t>(settings.tied_embeddings)]},
          {"scale_embeddings", settings.scale_embeddings},
          {"parameters", explained.model.weights.size()},
          {"label_smoothing", explained.label_smoothing},
          {"dropout", explained.dropout},
          {"dropout_rates",
           {{"embedding", settings.embedding_dropout},
            {"attention", settings.attention_dropout},
            {"activation", settings.activation_dropout},
            {"residual", settings.dropout}}},
          {"learned_without", masks_off(settings.masks)}};
}

Json ids_and_tokens(const IdMatrix& ids, const Vocabulary& tokenizer) {
  Json id_rows = Json::array();
  Json token_rows = Json::array();
  for (Index b = 0; b < ids.rows(); ++b) {
    id_rows.push_back(json_list(ids.row(b), [](Id id) { return id; }));
    token_rows.push_back(json_list(ids.row(b), [&](Id id) { return tokenizer.piece(id); }));
  }
  return {{"ids", id_rows}, {"tokens", token_rows}};
}

Json vocabulary(const Vocabulary& tokenizer) {
  Json tokens = Json::array();
  for (Id id = 0; id < tokenizer.vocabulary_size(); ++id) {
    tokens.push_back(tokenizer.piece(id));
  }
  return tokens;
}

Json batch(const ExplainedModel& explained, const Batch& batch) {
  const auto& [source, target] = explained.tokenizers;
  return {{"source", ids_and_tokens(batch.source, *source)},
          {"target_input", ids_and_tokens(batch.target_input, *target)},
          {"target_output", ids_and_tokens(batch.target_output, *target)},
          {"pad", {{"source", source->special().pad}, {"target", target->special().pad}}}};
}

Json masks(const Model<float>& model, const Batch& batch, MatrixForm form) {
  const TransformerMasks own =
      make_masks(batch.source, batch.target_input, model.vocabulary.special, model.settings.masks);
  return {{"encoder_padding", mask_json(own.encoder_padding.blocked, form)},
          {"target_padding", mask_json(own.target_padding.blocked, form)},
          {"look_ahead", mask_json(own.look_ahead.blocked, form)},
          {"decoder_combined", mask_json(own.decoder_combined.blocked, form)},
          {"cross_padding", mask_json(own.cross_padding.blocked, form)}};
}

Json attention(const Trace& trace, const TraceSteps& steps) {
  return json_list(trace.attention, [&](const AttentionWeights& one) -> Json {
    return {{"part", one.part},
            {"kind", attention_title(one.kind)},
            {"layer", one.layer},
            {"weights", steps.computed({one.part, "weights"})}};
  });
}

Json gradients(const Arena<float>& weights, const Trace& trace) {
  Json tensors = Json::array();
  for (const double norm : tensor_norms(weights)) {
    const TensorPlace& place = weights.tensors()[tensors.size()];
    const double gradient_norm = trace.gradient_norms[tensors.size()];
    tensors.push_back({{"name", place.name}, {"shape", place.shape}, {"norm", gradient_norm}, {"values_norm", norm}});
  }
  return tensors;
}

Json memory_gradient(const Trace& trace, const TraceSteps& steps) {
  Json parts = Json::array();
  for (std::size_t layer = trace.memory_readers.size(); layer-- > 0;) {
    parts.push_back({{"layer", layer}, {"tensor", steps.computed({trace.memory_readers[layer], "d_x"})}});
  }
  return {{"sum", steps.computed({"decoder", "d_memory"})}, {"parts", parts}};
}

}  // namespace

Json trace_json(const ExplainedModel& explained, const Explanation& explanation, const TraceOptions& options) {
  const auto& [source, target] = explained.tokenizers;
  const Trace& trace = explanation.right().trace;
  const TraceSteps steps(explanation.recording, trace, options.layer);
  const auto pair = [](const ExplainedPair& one) -> Json {
    return {{"source", one.source}, {"target", one.target}, {"own_translation", one.own_translation}};
  };
  return {
      {"format", "glassformer trace"},
      {"version", 1},
      {"glassformer", GLASSFORMER_VERSION},
      {"checkpoint", options.checkpoint},
      {"model", model(explained)},
      {"layer", options.layer ? Json(*options.layer) : Json()},
      {"sentences", json_list(explanation.pairs, pair)},
      {"batch", batch(explained, explanation.batch)},
      {"vocabulary", {{"source", vocabulary(*source)}, {"target", vocabulary(*target)}}},
      {"masks", masks(explained.model, explanation.batch, options.form)},
      {"tensors", steps.tensors(options.form, shown_ids(explained, explanation))},
      {"steps", steps.steps()},
      {"sources", steps.sources()},
      {"attention", attention(trace, steps)},
      {"answer", answers_json(trace.answers, *target)},
      {"d_logits", steps.computed({"loss", "d_logits"})},
      {"loss", loss_json(trace.loss)},
      {"gradients", gradients(explained.model.weights, trace)},
      {"memory_gradient", memory_gradient(trace, steps)},
      {"what_if", json_list(explanation.variants, [&](const auto& one) { return what_if_json(one, options.form); })}};
}

}  // namespace glassformer
