#include "page/trace_json.hpp"

#include <nlohmann/json.hpp>

#include "numerics/functions.hpp"

namespace glassformer {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kAttentionKinds[] = {"encoder self", "decoder self", "cross"};  // in the order of AttentionKind

/// [item(x) for x in range]
Json list(const auto& range, const auto& item) {
  Json items = Json::array();
  for (const auto& one : range) {
    items.push_back(item(one));
  }
  return items;
}

Json model(const ExplainedModel& explained) {
  const TransformerSettings& settings = explained.model.settings;
  constexpr const char* kTyings[] = {"none", "target", "all"};
  return {{"d_model", settings.d_model},
          {"heads", settings.heads},
          {"encoder_layers", settings.encoder_layers},
          {"decoder_layers", settings.decoder_layers},
          {"d_ff", settings.d_ff},
          {"norm", settings.norm == Norm::post ? "post" : "pre"},
          {"activation", kActivationNames[static_cast<std::size_t>(settings.activation)]},
          {"tied_embeddings", kTyings[static_cast<int>(settings.tied_embeddings)]},
          {"scale_embeddings", settings.scale_embeddings},
          {"parameters", explained.model.weights.size()},
          {"label_smoothing", explained.label_smoothing},
          {"dropout", explained.dropout},
          {"learned_without", settings.masks.off()}};
}

Json ids_and_tokens(const IdMatrix& ids, const Tokenizer& tokenizer) {
  Json id_rows = Json::array();
  Json token_rows = Json::array();
  for (Index b = 0; b < ids.rows(); ++b) {
    id_rows.push_back(list(ids.row(b), [](Id id) { return id; }));
    token_rows.push_back(list(ids.row(b), [&](Id id) { return tokenizer.piece(id); }));
  }
  return {{"ids", id_rows}, {"tokens", token_rows}};
}

Json vocabulary(const Tokenizer& tokenizer) {
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
  return list(trace.attention, [&](const AttentionWeights& one) -> Json {
    return {{"part", one.part},
            {"kind", kAttentionKinds[static_cast<int>(one.kind)]},
            {"layer", one.layer},
            {"weights", steps.computed({one.part, "weights"})}};
  });
}

Json answer_at(const Answer& place, const Tokenizer& tokenizer) {
  return {{"expected", place.expected},
          {"counted", place.counted},
          {"loss", place.counted ? Json(place.loss) : Json()},
          {"cross_entropy", place.counted ? Json(place.cross_entropy) : Json()},
          {"probability", place.counted ? Json(place.probability) : Json()},
          {"likeliest", list(place.likeliest, [&](const LikelyToken& token) -> Json {
             return {{"id", token.id}, {"token", tokenizer.piece(token.id)}, {"probability", token.probability}};
           })}};
}

Json loss(const LossSum& sum) {
  const auto tokens = static_cast<double>(sum.tokens);
  return {{"mean", sum.loss / tokens},
          {"cross_entropy", sum.cross_entropy / tokens},
          {"perplexity", exp(sum.cross_entropy / tokens)},
          {"tokens", sum.tokens},
          {"correct", sum.correct}};
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

Json reasons(const std::vector<BlockReason>& reasons, MatrixForm form) {
  return list(reasons, [&](const BlockReason& reason) -> Json {
    return {{"name", reason.name},
            {"sentences", reason.mask.sentences},
            {"queries", reason.mask.queries},
            {"blocked", mask_json(reason.mask.blocked, form)}};
  });
}

/// The loss and the most likely token at each position; null where padding is expected.
Json losses_and_answers(const Answers& answers) {
  const auto where_counted = [&](const auto& item) {
    return list(answers, [&](const std::vector<Answer>& places) {
      return list(places, [&](const Answer& place) { return place.counted ? Json(item(place)) : Json(); });
    });
  };
  return {{"losses", where_counted([](const Answer& place) { return place.loss; })},
          {"answers", where_counted([](const Answer& place) { return place.likeliest.front().id; })}};
}

Json for_each_mask(const auto& masks, const auto& item) {
  return {{"encoder_padding", item(masks.encoder_padding)},
          {"decoder_combined", item(masks.decoder_combined)},
          {"cross_padding", item(masks.cross_padding)}};
}

Json what_if(const ExplainedVariant& variant, MatrixForm form) {
  const Trace& trace = variant.trace;
  Json json{{"name", variant.name},
            {"title", variant.title},
            {"says", variant.says},
            {"changed", variant.changed},
            {"masks", for_each_mask(variant.masks, [&](const Mask& mask) { return mask_json(mask.blocked, form); })},
            {"reasons", for_each_mask(variant.reasons, [&](const auto& some) { return reasons(some, form); })},
            {"loss", loss(trace.loss)}};
  json.update(losses_and_answers(trace.answers));
  json["alone"] = losses_and_answers(variant.alone);
  json["on_padding"] = list(variant.on_padding, [](const auto& means) {
    Json by_kind = Json::object();
    for (std::size_t kind = 0; kind < means.size(); ++kind) {
      by_kind[kAttentionKinds[kind]] = means[kind];
    }
    return by_kind;
  });
  json["attention"] =
      list(trace.attention, [&](const AttentionWeights& one) { return matrix_json(one.weights.cast<double>(), form); });
  json["gradient_norms"] = trace.gradient_norms;
  return json;
}

}  // namespace

Json trace_json(const ExplainedModel& explained, const Explanation& explanation, const TraceOptions& options) {
  const auto& [source, target] = explained.tokenizers;
  const Trace& trace = explanation.right().trace;
  const TraceSteps steps(explanation.recording, trace, options.layer);
  const auto pair = [](const ExplainedPair& one) -> Json {
    return {{"source", one.source}, {"target", one.target}, {"own_translation", one.own_translation}};
  };
  const auto answer = [&](const Answer& place) { return answer_at(place, *explained.tokenizers.target); };
  return {{"format", "glassformer trace"},
          {"version", 1},
          {"glassformer", GLASSFORMER_VERSION},
          {"checkpoint", options.checkpoint},
          {"model", model(explained)},
          {"layer", options.layer ? Json(*options.layer) : Json()},
          {"sentences", list(explanation.pairs, pair)},
          {"batch", batch(explained, explanation.batch)},
          {"vocabulary", {{"source", vocabulary(*source)}, {"target", vocabulary(*target)}}},
          {"masks", masks(explained.model, explanation.batch, options.form)},
          {"tensors", steps.tensors(options.form, shown_ids(explained, explanation))},
          {"steps", steps.steps()},
          {"sources", steps.sources()},
          {"attention", attention(trace, steps)},
          {"answer", list(trace.answers, [&](const auto& places) { return list(places, answer); })},
          {"d_logits", steps.computed({"loss", "d_logits"})},
          {"loss", loss(trace.loss)},
          {"gradients", gradients(explained.model.weights, trace)},
          {"memory_gradient", memory_gradient(trace, steps)},
          {"what_if", list(explanation.variants, [&](const auto& one) { return what_if(one, options.form); })}};
}

}  // namespace glassformer
