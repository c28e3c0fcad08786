#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "catch.hpp"
#include "decoding/tiny_model.hpp"
#include "glassformer/evaluation/evaluation.hpp"
#include "glassformer/words/words.hpp"

using namespace glassformer;

namespace {

/// Words are numbers above 3, up to the vocabulary; any other word is unk.
class NumberTokenizer final : public Tokenizer {
 public:
  explicit NumberTokenizer(Index size, SpecialIds special = {kPad, kBos, kEos, 3}) : size_(size), special_(special) {}
  std::vector<Id> encode(std::string_view sentence) const override {
    std::vector<Id> ids;
    for (const std::string_view word : split_words(sentence)) {
      const bool is_number = word.find_first_not_of("0123456789") == std::string_view::npos;
      const long number = is_number ? std::stol(std::string(word)) : 0;
      ids.push_back(number > 3 && number < size_ ? static_cast<Id>(number) : special_.unk);
    }
    return ids;
  }
  std::vector<std::string> unknown(std::string_view) const override { return {}; }
  std::string decode(std::span<const Id> ids) const override {
    std::string text;
    for (const Id id : ids) {
      text += (text.empty() ? "" : " ") + piece(id);
    }
    return text;
  }
  std::string piece(Id id) const override { return std::to_string(id); }
  Index vocabulary_size() const override { return size_; }
  SpecialIds special() const override { return special_; }
  void save(const std::filesystem::path&, const std::string&) const override {}

 private:
  Index size_;
  SpecialIds special_;
};

constexpr Index kNumbers = 30;

TokenizerPair numbers() {
  const auto tokenizer = std::make_shared<const NumberTokenizer>(kNumbers);
  return {tokenizer, tokenizer};
}

/// A text whose references are what the model translates.
TestText text_of(const TinyModel<float>& tiny, std::vector<std::string> sources) {
  TestText text;
  text.sources = std::move(sources);
  text.references = translate_lines(tiny.model, numbers(), {}, text.sources);
  const auto tokenizer = numbers().source;
  text.corpus = Corpus(tokenizer->special(), tokenizer->special());
  for (std::size_t i = 0; i < text.sources.size(); ++i) {
    text.corpus.add(numbers(), text.sources[i], text.references[i], 0);
  }
  return text;
}

}  // namespace

TEST_CASE("translations that end at the length limit are counted", "[evaluation]") {
  TinyModel<float> tiny(tiny_settings(), kNumbers);
  const std::vector<std::string> lines = {"4 5 6", "", "7 8"};
  tiny.output_bias()[kEos] = -1000;  // no translation ends
  DecodingSettings decoding;
  decoding.max_length_ratio = 1.5;
  const auto cut = translate_n_best(tiny.model, numbers(), decoding, lines);
  CHECK(cut[0][0].cut_off);
  CHECK(cut[0][0].tokens == 14);
  CHECK_FALSE(cut[1][0].cut_off);  // an empty line has an empty translation
  TestText text = text_of(tiny, lines);
  const Evaluation evaluation = evaluate(tiny.model, numbers(), decoding, {}, text);
  CHECK(evaluation.cut_off == 2);
  CHECK(evaluation.overflowed == 0);
  CHECK(evaluation.translated_tokens == 14 + 13);

  tiny.output_bias()[kEos] = 1000;  // every translation ends at once
  CHECK_FALSE(translate_n_best(tiny.model, numbers(), decoding, lines)[0][0].cut_off);
  CHECK(evaluate(tiny.model, numbers(), decoding, {}, text).cut_off == 0);
}

TEST_CASE("a line of white space has an empty translation, like an empty line", "[evaluation]") {
  TinyModel<float> tiny(tiny_settings(), kNumbers);
  tiny.output_bias()[kEos] = -1000;  // no translation ends by itself
  const auto found = translate_n_best(tiny.model, numbers(), {}, std::vector<std::string>{"", " \t ", "4"});
  CHECK(found[0].front().text.empty());
  CHECK(found[1].front().text.empty());
  CHECK_FALSE(found[2].front().text.empty());
}

