#include "explanation/trace.hpp"

#include <cmath>

#include "explanation/trace_steps.hpp"

namespace glassformer {
namespace {

using Json = nlohmann::ordered_json;

Json model(const ExplainedModel& explained, const TraceHeading& heading) {
  const TransformerSettings& settings = explained.model.settings;
  constexpr const char* kActivations[] = {"relu", "gelu", "swish"};
  constexpr const char* kTyings[] = {"none", "target", "all"};
  return {{"d_model", settings.d_model},
          {"heads", settings.heads},
          {"encoder_layers", settings.encoder_layers},
          {"decoder_layers", settings.decoder_layers},
          {"d_ff", settings.d_ff},
          {"norm", settings.norm == Norm::post ? "post" : "pre"},
          {"activation", kActivations[static_cast<int>(settings.activation)]},
          {"tied_embeddings", kTyings[static_cast<int>(settings.tied_embeddings)]},
          {"scale_embeddings", settings.scale_embeddings},
          {"parameters", heading.parameters},
          {"label_smoothing", explained.label_smoothing},
          {"dropout", explained.dropout},
          {"learned_without", settings.masks.off()}};
}

Json sentences(const Explanation& explanation) {
  Json list = Json::array();
  for (const ExplainedPair& pair : explanation.pairs) {
    list.push_back({{"source", pair.source}, {"target", pair.target}, {"own_translation", pair.own_translation}});
  }
  return list;
}

Json ids_and_tokens(const IdMatrix& ids, const Tokenizer& tokenizer) {
  Json id_rows = Json::array(), token_rows = Json::array();
  for (Index b = 0; b < ids.rows(); ++b) {
    Json id_row = Json::array(), token_row = Json::array();
    for (Index t = 0; t < ids.cols(); ++t) {
      id_row.push_back(ids(b, t));
      token_row.push_back(tokenizer.piece(ids(b, t)));
    }
    id_rows.push_back(std::move(id_row));
    token_rows.push_back(std::move(token_row));
  }
  return {{"ids", id_rows}, {"tokens", token_rows}};
}

/// The token of every id, in the order of ids.
Json vocabulary(const Tokenizer& tokenizer) {
  Json tokens = Json::array();
  for (Id id = 0; id < tokenizer.vocabulary_size(); ++id) tokens.push_back(tokenizer.piece(id));
  return tokens;
}

Json batch(const ExplainedModel& explained, const Explanation& explanation) {
  const auto& [source, target] = explained.tokenizers;
  return {{"source", ids_and_tokens(explanation.batch.source, *source)},
          {"target_input", ids_and_tokens(explanation.batch.target_input, *target)},
          {"target_output", ids_and_tokens(explanation.batch.target_output, *target)},
          {"pad", {{"source", source->special().pad}, {"target", target->special().pad}}}};
}

Json masks(const Explanation& explanation, MatrixForm form) {
  const TransformerMasks& own = explanation.variants.front().masks;
  return {{"encoder_padding", mask_json(own.encoder_padding.blocked, form)},
          {"target_padding", mask_json(explanation.target_padding.blocked, form)},
          {"look_ahead", mask_json(explanation.look_ahead.blocked, form)},
          {"decoder_combined", mask_json(own.decoder_combined.blocked, form)},
          {"cross_padding", mask_json(own.cross_padding.blocked, form)}};
}

Json attention(const TransformerSettings& settings, const TraceSteps& steps) {
  Json list = Json::array();
  const auto add = [&](const std::string& part, const char* kind, Index layer) {
    list.push_back({{"part", part}, {"kind", kind}, {"layer", layer},
                    {"weights", steps.computed(part, "weights")}});
  };
  for (Index i = 0; i < settings.encoder_layers; ++i) {
    add("encoder.layers." + std::to_string(i) + ".self_attn", "encoder self", i);
  }
  for (Index i = 0; i < settings.decoder_layers; ++i) {
    add("decoder.layers." + std::to_string(i) + ".self_attn", "decoder self", i);
    add("decoder.layers." + std::to_string(i) + ".encoder_attn", "cross", i);
  }
  return list;
}

Json likeliest(const Answer& place, const Tokenizer& tokenizer) {
  Json list = Json::array();
  for (const LikelyToken& token : place.likeliest) {
    list.push_back({{"id", token.id}, {"token", tokenizer.piece(token.id)}, {"probability", token.probability}});
  }
  return list;
}

Json answer(const Explanation& explanation, const Tokenizer& tokenizer) {
  Json sentences = Json::array();
  for (const std::vector<Answer>& places : explanation.answers) {
    Json list = Json::array();
    for (const Answer& place : places) {
      list.push_back({{"expected", place.expected},
                      {"counted", place.counted},
                      {"loss", place.counted ? Json(place.loss) : Json()},
                      {"cross_entropy", place.counted ? Json(place.cross_entropy) : Json()},
                      {"probability", place.probability},
                      {"likeliest", likeliest(place, tokenizer)}});
    }
    sentences.push_back(std::move(list));
  }
  return sentences;
}

Json loss(const LossSum& sum) {
  const auto tokens = static_cast<double>(sum.tokens);
  return {{"mean", sum.loss / tokens},
          {"cross_entropy", sum.cross_entropy / tokens},
          {"perplexity", std::exp(sum.cross_entropy / tokens)},
          {"tokens", sum.tokens},
          {"correct", sum.correct}};
}

Json gradients(const ExplainedModel& explained, const Explanation& explanation) {
  Json list = Json::array();
  const std::vector<TensorPlace>& places = explained.parameters.tensors();
  for (std::size_t i = 0; i < places.size(); ++i) {
    list.push_back({{"name", places[i].name},
                    {"shape", places[i].shape},
                    {"norm", explanation.figures.front().gradient_norms[i]},
                    {"values_norm", explanation.parameter_norms[i]}});
  }
  return list;
}

Json memory_gradient(Index decoder_layers, const TraceSteps& steps) {
  Json parts = Json::array();
  for (Index i = decoder_layers; i-- > 0;) {
    const std::string part = "decoder.layers." + std::to_string(i) + ".encoder_attn.kv_proj";
    parts.push_back({{"layer", i}, {"tensor", steps.computed(part, "d_x")}});
  }
  return {{"sum", steps.computed("decoder", "d_memory")}, {"parts", parts}};
}

/// Losses or answers of a variant, null where padding is expected.
Json where_counted(const Explanation& explanation, const auto& of_variant) {
  Json rows = Json::array();
  for (Index b = 0; b < of_variant.rows(); ++b) {
    Json row = Json::array();
    for (Index t = 0; t < of_variant.cols(); ++t) {
      const Answer& place = explanation.answers[static_cast<std::size_t>(b)][static_cast<std::size_t>(t)];
      row.push_back(place.counted ? Json(of_variant(b, t)) : Json());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Json reasons(const std::vector<BlockReason>& reasons, MatrixForm form) {
  Json list = Json::array();
  for (const BlockReason& reason : reasons) {
    list.push_back({{"name", reason.name},
                    {"sentences", reason.mask.sentences},
                    {"queries", reason.mask.queries},
                    {"blocked", mask_json(reason.mask.blocked, form)}});
  }
  return list;
}

Json on_padding(const Matrix<double>& shares) {
  Json list = Json::array();
  for (Index b = 0; b < shares.rows(); ++b) {
    list.push_back({{"encoder self", shares(b, 0)}, {"decoder self", shares(b, 1)}, {"cross", shares(b, 2)}});
  }
  return list;
}

Json what_if(const Explanation& explanation, MatrixForm form) {
  Json list = Json::array();
  for (std::size_t i = 0; i < explanation.variants.size(); ++i) {
    const MaskVariant& variant = explanation.variants[i];
    const PassFigures& figures = explanation.figures[i];
    Json weights = Json::array();
    for (const Matrix<float>& attention : figures.attention) {
      weights.push_back(matrix_json(attention.cast<double>(), form));
    }
    list.push_back({{"name", variant.name},
                    {"title", variant.title},
                    {"says", variant.says},
                    {"changed", variant.changed},
                    {"masks",
                     {{"encoder_padding", mask_json(variant.masks.encoder_padding.blocked, form)},
                      {"decoder_combined", mask_json(variant.masks.decoder_combined.blocked, form)},
                      {"cross_padding", mask_json(variant.masks.cross_padding.blocked, form)}}},
                    {"reasons",
                     {{"encoder_padding", reasons(variant.reasons.encoder_padding, form)},
                      {"decoder_combined", reasons(variant.reasons.decoder_combined, form)},
                      {"cross_padding", reasons(variant.reasons.cross_padding, form)}}},
                    {"loss", loss(figures.loss)},
                    {"losses", where_counted(explanation, figures.losses)},
                    {"answers", where_counted(explanation, figures.answers)},
                    {"alone",
                     {{"losses", where_counted(explanation, figures.losses_alone)},
                      {"answers", where_counted(explanation, figures.answers_alone)}}},
                    {"on_padding", on_padding(figures.on_padding)},
                    {"attention", weights},
                    {"gradient_norms", figures.gradient_norms}});
  }
  return list;
}

}  // namespace

nlohmann::ordered_json trace_json(const ExplainedModel& explained, const Explanation& explanation,
                                  const TraceHeading& heading, MatrixForm form) {
  const TransformerSettings& settings = explained.model.settings;
  const TraceSteps steps(explanation.recording, heading.layer);
  return {
      {"format", "glassformer trace"},
      {"version", 1},
      {"glassformer", GLASSFORMER_VERSION},
      {"checkpoint", heading.checkpoint},
      {"model", model(explained, heading)},
      {"layer", heading.layer ? Json(*heading.layer) : Json()},
      {"sentences", sentences(explanation)},
      {"batch", batch(explained, explanation)},
      {"vocabulary",
       {{"source", vocabulary(*explained.tokenizers.source)}, {"target", vocabulary(*explained.tokenizers.target)}}},
      {"masks", masks(explanation, form)},
      {"tensors", steps.tensors(form, shown_ids(explained, explanation))},
      {"steps", steps.steps()},
      {"sources", steps.sources()},
      {"attention", attention(settings, steps)},
      {"answer", answer(explanation, *explained.tokenizers.target)},
      {"d_logits", steps.computed("loss", "d_logits")},
      {"loss", loss(explanation.figures.front().loss)},
      {"gradients", gradients(explained, explanation)},
      {"memory_gradient", memory_gradient(settings.decoder_layers, steps)},
      {"what_if", what_if(explanation, form)}};
}

}  // namespace glassformer
