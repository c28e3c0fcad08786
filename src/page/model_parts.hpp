#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "explanation/trace.hpp"

/// All that the page knows about the names of the model's parts, such as "decoder.layers.0.encoder_attn.kv_proj".
namespace glassformer {

/// What a layer's letters (N rows, M rows of keys, T queries, S keys, D, "in", "out") mean in this part of the model.
/// Letters that mean the same everywhere are left out.
std::map<std::string, std::string> letters_in(std::string_view part);

/// Whether the part reads the source's vocabulary. All others read the target's or none.
bool reads_source_vocabulary(std::string_view part);

/// The number, from 0, of the encoder or decoder layer that contains the part; empty if the part is in none.
std::optional<Index> layer_of(std::string_view part);

/// "encoder self", "decoder self" or "cross".
std::string attention_title(AttentionKind kind);
/// The part that computes "weights".
std::string attention_part(AttentionKind kind, Index layer);

/// The part of a decoder layer whose "d_x" is what the layer adds to the gradient of the memory.
std::string memory_part(Index layer);
bool is_memory_part(std::string_view part);

}  // namespace glassformer
