#pragma once

#include <sentencepiece_processor.h>

#include <string>
#include <string_view>
#include <vector>

#include "files/user_error.hpp"

/// What the tokenizers that use SentencePiece share.
namespace glassformer {

/// \throws UserError: the library could not do `what`
inline void require_done(const auto& status, const std::string& what) {
  if (!status.ok()) throw UserError("SentencePiece cannot " + what + "; it says: " + status.ToString());
}

/// The sentence in pieces: as ids (Piece = int) or as text (std::string). `sampling`: see Tokenizer::encode.
template <class Piece>
std::vector<Piece> cut(const sentencepiece::SentencePieceProcessor& processor, std::string_view sentence,
                       double sampling) {
  constexpr int kAllWays = -1;  // a unigram model draws from all ways to cut, not only from the likeliest few
  const std::string text(sentence);
  std::vector<Piece> pieces;
  require_done(sampling > 0 ? processor.SampleEncode(text, kAllWays, static_cast<float>(sampling), &pieces)
                            : processor.Encode(text, &pieces),
               "encode a sentence");
  return pieces;
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
