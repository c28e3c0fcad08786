#include "glassformer/page/trace_steps.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "glassformer/page/backward_steps.hpp"
#include "glassformer/page/embedded_files.hpp"
#include "glassformer/page/step_code.hpp"
#include "glassformer/page/tensor_axes.hpp"

namespace glassformer {
namespace {

using Json = nlohmann::ordered_json;

/// What a trace of one layer also shows of all other layers: their attention weights and memory gradients.
std::set<PartAndName> shown_of_all_layers(const Trace& trace) {
  std::set<PartAndName> shown;
  for (const AttentionWeights& attention : trace.attention) {
    shown.emplace(attention.part, "weights");
  }
  for (const std::string& part : trace.memory_readers) {
    shown.emplace(part, "d_x");
  }
  return shown;
}

Json tensor_json(const RecordedTensor& tensor, const PartInfo& info, MatrixForm form, const ShownIds& shown) {
  const std::string axes = tensor_axes(tensor, info);
  Json json{{"name", tensor.name}, {"part", tensor.part}, {"axes", axes}, {"computed", tensor.computed}};
  const VocabularyAxis axis = vocabulary_axis(axes);
  if (axis == VocabularyAxis::none) {
    json["values"] = matrix_json(tensor.values, form);
    return json;
  }
  // If both sides share a table, the part that first used it determines the vocabulary.
  json["vocabulary_of"] = info.reads_source ? "source" : "target";
  const bool rows = axis == VocabularyAxis::rows;
  const Index vocabulary = rows ? tensor.values.rows() : tensor.values.cols();
  const std::vector<Id>& ids = info.reads_source ? shown.source : shown.target;
  if (form != MatrixForm::packed || vocabulary <= std::ssize(ids)) {
    json["values"] = matrix_json(tensor.values, form);
    return json;
  }
  json["ids"] = ids;
  json["vocabulary"] = vocabulary;
  const Matrix<double> cut =
      rows ? Matrix<double>(tensor.values(ids, Eigen::all)) : Matrix<double>(tensor.values(Eigen::all, ids));
  json["values"] = matrix_json(cut, form);
  return json;
}

StepCode code_of(const RecordedStep& step) {
  return code_of_record(embedded_files().at(path_in_project(step.file)), step.line);
}

Json lines_json(const StepCode& code) { return {code.first_line, code.last_line}; }

}  // namespace

TraceSteps::TraceSteps(const Recording& recording, const Trace& trace, std::optional<Index> layer)
    : recording_(recording), trace_(trace) {
  const std::set<PartAndName> of_all_layers = shown_of_all_layers(trace);
  for (std::size_t i = 0; i < recording.steps().size(); ++i) {
    const RecordedStep& step = recording.steps()[i];
    const std::optional<Index> its_layer = trace.parts.at(step.part).layer;
    const bool of_another = layer && its_layer && its_layer != layer;
    if (of_another && !of_all_layers.contains({step.part, recording.tensors()[step.output].name})) {
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
    const RecordedTensor& tensor = recording_.tensors()[i];
    list.push_back(tensor_json(tensor, trace_.parts.at(tensor.part), form, shown));
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
      {"direction", recorded.direction == Direction::backward ? "backward" : "forward"},
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

Json TraceSteps::computed(const PartAndName& wanted) const {
  Json last;
  for (const auto& [i, number] : step_numbers_) {
    const std::size_t output = recording_.steps()[i].output;
    const RecordedTensor& tensor = recording_.tensors()[output];
    if (PartAndName(tensor.part, tensor.name) == wanted) {
      last = tensor_numbers_.at(output);
    }
  }
  return last;
}

}  // namespace glassformer
