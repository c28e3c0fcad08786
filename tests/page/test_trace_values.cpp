#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "glassformer/page/backward_steps.hpp"
#include "glassformer/page/embedded_files.hpp"
#include "glassformer/page/step_code.hpp"
#include "glassformer/page/tensor_axes.hpp"
#include "glassformer/page/trace_json.hpp"
#include "glassformer/schema/model.hpp"
#include "model/choices.hpp"
#include "page/explained_example.hpp"

using namespace glassformer;
using example::ExplainedExample;
using Json = nlohmann::ordered_json;

namespace {

/// No two sizes are equal, so that no value can stand in for another one.
TransformerSettings unequal_settings() {
  TransformerSettings settings = tiny_settings();
  settings.encoder_layers = 1;
  settings.decoder_layers = 3;
  settings.norm = Norm::pre;
  settings.activation = Activation::gelu;
  settings.scale_embeddings = false;
  settings.masks.target_padding = false;
  settings.embedding_dropout = 0.1;
  settings.attention_dropout = 0.2;
  settings.activation_dropout = 0.3;
  settings.dropout = 0.4;
  return settings;
}

Json whole_trace_of(const ExplainedExample& example) {
  return trace_json(example.explained(), example.explanation, {"runs/a/best", {}, MatrixForm::numbers});
}

/// The numbers of a matrix in the trace, row by row.
std::vector<double> numbers(const Json& matrix) { return matrix.at("numbers").get<std::vector<double>>(); }

template <class Values>
std::vector<double> numbers(const Values& values, Index rows, Index cols) {
  std::vector<double> list;
  for (Index i = 0; i < rows * cols; ++i) {
    list.push_back(static_cast<double>(values(i / cols, i % cols)));
  }
  return list;
}

std::vector<double> numbers(const Mask& mask) {
  return numbers(mask.blocked, mask.blocked.rows(), mask.blocked.cols());
}

void check_answers(const Json& json, const Answers& answers) {
  REQUIRE(json.at("losses").size() == answers.size());
  REQUIRE(json.at("answers").size() == answers.size());
  for (std::size_t b = 0; b < answers.size(); ++b) {
    REQUIRE(json.at("losses").at(b).size() == answers[b].size());
    for (std::size_t t = 0; t < answers[b].size(); ++t) {
      CAPTURE(b, t);
      const Answer& answer = answers[b][t];
      CHECK(json.at("losses").at(b).at(t) == (answer.counted ? Json(answer.loss) : Json()));
      CHECK(json.at("answers").at(b).at(t) == (answer.counted ? Json(answer.likeliest.front().id) : Json()));
    }
  }
}

void check_loss(const Json& json, const LossSum& sum) {
  const auto tokens = static_cast<double>(sum.tokens);
  CHECK(json.at("mean") == sum.loss / tokens);
  CHECK(json.at("cross_entropy") == sum.cross_entropy / tokens);
  CHECK(json.at("perplexity").get<double>() == Approx(std::exp(sum.cross_entropy / tokens)));
  CHECK(json.at("tokens") == sum.tokens);
  CHECK(json.at("correct") == sum.correct);
}

}  // namespace

TEST_CASE("A trace describes the model with its settings, each of them", "[page]") {
  const ExplainedExample example(unequal_settings());
  const Json model = whole_trace_of(example).at("model");
  CHECK(model.at("d_model") == 16);
  CHECK(model.at("heads") == 2);
  CHECK(model.at("encoder_layers") == 1);
  CHECK(model.at("decoder_layers") == 3);
  CHECK(model.at("d_ff") == 24);
  CHECK(model.at("norm") == "pre");
  CHECK(model.at("activation") == "gelu");
  CHECK(model.at("scale_embeddings") == false);
  CHECK(model.at("parameters") == example.tiny.model.weights.size());
  CHECK(model.at("label_smoothing") == 0.1);
  CHECK(model.at("dropout") == false);
  CHECK(model.at("dropout_rates") ==
        Json{{"embedding", 0.1}, {"attention", 0.2}, {"activation", 0.3}, {"residual", 0.4}});
  CHECK(model.at("learned_without") == Json{"target_padding"});

  TransformerSettings other = tiny_settings();
  other.activation = Activation::swish;
  for (const auto& [tying, name] : {std::pair(Tying::none, "none"), {Tying::target, "target"}, {Tying::all, "all"}}) {
    other.tied_embeddings = tying;
    const Json described = whole_trace_of(ExplainedExample(other)).at("model");
    CHECK(described.at("tied_embeddings") == name);
    CHECK(described.at("norm") == "post");
    CHECK(described.at("activation") == "swish");
    CHECK(described.at("scale_embeddings") == true);
  }
}

