#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "glassformer/page/trace_json.hpp"
#include "page/explained_example.hpp"

using namespace glassformer;
using example::ExplainedExample;
using Json = nlohmann::ordered_json;

namespace {

Json trace_of(const ExplainedExample& example, std::optional<Index> layer = {}, MatrixForm form = MatrixForm::numbers) {
  return trace_json(example.explained(), example.explanation, {"runs/a/best", layer, form});
}

std::set<std::string> keys(const Json& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.items()) {
    names.insert(name);
  }
  return names;
}
using Keys = std::set<std::string>;

void check_matrix(const Json& matrix, Index rows, Index cols) {
  CHECK(keys(matrix) == Keys{"rows", "cols", "numbers"});
  CHECK(matrix.at("rows") == rows);
  CHECK(matrix.at("cols") == cols);
  CHECK(matrix.at("numbers").size() == static_cast<std::size_t>(rows * cols));
}

const Json& tensor(const Json& trace, const Json& number) {
  REQUIRE(number.is_number_unsigned());
  return trace.at("tensors").at(number.get<std::size_t>());
}

/// A step as text, without the numbers of tensors and steps, which depend on what else is in the trace.
std::string step_text(const Json& trace, const Json& step) {
  std::string text = step.at("part").get<std::string>() + ": " + step.at("equation").get<std::string>() + "; " +
                     step.at("code").dump() + tensor(trace, step.at("output")).dump();
  for (const Json& input : step.at("inputs")) {
    text += input.at("name").dump() + tensor(trace, input.at("tensor")).dump();
  }
  return text;
}

}  // namespace

TEST_CASE("A trace has every key of its format", "[page]") {
  const ExplainedExample example;
  const Json trace = trace_of(example);
  CHECK(keys(trace) == Keys{"format",   "version",   "glassformer", "checkpoint",      "model",
                            "layer",    "sentences", "batch",       "vocabulary",      "masks",
                            "tensors",  "steps",     "sources",     "attention",       "answer",
                            "d_logits", "loss",      "gradients",   "memory_gradient", "what_if"});
  CHECK(trace.at("format") == "glassformer trace");
  CHECK(trace.at("version") == 1);
  CHECK(trace.at("glassformer") == GLASSFORMER_VERSION);
  CHECK(trace.at("checkpoint") == "runs/a/best");
  CHECK(keys(trace.at("model")) == Keys{"d_model", "heads", "encoder_layers", "decoder_layers", "d_ff", "norm",
                                        "activation", "tied_embeddings", "scale_embeddings", "parameters",
                                        "label_smoothing", "dropout", "dropout_rates", "learned_without"});
  CHECK(trace.at("model").at("parameters") == example.tiny.model.weights.size());
  CHECK(trace.at("model").at("activation") == "relu");
  CHECK(trace.at("model").at("tied_embeddings") == "none");
  CHECK(trace.at("model").at("learned_without").empty());
  CHECK(keys(trace.at("sentences").at(0)) == Keys{"source", "target", "own_translation"});
  CHECK(keys(trace.at("batch")) == Keys{"source", "target_input", "target_output", "pad"});
  CHECK(trace.at("batch").at("source").at("tokens").at(1) == Json{"e", "f", "</s>", "<pad>", "<pad>"});
  CHECK(trace.at("batch").at("target_input").at("tokens").at(0) == Json{"<s>", "u", "v", "<pad>", "<pad>", "<pad>"});
  CHECK(trace.at("batch").at("target_output").at("ids").at(0).at(2) == 2);
  CHECK(trace.at("vocabulary").at("target").at(2) == "</s>");
  CHECK(trace.at("vocabulary").at("target").size() == 11);
  CHECK(keys(trace.at("loss")) == Keys{"mean", "cross_entropy", "perplexity", "tokens", "correct"});
  CHECK(keys(trace.at("memory_gradient")) == Keys{"sum", "parts"});
  CHECK(keys(trace.at("attention").at(0)) == Keys{"part", "kind", "layer", "weights"});
  CHECK(keys(trace.at("gradients").at(0)) == Keys{"name", "shape", "norm", "values_norm"});
  CHECK(keys(trace.at("answer").at(0).at(0)) ==
        Keys{"expected", "counted", "loss", "cross_entropy", "probability", "likeliest"});
  CHECK(keys(trace.at("answer").at(0).at(0).at("likeliest").at(0)) == Keys{"id", "token", "probability"});
  for (const Json& step : trace.at("steps")) {
    CHECK(keys(step) == Keys{"direction", "part", "equation", "output", "inputs", "code", "differentiates"});
    CHECK(keys(step.at("code")) == Keys{"file", "function", "lines"});
  }
  for (const Json& variant : trace.at("what_if")) {
    CHECK(keys(variant) == Keys{"name", "title", "says", "changed", "masks", "reasons", "loss", "losses", "answers",
                                "alone", "on_padding", "attention", "gradient_norms"});
    for (const auto& [mask, reasons] : variant.at("reasons").items()) {
      CHECK(variant.at("masks").contains(mask));
      for (const Json& reason : reasons) {
        CHECK(keys(reason) == Keys{"name", "sentences", "queries", "blocked"});
      }
    }
    CHECK(keys(variant.at("alone")) == Keys{"losses", "answers"});
    CHECK(keys(variant.at("on_padding").at(0)) == Keys{"encoder self", "decoder self", "cross"});
  }
  CHECK(Json::parse(trace.dump()) == trace);
}

