#include <algorithm>
#include <set>
#include <vector>

#include "catch.hpp"
#include "explanation/explained_example.hpp"
#include "explanation/shown_ids.hpp"
#include "explanation/trace.hpp"
#include "text/marian_tokenizer.hpp"

using namespace glassformer;
using example::ExplainedExample;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kManyWords = 1100;

ExplainedExample with_many_words(const TransformerSettings& settings = tiny_settings()) {
  return ExplainedExample(settings, example::two_pairs(), false, kManyWords);
}

std::set<Id> ids_spoken_of(const ExplainedExample& example) {
  const IdMatrix& expected = example.explanation.batch.target_output;
  std::set<Id> ids(expected.data(), expected.data() + expected.size());
  ids.insert({0, 1, 2, 3});
  for (const std::vector<Answer>& places : example.explanation.answers) {
    for (const Answer& place : places) {
      for (const LikelyToken& token : place.likeliest) ids.insert(token.id);
    }
  }
  return ids;
}

Json trace_in_form(const ExplainedExample& example, MatrixForm form) {
  return trace_json(example.explained(), example.explanation, {"runs/a/best", 1, {}}, form);
}

}  // namespace

TEST_CASE("Of a small vocabulary, a page shows every token", "[explanation]") {
  const ExplainedExample example;
  const ShownIds shown = shown_ids(example.explained(), example.explanation);
  CHECK(shown.source == std::vector<Id>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  CHECK(shown.target == shown.source);
  const Json page = trace_in_form(example, MatrixForm::packed);
  for (const Json& tensor : page.at("tensors")) CHECK(!tensor.contains("ids"));
}

TEST_CASE("Of a large vocabulary, a page shows the tokens that are spoken of, in rising order", "[explanation]") {
  const ExplainedExample example = with_many_words();
  const ShownIds shown = shown_ids(example.explained(), example.explanation);
  CHECK(shown.source == std::vector<Id>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});  // the specials; a b c d e f
  const std::set<Id> spoken_of = ids_spoken_of(example);
  CHECK(shown.target == std::vector<Id>(spoken_of.begin(), spoken_of.end()));
  CHECK(shown.target.size() > 12);
}

TEST_CASE("One table for both sides shows the tokens of both", "[explanation]") {
  TransformerSettings settings = tiny_settings();
  settings.tied_embeddings = Tying::all;
  const ExplainedExample example = with_many_words(settings);
  const ShownIds shown = shown_ids(example.explained(), example.explanation);
  CHECK(shown.source == shown.target);
  std::set<Id> both = ids_spoken_of(example);
  both.insert({4, 5, 6, 7, 8, 9});
  CHECK(shown.source == std::vector<Id>(both.begin(), both.end()));
}

TEST_CASE("Padding that is no row of the table is not shown as one", "[explanation]") {
  const ExplainedExample example = with_many_words();
  const TokenizerPair opus = MarianTokenizer::load(GLASSFORMER_SOURCE_DIR "/tests/fixtures/marian/opus", true);
  REQUIRE(opus.target->special().pad == kNoToken);
  const ShownIds shown = shown_ids({example.tiny.model, opus, 0.1, false, 5}, example.explanation);
  CHECK(shown.source.front() >= 0);
  CHECK(shown.target.front() >= 0);
}

TEST_CASE("On a page, an axis of a large vocabulary is cut, and says so; the JSON is whole", "[explanation]") {
  const ExplainedExample example = with_many_words();
  const ShownIds shown = shown_ids(example.explained(), example.explanation);
  const Json page = trace_in_form(example, MatrixForm::packed), whole = trace_in_form(example, MatrixForm::numbers);
  constexpr Index kVocabulary = 4 + kManyWords;
  std::set<std::string> cut;
  REQUIRE(page.at("tensors").size() == whole.at("tensors").size());
  for (std::size_t i = 0; i < page.at("tensors").size(); ++i) {
    const Json& on_page = page.at("tensors").at(i);
    const Matrix<double>& values = example.explanation.recording.tensors()[i].values;
    CHECK(!whole.at("tensors").at(i).contains("ids"));
    CHECK(whole.at("tensors").at(i).at("values").at("rows") == values.rows());
    CHECK(whole.at("tensors").at(i).at("values").at("cols") == values.cols());
    if (!on_page.contains("ids")) {
      CHECK(on_page.at("values") == matrix_json(values, MatrixForm::packed));
      CHECK(std::max(values.rows(), values.cols()) < kVocabulary);
      continue;
    }
    const std::string part = on_page.at("part").get<std::string>();
    const std::vector<Id>& ids = part.starts_with("encoder") ? shown.source : shown.target;
    CHECK(on_page.at("ids") == Json(ids));
    CHECK(on_page.at("vocabulary") == kVocabulary);
    const auto chosen = [&](Index index) { return static_cast<Index>(ids[static_cast<std::size_t>(index)]); };
    const bool rows = values.rows() == kVocabulary;
    const auto count = static_cast<Index>(ids.size());
    Matrix<double> expected(rows ? count : values.rows(), rows ? values.cols() : count);
    for (Index r = 0; r < expected.rows(); ++r) {
      for (Index c = 0; c < expected.cols(); ++c) {
        expected(r, c) = rows ? values(chosen(r), c) : values(r, chosen(c));
      }
    }
    CHECK(on_page.at("values") == matrix_json(expected, MatrixForm::packed));
    cut.insert(part + " " + on_page.at("name").get<std::string>());
  }
  CHECK(cut.size() > 6);
  CHECK(cut.contains("loss d_logits"));
}