TEST_CASE("A trace has the sentences, their ids and the tokens of both vocabularies", "[page]") {
  const ExplainedExample example(unequal_settings(), {{"a b c d", "u v"}, {"e f", "w x y t z", true}});
  const Json trace = whole_trace_of(example);
  CHECK(trace.at("sentences").at(0) == Json{{"source", "a b c d"}, {"target", "u v"}, {"own_translation", false}});
  CHECK(trace.at("sentences").at(1) == Json{{"source", "e f"}, {"target", "w x y t z"}, {"own_translation", true}});
  const Batch& batch = example.explanation.batch;
  for (const auto& [name, ids, tokenizer] :
       {std::tuple("source", &batch.source, example.tokenizers.source.get()),
        std::tuple("target_input", &batch.target_input, example.tokenizers.target.get()),
        std::tuple("target_output", &batch.target_output, example.tokenizers.target.get())}) {
    CAPTURE(name);
    const Json& json = trace.at("batch").at(name);
    for (Index b = 0; b < ids->rows(); ++b) {
      for (Index t = 0; t < ids->cols(); ++t) {
        CHECK(json.at("ids").at(static_cast<std::size_t>(b)).at(static_cast<std::size_t>(t)) == (*ids)(b, t));
        CHECK(json.at("tokens").at(static_cast<std::size_t>(b)).at(static_cast<std::size_t>(t)) ==
              tokenizer->piece((*ids)(b, t)));
      }
    }
  }
  CHECK(trace.at("batch").at("pad") == Json{{"source", 0}, {"target", 0}});
  CHECK(trace.at("vocabulary").at("source") ==
        Json{"<pad>", "<s>", "</s>", "<unk>", "a", "b", "c", "d", "e", "f", "g"});
  CHECK(trace.at("vocabulary").at("target").at(4) == "t");
}

TEST_CASE("A trace names the padding of each side", "[page]") {
  const ExplainedExample example(unequal_settings());
  const auto side = [](Id pad) { return std::make_shared<stand_in::Tokenizer>(11, SpecialIds{.pad = pad}); };
  const TokenizerPair tokenizers{side(0), side(5)};
  const ExplainedModel explained{{example.tiny.model, 0.1, false, 5}, tokenizers};
  const Json trace = trace_json(explained, example.explanation, {"runs/a/best", {}, MatrixForm::numbers});
  CHECK(trace.at("batch").at("pad") == Json{{"source", 0}, {"target", 5}});
}

TEST_CASE("A trace has the numbers of the pass: loss, answers and norms", "[page]") {
  const ExplainedExample example(unequal_settings());
  const Json trace = whole_trace_of(example);
  const Trace& right = example.right();
  check_loss(trace.at("loss"), right.loss);
  for (std::size_t b = 0; b < right.answers.size(); ++b) {
    for (std::size_t t = 0; t < right.answers[b].size(); ++t) {
      CAPTURE(b, t);
      const Answer& answer = right.answers[b][t];
      const Json& json = trace.at("answer").at(b).at(t);
      CHECK(json.at("expected") == answer.expected);
      CHECK(json.at("counted") == answer.counted);
      CHECK(json.at("loss") == (answer.counted ? Json(answer.loss) : Json()));
      CHECK(json.at("cross_entropy") == (answer.counted ? Json(answer.cross_entropy) : Json()));
      CHECK(json.at("probability") == (answer.counted ? Json(answer.probability) : Json()));
      REQUIRE(json.at("likeliest").size() == answer.likeliest.size());
      for (std::size_t i = 0; i < answer.likeliest.size(); ++i) {
        const LikelyToken& token = answer.likeliest[i];
        CHECK(json.at("likeliest").at(i) == Json{{"id", token.id},
                                                 {"token", example.tokenizers.target->piece(token.id)},
                                                 {"probability", token.probability}});
      }
    }
  }
  const std::vector<double> norms = tensor_norms(example.tiny.model.weights);
  REQUIRE(trace.at("gradients").size() == norms.size());
  for (std::size_t i = 0; i < norms.size(); ++i) {
    CHECK(trace.at("gradients").at(i).at("norm") == right.gradient_norms[i]);
    CHECK(trace.at("gradients").at(i).at("values_norm") == norms[i]);
  }
}