TEST_CASE("Masks, answers, gradients and variants in a trace have the sizes of the batch and the model", "[page]") {
  const ExplainedExample example;
  const Json trace = trace_of(example);
  const Index B = 2;
  const Index S = 5;
  const Index T = 6;
  const Index H = 2;
  check_matrix(trace.at("masks").at("encoder_padding"), B, S);
  check_matrix(trace.at("masks").at("target_padding"), B, T);
  check_matrix(trace.at("masks").at("look_ahead"), T, T);
  check_matrix(trace.at("masks").at("decoder_combined"), B * T, T);
  check_matrix(trace.at("masks").at("cross_padding"), B, S);
  CHECK(trace.at("masks").at("target_padding").at("numbers").at(3) == 1.0);
  CHECK(trace.at("masks").at("look_ahead").at("numbers").at(1) == 1.0);

  CHECK(trace.at("answer").at(0).at(3).at("counted") == false);
  CHECK(trace.at("answer").at(0).at(3).at("probability").is_null());
  CHECK(trace.at("answer").at(0).at(3).at("loss").is_null());
  CHECK(trace.at("answer").at(0).at(3).at("likeliest").size() == 10);
  CHECK(trace.at("answer").at(1).at(5).at("loss").is_number());
  CHECK(trace.at("loss").at("mean").get<double>() == Approx(example.right().loss.loss / 9));
  CHECK(trace.at("loss").at("cross_entropy").get<double>() == Approx(example.right().loss.cross_entropy / 9));
  CHECK(trace.at("loss").at("perplexity").get<double>() == Approx(std::exp(example.right().loss.cross_entropy / 9)));

  const std::vector<TensorPlace>& places = example.tiny.model.weights.tensors();
  REQUIRE(trace.at("gradients").size() == places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    CHECK(trace.at("gradients").at(i).at("name") == places[i].name);
    CHECK(trace.at("gradients").at(i).at("shape") == Json(places[i].shape));
    CHECK(trace.at("gradients").at(i).at("norm") == example.right().gradient_norms[i]);
  }

  const std::vector<ExplainedVariant>& variants = example.explanation.variants;
  REQUIRE(trace.at("what_if").size() == variants.size());
  CHECK(trace.at("what_if").at(0).at("name") == "right");
  for (std::size_t i = 0; i < trace.at("what_if").size(); ++i) {
    const Json& variant = trace.at("what_if").at(i);
    CAPTURE(variant.at("name"));
    check_matrix(variant.at("masks").at("decoder_combined"), B * T, T);
    check_matrix(variant.at("masks").at("cross_padding"), B, S);
    REQUIRE(variant.at("attention").size() == trace.at("attention").size());
    check_matrix(variant.at("attention").at(0), B * H * S, S);
    check_matrix(variant.at("attention").at(2), B * H * T, T);
    check_matrix(variant.at("attention").at(3), B * H * T, S);
    CHECK(variant.at("losses").at(0).at(3).is_null());
    CHECK(variant.at("losses").at(1).at(3).is_number());
    CHECK(variant.at("answers").at(0).at(3).is_null());
    CHECK(variant.at("answers").at(1).at(3) == variants[i].trace.answers[1][3].likeliest.front().id);
    CHECK(variant.at("alone").at("losses").at(0).at(3).is_null());
    CHECK(variant.at("alone").at("losses").at(1).at(3) == variants[i].alone[1][3].loss);
    CHECK(variant.at("alone").at("answers").at(1).at(3) == variants[i].alone[1][3].likeliest.front().id);
    CHECK(variant.at("on_padding").at(1).at("cross") == variants[i].on_padding[1][2]);
    CHECK(variant.at("gradient_norms").size() == places.size());
    CHECK(variant.at("changed") == Json(variants[i].changed));
  }
}

