#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catch.hpp"
#include "evaluation/sacrebleu_fixture.hpp"
#include "glassformer/evaluation/bleu.hpp"
#include "glassformer/evaluation/bleu_hints.hpp"

using namespace glassformer;
using Lines = std::vector<std::string>;

namespace {

constexpr double kTolerance = 1e-9;

BleuTokenizer tokenizer_called(const std::string& name) {
  const auto index = std::ranges::find(kBleuTokenizerNames, name) - kBleuTokenizerNames.begin();
  REQUIRE(index < std::ssize(kBleuTokenizerNames));
  return static_cast<BleuTokenizer>(index);
}

/// Compares every part of BLEU, for all tokenizers, with and without case.
void check_bleu(const Lines& hypotheses, const std::vector<Lines>& references, const nlohmann::json& figures) {
  REQUIRE(figures.size() == 8);
  const std::vector<TextLines> texts(references.begin(), references.end());
  for (const auto& expected : figures) {
    CAPTURE(expected["signature"].get<std::string>());
    const EvaluationSettings settings{.bleu_tokenizer = tokenizer_called(expected["tokenizer"]),
                                      .lowercase = expected["lowercase"]};
    const Bleu bleu = corpus_bleu(hypotheses, texts, settings);
    CHECK(std::abs(bleu.score - expected["score"].get<double>()) < kTolerance);
    for (std::size_t n = 0; n < bleu.precisions.size(); ++n) {
      CAPTURE(n + 1);
      CHECK(std::abs(bleu.precisions[n] - expected["precisions"][n].get<double>()) < kTolerance);
      CHECK(bleu.matches[n] == expected["matches"][n].get<Index>());
      CHECK(bleu.totals[n] == expected["totals"][n].get<Index>());
    }
    CHECK(std::abs(bleu.brevity_penalty - expected["brevity_penalty"].get<double>()) < kTolerance);
    CHECK(bleu.hypothesis_length == expected["hypothesis_length"].get<Index>());
    CHECK(bleu.reference_length == expected["reference_length"].get<Index>());
    CHECK(sacrebleu::without_version(bleu.signature) == expected["signature"].get<std::string>());
    CHECK(sacrebleu::without_version(bleu.line()) == expected["line"].get<std::string>());
  }
}

double bleu_of_words(const std::string& hypothesis, const std::string& reference) {
  return corpus_bleu(Lines{hypothesis}, Lines{reference}, {.bleu_tokenizer = BleuTokenizer::none}).score;
}

}  // namespace

TEST_CASE("BLEU of small, difficult corpora equals sacreBLEU's", "[evaluation]") {
  REQUIRE(sacrebleu::fixture()["corpora"].size() > 20);
  for (const auto& corpus : sacrebleu::fixture()["corpora"]) {
    CAPTURE(corpus["name"].get<std::string>());
    check_bleu(corpus["hypotheses"], {corpus["references"].get<Lines>()}, corpus["bleu"]);
  }
}

TEST_CASE("BLEU with several references equals sacreBLEU's", "[evaluation]") {
  REQUIRE(sacrebleu::fixture()["several_references"].size() > 8);
  for (const auto& corpus : sacrebleu::fixture()["several_references"]) {
    CAPTURE(corpus["name"].get<std::string>());
    check_bleu(corpus["hypotheses"], corpus["references"].get<std::vector<Lines>>(), corpus["bleu"]);
  }
}

TEST_CASE("BLEU of corrupted Multi30k sentences equals sacreBLEU's", "[evaluation]") {
  if (!std::filesystem::exists(sacrebleu::multi30k())) {
    WARN("SKIPPED: " << sacrebleu::multi30k() << " does not exist");
    return;
  }
  REQUIRE(sacrebleu::fixture()["multi30k"].size() == 10);
  for (const auto& expected : sacrebleu::fixture()["multi30k"]) {
    CAPTURE(expected["file"].get<std::string>(), expected["way"].get<std::string>());
    const Lines references = sacrebleu::lines_of(sacrebleu::multi30k() / expected["file"].get<std::string>());
    check_bleu(sacrebleu::spoil(references, expected["way"]), {references}, expected["bleu"]);
  }
}

TEST_CASE("A word counts at most as often as it occurs in the reference", "[evaluation]") {
  const Bleu bleu = corpus_bleu(Lines{"the the the the the the the"}, Lines{"the cat is on the mat"});
  CHECK(bleu.matches[0] == 2);
  CHECK(bleu.precisions[0] == Approx(100 * 2.0 / 7));  // the example of Papineni et al. 2002, section 2.1
}

