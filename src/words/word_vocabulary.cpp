#include "glassformer/words/word_vocabulary.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "glassformer/words/words.hpp"

namespace glassformer {

bool is_special_word(std::string_view word) { return std::ranges::find(kSpecialWords, word) != kSpecialWords.end(); }

WordVocabulary::WordVocabulary(std::vector<std::string> words) : words_(std::move(words)) {
  for (std::size_t id = kSpecialWords.size(); id < words_.size(); ++id) {
    ids_.emplace(words_[id], static_cast<Id>(id));
  }
}

std::vector<Id> WordVocabulary::encode(std::string_view sentence) const {
  std::vector<Id> ids;
  for (const std::string_view word : split_words(sentence)) {
    const auto known = ids_.find(word);
    ids.push_back(known != ids_.end() ? known->second : special().unk);
  }
  return ids;
}

std::string WordVocabulary::decode(std::span<const Id> ids) const {
  const SpecialIds skipped = special();
  std::string sentence;
  for (const Id id : ids) {
    if (id != skipped.pad && id != skipped.bos && id != skipped.eos) {
      sentence += (sentence.empty() ? "" : " ") + piece(id);
    }
  }
  return sentence;
}

std::string WordVocabulary::piece(Id id) const {
  assert(id >= 0 && id < vocabulary_size());
  return words_[static_cast<std::size_t>(id)];
}

std::vector<std::string> WordVocabulary::unknown(std::string_view sentence) const {
  std::vector<std::string> words;
  for (const std::string_view word : split_words(sentence)) {
    if (!ids_.contains(word)) {
      words.emplace_back(word);
    }
  }
  return words;
}

}  // namespace glassformer