TEST_CASE("The tensor numbers in a trace refer to the right tensors", "[page]") {
  for (const bool dropout : {false, true}) {
    const ExplainedExample example(tiny_settings(), example::two_pairs(), dropout);
    const Json trace = trace_of(example);
    CHECK(trace.at("tensors").size() == example.explanation.recording.tensors().size());
    CHECK(trace.at("steps").size() == example.explanation.recording.steps().size());
    CHECK(trace.at("model").at("dropout") == dropout);
    for (std::size_t i = 0; i < trace.at("attention").size(); ++i) {
      const Json& attention = trace.at("attention").at(i);
      const Json& weights = tensor(trace, attention.at("weights"));
      CAPTURE(attention.at("part"), attention.at("kind"));
      CHECK(weights.at("name") == "weights");
      CHECK(weights.at("part") == attention.at("part"));
      CHECK(weights.at("values") == trace.at("what_if").at(0).at("attention").at(i));
    }
    CHECK(trace.at("attention").at(3).at("part") == "decoder.layers.0.encoder_attn");
    CHECK(trace.at("attention").at(3).at("kind") == "cross");
    CHECK(trace.at("attention").at(4).at("layer") == 1);
    check_matrix(tensor(trace, trace.at("d_logits")).at("values"), 12, 11);
    CHECK(tensor(trace, trace.at("d_logits")).at("name") == "d_logits");

    const Json& memory = trace.at("memory_gradient");
    CHECK(tensor(trace, memory.at("sum")).at("name") == "d_memory");
    CHECK(tensor(trace, memory.at("sum")).at("axes") == "B*S, D");
    REQUIRE(memory.at("parts").size() == 2);
    CHECK(memory.at("parts").at(0).at("layer") == 1);
    CHECK(tensor(trace, memory.at("parts").at(1).at("tensor")).at("part") == "decoder.layers.0.encoder_attn.kv_proj");
  }
}

