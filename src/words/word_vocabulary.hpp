#pragma once

#include <array>
#include <unordered_map>

#include "glassformer/words/vocabulary.hpp"

namespace glassformer {

inline constexpr std::array<std::string_view, 4> kSpecialWords = {"<pad>", "<s>", "</s>", "<unk>"};  ///< ids 0 to 3

/// Whether it is one of these four.
bool is_special_word(std::string_view word);

/// A vocabulary of words between white space. Its ids: `<pad>` 0, `<s>` 1, `</s>` 2, `<unk>` 3, then the words. A word
/// that is not in the vocabulary, or is spelled like one of these four, becomes `<unk>`.
class WordVocabulary final : public Vocabulary {
 public:
  /// \param words  by id, the four special words first
  explicit WordVocabulary(std::vector<std::string> words);
  WordVocabulary(const WordVocabulary&) = delete;  // ids_ refers to words_
  WordVocabulary& operator=(const WordVocabulary&) = delete;

  std::vector<Id> encode(std::string_view sentence) const override;
  std::string decode(std::span<const Id> ids) const override;
  std::vector<std::string> unknown(std::string_view sentence) const override;
  std::string piece(Id id) const override;
  Index vocabulary_size() const override { return std::ssize(words_); }
  SpecialIds special() const override { return {}; }

  const std::vector<std::string>& words() const { return words_; }
  bool has_word_twice() const { return ids_.size() + kSpecialWords.size() != words_.size(); }

 private:
  const std::vector<std::string> words_;          // [V]
  std::unordered_map<std::string_view, Id> ids_;  // of all but the special words
};

}  // namespace glassformer
