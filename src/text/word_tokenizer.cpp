#include <algorithm>
#include <array>
#include <cassert>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "files/json_file.hpp"
#include "files/suggestion.hpp"
#include "files/utf8.hpp"
#include "text/sentencepiece.hpp"
#include "text/tokenizer.hpp"

namespace glassformer {
namespace {

constexpr std::array<std::string_view, 4> kSpecialWords = {"<pad>", "<s>", "</s>", "<unk>"};  // ids 0 to 3

constexpr std::string_view kSpaceBefore = "\u2581";  // starts a word in SentencePiece

bool is_special(std::string_view word) { return std::ranges::find(kSpecialWords, word) != kSpecialWords.end(); }

std::filesystem::path vocabulary_file(const std::filesystem::path& directory, const std::string& name) {
  return directory / (name + ".vocab.json");
}

/// The bytes of a SentencePiece model of type "word" with these words, for other tools. It merges adjacent unknown
/// words into one, and words that contain U+2581 or U+2585 are unknown to it. The library cannot learn from nothing, so
/// the first word is always a full stop.
std::string sentencepiece_model_of_words(std::span<const std::string> words) {
  std::size_t given = 0;
  const auto next = [&](std::string& word) {
    if (given > words.size()) return false;
    word = given == 0 ? "." : words[given - 1];
    ++given;
    return true;
  };
  const auto [model, status] = SentencePieces::train({{"model_type", "word"},
                                                      {"vocab_size", std::to_string(words.size() + 5)},
                                                      {"hard_vocab_limit", "false"},
                                                      {"normalization_rule_name", "identity"}},
                                                     next);
  SentencePieces::require_ok(status, "make a word model");
  return model;
}

class WordTokenizer final : public Tokenizer {
 public:
  explicit WordTokenizer(std::vector<std::string> words) : words_(std::move(words)) {
    for (std::size_t id = kSpecialWords.size(); id < words_.size(); ++id) ids_.emplace(words_[id], static_cast<Id>(id));
  }

  std::vector<Id> encode(std::string_view sentence) const override {
    std::vector<Id> ids;
    for (const std::string_view word : split_words(sentence)) {
      const auto known = ids_.find(word);
      ids.push_back(known != ids_.end() ? known->second : special().unk);
    }
    return ids;
  }

  std::string decode(std::span<const Id> ids) const override {
    std::string sentence;
    for (const Id id : without_special(ids)) sentence += (sentence.empty() ? "" : " ") + piece(id);
    return sentence;
  }

  std::string piece(Id id) const override {
    assert(id >= 0 && id < vocabulary_size());
    return words_[static_cast<std::size_t>(id)];
  }

  std::map<std::string, Id> vocabulary() const override {
    std::map<std::string, Id> vocabulary;
    for (Id id = 0; id < vocabulary_size(); ++id)
      vocabulary.emplace(std::string(is_special(piece(id)) ? "" : kSpaceBefore) + piece(id), id);
    return vocabulary;
  }

  Index vocabulary_size() const override { return std::ssize(words_); }
  SpecialIds special() const override { return {}; }

  void save(const std::filesystem::path& directory, const std::string& name) const override {
    write_file_durably(vocabulary_file(directory, name), nlohmann::json(words_).dump(1) + "\n");  // one word per line
    const auto words = std::span(words_).subspan(kSpecialWords.size());
    write_file_durably(directory / (name + ".spm"), sentencepiece_model_of_words(words));
  }

  bool has_word_twice() const { return ids_.size() + kSpecialWords.size() != words_.size(); }

 private:
  const std::vector<std::string> words_;          // [V] by id, the four special words first
  std::unordered_map<std::string_view, Id> ids_;  // of all but the special words
};

}  // namespace

std::shared_ptr<const Tokenizer> learn_words(const TokenizerSettings& settings, const TextFiles& texts) {
  std::unordered_map<std::string, Index> counts;
  for (const std::filesystem::path& text : texts) {
    LineReader reader(text);
    for (std::string line; reader.next(line);)
      for (const std::string_view word : split_words(line)) ++counts[std::string(word)];
  }
  std::erase_if(counts, [](const auto& entry) { return is_special(entry.first); });
  if (counts.empty())
    throw UserError(texts.front().string() + ": expected text, one sentence per line, found no words; add text");
  std::erase_if(counts, [&](const auto& entry) { return entry.second < settings.min_frequency; });
  if (counts.empty())
    throw UserError(texts.front().string() + ": expected a word that occurs at least " +
                    std::to_string(settings.min_frequency) +
                    " times (tokenizer.min_frequency), found none; lower min_frequency or add text");
  std::vector<std::pair<std::string, Index>> by_frequency(counts.begin(), counts.end());
  std::ranges::sort(by_frequency, {}, [](auto& word) { return std::pair(-word.second, std::string_view(word.first)); });

  std::vector<std::string> words(kSpecialWords.begin(), kSpecialWords.end());
  const auto most = static_cast<std::size_t>(settings.vocabulary_size);
  for (auto& [word, count] : by_frequency)
    if (words.size() < most) words.push_back(std::move(word));
  return std::make_shared<const WordTokenizer>(std::move(words));
}

std::shared_ptr<const Tokenizer> load_words(const std::filesystem::path& directory, const std::string& name) {
  const std::filesystem::path file = vocabulary_file(directory, name);
  const nlohmann::json list = parse_json(read_checkpoint_file(file, kLongestTable), file.string());
  const auto damaged = [&](const std::string& found) {
    return UserError(file.string() + ": expected a JSON list of distinct words that begins with <pad>, <s>, </s>, " +
                     "<unk>, found " + found + "; copy the file again from where the model was trained");
  };

  std::vector<std::string> words;
  try {
    words = list.get<std::vector<std::string>>();
  } catch (const nlohmann::json::exception&) {
    throw damaged("other JSON");
  }
  if (words.size() < kSpecialWords.size() || !std::equal(kSpecialWords.begin(), kSpecialWords.end(), words.begin()))
    throw damaged("a different beginning");
  for (const std::string& word : words)  // a line break would give two lines of output for one of input
    if (split_words(word) != std::vector<std::string_view>{word}) throw damaged("the word \"" + brief(word) + "\"");
  auto tokenizer = std::make_shared<const WordTokenizer>(std::move(words));
  if (tokenizer->has_word_twice()) throw damaged("a word twice");
  return tokenizer;
}

}  // namespace glassformer
