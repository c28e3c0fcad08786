#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "text/tokenizer.hpp"

namespace glassformer {

/// Words as white space (Unicode's, so U+00A0 and U+3000 too) separates them. Simple to look at, which is what
/// the lessons need; a word that the training text lacks becomes `<unk>`.
///
/// Ids: `<pad>` 0, `<s>` 1, `</s>` 2, `<unk>` 3, then the words, the most frequent first, equally frequent ones in the
/// order of their bytes. A word of the text that is spelled like one of the four is unknown: text cannot name
/// them.
class WordTokenizer final : public Tokenizer {
 public:
  /// Counts the words of all `texts` together.
  /// \throws UserError: unreadable text, no word left to learn
  static std::shared_ptr<const Tokenizer> learn(const TokenizerSettings& settings,
                                                const std::vector<std::filesystem::path>& texts);
  /// Reads directory/NAME.vocab.json. \throws UserError: missing or damaged file
  static std::shared_ptr<const Tokenizer> load(const std::filesystem::path& directory, const std::string& name);

  std::vector<Id> encode(std::string_view sentence, double sampling = 0) const override;
  std::string decode(std::span<const Id> ids) const override;
  std::string piece(Id id) const override;
  std::map<std::string, Id> vocabulary() const override;
  Index vocabulary_size() const override { return static_cast<Index>(words_.size()); }
  SpecialIds special() const override { return {}; }
  /// Writes directory/NAME.vocab.json: a list of the words, in the order of their ids; and for other tools NAME.spm, a
  /// SentencePiece model that cuts at white space.
  void save(const std::filesystem::path& directory, const std::string& name) const override;

 private:
  explicit WordTokenizer(std::vector<std::string> words);

  struct Hash {
    using is_transparent = void;  // a string_view can be looked up without a copy
    std::size_t operator()(std::string_view word) const { return std::hash<std::string_view>{}(word); }
  };

  std::vector<std::string> words_;                                  // [V] by id, the four specials first
  std::unordered_map<std::string, Id, Hash, std::equal_to<>> ids_;  // of the words that text can name
};

}  // namespace glassformer
