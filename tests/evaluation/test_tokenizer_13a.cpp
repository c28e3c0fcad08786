#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "evaluation/sacrebleu_fixture.hpp"
#include "glassformer/evaluation/bleu_tokenizers.hpp"
#include "glassformer/files/utf8.hpp"
#include "glassformer/words/words.hpp"

using namespace glassformer;

namespace {

std::vector<std::string> words_of(std::string_view text) {
  const auto words = split_words(text);
  return {words.begin(), words.end()};
}

std::string tokens_of(std::string_view line) {
  std::string joined;
  for (const std::string& token : words_of(tokenize_13a(line))) {
    joined += (joined.empty() ? "" : " ") + token;
  }
  return joined;
}

/// \pre code_point < 0x10000
std::string utf8_of(char32_t code_point) {
  const auto last_six_bits = [](char32_t bits) { return static_cast<char>(0x80 | (bits & 0x3F)); };
  if (code_point < 0x80) {
    return {static_cast<char>(code_point)};
  }
  if (code_point < 0x800) {
    return {static_cast<char>(0xC0 | code_point >> 6), last_six_bits(code_point)};
  }
  return {static_cast<char>(0xE0 | code_point >> 12), last_six_bits(code_point >> 6), last_six_bits(code_point)};
}

}  // namespace

TEST_CASE("Words, lower case and 13a tokens equal those of Python and sacreBLEU", "[evaluation]") {
  REQUIRE(sacrebleu::fixture()["lines"].size() > 100);
  for (const auto& expected : sacrebleu::fixture()["lines"]) {
    const std::string line = expected["line"];
    CAPTURE(line);
    CHECK(words_of(line) == expected["words"].get<std::vector<std::string>>());
    CHECK(lower_case(line) == expected["lower_case"].get<std::string>());
    CHECK(words_of(tokenize_13a(line)) == expected["tokens_13a"].get<std::vector<std::string>>());
    CHECK(words_of(tokenize_zh(line)) == expected["tokens_zh"].get<std::vector<std::string>>());
  }
}

TEST_CASE("13a separates full stops and commas from words but not from numbers", "[evaluation]") {
  CHECK(tokens_of("They paid 1,000.50 dollars (cash).") == "They paid 1,000.50 dollars ( cash ) .");
  CHECK(tokens_of("in 5.") == "in 5 .");
  CHECK(tokens_of("a well-known song of 1990-95, isn't it") == "a well-known song of 1990 - 95 , isn't it");
  CHECK(tokens_of("&quot;x&quot; &amp;lt; y") == "\" x \" < y");
}

TEST_CASE("White space is the same as in Python", "[evaluation]") {
  const auto expected = sacrebleu::fixture()["white_space"].get<std::vector<char32_t>>();
  REQUIRE(expected.size() > 20);
  std::vector<char32_t> found;
  for (char32_t code_point = 0; code_point < 0x10000; ++code_point) {
    if (code_point >= 0xD800 && code_point < 0xE000) {
      continue;  // surrogates, which UTF-8 does not have
    }
    const std::string utf8 = utf8_of(code_point);
    CHECK(code_points(utf8) == std::u32string(1, code_point));
    if (split_words(utf8).empty()) {
      found.push_back(code_point);
    }
  }
  CHECK(found == expected);
}

TEST_CASE("Invalid UTF-8 does no harm", "[evaluation]") {
  for (const std::string text :
       {"\xff", "a\xc3", "\xe2\x82", "\x80\x80 b", "\xf0\x9f\x91", "\xed\xa0\x80", "\xc0\xaf"}) {
    CHECK_NOTHROW(lower_case(text));
    CHECK_FALSE(code_points(text).empty());
    CHECK_FALSE(split_words(text).empty());
    CHECK_NOTHROW(tokenize_13a(text));
    CHECK_NOTHROW(tokenize_zh(text));
  }
  CHECK(code_points("a\xff") == U"a\ufffd");
}