TEST_CASE("Smoothing gives the k-th order without a match 1/2^k of a match", "[evaluation]") {
  const Bleu bleu = corpus_bleu(Lines{"a x b y c"}, Lines{"a b c d e"});
  CHECK(bleu.precisions[0] == Approx(100 * 3.0 / 5));
  CHECK(bleu.precisions[1] == Approx(100 / (2 * 4.0)));
  CHECK(bleu.precisions[2] == Approx(100 / (4 * 3.0)));
  CHECK(bleu.precisions[3] == Approx(100 / (8 * 2.0)));
}

TEST_CASE("BLEU is 0 without any match, and without any 4-gram", "[evaluation]") {
  CHECK(bleu_of_words("v w x y z", "a b c d e") == 0);
  CHECK(bleu_of_words("a b c", "a b c") == 0);
  CHECK(bleu_of_words("a b c d", "a b c d") == Approx(100));
}

TEST_CASE("A translation that is too short is penalised by exp(1 - r/c); one that is too long is not", "[evaluation]") {
  CHECK(bleu_of_words("a b c d", "a b c d e f") == Approx(100 * std::exp(1 - 6.0 / 4)));
  CHECK(corpus_bleu(Lines{"a b c d e f"}, Lines{"a b c d"}).brevity_penalty == 1);
}

TEST_CASE("The BLEU of a corpus is not the mean over its sentences", "[evaluation]") {
  // The first sentence alone scores 0, because it has no 4-gram; in the corpus its words still count.
  CHECK(bleu_of_words("a b", "a b") == 0);
  CHECK(corpus_bleu(Lines{"a b", "c d e f"}, Lines{"a b", "c d e f"}).score == Approx(100));
}

TEST_CASE("BLEU of an empty corpus is 0", "[evaluation]") {
  const Bleu bleu = corpus_bleu(Lines{}, Lines{});
  CHECK(bleu.score == 0);
  CHECK(bleu.hypothesis_length == 0);
  CHECK(bleu.reference_length == 0);
}

TEST_CASE("The signature names every choice, and glassformer as the scorer", "[evaluation]") {
  const std::string by_default = corpus_bleu(Lines{}, Lines{}).signature;
  const std::string other =
      corpus_bleu(Lines{}, Lines{}, {.bleu_tokenizer = BleuTokenizer::none, .lowercase = true}).signature;
  CHECK(by_default.find("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:glassformer") == 0);
  CHECK(other.find("nrefs:1|case:lc|eff:no|tok:none|smooth:exp|version:glassformer") == 0);
}

TEST_CASE("a hint says why BLEU is 0 if no translation or no reference has four words, and what to set",
          "[evaluation]") {
  const auto hint = [](const Lines& hypotheses, const Lines& references, BleuTokenizer tokenizer) {
    return why_bleu_is_low(corpus_bleu(hypotheses, references, {.bleu_tokenizer = tokenizer}));
  };
  CHECK(hint({"a b c d"}, {"a b c x"}, BleuTokenizer::none).empty());
  CHECK(hint({"x", "a b c d"}, {"y", "a b c d"}, BleuTokenizer::none).empty());  // one long enough line is enough
  const Lines chinese = {"我喜欢吃苹果"};
  CHECK(corpus_bleu(chinese, chinese).score == 0);
  CHECK(hint(chinese, chinese, BleuTokenizer::tok_13a).find("evaluation.bleu_tokenizer to zh") != std::string::npos);
  CHECK(hint(chinese, chinese, BleuTokenizer::tok_13a).find("the longest reference has 1") != std::string::npos);
  CHECK(hint(chinese, chinese, BleuTokenizer::zh).empty());
  CHECK(hint(chinese, chinese, BleuTokenizer::character).empty());
  CHECK(hint({"a b"}, {"a b c d"}, BleuTokenizer::none).find("needs more training") != std::string::npos);
  CHECK(hint({"a b c d e"}, {"a b c"}, BleuTokenizer::none).find("near 0") != std::string::npos);
}

TEST_CASE("plain text that is scored as if it were tokenized is noticed", "[evaluation]") {
  const EvaluationSettings none{.bleu_tokenizer = BleuTokenizer::none};
  CHECK(looks_untokenized(Lines{"A dog.", "", "A cat"}, none).find("in 1 of 2 references") != std::string::npos);
  CHECK(looks_untokenized(Lines{"A dog.", "A cat", "A bird ?"}, none).empty());
  CHECK(looks_untokenized(Lines{"a dog .", "a cat ...", "a bird ?"}, none).empty());
  CHECK(looks_untokenized(Lines{"A dog."}, {}).empty());
  CHECK(looks_untokenized(Lines{}, none).empty());
}
