#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <regex>
#include <set>

#include "page/page.hpp"
#include "page/trace_json.hpp"

namespace glassformer {
namespace {

using Json = nlohmann::ordered_json;

/// The upper bits of a float, rounded to nearest, ties to even.
std::uint32_t upper_bits(double number, int count) {
  const auto single = std::isnan(number) ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(number);
  const auto bits = std::bit_cast<std::uint32_t>(single);
  const int dropped = 32 - count;
  if (!std::isfinite(single)) {
    return bits >> dropped;
  }
  return (bits + (1U << (dropped - 1)) - 1 + (bits >> dropped & 1)) >> dropped;
}

/// Base64 letters (RFC 4648, section 4): three or four per number.
std::string packed(const Matrix<double>& matrix) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr Index kMany = 2048;  // nobody reads this many numbers one by one, and they make up most of a page
  const int letters = matrix.size() > kMany ? 3 : 4;
  std::string text;
  for (Index i = 0; i < matrix.size(); ++i) {
    const std::uint32_t bits = upper_bits(matrix.data()[i], 6 * letters);
    for (int letter = letters; letter-- > 0;) {
      text += kLetters[bits >> 6 * letter & 63];
    }
  }
  return text;
}

/// The shortest decimal that is closer to this float than to any other: 0.1, not 0.100000001.
Json short_number(double number) {
  if (!std::isfinite(number)) {
    return nullptr;
  }
  char text[64] = {};
  std::to_chars(text, text + sizeof text - 1, static_cast<float>(number));
  return std::strtod(text, nullptr);
}

std::vector<Id> ids_to_show(const std::set<Id>& mentioned, const Tokenizer& tokenizer) {
  constexpr Index kLargestWhole = 1000;
  if (tokenizer.vocabulary_size() > kLargestWhole) {
    return {mentioned.upper_bound(kNoToken), mentioned.end()};
  }
  std::vector<Id> all(static_cast<std::size_t>(tokenizer.vocabulary_size()));
  std::iota(all.begin(), all.end(), Id{0});
  return all;
}

/// The special ids, and the ids on one side of the batch.
std::set<Id> ids_in(const IdMatrix& ids, const SpecialIds& special) {
  std::set<Id> found{special.pad, special.unk, special.bos, special.eos};
  for (Index b = 0; b < ids.rows(); ++b) {
    found.insert(ids.row(b).begin(), ids.row(b).end());
  }
  return found;
}

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
  const bool rows = axes.starts_with("V,");
  const bool cols = axes.ends_with(", V");
  const Index vocabulary = rows ? tensor.values.rows() : cols ? tensor.values.cols() : 0;
  // The part that first used the tensor determines the vocabulary.
  const std::vector<Id>& ids = info.reads_source ? shown.source : shown.target;
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

CodeLines code_of(const RecordedStep& step) {
  return lines_that_computed(step, embedded_files().at(path_in_project(step.file)));
}

}  // namespace

Json matrix_json(const Matrix<double>& matrix, MatrixForm form) {
  Json json{{"rows", matrix.rows()}, {"cols", matrix.cols()}};
  if (form == MatrixForm::packed) {
    json["packed"] = packed(matrix);
  } else {
    auto& numbers = json["numbers"] = Json::array();
    for (Index i = 0; i < matrix.size(); ++i) {
      numbers.push_back(short_number(matrix.data()[i]));
    }
  }
  return json;
}

Json mask_json(const Buffer<std::uint8_t>& mask, MatrixForm form) {
  if (form == MatrixForm::numbers) {
    return matrix_json(mask.eigen().cast<double>(), form);
  }
  std::string bits;
  for (Index i = 0; i < mask.rows(); ++i) {
    for (const std::uint8_t bit : mask.row(i)) {
      bits += bit != 0 ? '1' : '0';
    }
  }
  return {{"rows", mask.rows()}, {"cols", mask.cols()}, {"bits", bits}};
}

std::string tensor_axes(const RecordedTensor& tensor, const PartInfo& info) {
  static const std::regex word_or_separator(R"(\w+|\W+)");
  std::string axes;
  for (std::sregex_iterator i(tensor.axes.begin(), tensor.axes.end(), word_or_separator), end; i != end; ++i) {
    const auto known = info.letters.find(i->str());
    axes += known == info.letters.end() ? i->str() : known->second;
  }
  return axes;
}

ShownIds shown_ids(const ExplainedModel& explained, const Explanation& explanation) {
  const auto& [source_tokenizer, target_tokenizer] = explained.tokenizers;
  std::set<Id> source = ids_in(explanation.batch.source, source_tokenizer->special());
  std::set<Id> target = ids_in(explanation.batch.target_output, target_tokenizer->special());
  for (const std::vector<Answer>& places : explanation.right().trace.answers) {
    for (const Answer& place : places) {
      for (const LikelyToken& token : place.likeliest) {
        target.insert(token.id);
      }
    }
  }
  if (explained.model.settings.tied_embeddings == Tying::all) {  // one table serves both
    source.insert(target.begin(), target.end());
    target = source;
  }
  return {ids_to_show(source, *source_tokenizer), ids_to_show(target, *target_tokenizer)};
}

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
    const RecordedStep& step = recording_.steps()[i];
    Json inputs = Json::array();
    Json differentiates;
    for (const RecordedStep::Input& input : step.inputs) {
      inputs.push_back({{"name", input.name}, {"tensor", tensor_numbers_.at(input.tensor)}});
    }
    if (differentiated[i] && step_numbers_.contains(*differentiated[i])) {
      const CodeLines forward = code_of(recording_.steps()[*differentiated[i]]);
      differentiates = {{"step", step_numbers_.at(*differentiated[i])},
                        {"file", forward.file},
                        {"lines", {forward.first, forward.last}}};
    }
    const CodeLines code = code_of(step);
    const std::string& name = recording_.tensors()[step.output].name;
    list.push_back({{"direction", is_backward(step) ? "backward" : "forward"},
                    {"part", step.part},
                    {"equation", name + (step.adds ? " += " : " = ") + step.formula},
                    {"output", tensor_numbers_.at(step.output)},
                    {"inputs", inputs},
                    {"code", {{"file", code.file}, {"function", code.function}, {"lines", {code.first, code.last}}}},
                    {"differentiates", differentiates}});
  }
  return list;
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
