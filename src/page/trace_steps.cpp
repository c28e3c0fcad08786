#include "page/trace_steps.hpp"

#include <nlohmann/json.hpp>

#include "page/backward_steps.hpp"
#include "page/embedded_files.hpp"
#include "page/model_parts.hpp"
#include "page/step_code.hpp"
#include "page/tensor_axes.hpp"

namespace glassformer {
namespace {

using Json = nlohmann::ordered_json;

bool is_kept(const RecordedStep& step, const std::string& output, const std::optional<Index>& layer) {
  const std::optional<Index> own_layer = layer_of(step.part);
  const bool always = !own_layer || output == "weights" || (output == "d_x" && is_memory_part(step.part));
  return always || !layer || own_layer == layer;
}

Json tensor_json(const RecordedTensor& tensor, MatrixForm form, const ShownIds& shown) {
  const std::string axes = tensor_axes(tensor);
  Json json{{"name", tensor.name}, {"part", tensor.part}, {"axes", axes}, {"computed", tensor.computed}};
  const VocabularyAxis axis = vocabulary_axis(axes);
  const bool rows = axis == VocabularyAxis::rows;
  const Index vocabulary = rows ? tensor.values.rows() : axis == VocabularyAxis::cols ? tensor.values.cols() : 0;
  // If both sides share a table, the part that first used it determines the vocabulary.
  const std::vector<Id>& ids = reads_source_vocabulary(tensor.part) ? shown.source : shown.target;
  if (form == MatrixForm::numbers || vocabulary <= std::ssize(ids)) {
    json["values"] = matrix_json(tensor.values, form);
    return json;
  }
  json["ids"] = ids;
  json["vocabulary"] = vocabulary;
  json["values"] =
      rows ? matrix_json(tensor.values(ids, Eigen::all), form) : matrix_json(tensor.values(Eigen::all, ids), form);
  return json;
}

StepCode code_of(const RecordedStep& step) {
  return code_of_record(embedded_files().at(path_in_project(step.file)), step.line);
}

Json lines_json(const StepCode& code) { return {code.first_line, code.last_line}; }

}  // namespace

TraceSteps::TraceSteps(const Recording& recording, std::optional<Index> layer) : recording_(recording) {
  for (std::size_t i = 0; i < recording.steps().size(); ++i) {
    const RecordedStep& step = recording.steps()[i];
    if (!is_kept(step, recording.tensors()[step.output].name, layer)) {
      continue;
    }
    step_numbers_.emplace(i, step_numbers_.size());
    tensor_numbers_[step.output] = 0;
    for (const RecordedStep::Input& input : step.inputs) {
      tensor_numbers_[input.tensor] = 0;
    }
  }
  std::size_t tensors = 0;
  for (auto& [tensor, number] : tensor_numbers_) {
    number = tensors++;
  }
}

Json TraceSteps::tensors(MatrixForm form, const ShownIds& shown) const {
  Json list = Json::array();
  for (const auto& [i, number] : tensor_numbers_) {
    list.push_back(tensor_json(recording_.tensors()[i], form, shown));
  }
  return list;
}

Json TraceSteps::steps() const {
  const auto differentiated = differentiated_steps(recording_);
  Json list = Json::array();
  for (const auto& [i, number] : step_numbers_) {
    list.push_back(step_json(i, differentiated[i]));
  }
  return list;
}

Json TraceSteps::step_json(std::size_t step, std::optional<std::size_t> differentiated) const {
  const RecordedStep& recorded = recording_.steps()[step];
  const StepCode code = code_of(recorded);
  const std::string& name = recording_.tensors()[recorded.output].name;
  return {
      {"direction", is_backward(recorded) ? "backward" : "forward"},
      {"part", recorded.part},
      {"equation", name + (recorded.adds ? " += " : " = ") + recorded.formula},
      {"output", tensor_numbers_.at(recorded.output)},
      {"inputs", inputs_json(recorded)},
      {"code", {{"file", path_in_project(recorded.file)}, {"function", code.function}, {"lines", lines_json(code)}}},
      {"differentiates", differentiated_json(differentiated)}};
}

Json TraceSteps::inputs_json(const RecordedStep& step) const {
  Json inputs = Json::array();
  for (const RecordedStep::Input& input : step.inputs) {
    inputs.push_back({{"name", input.name}, {"tensor", tensor_numbers_.at(input.tensor)}});
  }
  return inputs;
}

/// The forward step that a backward step differentiates; null if there is none or it is left out.
Json TraceSteps::differentiated_json(std::optional<std::size_t> step) const {
  if (!step || !step_numbers_.contains(*step)) {
    return nullptr;
  }
  const RecordedStep& forward = recording_.steps()[*step];
  return {{"step", step_numbers_.at(*step)},
          {"file", path_in_project(forward.file)},
          {"lines", lines_json(code_of(forward))}};
}

Json TraceSteps::sources() const {
  Json files = Json::object();
  for (const auto& [i, number] : step_numbers_) {
    const std::string file = path_in_project(recording_.steps()[i].file);
    files[file] = embedded_files().at(file);
  }
  return files;
}

Json TraceSteps::computed(const std::string& part, const std::string& name) const {
  Json last;
  for (const auto& [i, number] : step_numbers_) {
    const std::size_t output = recording_.steps()[i].output;
    const RecordedTensor& tensor = recording_.tensors()[output];
    if (tensor.part == part && tensor.name == name) {
      last = tensor_numbers_.at(output);
    }
  }
  return last;
}

}  // namespace glassformer