TEST_CASE("The steps of a trace name their inputs; forward steps come before backward steps", "[page]") {
  const ExplainedExample example;
  const Json trace = trace_of(example);
  const Json& steps = trace.at("steps");
  bool back = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Json& step = steps.at(i);
    const auto equation = step.at("equation").get<std::string>();
    CAPTURE(step.at("part"), equation);
    const std::string& name = tensor(trace, step.at("output")).at("name").get_ref<const std::string&>();
    CHECK((equation.starts_with(name + " = ") || equation.starts_with(name + " += ")));
    CHECK(equation.find("[out") == std::string::npos);
    for (const Json& input : step.at("inputs")) {
      const auto read = input.at("name").get<std::string>();
      tensor(trace, input.at("tensor"));
      CHECK((equation.find("{" + read + "}") != std::string::npos || read == name + " so far"));
    }
    if (step.at("direction") == "backward") {
      back = true;
    }
    CHECK(step.at("direction") == (back ? "backward" : "forward"));
    if (const Json& forward = step.at("differentiates"); !forward.is_null()) {
      const auto number = forward.at("step").get<std::size_t>();
      REQUIRE(number < i);
      CHECK(steps.at(number).at("direction") == "forward");
      CHECK(steps.at(number).at("code").at("lines") == forward.at("lines"));
      CHECK(steps.at(number).at("code").at("file") == forward.at("file"));
    } else {
      CHECK((!back || name == "d_memory"));
    }
  }
  CHECK(back);
}

TEST_CASE("The sources in a trace are the unchanged files, and contain the lines of every step", "[page]") {
  const ExplainedExample example;
  const Json trace = trace_of(example);
  for (const auto& [file, text] : trace.at("sources").items()) {
    CAPTURE(file);
    CHECK(text == stand_in::read_bytes(std::filesystem::path(GLASSFORMER_SOURCE_DIR) / file));
  }
  for (const Json& step : trace.at("steps")) {
    const Json& code = step.at("code");
    const auto text = trace.at("sources").at(code.at("file").get<std::string>()).get<std::string>();
    CHECK(code.at("lines").at(0) <= code.at("lines").at(1));
    CHECK(code.at("lines").at(1) <= std::count(text.begin(), text.end(), '\n'));
  }
}

TEST_CASE("Limited to one layer, a trace leaves out other layers' steps, and all its numbers stay correct", "[page]") {
  const ExplainedExample example;
  const Json whole = trace_of(example);
  const Json part = trace_of(example, 1);
  std::set<std::string> known;
  for (const Json& step : whole.at("steps")) {
    known.insert(step_text(whole, step));
  }
  std::set<std::string> names_of_others;
  std::size_t of_layer = 0;
  std::size_t of_layer_in_whole = 0;
  for (const Json& step : part.at("steps")) {
    CHECK(known.contains(step_text(part, step)));
    const auto where = step.at("part").get<std::string>();
    if (where.find(".layers.0") != std::string::npos) {
      const std::string end = where.ends_with(".kv_proj") ? "kv_proj " : "";
      names_of_others.insert(end + tensor(part, step.at("output")).at("name").get<std::string>());
    }
    of_layer += where.find(".layers.1") != std::string::npos;
    if (const Json& forward = step.at("differentiates"); !forward.is_null()) {
      const bool is_sum = step.at("equation").get<std::string>().starts_with("d_memory");  // over the decoder's layers
      const Json& differentiated = part.at("steps").at(forward.at("step").get<std::size_t>()).at("part");
      CHECK(differentiated == (is_sum ? "decoder.layers.1.encoder_attn.kv_proj" : where));
    }
  }
  for (const Json& step : whole.at("steps")) {
    of_layer_in_whole += step.at("part").get<std::string>().find(".layers.1") != std::string::npos;
  }
  CHECK(names_of_others == Keys{"weights", "kv_proj d_x"});
  CHECK(of_layer == of_layer_in_whole);
  CHECK(part.at("layer") == 1);
  CHECK(whole.at("layer").is_null());
  CHECK(part.at("steps").size() < whole.at("steps").size());
  CHECK(part.at("tensors").size() < whole.at("tensors").size());
  for (std::size_t i = 0; i < whole.at("attention").size(); ++i) {
    CHECK(tensor(part, part.at("attention").at(i).at("weights")) ==
          tensor(whole, whole.at("attention").at(i).at("weights")));
  }
  CHECK(tensor(part, part.at("d_logits")) == tensor(whole, whole.at("d_logits")));
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(tensor(part, part.at("memory_gradient").at("parts").at(i).at("tensor")) ==
          tensor(whole, whole.at("memory_gradient").at("parts").at(i).at("tensor")));
  }
}