TEST_CASE("Each step of a trace is a recorded step: its equation, its tensors and its code", "[page]") {
  for (const bool dropout : {false, true}) {
    const ExplainedExample example(unequal_settings(), example::two_pairs(), dropout);
    const Recording& recording = example.explanation.recording;
    const auto differentiated = differentiated_steps(recording);
    const Json steps = whole_trace_of(example).at("steps");
    const auto lines = [](const RecordedStep& step) -> Json {
      const StepCode code = code_of_record(embedded_files().at(path_in_project(step.file)), step.line);
      return {code.first_line, code.last_line};
    };
    REQUIRE(steps.size() == recording.steps().size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const RecordedStep& step = recording.steps()[i];
      const Json& json = steps.at(i);
      const std::string& name = recording.tensors()[step.output].name;
      const std::string file = path_in_project(step.file);
      CAPTURE(step.part, name, step.formula);
      CHECK(json.at("direction") == (step.direction == Direction::backward ? "backward" : "forward"));
      CHECK(json.at("part") == step.part);
      CHECK(json.at("equation") == name + (step.adds ? " += " : " = ") + step.formula);
      CHECK(json.at("output") == step.output);
      REQUIRE(json.at("inputs").size() == step.inputs.size());
      for (std::size_t k = 0; k < step.inputs.size(); ++k) {
        CHECK(json.at("inputs").at(k) == Json{{"name", step.inputs[k].name}, {"tensor", step.inputs[k].tensor}});
      }
      CHECK(json.at("code").at("file") == file);
      CHECK(json.at("code").at("lines") == lines(step));
      CHECK(json.at("code").at("function").get<std::string>().ends_with("::" + step.function));
      if (!differentiated[i]) {
        CHECK(json.at("differentiates").is_null());
        continue;
      }
      const RecordedStep& forward = recording.steps()[*differentiated[i]];
      CHECK(json.at("differentiates").at("step") == *differentiated[i]);
      CHECK(json.at("differentiates").at("file") == path_in_project(forward.file));
      CHECK(json.at("differentiates").at("lines") == lines(forward));
    }
  }
}

TEST_CASE("Each tensor of a trace is a recorded tensor: its name, part, axes and numbers", "[page]") {
  for (const bool dropout : {false, true}) {
    const ExplainedExample example(unequal_settings(), example::two_pairs(), dropout);
    const std::vector<RecordedTensor>& recorded = example.explanation.recording.tensors();
    const Json tensors = whole_trace_of(example).at("tensors");
    REQUIRE(tensors.size() == recorded.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const RecordedTensor& tensor = recorded[i];
      CAPTURE(tensor.part, tensor.name);
      const std::string axes = tensor_axes(tensor, example.right().parts.at(tensor.part));
      Json expected{{"name", tensor.name}, {"part", tensor.part}, {"axes", axes}, {"computed", tensor.computed}};
      if (axes.starts_with("V,") || axes.ends_with(", V")) {
        expected["vocabulary_of"] = tensor.part.starts_with("encoder") ? "source" : "target";
      }
      expected["values"] = matrix_json(tensor.values, MatrixForm::numbers);
      CHECK(tensors.at(i) == expected);
    }
  }
}

TEST_CASE("The sources in a trace are those of its steps, and no others", "[page]") {
  const ExplainedExample example(unequal_settings());
  for (const std::optional<Index> layer : {std::optional<Index>(), std::optional<Index>(2)}) {
    const Json trace = trace_json(example.explained(), example.explanation, {"", layer, MatrixForm::numbers});
    std::set<std::string> named;
    for (const Json& step : trace.at("steps")) {
      named.insert(step.at("code").at("file").get<std::string>());
    }
    std::set<std::string> given;
    for (const auto& [file, text] : trace.at("sources").items()) {
      given.insert(file);
    }
    CHECK(given == named);
  }
}

