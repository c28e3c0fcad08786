#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "glassformer/files/json_file.hpp"
#include "glassformer/files/lines.hpp"
#include "glassformer/files/suggestion.hpp"
#include "glassformer/text/sentencepiece.hpp"
#include "glassformer/text/tokenizer.hpp"
#include "glassformer/words/word_vocabulary.hpp"
#include "glassformer/words/words.hpp"

namespace glassformer {
namespace {

constexpr std::string_view kSpaceBefore = "\u2581";  // starts a word in SentencePiece

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
  explicit WordTokenizer(std::vector<std::string> words) : words_(std::move(words)) {}

  std::vector<Id> encode(std::string_view sentence) const override { return words_.encode(sentence); }
  std::string decode(std::span<const Id> ids) const override { return words_.decode(ids); }
  std::string piece(Id id) const override { return words_.piece(id); }
  std::vector<std::string> unknown(std::string_view sentence) const override { return words_.unknown(sentence); }

  std::map<std::string, Id> vocabulary() const override {
    std::map<std::string, Id> vocabulary;
    for (Id id = 0; id < vocabulary_size(); ++id) {
      vocabulary.emplace(std::string(is_special_word(piece(id)) ? "" : kSpaceBefore) + piece(id), id);
    }
    return vocabulary;
  }

  Index vocabulary_size() const override { return words_.vocabulary_size(); }
  SpecialIds special() const override { return words_.special(); }

  void save(const std::filesystem::path& directory, const std::string& name) const override {
    write_file_durably(vocabulary_file(directory, name),
                       nlohmann::json(words_.words()).dump(1) + "\n");  // one word per line
    const auto words = std::span(words_.words()).subspan(kSpecialWords.size());
    write_file_durably(directory / (name + ".spm"), sentencepiece_model_of_words(words));
  }

  bool has_word_twice() const { return words_.has_word_twice(); }

 private:
  WordVocabulary words_;
};

/// How often each word of the texts occurs.
WordCounts count_words_of(const TextFiles& texts) {
  WordCounts counts;
  for (const std::filesystem::path& text : texts) {
    LineReader reader(text);
    for (std::string line; reader.next(line);) {
      count_words(line, counts);
    }
  }
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
  const WordCounts counts = count_words_of(plan.texts);
  const std::string first_text = plan.texts.front().string();
  if (counts.empty()) {
    throw UserError(first_text + ": this file has no words; it needs text, one sentence per line");
  }
  std::vector<WordCount> by_frequency = frequent_words(counts, settings.min_frequency);
  if (by_frequency.empty()) {
    throw UserError(first_text + ": no word occurs " + std::to_string(settings.min_frequency) +
                    " times or more (tokenizer.min_frequency); lower min_frequency or add text");
  }
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
