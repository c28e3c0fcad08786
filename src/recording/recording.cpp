#include "glassformer/recording/recording.hpp"

#include <stdexcept>
#include <utility>

#include "glassformer/numerics/errors.hpp"

namespace glassformer {
namespace {

/// Splits "weight [out, in]" into the name and the axes.
std::pair<std::string, std::string> name_and_axes(std::string_view text) {
  const auto bracket = text.find(" [");
  if (bracket == std::string_view::npos) {
    return {std::string(text), ""};
  }
  return {std::string(text.substr(0, bracket)), std::string(text.substr(bracket + 2, text.find(']') - bracket - 2))};
}

/// The contents of each pair of braces, in order.
std::vector<std::string_view> braces_of(std::string_view formula) {
  std::vector<std::string_view> braces;
  for (auto open = formula.find('{'); open != std::string_view::npos; open = formula.find('{', open + 1)) {
    braces.push_back(formula.substr(open + 1, formula.find('}', open) - open - 1));
  }
  return braces;
}

/// Removes the axes from a formula such as "{x} {weight [out, in]}^T". Other brackets, as in "{d_y}[n]", remain.
std::string without_axes(std::string_view formula) {
  std::string plain;
  for (std::size_t at = 0; at < formula.size(); ++at) {
    if (formula[at] == ' ' && at + 1 < formula.size() && formula[at + 1] == '[' &&
        formula.find('}', at) == formula.find(']', at) + 1) {
      at = formula.find(']', at);
    } else {
      plain += formula[at];
    }
  }
  return plain;
}

/// Whether all numbers are equal. NaN counts as equal to NaN.
bool same_numbers(const Matrix<double>& a, const Matrix<double>& b) {
  return ((a.array() == b.array()) || (a.array() != a.array() && b.array() != b.array())).all();
}

}  // namespace

/// The index of an input's tensor: the one last recorded at its place or, if the numbers differ, a new one.
std::size_t Recording::input(const std::string& part, std::string_view text, const Snapshot& matrix, bool overwritten) {
  const auto known = latest_.find(place_of(matrix));
  if (known != latest_.end() && (overwritten || same_numbers(tensors_[known->second].values, matrix.values))) {
    return known->second;
  }
  if (overwritten) {
    throw_or_abort(std::logic_error(part + ": " + std::string(text) + " is overwritten but was not recorded before"));
  }
  const auto [name, axes] = name_and_axes(text);
  tensors_.push_back({name, part, axes, matrix.values, false});
  return latest_[place_of(matrix)] = tensors_.size() - 1;
}

void Recording::add(std::string part, const EquationSource& source, Snapshot output, std::vector<Snapshot> inputs) {
  const std::string_view equation = source.text;
  const bool adds = equation.find("] += ") < equation.find("] = ");
  const auto bracket = equation.find(adds ? "] += " : "] = ");
  const std::string_view formula = equation.substr(bracket + (adds ? 5 : 4));
  RecordedStep step{direction_, part, without_axes(formula), adds, 0, {}, source.file, source.line, source.function};

  const std::vector<std::string_view> braces = braces_of(formula);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool overwritten = place_of(inputs[i]) == place_of(output);
    step.inputs.push_back({name_and_axes(braces[i]).first, input(part, braces[i], inputs[i], overwritten)});
  }
  const auto [name, axes] = name_and_axes(equation.substr(0, bracket + 1));
  if (const auto before = latest_.find(place_of(output)); adds && before != latest_.end()) {
    step.inputs.push_back({name + " so far", before->second});
  }
  step.output = tensors_.size();
  latest_[place_of(output)] = step.output;
  tensors_.push_back({name, std::move(part), axes, std::move(output.values), true});
  steps_.push_back(std::move(step));
}

}  // namespace glassformer
