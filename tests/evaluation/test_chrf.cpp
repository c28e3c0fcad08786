#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catch.hpp"
#include "evaluation/sacrebleu_fixture.hpp"
#include "glassformer/evaluation/chrf.hpp"

using namespace glassformer;
using Lines = std::vector<std::string>;

namespace {

void check_chrf(const Lines& hypotheses, const std::vector<Lines>& references, const nlohmann::json& figures) {
  REQUIRE(figures.size() == 2);
  const std::vector<TextLines> texts(references.begin(), references.end());
  for (const auto& expected : figures) {
    CAPTURE(expected["signature"].get<std::string>());
    const Chrf chrf = corpus_chrf(hypotheses, texts, expected["lowercase"]);
    CHECK(std::abs(chrf.score - expected["score"].get<double>()) < 1e-9);
    CHECK(sacrebleu::without_version(chrf.signature) == expected["signature"].get<std::string>());
    CHECK(sacrebleu::without_version(chrf.line()) == expected["line"].get<std::string>());
  }
}

double chrf_of(const std::string& hypothesis, const std::string& reference) {
  const TextLines references[] = {TextLines(&reference, 1)};
  return corpus_chrf(TextLines(&hypothesis, 1), references).score;
}

}  // namespace

TEST_CASE("chrF of small, difficult corpora equals sacreBLEU's", "[evaluation]") {
  REQUIRE(sacrebleu::fixture()["corpora"].size() > 20);
  for (const auto& corpus : sacrebleu::fixture()["corpora"]) {
    CAPTURE(corpus["name"].get<std::string>());
    check_chrf(corpus["hypotheses"], {corpus["references"].get<Lines>()}, corpus["chrf"]);
  }
}

TEST_CASE("chrF with several references equals sacreBLEU's", "[evaluation]") {
  REQUIRE(sacrebleu::fixture()["several_references"].size() > 8);
  for (const auto& corpus : sacrebleu::fixture()["several_references"]) {
    CAPTURE(corpus["name"].get<std::string>());
    check_chrf(corpus["hypotheses"], corpus["references"].get<std::vector<Lines>>(), corpus["chrf"]);
  }
}

TEST_CASE("chrF of corrupted Multi30k sentences equals sacreBLEU's", "[evaluation]") {
  if (!std::filesystem::exists(sacrebleu::multi30k())) {
    WARN("SKIPPED: " << sacrebleu::multi30k() << " does not exist");
    return;
  }
  REQUIRE(sacrebleu::fixture()["multi30k"].size() == 10);
  for (const auto& expected : sacrebleu::fixture()["multi30k"]) {
    CAPTURE(expected["file"].get<std::string>(), expected["way"].get<std::string>());
    const Lines references = sacrebleu::lines_of(sacrebleu::multi30k() / expected["file"].get<std::string>());
    check_chrf(sacrebleu::spoil(references, expected["way"]), {references}, expected["chrf"]);
  }
}

TEST_CASE("chrF weighs recall four times as much as precision", "[evaluation]") {
  // Orders 1 and 2 exist on both sides. "ab" in "abc": precisions 1, 1; recalls 2/3, 1/2, mean 7/12.
  CHECK(chrf_of("ab", "abc") == Approx(100 * 5 * 1 * (7.0 / 12) / (4 * 1 + 7.0 / 12)));
  CHECK(chrf_of("abc", "ab") > chrf_of("ab", "abc"));
}

TEST_CASE("chrF ignores white space", "[evaluation]") { CHECK(chrf_of("ab cd\u00a0ef", "abc def") == Approx(100)); }

TEST_CASE("chrF counts code points, not bytes", "[evaluation]") {
  // The first bytes of é and è are the same.
  CHECK(chrf_of("é", "è") == 0);
}

TEST_CASE("chrF of empty text is 0", "[evaluation]") {
  CHECK(chrf_of("", "") == 0);
  CHECK(chrf_of("a", "") == 0);
  CHECK(chrf_of("", "a") == 0);
}
