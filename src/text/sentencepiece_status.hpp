#pragma once

#include <sentencepiece_processor.h>

#include <string>

#include "user_error.hpp"

/// What the tokenizers that stand on SentencePiece share.
namespace glassformer {

inline constexpr int kAllWays = -1;  ///< of a unigram model, sampling: not only the likeliest so many

/// \throws UserError: the library could not do `what`
inline void require_done(const auto& status, const std::string& what) {
  if (!status.ok()) throw UserError("SentencePiece cannot " + what + "; it says: " + status.ToString());
}

/// `model`: the bytes of a .model file; `origin`: its name. \throws UserError: no such model
inline void load_model(sentencepiece::SentencePieceProcessor& processor, const std::string& model,
                       const std::string& origin) {
  if (const auto status = processor.LoadFromSerializedProto(model); !status.ok()) {
    throw UserError(origin + ": expected a SentencePiece model, found something else or a damaged one; SentencePiece " +
                    "says: " + status.ToString());
  }
}

}  // namespace glassformer
