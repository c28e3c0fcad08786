#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "glassformer/batching/sentence_pairs.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/model/settings.hpp"
#include "glassformer/settings/text.hpp"
#include "glassformer/words/vocabulary.hpp"

namespace glassformer {

/// Something the user should know, in one line.
struct Remark {
  bool is_warning;  ///< the result may be wrong or worse; false: for information
  std::string text;
};

/// A vocabulary that is learned from files and saved with a model.
class Tokenizer : public Vocabulary {
 public:
  /// The id of each piece. Pieces are spelled as in SentencePiece and in Hugging Face's Marian tokenizers.
  virtual std::map<std::string, Id> vocabulary() const;
  /// The codes of target languages with which a sentence may begin, such as ">>deu<<"; none for most models.
  virtual std::span<const std::string> language_codes() const { return {}; }
  /// Writes the tokenizer into `directory`, where load_tokenizers finds it by `name`.
  virtual void save(const std::filesystem::path& directory, const std::string& name) const = 0;

  std::vector<Remark> remarks;  ///< about how it was made; none if it was loaded

 protected:
  std::vector<Id> without_special(std::span<const Id> ids) const;  ///< without pad, bos and eos
};

/// The tokenizers of both languages; the same one if the vocabulary is joint.
struct TokenizerPair {
  std::shared_ptr<const Tokenizer> source, target;

  operator VocabularyPair() const { return {source.get(), target.get()}; }  // NOLINT(google-explicit-constructor)
};

/// Sizes and padding ids, as the model needs them.
inline VocabularyShape vocabulary_shape(const TokenizerPair& tokenizers) {
  const Tokenizer& source = *tokenizers.source;
  const Tokenizer& target = *tokenizers.target;
  return {source.vocabulary_size(), target.vocabulary_size(), {source.special(), target.special()}};
}

/// A key of the config does not fit the text. The message begins with the key; whoever knows the config file puts it in
/// front.
struct TokenizerKeyError : UserError {
  using UserError::UserError;
};

/// Learns the vocabularies from the training text, or reads the .model files that the settings name.
/// \pre the settings obey the rules of read_config
/// \throws TokenizerKeyError: a vocabulary larger or smaller than the text allows, TokenizerKind::marian
/// \throws UserError: a missing or unusable file
TokenizerPair make_tokenizers(const TokenizerSettings& settings, const std::filesystem::path& source_text,
                              const std::filesystem::path& target_text);

/// Writes what load_tokenizers and transformers.MarianTokenizer read: source.spm, target.spm, vocab.json, and
/// target_vocab.json if there are two vocabularies. \throws as throw_disk_error() does
void save_tokenizers(const TokenizerSettings& settings, const TokenizerPair& tokenizers,
                     const std::filesystem::path& directory);
/// Reads what save_tokenizers wrote. \throws UserError: missing or damaged files
TokenizerPair load_tokenizers(const TokenizerSettings& settings, const std::filesystem::path& directory);

// The three kinds of tokenizers. All functions throw UserError if a file is missing or damaged.

using TextFiles = std::vector<std::filesystem::path>;  ///< one sentence per line

/// What a vocabulary is learned from, and how large it may become.
struct VocabularyPlan {
  TextFiles texts;
  Index size;            ///< special ids included
  std::string key;       ///< the key that sets the size
  std::string side_key;  ///< the key that would set the size of this side alone; "" if the vocabulary is joint
};

/// Learns the words of all texts of the plan, split at Unicode white space. Ids: `<pad>` 0, `<s>` 1, `</s>` 2, `<unk>`
/// 3, then the words, most frequent first, ties in byte order. A word that is not in the training text, or is spelled
/// like one of these four, becomes `<unk>`.
///
/// The tokenizer is saved as NAME.vocab.json, a list of the words in the order of their ids. For other tools, it is
/// also saved as NAME.spm, a SentencePiece model that splits at white space. \throws UserError: no word left to learn
std::shared_ptr<const Tokenizer> learn_words(const TokenizerSettings& settings, const VocabularyPlan& plan);
/// Reads directory/NAME.vocab.json.
std::shared_ptr<const Tokenizer> load_words(const std::filesystem::path& directory, const std::string& name);

/// Learns subwords from all texts of the plan with the SentencePiece library (Kudo & Richardson 2018). White space is
/// part of a piece (shown as ▁). The library first normalizes text by settings.normalization, so decode() returns the
/// normalized sentence; in any case, runs of spaces become one space, and U+2581 becomes a space. Ids: pad 0, bos 1,
/// eos 2, unk 3. The tokenizer is saved as NAME.spm, an ordinary .model file with the name that Hugging Face's Marian
/// expects. Adds a remark if part of the text was not learned from. \throws UserError: a vocabulary larger or smaller
/// than the text allows
std::shared_ptr<const Tokenizer> train_sentencepiece(const TokenizerSettings& settings, const VocabularyPlan& plan);
/// Reads a .model file, trained with any special ids. \throws UserError: a model without pad, bos or eos
std::shared_ptr<const Tokenizer> read_sentencepiece(const std::filesystem::path& model_file);
/// The same for a model that another program has trained: if pad, bos or eos is missing, adds it as the last piece,
/// and a remark.
std::shared_ptr<const Tokenizer> adopt_sentencepiece(const std::filesystem::path& model_file);

/// The tokenizers of a Hugging Face Marian model, such as OPUS-MT's: SentencePiece splits a sentence into pieces, and a
/// table gives their ids. A sentence may begin with the code of its target language, such as ">>deu<<", which is a
/// single piece. If the model has codes, encode() rejects any other code.
///
/// OPUS-MT starts decoding with the padding id. That id then serves as bos, which must not be masked, and batches are
/// padded with kNoToken.
///
/// The directory contains source.spm, target.spm; vocab.json (and target_vocab.json unless `joint`); config.json with
/// the special ids and the vocabulary sizes. \throws UserError: ids that do not fit together
TokenizerPair load_marian_tokenizers(const std::filesystem::path& directory, bool joint);

/// Keys of config.json for two vocabularies of different sizes. vocab_size and decoder_vocab_size are then the larger
/// size, and the tables of the smaller vocabulary are padded to it (see save_checkpoint).
inline constexpr const char* kSourceVocabulary = "glassformer_source_vocabulary";
inline constexpr const char* kTargetVocabulary = "glassformer_target_vocabulary";

}  // namespace glassformer
