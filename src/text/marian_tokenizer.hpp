#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "text/tokenizer.hpp"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace glassformer {

/// Keys of config.json for the sizes of two different vocabularies. vocab_size and decoder_vocab_size are then the size
/// of the larger one, to which the tables of the smaller one are padded (see save_checkpoint).
inline constexpr const char* kSourceVocabulary = "glassformer_source_vocabulary";
inline constexpr const char* kTargetVocabulary = "glassformer_target_vocabulary";

/// The tokenizer of a Hugging Face Marian model, such as those of OPUS-MT: SentencePiece cuts a sentence into pieces,
/// and a table beside it says which id a piece has. A piece that the table lacks is unknown. A sentence may begin with
/// the code of the language to translate into, ">>deu<<", which is a piece of its own.
///
/// Where decoding begins with the id of padding, as OPUS-MT has it, that id is bos here, and batches are padded with
/// kNoToken: what begins a sentence is no padding, and must not be masked.
class MarianTokenizer final : public Tokenizer {
 public:
  /// The directory of a Hugging Face model: source.spm, target.spm; vocab.json (and target_vocab.json unless `joint`);
  /// config.json, which has the special ids and the sizes of the vocabularies.
  /// \throws UserError: a missing or damaged file, ids that do not fit together
  static TokenizerPair load(const std::filesystem::path& directory, bool joint);

  ~MarianTokenizer() override;
  /// \throws UserError: the code of a language that the model does not have, though it has others
  std::vector<Id> encode(std::string_view sentence, double sampling = 0) const override;
  std::string decode(std::span<const Id> ids) const override;
  std::string piece(Id id) const override;
  Index vocabulary_size() const override { return static_cast<Index>(pieces_.size()); }
  SpecialIds special() const override { return special_; }
  std::map<std::string, Id> vocabulary() const override { return {ids_.begin(), ids_.end()}; }
  void save(const std::filesystem::path& directory, const std::string& name) const override;

 private:
  struct Files;
  explicit MarianTokenizer(const Files& files);
  void require_known(const std::string& code) const;

  std::string model_;  // the bytes of the .spm file
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
  std::vector<std::string> pieces_;             // [V] by id; "" where the table has none
  std::unordered_map<std::string, Id> ids_;
  SpecialIds special_;
};

}  // namespace glassformer