TEST_CASE("Each mask in a trace blocks what it must, unless it is off", "[page]") {
  for (const char* off : {"", "encoder_padding", "target_padding", "look_ahead", "cross_padding"}) {
    CAPTURE(off);
    TransformerSettings settings = tiny_settings();
    for_each_setting(settings.masks, [&](const std::string& name, const auto&, bool& on) { on = name != off; });
    const ExplainedExample example(settings);
    const MaskSettings& on = settings.masks;
    const Batch& batch = example.explanation.batch;
    const Index T = batch.target_input.cols();
    const auto blocked = [](Index rows, Index cols, const auto& is_blocked) {
      std::vector<double> list;
      for (Index i = 0; i < rows * cols; ++i) {
        list.push_back(is_blocked(i / cols, i % cols) ? 1 : 0);
      }
      return list;
    };
    const auto source_padding = [&](Index b, Index s) { return batch.source(b, s) == kPad; };
    const auto target_padding = [&](Index b, Index t) { return on.target_padding && batch.target_input(b, t) == kPad; };
    const auto future = [&](Index query, Index key) { return on.look_ahead && key > query; };
    const Json trace = whole_trace_of(example);
    const Json& masks = trace.at("masks");
    CHECK(masks.size() == 5);
    const Index S = batch.source.cols();
    CHECK(numbers(masks.at("encoder_padding")) ==
          blocked(2, S, [&](Index b, Index s) { return on.encoder_padding && source_padding(b, s); }));
    CHECK(numbers(masks.at("cross_padding")) ==
          blocked(2, S, [&](Index b, Index s) { return on.cross_padding && source_padding(b, s); }));
    CHECK(numbers(masks.at("target_padding")) == blocked(2, T, target_padding));
    CHECK(numbers(masks.at("look_ahead")) == blocked(T, T, future));
    CHECK(numbers(masks.at("decoder_combined")) == blocked(2 * T, T, [&](Index row, Index key) {
            return target_padding(row / T, key) || future(row % T, key);
          }));
    CHECK(trace.at("model").at("learned_without") == (*off == '\0' ? Json::array() : Json::array({off})));
  }
}

TEST_CASE("A trace names each choice of the model's settings as a config does", "[page]") {
  for (const TransformerSettings& settings : example::with_each_choice(tiny_settings())) {
    const Json model = whole_trace_of(ExplainedExample(settings)).at("model");
    CHECK(model.at("norm") == kNormNames[static_cast<std::size_t>(settings.norm)]);
    CHECK(model.at("activation") == kActivationNames[static_cast<std::size_t>(settings.activation)]);
    CHECK(model.at("tied_embeddings") == kTyingNames[static_cast<std::size_t>(settings.tied_embeddings)]);
  }
}

TEST_CASE("A trace names each attention sublayer and each layer's part of the memory's gradient", "[page]") {
  const ExplainedExample example(unequal_settings());
  const Json trace = whole_trace_of(example);
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"encoder.layers.0.self_attn", "encoder self"}, {"decoder.layers.0.self_attn", "decoder self"},
      {"decoder.layers.0.encoder_attn", "cross"},     {"decoder.layers.1.self_attn", "decoder self"},
      {"decoder.layers.1.encoder_attn", "cross"},     {"decoder.layers.2.self_attn", "decoder self"},
      {"decoder.layers.2.encoder_attn", "cross"}};
  REQUIRE(trace.at("attention").size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Json& attention = trace.at("attention").at(i);
    const auto& [part, kind] = expected[i];
    CHECK(attention.at("part") == part);
    CHECK(attention.at("kind") == kind);
    CHECK(attention.at("layer").get<std::string::size_type>() == static_cast<std::size_t>(part[15] - '0'));
  }
  const Json& parts = trace.at("memory_gradient").at("parts");
  REQUIRE(parts.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {  // the last layer first
    const std::string layer = std::to_string(2 - i);
    CHECK(parts.at(i).at("layer") == 2 - i);
    const Json& tensor = trace.at("tensors").at(parts.at(i).at("tensor").get<std::size_t>());
    CHECK(tensor.at("part") == "decoder.layers." + layer + ".encoder_attn.kv_proj");
    CHECK(tensor.at("name") == "d_x");
  }
}

