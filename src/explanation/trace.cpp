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

/// [item(0), item(1), ...]
Json list(Index count, const auto& item) {
  Json items = Json::array();
  for (Index i = 0; i < count; ++i) items.push_back(item(i));
  return items;
}

/// The same of a vector: [item(v[0]), item(v[1]), ...]
template <class T>
Json list_of(const std::vector<T>& vector, const auto& item) {
  return list(std::ssize(vector), [&](Index i) { return item(vector[static_cast<std::size_t>(i)]); });
}

Json ids_and_tokens(const IdMatrix& ids, const Tokenizer& tokenizer) {
  const auto rows = [&](const auto& item) {
    return list(ids.rows(), [&](Index b) { return list(ids.cols(), [&](Index t) { return Json(item(ids(b, t))); }); });
  };
  return {{"ids", rows([](Id id) { return id; })}, {"tokens", rows([&](Id id) { return tokenizer.piece(id); })}};
}

/// The token of every id, in the order of ids.
Json vocabulary(const Tokenizer& tokenizer) {
  return list(tokenizer.vocabulary_size(), [&](Index id) { return tokenizer.piece(static_cast<Id>(id)); });
}

Json batch(const ExplainedModel& explained, const Explanation& explanation) {
  const auto& [source, target] = explained.tokenizers;
  return {{"source", ids_and_tokens(explanation.batch.source, *source)},
          {"target_input", ids_and_tokens(explanation.batch.target_input, *target)},
          {"target_output", ids_and_tokens(explanation.batch.target_output, *target)},
          {"pad", {{"source", source->special().pad}, {"target", target->special().pad}}}};
}

Json masks(const Explanation& explanation, MatrixForm form) {
  const TransformerMasks& own = explanation.masks;
  return {{"encoder_padding", mask_json(own.encoder_padding.blocked, form)},
          {"target_padding", mask_json(own.target_padding.blocked, form)},
          {"look_ahead", mask_json(own.look_ahead.blocked, form)},
          {"decoder_combined", mask_json(own.decoder_combined.blocked, form)},
          {"cross_padding", mask_json(own.cross_padding.blocked, form)}};
}

Json attention(const TransformerSettings& settings, const TraceSteps& steps) {
  Json weights = Json::array();
  const auto add = [&](const std::string& side, const std::string& name, const char* kind, Index layer) {
    const std::string part = side + ".layers." + std::to_string(layer) + "." + name;
    weights.push_back({{"part", part}, {"kind", kind}, {"layer", layer}, {"weights", steps.computed(part, "weights")}});
  };
  for (Index i = 0; i < settings.encoder_layers; ++i) add("encoder", "self_attn", "encoder self", i);
  for (Index i = 0; i < settings.decoder_layers; ++i) {
    add("decoder", "self_attn", "decoder self", i);
    add("decoder", "encoder_attn", "cross", i);
  }
  return weights;
}

Json answer_at(const Answer& place, const Tokenizer& tokenizer) {
  return {{"expected", place.expected},
          {"counted", place.counted},
          {"loss", place.counted ? Json(place.loss) : Json()},
          {"cross_entropy", place.counted ? Json(place.cross_entropy) : Json()},
          {"probability", place.probability},
          {"likeliest", list_of(place.likeliest, [&](const LikelyToken& token) -> Json {
             return {{"id", token.id}, {"token", tokenizer.piece(token.id)}, {"probability", token.probability}};
           })}};
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
  const std::vector<TensorPlace>& places = explained.model.weights.tensors();
  return list(std::ssize(places), [&](Index index) -> Json {
    const auto i = static_cast<std::size_t>(index);
    return {{"name", places[i].name},
            {"shape", places[i].shape},
            {"norm", explanation.figures.front().gradient_norms[i]},
            {"values_norm", explanation.parameter_norms[i]}};
  });
}

Json memory_gradient(Index decoder_layers, const TraceSteps& steps) {
  return {{"sum", steps.computed("decoder", "d_memory")},
          {"parts", list(decoder_layers, [&](Index i) -> Json {
             const Index layer = decoder_layers - 1 - i;
             const std::string part = "decoder.layers." + std::to_string(layer) + ".encoder_attn.kv_proj";
             return {{"layer", layer}, {"tensor", steps.computed(part, "d_x")}};
           })}};
}

/// Losses or answers, null where padding is expected.
Json where_counted(const Explanation& explanation, const auto& losses_or_answers) {
  return list(losses_or_answers.rows(), [&](Index b) {
    return list(losses_or_answers.cols(), [&](Index t) {
      const Answer& place = explanation.answers[static_cast<std::size_t>(b)][static_cast<std::size_t>(t)];
      return place.counted ? Json(losses_or_answers(b, t)) : Json();
    });
  });
}

Json reasons(const std::vector<BlockReason>& reasons, MatrixForm form) {
  return list_of(reasons, [&](const BlockReason& reason) -> Json {
    return {{"name", reason.name},
            {"sentences", reason.mask.sentences},
            {"queries", reason.mask.queries},
            {"blocked", mask_json(reason.mask.blocked, form)}};
  });
}

Json what_if(const Explanation& explanation, const MaskVariant& variant, const PassFigures& figures, MatrixForm form) {
  const auto counted = [&](const auto& matrix) { return where_counted(explanation, matrix); };
  return {
      {"name", variant.name},
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
      {"losses", counted(figures.losses)},
      {"answers", counted(figures.answers)},
      {"alone", {{"losses", counted(figures.losses_alone)}, {"answers", counted(figures.answers_alone)}}},
      {"on_padding", list(figures.on_padding.rows(),
                          [&](Index b) -> Json {
                            const auto shares = figures.on_padding.row(b);
                            return {{"encoder self", shares(0)}, {"decoder self", shares(1)}, {"cross", shares(2)}};
                          })},
      {"attention", list_of(figures.attention,
                            [&](const Matrix<float>& weights) { return matrix_json(weights.cast<double>(), form); })},
      {"gradient_norms", figures.gradient_norms}};
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
      {"sentences",
       list_of(explanation.pairs,
               [](const ExplainedPair& pair) -> Json {
                 return {{"source", pair.source}, {"target", pair.target}, {"own_translation", pair.own_translation}};
               })},
      {"batch", batch(explained, explanation)},
      {"vocabulary",
       {{"source", vocabulary(*explained.tokenizers.source)}, {"target", vocabulary(*explained.tokenizers.target)}}},
      {"masks", masks(explanation, form)},
      {"tensors", steps.tensors(form, shown_ids(explained, explanation))},
      {"steps", steps.steps()},
      {"sources", steps.sources()},
      {"attention", attention(settings, steps)},
      {"answer", list_of(explanation.answers,
                         [&](const std::vector<Answer>& places) {
                           return list_of(places, [&](const Answer& place) {
                             return answer_at(place, *explained.tokenizers.target);
                           });
                         })},
      {"d_logits", steps.computed("loss", "d_logits")},
      {"loss", loss(explanation.figures.front().loss)},
      {"gradients", gradients(explained, explanation)},
      {"memory_gradient", memory_gradient(settings.decoder_layers, steps)},
      {"what_if", list(std::ssize(explanation.variants), [&](Index index) {
         const auto i = static_cast<std::size_t>(index);
         return what_if(explanation, explanation.variants[i], explanation.figures[i], form);
       })}};
}

}  // namespace glassformer
