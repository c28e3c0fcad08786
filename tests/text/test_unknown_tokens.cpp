#include <set>

#include "catch.hpp"
#include "glassformer/text/unknown_tokens.hpp"
#include "glassformer/words/words.hpp"

using namespace glassformer;

namespace {

/// Splits at white space and knows some words; others become unk, 3.
class WordList final : public Tokenizer {
 public:
  explicit WordList(std::set<std::string, std::less<>> words) : words_(std::move(words)) {}
  std::vector<Id> encode(std::string_view sentence) const override {
    std::vector<Id> ids;
    for (const std::string_view word : split_words(sentence)) {
      ids.push_back(words_.contains(word) ? 4 : 3);
    }
    return ids;
  }
  std::vector<std::string> unknown(std::string_view sentence) const override {
    std::vector<std::string> words;
    for (const std::string_view word : split_words(sentence)) {
      if (!words_.contains(word)) {
        words.emplace_back(word);
      }
    }
    return words;
  }
  std::string decode(std::span<const Id>) const override { return ""; }
  std::string piece(Id) const override { return ""; }
  Index vocabulary_size() const override { return 5; }
  SpecialIds special() const override { return {0, 1, 2, 3}; }
  void save(const std::filesystem::path&, const std::string&) const override {}

 private:
  std::set<std::string, std::less<>> words_;
};

UnknownTokens count(const WordList& tokenizer, const std::vector<std::string>& lines) {
  UnknownTokens unknown;
  for (const std::string& line : lines) {
    unknown.add(tokenizer, line, tokenizer.encode(line));
  }
  return unknown;
}

}  // namespace

TEST_CASE("unknown tokens are counted, and the most frequent ones are named", "[text]") {
  const UnknownTokens unknown = count(WordList({"a", "b"}), {"a b", "hund b katze", "", "katze maus katze", "vogel"});
  CHECK(unknown.tokens == 9);
  CHECK(unknown.unknown == 6);
  CHECK(unknown.are_many());
  CHECK(unknown.examples() == "katze (3), hund (1), maus (1), vogel (1)");
  CHECK(unknown.text("source tokens") ==
        "6 of 9 source tokens (66.67%), most often katze (3), hund (1), maus (1), vogel (1)");
  const UnknownTokens many = count(WordList({}), {"f e d c b a"});
  CHECK(many.examples() == "a (1), b (1), c (1), d (1), e (1)");  // five, in the order of their bytes
}

TEST_CASE("of the unknown words, the first 100,000 are told apart, however often they occur; all of them are counted",
          "[text]") {
  constexpr Index kMost = 100'000;
  std::string all;
  for (Index i = 0; i < kMost; ++i) {
    all += "w" + std::to_string(i) + " ";
  }
  const UnknownTokens unknown = count(WordList({}), {all, "w0 another w99999 w0"});
  CHECK(unknown.unknown == kMost + 4);
  CHECK(std::ssize(unknown.parts) == kMost);
  CHECK(unknown.parts.at("w0") == 3);
  CHECK(unknown.parts.at("w99999") == 2);
  CHECK_FALSE(unknown.parts.contains("another"));
}

TEST_CASE("a remark on unknown tokens gives the effect and advice only if they are many", "[text]") {
  const WordList tokenizer({"a"});
  std::vector<std::string> lines(19, "a");
  lines.emplace_back("x");  // 1 of 20 is not more than 5 %
  CHECK(count(tokenizer, lines).remark(tokenizer, "tokens", "that hurts") ==
        "the model does not know 1 of 20 tokens (5.00%), most often x (1)");
  lines.emplace_back("x");
  CHECK(count(tokenizer, lines).remark(tokenizer, "tokens", "that hurts") ==
        "the model does not know 2 of 21 tokens (9.52%), most often x (2), so that hurts; prepare the text like the "
        "training text (case, punctuation, splitting into words)");
  CHECK(count(tokenizer, {"a", ""}).share() == 0);
  CHECK(UnknownTokens().share() == 0);
}

TEST_CASE("advice names the form in which most unknown tokens are known", "[text]") {
  const WordList words({"dog", "cat", "\u00e4pfel", "o\u0308l"});
  CHECK(count(words, {"Dog", "CAT bird"}).advice_on_form(words).find("lower case") != std::string::npos);
  CHECK(count(words, {"Dog", "bird fish"}).advice_on_form(words).empty());  // one of three
  CHECK(count(words, {"a\u0308pfel"}).advice_on_form(words).find("(NFC)") != std::string::npos);
  CHECK(count(words, {"\u00f6l"}).advice_on_form(words).find("(NFD)") != std::string::npos);
}
