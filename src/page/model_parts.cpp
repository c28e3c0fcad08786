#include "page/model_parts.hpp"

#include <charconv>

namespace glassformer {
namespace {

constexpr std::string_view kLayers = ".layers.";
constexpr std::string_view kMemoryProjection = ".encoder_attn.kv_proj";

std::string layer_name(const std::string& side, Index layer) {
  return side + std::string(kLayers) + std::to_string(layer);
}

}  // namespace

std::map<std::string, std::string> letters_in(std::string_view part) {
  const bool encoder = part.starts_with("encoder");
  const bool decoder_self = !encoder && part.find(".self_attn") != std::string_view::npos;
  const std::string queries = encoder ? "S" : "T";
  const std::string keys = decoder_self ? "T" : "S";
  std::map<std::string, std::string> letters{{"N", "B*" + queries}, {"M", "B*" + keys}, {"T", queries},
                                             {"S", keys},           {"in", "D"},        {"out", "D"}};
  if (part.ends_with("kv_proj")) {  // also qkv_proj: in self-attention, queries and keys are the same rows
    letters["N"] = "B*" + keys;
    letters["out"] = part.ends_with("qkv_proj") ? "3D" : "2D";
  }
  if (part.ends_with("fc1")) {
    letters["out"] = "F";
  }
  if (part.ends_with("fc2")) {
    letters["in"] = "F";
  }
  if (part.ends_with("output")) {
    letters["out"] = "V";
  }
  if (part.ends_with("feed_forward.dropout")) {
    letters["D"] = "F";
  }
  if (part.ends_with("attn.dropout")) {  // on attention weights
    letters["N"] = "B*H*" + queries;
    letters["D"] = keys;
  }
  return letters;
}

bool reads_source_vocabulary(std::string_view part) { return part.starts_with("encoder"); }

std::optional<Index> layer_of(std::string_view part) {
  const auto at = part.find(kLayers);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  Index layer = 0;
  std::from_chars(part.data() + at + kLayers.size(), part.data() + part.size(), layer);
  return layer;
}

std::string attention_title(AttentionKind kind) {
  constexpr const char* kTitles[] = {"encoder self", "decoder self", "cross"};  // in the order of AttentionKind
  return kTitles[static_cast<std::size_t>(kind)];
}

std::string attention_part(AttentionKind kind, Index layer) {
  return layer_name(kind == AttentionKind::encoder_self ? "encoder" : "decoder", layer) +
         (kind == AttentionKind::cross ? ".encoder_attn" : ".self_attn");
}

std::string memory_part(Index layer) { return layer_name("decoder", layer) + std::string(kMemoryProjection); }

bool is_memory_part(std::string_view part) { return part.ends_with(kMemoryProjection); }

}  // namespace glassformer
