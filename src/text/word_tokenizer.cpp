#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <nlohmann/json.hpp>
#include <numeric>
#include <unordered_map>

#include "glassformer/files/json_file.hpp"
#include "glassformer/files/lines.hpp"
#include "glassformer/files/suggestion.hpp"
#include "glassformer/files/utf8.hpp"
#include "glassformer/text/sentencepiece.hpp"
#include "glassformer/text/tokenizer.hpp"

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
    if (given > words.size()) {
      return false;
    }
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
    for (std::size_t id = kSpecialWords.size(); id < words_.size(); ++id) {
      ids_.emplace(words_[id], static_cast<Id>(id));
    }
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
    for (const Id id : without_special(ids)) {
      sentence += (sentence.empty() ? "" : " ") + piece(id);
    }
    return sentence;
  }

  std::string piece(Id id) const override {
    assert(id >= 0 && id < vocabulary_size());
    return words_[static_cast<std::size_t>(id)];
  }

  std::vector<std::string> unknown(std::string_view sentence) const override {
    std::vector<std::string> words;
    for (const std::string_view word : split_words(sentence)) {
      if (!ids_.contains(word)) {
        words.emplace_back(word);
      }
    }
    return words;
  }

  std::map<std::string, Id> vocabulary() const override {
    std::map<std::string, Id> vocabulary;
    for (Id id = 0; id < vocabulary_size(); ++id) {
      vocabulary.emplace(std::string(is_special(piece(id)) ? "" : kSpaceBefore) + piece(id), id);
    }
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

using WordCounts = std::unordered_map<std::string, Index>;
using WordCount = std::pair<std::string, Index>;

/// How often each word occurs. The special words do not count.
WordCounts count_words(const TextFiles& texts) {
  WordCounts counts;
  for (const std::filesystem::path& text : texts) {
    LineReader reader(text);
    for (std::string line; reader.next(line);) {
      for (const std::string_view word : split_words(line)) {
        ++counts[std::string(word)];
      }
    }
  }
  std::erase_if(counts, [](const auto& entry) { return is_special(entry.first); });
  return counts;
}

/// `frequent`: how many words are frequent enough; `kept`: those of them for which there was room.
std::string what_is_left_out(const TokenizerSettings& settings, const VocabularyPlan& plan, const WordCounts& counts,
                             std::size_t frequent, std::span<const WordCount> kept) {
  const auto sum = [](Index total, const auto& word) { return total + word.second; };
  const auto all = static_cast<double>(std::accumulate(counts.begin(), counts.end(), Index{0}, sum));
  const auto known = static_cast<double>(std::accumulate(kept.begin(), kept.end(), Index{0}, sum));
  std::string text = fmt::format(
      "{}: the vocabulary has {} of {} words; the others become unk, which is {:.2f}% of the text "
      "({} because of tokenizer.min_frequency: {}",
      plan.texts.front().string(), kept.size(), counts.size(), 100 * (1 - known / all), counts.size() - frequent,
      settings.min_frequency);
  return text + fmt::format(", {} because of {}: {})", frequent - kept.size(), plan.key, plan.size);
}

}  // namespace

std::shared_ptr<const Tokenizer> learn_words(const TokenizerSettings& settings, const VocabularyPlan& plan) {
  const WordCounts counts = count_words(plan.texts);
  const std::string first_text = plan.texts.front().string();
  if (counts.empty()) {
    throw UserError(first_text + ": this file has no words; it needs text, one sentence per line");
  }
  std::vector<WordCount> by_frequency(counts.begin(), counts.end());
  std::erase_if(by_frequency, [&](const WordCount& word) { return word.second < settings.min_frequency; });
  if (by_frequency.empty()) {
    throw UserError(first_text + ": no word occurs " + std::to_string(settings.min_frequency) +
                    " times or more (tokenizer.min_frequency); lower min_frequency or add text");
  }
  std::ranges::sort(by_frequency, {}, [](auto& word) { return std::pair(-word.second, std::string_view(word.first)); });
  const std::size_t frequent = by_frequency.size();
  const std::size_t most = static_cast<std::size_t>(plan.size) - kSpecialWords.size();
  if (frequent > most) {
    by_frequency.resize(most);
  }
  std::vector<Remark> remarks;
  if (by_frequency.size() < counts.size()) {
    remarks.push_back({false, what_is_left_out(settings, plan, counts, frequent, by_frequency)});
  }

  std::vector<std::string> words(kSpecialWords.begin(), kSpecialWords.end());
  for (auto& [word, count] : by_frequency) {
    words.push_back(std::move(word));
  }
  auto tokenizer = std::make_shared<WordTokenizer>(std::move(words));
  tokenizer->remarks = std::move(remarks);
  return tokenizer;
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
  if (words.size() < kSpecialWords.size() || !std::equal(kSpecialWords.begin(), kSpecialWords.end(), words.begin())) {
    throw damaged("a different beginning");
  }
  for (const std::string& word : words) {  // a line break would give two lines of output for one of input
    if (split_words(word) != std::vector<std::string_view>{word}) {
      throw damaged("the word \"" + brief(word) + "\"");
    }
  }
  auto tokenizer = std::make_shared<const WordTokenizer>(std::move(words));
  if (tokenizer->has_word_twice()) {
    throw damaged("a word twice");
  }
  return tokenizer;
}

}  // namespace glassformer
