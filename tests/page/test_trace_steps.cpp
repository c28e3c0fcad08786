#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "glassformer/page/shown_ids.hpp"
#include "glassformer/page/tensor_axes.hpp"
#include "glassformer/page/trace_json.hpp"
#include "glassformer/text/tokenizer.hpp"
#include "model/recorded_run.hpp"
#include "page/explained_example.hpp"

using namespace glassformer;
using example::ExplainedExample;
using Json = nlohmann::ordered_json;

namespace {

/// The size of "B*H*T". A digit in front of a letter multiplies it. 0 if the text is not a product of known letters.
Index size_of(const std::string& product, const std::map<char, Index>& sizes) {
  Index size = 1;
  bool letter_needed = true;
  for (const char letter : product) {
    if (letter == '*') {
      if (letter_needed) {
        return 0;
      }
      letter_needed = true;
    } else if ('1' <= letter && letter <= '9') {
      size *= letter - '0';
      letter_needed = product.size() > 1;
    } else if (sizes.contains(letter) && letter_needed) {
      size *= sizes.at(letter);
      letter_needed = false;
    } else {
      return 0;
    }
  }
  return letter_needed ? 0 : size;
}

/// The axes of a tensor that a part of the model records with its own letters.
std::string axes_in_model(const std::string& part, const std::string& letters) {
  const Transformer<float> model(example::settings(Norm::pre, Tying::none), example::vocabulary(Tying::none));
  return tensor_axes({"a", part, letters, {}, true}, model.parts().at(part));
}

constexpr std::size_t kManyWords = 1100;

ExplainedExample with_many_words(const TransformerSettings& settings = tiny_settings()) {
  return ExplainedExample(settings, example::two_pairs(), false, kManyWords);
}

std::set<Id> mentioned_ids(const ExplainedExample& example) {
  const IdMatrix& expected = example.explanation.batch.target_output;
  std::set<Id> ids(expected.data(), expected.data() + expected.size());
  ids.insert({0, 1, 2, 3});
  for (const std::vector<Answer>& places : example.right().answers) {
    for (const Answer& place : places) {
      for (const LikelyToken& token : place.likeliest) {
        ids.insert(token.id);
      }
    }
  }
  return ids;
}

Json trace_in_form(const ExplainedExample& example, MatrixForm form) {
  return trace_json(example.explained(), example.explanation, {"runs/a/best", {}, form});
}

}  // namespace

TEST_CASE("The axes of every recorded tensor match its shape", "[page]") {
  // With these sizes, no two letters are equal, nor are any two products that occur as rows or columns.
  TransformerSettings settings = example::settings(Norm::pre, Tying::none);
  settings.d_model = 22;
  settings.d_ff = 17;
  for (const auto& [norm, with_dropout] : {std::pair(Norm::pre, true), std::pair(Norm::post, false)}) {
    settings.norm = norm;
    const example::RecordedRun run(3, with_dropout ? example::with_dropout(settings) : settings, example::batch());
    const std::map<char, Index> sizes{{'B', 3}, {'S', 5}, {'T', 4}, {'H', 2}, {'D', 22}, {'F', 17}, {'V', 7}};
    std::map<char, Index> of_source = sizes;
    of_source['V'] = 9;  // the encoder's table has the source vocabulary
    for (const RecordedTensor& tensor : run.recording.tensors()) {
      const std::string axes = tensor_axes(tensor, run.drawn.model.parts().at(tensor.part));
      CAPTURE(tensor.part, tensor.name, tensor.axes, axes);
      if (tensor.name == "mask") {  // [B, S] or [B*T, S]: the layer cannot tell which
        CHECK(axes.empty());
        continue;
      }
      const auto comma = axes.find(", ");
      REQUIRE(comma != std::string::npos);
      const auto& known = tensor.part == "encoder.embed_tokens" ? of_source : sizes;
      CHECK(size_of(axes.substr(0, comma), known) == tensor.values.rows());
      CHECK(size_of(axes.substr(comma + 2), known) == tensor.values.cols());
    }
  }
}

