#include "glassformer/page/what_if_json.hpp"

#include "glassformer/page/answer_json.hpp"
#include "glassformer/page/attention_title.hpp"
#include "glassformer/page/json_list.hpp"

namespace glassformer {
namespace {

using Json = nlohmann::ordered_json;

Json reasons_json(const std::vector<BlockReason>& reasons, MatrixForm form) {
  return json_list(reasons, [&](const BlockReason& reason) -> Json {
    return {{"name", reason.name},
            {"sentences", reason.mask.sentences},
            {"queries", reason.mask.queries},
            {"blocked", mask_json(reason.mask.blocked, form)}};
  });
}

Json for_each_mask(const auto& masks, const auto& item) {
  return {{"encoder_padding", item(masks.encoder_padding)},
          {"decoder_combined", item(masks.decoder_combined)},
          {"cross_padding", item(masks.cross_padding)}};
}

/// By kind of attention. See ExplainedVariant::on_padding.
Json on_padding_json(const std::array<double, 3>& means) {
  Json by_kind = Json::object();
  for (const AttentionKind kind : {AttentionKind::encoder_self, AttentionKind::decoder_self, AttentionKind::cross}) {
    by_kind[attention_title(kind)] = means[static_cast<std::size_t>(kind)];
  }
  return by_kind;
}

}  // namespace

Json what_if_json(const ExplainedVariant& variant, MatrixForm form) {
  const Trace& trace = variant.trace;
  Json json{{"name", variant.name},
            {"title", variant.title},
            {"says", variant.says},
            {"changed", variant.changed},
            {"masks", for_each_mask(variant.masks, [&](const Mask& mask) { return mask_json(mask.blocked, form); })},
            {"reasons", for_each_mask(variant.reasons, [&](const auto& some) { return reasons_json(some, form); })},
            {"loss", loss_json(trace.loss)}};
  json.update(losses_and_answers_json(trace.answers));
  json["alone"] = losses_and_answers_json(variant.alone);
  json["on_padding"] = json_list(variant.on_padding, on_padding_json);
  json["attention"] =
      json_list(trace.attention, [&](const AttentionWeights& one) { return matrix_json(one.weights, form); });
  json["gradient_norms"] = trace.gradient_norms;
  return json;
}

}  // namespace glassformer