TEST_CASE("A trace has the numbers of each variant of the masks", "[page]") {
  const ExplainedExample example(unequal_settings());
  const Json what_if = whole_trace_of(example).at("what_if");
  const std::vector<ExplainedVariant>& variants = example.explanation.variants;
  REQUIRE(what_if.size() == variants.size());
  CHECK(variants.size() == 9);
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const ExplainedVariant& variant = variants[i];
    const Json& json = what_if.at(i);
    CAPTURE(variant.name);
    CHECK(json.at("name") == variant.name);
    CHECK(json.at("title") == variant.title);
    CHECK(json.at("says") == variant.says);
    CHECK(json.at("changed") == Json(variant.changed));
    CHECK(numbers(json.at("masks").at("encoder_padding")) == numbers(variant.masks.encoder_padding));
    CHECK(numbers(json.at("masks").at("decoder_combined")) == numbers(variant.masks.decoder_combined));
    CHECK(numbers(json.at("masks").at("cross_padding")) == numbers(variant.masks.cross_padding));
    for (const auto& [name, reasons] : {std::pair("encoder_padding", &variant.reasons.encoder_padding),
                                        {"decoder_combined", &variant.reasons.decoder_combined},
                                        {"cross_padding", &variant.reasons.cross_padding}}) {
      REQUIRE(json.at("reasons").at(name).size() == reasons->size());
      for (std::size_t k = 0; k < reasons->size(); ++k) {
        CHECK(json.at("reasons").at(name).at(k).at("name") == (*reasons)[k].name);
        CHECK(json.at("reasons").at(name).at(k).at("sentences") == (*reasons)[k].mask.sentences);
        CHECK(json.at("reasons").at(name).at(k).at("queries") == (*reasons)[k].mask.queries);
        CHECK(numbers(json.at("reasons").at(name).at(k).at("blocked")) == numbers((*reasons)[k].mask));
      }
    }
    check_loss(json.at("loss"), variant.trace.loss);
    check_answers(json, variant.trace.answers);
    check_answers(json.at("alone"), variant.alone);
    for (std::size_t b = 0; b < variant.on_padding.size(); ++b) {
      const auto& [encoder_self, decoder_self, cross] = variant.on_padding[b];
      CHECK(json.at("on_padding").at(b) ==
            Json{{"encoder self", encoder_self}, {"decoder self", decoder_self}, {"cross", cross}});
    }
    for (std::size_t k = 0; k < variant.trace.attention.size(); ++k) {
      const Matrix<float>& weights = variant.trace.attention[k].weights;
      const std::vector<double> shown = numbers(json.at("attention").at(k));
      const std::vector<double> expected = numbers(weights, weights.rows(), weights.cols());
      CHECK(std::ranges::equal(shown, expected, [](double a, double b) { return std::abs(a - b) < 1e-6; }));
    }
    CHECK(json.at("gradient_norms") == Json(variant.trace.gradient_norms));
  }
}

TEST_CASE("Attention on padding is the share of each word's attention, averaged over words, heads and layers",
          "[page]") {
  const ExplainedExample example(unequal_settings());
  const ExplainedVariant& variant = example.variant("no_padding_masks");
  const Index heads = 2;
  const std::vector<Index> sources = {5, 3};  // with eos
  const std::vector<Index> targets = {3, 6};  // with bos
  for (std::size_t b = 0; b < 2; ++b) {
    std::array<double, 3> sums{};
    for (const AttentionWeights& one : variant.trace.attention) {
      const bool of_encoder = one.kind == AttentionKind::encoder_self;
      const Index words = of_encoder ? sources[b] : targets[b];
      const Index keys = one.kind == AttentionKind::decoder_self ? targets[b] : sources[b];
      const Index rows = of_encoder ? 5 : 6;
      for (Index h = 0; h < heads; ++h) {
        const auto of_words = one.weights.middleRows((static_cast<Index>(b) * heads + h) * rows, words);
        const double on_padding = of_words.rightCols(of_words.cols() - keys).cast<double>().sum();
        const Index layers = of_encoder ? 1 : 3;
        sums[static_cast<std::size_t>(one.kind)] += on_padding / static_cast<double>(words * heads * layers);
      }
    }
    for (std::size_t kind = 0; kind < 3; ++kind) {
      CAPTURE(b, kind);
      CHECK(variant.on_padding.at(b).at(kind) == Approx(sums.at(kind)));
    }
  }
  CHECK(variant.on_padding[1][0] > 0);
  CHECK(variant.on_padding[0][1] == 0);  // the future is hidden, so words cannot see the padding after them
  CHECK(variant.on_padding[1][2] > 0);
}