TEST_CASE("A layer's letters are translated according to its place in the model", "[page]") {
  CHECK(axes_in_model("encoder.layers.0.self_attn", "B*H*T, S") == "B*H*S, S");
  CHECK(axes_in_model("decoder.layers.0.self_attn", "B*H*T, S") == "B*H*T, T");
  CHECK(axes_in_model("decoder.layers.1.encoder_attn", "B*H*T, S") == "B*H*T, S");
  CHECK(axes_in_model("encoder.layers.0.self_attn.dropout", "N, D") == "B*H*S, S");
  CHECK(axes_in_model("decoder.layers.0.self_attn.dropout", "N, D") == "B*H*T, T");
  CHECK(axes_in_model("decoder.layers.0.encoder_attn.dropout", "N, D") == "B*H*T, S");
  CHECK(axes_in_model("encoder.layers.0.feed_forward.dropout", "N, D") == "B*S, F");
  CHECK(axes_in_model("encoder.layers.0.final_layer_norm.residual.dropout", "N, D") == "B*S, D");
  CHECK(axes_in_model("decoder.embed_tokens.dropout", "N, D") == "B*T, D");
  CHECK(axes_in_model("decoder.layers.0.encoder_attn.kv_proj", "N, out") == "B*S, 2D");
  CHECK(axes_in_model("decoder.layers.0.self_attn.qkv_proj", "N, out") == "B*T, 3D");
  CHECK(axes_in_model("encoder.layers.0.feed_forward.fc1", "out, in") == "F, D");
  CHECK(axes_in_model("encoder.layers.0.feed_forward.fc2", "out, in") == "D, F");
  CHECK(axes_in_model("decoder.output", "1, out") == "1, V");
  CHECK(axes_in_model("decoder", "M, D") == "B*S, D");
  CHECK(axes_in_model("loss", "N, 1") == "B*T, 1");
  CHECK(axes_in_model("loss", "").empty());
}

TEST_CASE("A page shows every token of a small vocabulary", "[page]") {
  const ExplainedExample example;
  const ShownIds shown = shown_ids(example.explained(), example.explanation);
  CHECK(shown.source == std::vector<Id>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  CHECK(shown.target == shown.source);
  const Json page = trace_in_form(example, MatrixForm::packed);
  for (const Json& tensor : page.at("tensors")) {
    CHECK(!tensor.contains("ids"));
  }
}

TEST_CASE("A page shows only the mentioned tokens of a large vocabulary, in ascending order", "[page]") {
  const ExplainedExample example = with_many_words();
  const ShownIds shown = shown_ids(example.explained(), example.explanation);
  CHECK(shown.source == std::vector<Id>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});  // the special tokens, then a b c d e f
  const std::set<Id> mentioned = mentioned_ids(example);
  CHECK(shown.target == std::vector<Id>(mentioned.begin(), mentioned.end()));
  CHECK(shown.target.size() > 12);
}

TEST_CASE("If both sides share one table, it shows the tokens of both", "[page]") {
  TransformerSettings settings = tiny_settings();
  settings.tied_embeddings = Tying::all;
  const ExplainedExample example = with_many_words(settings);
  const ShownIds shown = shown_ids(example.explained(), example.explanation);
  CHECK(shown.source == shown.target);
  std::set<Id> both = mentioned_ids(example);
  both.insert({4, 5, 6, 7, 8, 9});
  CHECK(shown.source == std::vector<Id>(both.begin(), both.end()));
}

TEST_CASE("Padding without a row in the embedding table is not shown as a row", "[page]") {
  const ExplainedExample example = with_many_words();
  const TokenizerPair opus = load_marian_tokenizers(GLASSFORMER_SOURCE_DIR "/tests/fixtures/marian/opus", true);
  REQUIRE(opus.target->special().pad == kNoToken);
  const ShownIds shown = shown_ids({{example.tiny.model}, opus}, example.explanation);
  CHECK(shown.source.front() >= 0);
  CHECK(shown.target.front() >= 0);
}

TEST_CASE("The page cuts the axis of a large vocabulary and lists the ids shown; the JSON is complete", "[page]") {
  const ExplainedExample example = with_many_words();
  const ShownIds shown = shown_ids(example.explained(), example.explanation);
  const Json page = trace_in_form(example, MatrixForm::packed);
  const Json whole = trace_in_form(example, MatrixForm::numbers);
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
