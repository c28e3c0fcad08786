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

/// What the letters of a layer mean in this part of the model.
std::map<std::string, std::string> letters_in(std::string_view part) {
  const bool encoder = part.starts_with("encoder");
  const bool decoder_self = !encoder && part.find(".self_attn") != std::string_view::npos;
  const std::string queries = encoder ? "S" : "T";
  const std::string keys = decoder_self ? "T" : "S";
  std::map<std::string, std::string> letters{{"N", "B*" + queries}, {"M", "B*" + keys}, {"T", queries},
                                             {"S", keys},           {"in", "D"},        {"out", "D"}};
  if (part.ends_with("kv_proj")) {  // also qkv_proj: in self-attention, queries and keys are the same rows
    letters["N"] = "B*" + keys;
    letters["out"] = part.ends_with("qkv_proj") ? "3D" : "2D";
  }
  if (part.ends_with("fc1")) {
    letters["out"] = "F";
  }
  if (part.ends_with("fc2")) {
    letters["in"] = "F";
  }
  if (part.ends_with("output")) {
    letters["out"] = "V";
  }
  if (part.ends_with("feed_forward.dropout")) {
    letters["D"] = "F";
  }
  if (part.ends_with("attn.dropout")) {  // on attention weights
    letters["N"] = "B*H*" + queries;
    letters["D"] = keys;
  }
  return letters;
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

bool is_kept(const RecordedStep& step, const std::string& output, const std::optional<Index>& layer) {
  if (!layer || step.part.find(".layers.") == std::string::npos) {
    return true;
  }
  const std::string of_layer = ".layers." + std::to_string(*layer) + ".";
  return (step.part + ".").find(of_layer) != std::string::npos || output == "weights" ||
         (output == "d_x" && step.part.ends_with("encoder_attn.kv_proj"));
}

Json tensor_json(const RecordedTensor& tensor, MatrixForm form, const ShownIds& shown) {
  const std::string axes = tensor_axes(tensor);
  Json json{{"name", tensor.name}, {"part", tensor.part}, {"axes", axes}, {"computed", tensor.computed}};
  const bool rows = axes.starts_with("V,");
  const bool cols = axes.ends_with(", V");
  const Index vocabulary = rows ? tensor.values.rows() : cols ? tensor.values.cols() : 0;
  // The part that first used the tensor determines the vocabulary.
  const std::vector<Id>& ids = tensor.part.starts_with("encoder") ? shown.source : shown.target;
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

std::string tensor_axes(const RecordedTensor& tensor) {
  static const std::regex word_or_separator(R"(\w+|\W+)");
  const auto letters = letters_in(tensor.part);
  std::string axes;
  for (std::sregex_iterator i(tensor.axes.begin(), tensor.axes.end(), word_or_separator), end; i != end; ++i) {
    const auto known = letters.find(i->str());
    axes += known == letters.end() ? i->str() : known->second;
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
