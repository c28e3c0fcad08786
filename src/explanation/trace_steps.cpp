#include "explanation/trace_steps.hpp"

#include <set>

#include "explanation/embedded_files.hpp"
#include "explanation/step_code.hpp"
#include "explanation/tensor_axes.hpp"

namespace glassformer {
namespace {

using Json = nlohmann::ordered_json;

bool stays(const RecordedStep& step, const std::string& output, const std::optional<Index>& layer) {
  if (!layer || step.part.find(".layers.") == std::string::npos) return true;
  const std::string of_layer = ".layers." + std::to_string(*layer) + ".";
  return (step.part + ".").find(of_layer) != std::string::npos || output == "weights" ||
         (output == "d_x" && step.part.ends_with("encoder_attn.kv_proj"));
}

/// The ids that an axis of the vocabulary is cut to. Which vocabulary: the part that was first to use it tells.
const std::vector<Id>& ids_of(const RecordedTensor& tensor, const ShownIds& shown) {
  return tensor.part.starts_with("encoder") ? shown.source : shown.target;
}

Json tensor_json(const RecordedTensor& tensor, MatrixForm form, const ShownIds& shown) {
  const std::string axes = tensor_axes(tensor);
  Json json{{"name", tensor.name}, {"part", tensor.part}, {"axes", axes}, {"computed", tensor.computed}};
  const bool rows = axes.starts_with("V,"), cols = axes.ends_with(", V");
  const std::vector<Id>& ids = ids_of(tensor, shown);
  const Index vocabulary = rows ? tensor.values.rows() : cols ? tensor.values.cols() : 0;
  if (form == MatrixForm::numbers || vocabulary <= static_cast<Index>(ids.size())) {
    json["values"] = matrix_json(tensor.values, form);
    return json;
  }
  json["ids"] = ids;
  json["vocabulary"] = vocabulary;
  json["values"] = rows ? matrix_json(tensor.values(ids, Eigen::all), form)
                        : matrix_json(tensor.values(Eigen::all, ids), form);
  return json;
}

CodeLines code_of(const RecordedStep& step) {
  return lines_that_computed(step, embedded_files().at(path_in_project(step.file)));
}

}  // namespace

TraceSteps::TraceSteps(const Recording& recording, std::optional<Index> layer) : recording_(recording) {
  std::set<std::size_t> used;
  for (std::size_t i = 0; i < recording.steps().size(); ++i) {
    const RecordedStep& step = recording.steps()[i];
    if (!stays(step, recording.tensors()[step.output].name, layer)) continue;
    step_numbers_[i] = steps_.size();
    steps_.push_back(i);
    used.insert(step.output);
    for (const RecordedStep::Input& input : step.inputs) used.insert(input.tensor);
  }
  for (const std::size_t tensor : used) {
    tensor_numbers_[tensor] = tensors_.size();
    tensors_.push_back(tensor);
  }
}

Json TraceSteps::tensors(MatrixForm form, const ShownIds& shown) const {
  Json list = Json::array();
  for (const std::size_t number : tensors_) list.push_back(tensor_json(recording_.tensors()[number], form, shown));
  return list;
}

Json TraceSteps::step(std::size_t number, const std::optional<std::size_t>& differentiated) const {
  const RecordedStep& step = recording_.steps()[number];
  Json inputs = Json::array();
  for (const RecordedStep::Input& input : step.inputs) {
    inputs.push_back({{"name", input.name}, {"tensor", tensor_numbers_.at(input.tensor)}});
  }
  Json differentiates;
  if (differentiated && step_numbers_.contains(*differentiated)) {
    const CodeLines forward = code_of(recording_.steps()[*differentiated]);
    differentiates = {{"step", step_numbers_.at(*differentiated)},
                      {"file", forward.file},
                      {"lines", {forward.first, forward.last}}};
  }
  const CodeLines code = code_of(step);
  const std::string& name = recording_.tensors()[step.output].name;
  return {{"direction", is_backward(step) ? "backward" : "forward"},
          {"part", step.part},
          {"equation", name + (step.adds ? " += " : " = ") + step.formula},
          {"output", tensor_numbers_.at(step.output)},
          {"inputs", inputs},
          {"code", {{"file", code.file}, {"function", code.function}, {"lines", {code.first, code.last}}}},
          {"differentiates", differentiates}};
}

Json TraceSteps::steps() const {
  const auto differentiated = differentiated_steps(recording_);
  Json list = Json::array();
  for (const std::size_t number : steps_) list.push_back(step(number, differentiated[number]));
  return list;
}

Json TraceSteps::sources() const {
  Json files = Json::object();
  for (const std::size_t number : steps_) {
    const std::string file = path_in_project(recording_.steps()[number].file);
    files[file] = embedded_files().at(file);
  }
  return files;
}

Json TraceSteps::computed(const std::string& part, const std::string& name) const {
  Json number;
  for (const std::size_t i : steps_) {
    const RecordedTensor& tensor = recording_.tensors()[recording_.steps()[i].output];
    if (tensor.part == part && tensor.name == name) number = tensor_numbers_.at(recording_.steps()[i].output);
  }
  return number;
}

}  // namespace glassformer
