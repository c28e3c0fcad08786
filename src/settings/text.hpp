#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "numerics/matrix.hpp"

namespace glassformer {

/// Parallel text: directory/NAME.LANGUAGE. Line i of one file translates line i of the other.
struct DataSettings {
  std::filesystem::path directory;
  std::string source_language;  ///< extension of the source files, for example en
  std::string target_language;
  std::string train = "train";     ///< a NAME
  std::string valid = "valid";     ///< a NAME; empty: there is no validation text
  std::vector<std::string> tests;  ///< NAMEs; may be empty
  Index max_length = 100;          ///< pairs with more tokens on one side (eos not counted) are not trained on

  std::filesystem::path source_file(const std::string& name) const {
    return directory / (name + "." + source_language);
  }
  std::filesystem::path target_file(const std::string& name) const {
    return directory / (name + "." + target_language);
  }
  bool operator==(const DataSettings&) const = default;
};

/// How text is split: at white space, into subwords, or as a Hugging Face Marian model does.
enum class TokenizerKind { word, sentencepiece, marian };
/// How subwords are learned: byte pair encoding (Sennrich et al. 2016), or a unigram model (Kudo 2018).
enum class SentencePieceModel { bpe, unigram };
/// What SentencePiece does to a text before it splits it, by the names of spm_train's normalization rules. nfkc:
/// Unicode's NFKC; nmt_nfkc: also turns control and zero-width characters (tabs and U+200C among them) into spaces, or
/// drops them; _cf: also folds case; identity: keeps every character. All of them collapse runs of spaces, and strip
/// spaces at both ends. Except with nmt_nfkc and nmt_nfkc_cf, a tab becomes unk: the library allows none in a piece.
enum class Normalization { nmt_nfkc, nfkc, nmt_nfkc_cf, nfkc_cf, identity };

struct TokenizerSettings {
  TokenizerKind kind = TokenizerKind::word;
  bool joint = false;                ///< one vocabulary for both languages
  Index vocabulary_size = 8000;      ///< special ids included; word: the maximum, most frequent words first
  Index source_vocabulary_size = 0;  ///< of the source alone (joint: leave 0); 0: vocabulary_size
  Index target_vocabulary_size = 0;  ///< the same for the target
  Index min_frequency = 1;           ///< word: rarer words become unk
  SentencePieceModel model = SentencePieceModel::bpe;     ///< sentencepiece: what to train
  Normalization normalization = Normalization::nmt_nfkc;  ///< sentencepiece
  double character_coverage = 1.0;     ///< sentencepiece: share of the text's characters that get a piece; rarer: unk
  std::filesystem::path source_model;  ///< sentencepiece: an existing .model file; empty: train one
  std::filesystem::path target_model;  ///< the same for the target (joint: leave empty)

  bool operator==(const TokenizerSettings&) const = default;
};

}  // namespace glassformer