TEST_CASE("each side of a translation has the special ids of its own tokenizer", "[evaluation]") {
  const SpecialIds source{.pad = 0, .bos = 1, .eos = 2, .unk = 3};
  const SpecialIds target{.pad = 3, .bos = 2, .eos = 1, .unk = 0};
  const TokenizerPair tokenizers = {std::make_shared<const NumberTokenizer>(kNumbers, source),
                                    std::make_shared<const NumberTokenizer>(kNumbers, target)};
  TinyModel<float> tiny(tiny_settings(), kNumbers);
  tiny.model.vocabulary.special = {source, target};
  const std::vector<std::string> lines = {"4 5 x", "7 8"};
  const std::vector<std::vector<Id>> sources = {{4, 5, source.unk, source.eos}, {7, 8, source.eos}};
  for (const float bias : {0.0F, 1000.0F}) {
    tiny.output_bias()[target.unk] = bias;  // with 1000, every word is unk
    const auto expected = translate(tiny.model, {}, target, sources);
    const auto found = translate_n_best(tiny.model, tokenizers, {}, lines);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const Hypothesis& best = expected[i].front();
      CHECK(found[i].front().log_probability == best.log_probability);
      CHECK(found[i].front().text == tokenizers.target->decode(best.ids));
      CHECK(found[i].front().tokens == std::ssize(best.ids));
      CHECK(found[i].front().unknown == std::ranges::count(best.ids, target.unk));
      CHECK((bias == 0 || best.ids == std::vector<Id>(best.ids.size(), target.unk)));
    }
  }
}

TEST_CASE("the message about cut-off translations says what to set", "[evaluation]") {
  CHECK(
      cut_off_text(3, 40, {}) ==
      "3 of 40 translations were cut off at the length limit, 2 * source tokens + 10; if they should be longer, raise "
      "it, for example with --set decoding.max_length_ratio=4; if they repeat themselves, the model needs more "
      "training");
  CHECK(cut_off_text(3, 40, {}, 20).find("some references are longer: set decoding.max_length_ratio=20") !=
        std::string::npos);
  CHECK(cut_off_text(3, 40, {}, 2).find("if they repeat themselves") != std::string::npos);
  CHECK(cut_off_text(1, 1, {.max_length_ratio = 100}, 150).find("the ratio cannot be larger") != std::string::npos);
  CHECK(cut_off_text(1, 1, {.max_length_ratio = 80}).find("max_length_ratio=100;") != std::string::npos);
}

TEST_CASE("the needed length ratio is the smallest whole one that fits all targets", "[evaluation]") {
  Corpus corpus({kPad, kBos, kEos, 3}, {kPad, kBos, kEos, 3});
  const auto add = [&](std::size_t source, std::size_t target) {
    corpus.append(std::vector<Id>(source, 4), std::vector<Id>(target, 4), corpus.size());
  };
  add(3, 10);
  CHECK(needed_length_ratio(corpus) == 0);
  add(2, 14);
  CHECK(needed_length_ratio(corpus) == 2);
  add(1, 20);
  CHECK(needed_length_ratio(corpus) == 10);
}

TEST_CASE("lines whose logits overflow are counted, and never pass for certain translations", "[evaluation]") {
  TinyModel<float> tiny(tiny_settings(), kNumbers);
  const TestText text = text_of(tiny, {"", "4 5 6", "7 8"});
  std::ranges::fill(tiny.output_bias(), std::numeric_limits<float>::infinity());
  const Index beam = GENERATE(1, 3);
  const Evaluation evaluation = evaluate(tiny.model, numbers(), {.beam = beam}, {}, text);
  CHECK(evaluation.overflowed == 2);
  CHECK(evaluation.first_overflowed == 2);
  CHECK(evaluation.cut_off == 0);
  CHECK_FALSE(std::isfinite(evaluation.cross_entropy()));
}

TEST_CASE("a translation is exact if it equals any reference, and BLEU and chrF know all of them", "[evaluation]") {
  const TinyModel<float> tiny(tiny_settings(), kNumbers);
  TestText text = text_of(tiny, {"4 5 6 7", "7 8 9", "10 11"});
  const std::vector<std::string> right = text.references;
  const std::vector<std::string> wrong(3, "29 29 29 29 29");
  text.references = wrong;
  CHECK(evaluate(tiny.model, numbers(), {}, {}, text).exact_match == 0);
  text.more_references = {{right[0], wrong[1], wrong[2]}, {wrong[0], wrong[1], right[2]}};
  Evaluation evaluation = evaluate(tiny.model, numbers(), {}, {}, text);
  CHECK(evaluation.chrf.signature.empty());
  add_chrf(evaluation, {}, text);
  CHECK(evaluation.exact_match == Approx(2.0 / 3));
  CHECK(evaluation.bleu.signature.starts_with("nrefs:3|"));
  CHECK(evaluation.chrf.signature.starts_with("nrefs:3|"));
  CHECK(evaluation.bleu.score > 20);
}
