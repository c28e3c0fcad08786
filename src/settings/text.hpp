#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "glassformer/numerics/matrix.hpp"
#include "glassformer/numerics/random.hpp"
#include "glassformer/schema/setting.hpp"

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

/// Lists the fields: see schema/setting.hpp.
void for_each_setting(DataSettings& data, const auto& visit) {
  visit("directory", "directory with the text files, NAME.LANGUAGE; relative to this file", data.directory);
  visit("source_language", "file extension of the source language, as in train.en", data.source_language);
  visit("target_language", "file extension of the target language, as in train.de", data.target_language);
  visit("train", "NAME of the training text", data.train);
  visit("valid", "NAME of the validation text; \"\": none, so no checkpoint is the best", data.valid, Empty::allowed);
  visit("tests", "NAMEs of the test texts; may be empty", data.tests);
  visit("max_length", "tokens; training leaves out pairs that are longer on either side", data.max_length, 1,
        kMostPositions - 1);
}

/// How text is split: at white space, into subwords, or as a Hugging Face Marian model does.
enum class TokenizerKind { word, sentencepiece, marian };
inline constexpr std::array kTokenizerKindNames = {"word", "sentencepiece", "marian"};  ///< in the order of the enum
/// How subwords are learned: byte pair encoding (Sennrich et al. 2016), or a unigram model (Kudo 2018).
enum class SentencePieceModel { bpe, unigram };
inline constexpr std::array kSentencePieceModelNames = {"bpe", "unigram"};  ///< in the order of the enum
/// What SentencePiece does to a text before it splits it, by the names of spm_train's normalization rules. nfkc:
/// Unicode's NFKC; nmt_nfkc: also turns control and zero-width characters (tabs and U+200C among them) into spaces, or
/// drops them; _cf: also folds case; identity: keeps every character. All of them collapse runs of spaces, and strip
/// spaces at both ends. Except with nmt_nfkc and nmt_nfkc_cf, a tab becomes unk: the library allows none in a piece.
enum class Normalization { nmt_nfkc, nfkc, nmt_nfkc_cf, nfkc_cf, identity };
/// In the order of the enum.
inline constexpr std::array kNormalizationNames = {"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"};

inline constexpr Index kLeastVocabulary = 5;          ///< four special ids and a piece
inline constexpr Index kMostVocabulary = 10'000'000;  ///< the sizes of vocabularies
/// What character_coverage accepts.
inline constexpr Range kCoverage{"a number from 0.98 to 1", [](double x) { return x >= 0.98 && x <= 1; }};

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

/// Lists the fields: see schema/setting.hpp.
void for_each_setting(TokenizerSettings& tokenizer, const auto& visit) {
  visit("kind", "word (split at white space) | sentencepiece | marian (needs model.from)", tokenizer.kind,
        kTokenizerKindNames);
  visit("joint", "true: one vocabulary for both languages; false: one for each", tokenizer.joint);
  visit("vocabulary_size", "special tokens included; word: an upper limit", tokenizer.vocabulary_size, kLeastVocabulary,
        kMostVocabulary);
  visit("source_vocabulary_size", "size for the source alone, if not joint; 0: as vocabulary_size",
        tokenizer.source_vocabulary_size, 0, kMostVocabulary);
  visit("target_vocabulary_size", "the same for the target", tokenizer.target_vocabulary_size, 0, kMostVocabulary);
  visit("min_frequency", "word only: words that occur less often become unk", tokenizer.min_frequency, 1, kMany);
  visit("model", "sentencepiece only: " + choices(kSentencePieceModelNames), tokenizer.model, kSentencePieceModelNames);
  visit("normalization", "sentencepiece: " + choices(kNormalizationNames), tokenizer.normalization,
        kNormalizationNames);
  visit("character_coverage", "sentencepiece: share of characters that get a piece, 0.98 to 1",
        tokenizer.character_coverage, kCoverage);
  visit("source_model", "sentencepiece: use this .model file; \"\": train one", tokenizer.source_model, Empty::allowed);
  visit("target_model", "the same for the target; leave it \"\" if joint", tokenizer.target_model, Empty::allowed);
}

}  // namespace glassformer
