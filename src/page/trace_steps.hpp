#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "page/matrix_json.hpp"
#include "page/shown_ids.hpp"

namespace glassformer {

/// The steps and tensors of a recording that go into a trace. They are renumbered, because steps may be left out.
class TraceSteps {
 public:
  /// If `layer` is given, the steps of other layers are left out, except for attention weights and memory gradients.
  TraceSteps(const Recording& recording, std::optional<Index> layer);

  /// In packed form, a vocabulary axis is cut to the ids shown.
  nlohmann::ordered_json tensors(MatrixForm form, const ShownIds& shown) const;
  nlohmann::ordered_json steps() const;
  nlohmann::ordered_json sources() const;  ///< the text of the files that the steps name
  /// The number of the last tensor called `name` that a step of `part` computed; null if there is none.
  nlohmann::ordered_json computed(const std::string& part, const std::string& name) const;

 private:
  nlohmann::ordered_json step_json(std::size_t step, std::optional<std::size_t> differentiated) const;
  nlohmann::ordered_json inputs_json(const RecordedStep& step) const;
  nlohmann::ordered_json differentiated_json(std::optional<std::size_t> step) const;

  const Recording& recording_;
  std::map<std::size_t, std::size_t> step_numbers_, tensor_numbers_;  // number in the recording -> in the trace
};

}  // namespace glassformer