TEST_CASE("A trace distinguishes given tensors from those that another layer computed", "[page]") {
  const ExplainedExample example;
  const Json part = trace_of(example, 1);
  std::set<std::size_t> outputs;
  for (const Json& step : part.at("steps")) {
    outputs.insert(step.at("output").get<std::size_t>());
  }
  std::size_t of_others = 0;
  for (std::size_t i = 0; i < part.at("tensors").size(); ++i) {
    const Json& one = part.at("tensors").at(i);
    CAPTURE(one.at("name"), one.at("part"));
    if (outputs.contains(i)) {
      CHECK(one.at("computed") == true);
    } else {
      of_others += one.at("computed") == true;
    }
    const bool given = one.at("name") == "mask" || one.at("name") == "id" || one.at("name") == "table";
    if (given) {
      CHECK(one.at("computed") == false);
    }
  }
  CHECK(of_others > 0);  // what layer 0 passes to layer 1
}

TEST_CASE("The reasons in a trace are the elementary masks that are on", "[page]") {
  TransformerSettings settings = tiny_settings();
  settings.masks = {.look_ahead = false, .cross_padding = false};
  const Json what_if = trace_of(ExplainedExample(settings)).at("what_if");
  const auto names = [](const Json& reasons) {
    std::vector<std::string> list;
    for (const Json& reason : reasons) {
      list.push_back(reason.at("name"));
    }
    return list;
  };
  using Reasons = std::vector<std::string>;
  CHECK(names(what_if.at(0).at("reasons").at("encoder_padding")) == Reasons{"padding"});
  CHECK(names(what_if.at(0).at("reasons").at("decoder_combined")) == Reasons{"padding"});
  CHECK(names(what_if.at(0).at("reasons").at("cross_padding")).empty());
  const Json& all = what_if.back().at("reasons").at("decoder_combined");
  CHECK(names(all) == Reasons{"padding", "future"});
  CHECK(all.at(0).at("sentences") == 2);
  CHECK(all.at(0).at("queries") == 1);
  CHECK(all.at(1).at("sentences") == 1);
  CHECK(all.at(1).at("queries") == 6);
  check_matrix(all.at(1).at("blocked"), 6, 6);
}

TEST_CASE("A trace lists the masks that were off in training", "[page]") {
  TransformerSettings settings = tiny_settings();
  settings.masks = {.encoder_padding = false, .look_ahead = false};
  const Json trace = trace_of(ExplainedExample(settings));
  CHECK(trace.at("model").at("learned_without") == Json{"encoder_padding", "look_ahead"});
  CHECK(trace.at("what_if").back().at("name") == "all_masks");
  CHECK(trace.at("masks").at("encoder_padding").at("numbers").at(9) == 0.0);  // off; the other two are still on
  CHECK(trace.at("masks").at("cross_padding").at("numbers").at(9) == 1.0);
}

TEST_CASE("For the page, the matrices of a trace are packed", "[page]") {
  const ExplainedExample example;
  const Json packed = trace_of(example, {}, MatrixForm::packed);
  for (const Json& tensor : packed.at("tensors")) {
    CHECK(keys(tensor.at("values")) == Keys{"rows", "cols", "letters", "exponent", "packed"});
  }
  CHECK(keys(packed.at("masks").at("look_ahead")) == Keys{"rows", "cols", "bits"});
  CHECK(keys(packed.at("what_if").at(1).at("masks").at("cross_padding")) == Keys{"rows", "cols", "bits"});
  CHECK(keys(packed.at("what_if").at(1).at("attention").at(0)) ==
        Keys{"rows", "cols", "letters", "exponent", "packed"});
}
