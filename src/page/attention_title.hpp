#pragma once

#include <cstddef>

#include "glassformer/recording/trace.hpp"

namespace glassformer {

/// "encoder self", "decoder self" or "cross", as the page calls the kinds of attention.
inline const char* attention_title(AttentionKind kind) {
  constexpr const char* kTitles[] = {"encoder self", "decoder self", "cross"};  // in the order of AttentionKind
  return kTitles[static_cast<std::size_t>(kind)];
}

}  // namespace glassformer
