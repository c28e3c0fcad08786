#include <vector>

#include "catch.hpp"
#include "glassformer/text/language_codes.hpp"

using namespace glassformer;

namespace {

/// A tokenizer of a model that may have language codes.
class TokenizerWithCodes final : public Tokenizer {
 public:
  explicit TokenizerWithCodes(std::vector<std::string> codes) : codes_(std::move(codes)) {}
  std::vector<Id> encode(std::string_view) const override { return {}; }
  std::vector<std::string> unknown(std::string_view) const override { return {}; }
  std::string decode(std::span<const Id>) const override { return ""; }
  std::string piece(Id) const override { return ""; }
  Index vocabulary_size() const override { return 4; }
  SpecialIds special() const override { return {}; }
  std::span<const std::string> language_codes() const override { return codes_; }
  void save(const std::filesystem::path&, const std::string&) const override {}

 private:
  std::vector<std::string> codes_;
};

}  // namespace

TEST_CASE("sentences without a language code are counted, if the model has codes", "[text]") {
  LanguageCodes codes;
  for (const char* line : {">>deu<< a dog", "a dog", "", ">> quoted", ">>fra<<"}) {
    codes.add(line);
  }
  CHECK(codes.sentences == 4);
  CHECK(codes.without_code == 2);
  CHECK(
      codes.advice(TokenizerWithCodes({">>deu<<", ">>fra<<"})) ==
      "this model has language codes (>>deu<<, >>fra<<), but 2 of 4 sentences begin without one; write the code of the "
      "target language before each sentence, for example \">>deu<< ...\"");
  CHECK(codes.advice(TokenizerWithCodes({})).empty());
  LanguageCodes right;
  right.add(">>deu<< a dog");
  CHECK(right.advice(TokenizerWithCodes({">>deu<<"})).empty());
}
