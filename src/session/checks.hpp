#pragma once

#include <span>
#include <string>

#include "glassformer/glassformer.hpp"

/// The checks of a session's arguments. Each throws std::invalid_argument if an argument is wrong.
namespace glassformer {

/// Throws std::invalid_argument, or ends the program if this was compiled without exceptions.
[[noreturn]] void refuse(const std::string& message);

/// Whether each setting is in its range and fits the others.
void check_settings(const SessionSettings& settings);
/// The same for a search.
void check_search(DecodingSettings search);
/// Whether all ids are in the vocabulary and none is `pad`, which the masks would hide and the loss would leave out.
/// `what` names the sentence in the message: "pairs[3].source".
void check_ids(std::span<const Id> sentence, Index vocabulary, Id pad, const std::string& what);
/// The same for all sentences of the pairs, and whether none is longer than dropout allows.
void check_pairs(const SessionSettings& settings, std::span<const SentencePair> pairs);
/// Whether the masks have the shape of this batch and contain only 0 and 1.
void check_masks(const TransformerMasks& masks, const Batch& batch);

}  // namespace glassformer
