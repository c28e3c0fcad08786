#pragma once

#include <memory>
#include <string>
#include <vector>

#include "text/tokenizer.hpp"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace glassformer {

/// Pieces of words, learned from text by the SentencePiece library (Kudo & Richardson 2018): byte pair encoding
/// (Sennrich et al. 2016) or a unigram language model (Kudo 2018). White space is part of a piece (shown as ▁),
/// so that decoding gives back the sentence. Before anything else the library normalises the text by its
/// default rule nmt_nfkc: Unicode's NFKC, and runs of white space become one space.
class SentencePieceTokenizer final : public Tokenizer {
 public:
  ~SentencePieceTokenizer() override;

  /// Trains on all `texts` together, with ids pad 0, bos 1, eos 2, unk 3.
  /// \throws UserError: unreadable text, a vocabulary larger or smaller than the text allows
  static std::shared_ptr<const Tokenizer> train(const TokenizerSettings& settings,
                                                const std::vector<std::filesystem::path>& texts);
  /// Reads a .model file, with whichever special ids it was trained.
  /// \throws UserError: missing or damaged file, a model without pad, bos or eos
  static std::shared_ptr<const Tokenizer> read(const std::filesystem::path& model_file);
  /// Reads directory/NAME.spm.
  static std::shared_ptr<const Tokenizer> load(const std::filesystem::path& directory, const std::string& name);

  std::vector<Id> encode(std::string_view sentence, double sampling = 0) const override;
  std::string decode(std::span<const Id> ids) const override;
  std::string piece(Id id) const override;
  Index vocabulary_size() const override;
  SpecialIds special() const override { return special_; }
  /// Writes directory/NAME.spm, which is an ordinary .model file under the name that Hugging Face's Marian
  /// expects.
  void save(const std::filesystem::path& directory, const std::string& name) const override;

 private:
  SentencePieceTokenizer(std::string model, const std::string& origin);

  std::string model_;  // the bytes of the .model file
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
  SpecialIds special_;
};

}  // namespace glassformer
