#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>

#include "glassformer/page/matrix_json.hpp"
#include "glassformer/page/shown_ids.hpp"
#include "glassformer/recording/recording.hpp"
#include "glassformer/recording/trace.hpp"

namespace glassformer {

/// What a step computed: the part of the model, and the name of the result.
using PartAndName = std::pair<std::string, std::string>;

/// The steps and tensors of a recording that go into a trace. They are renumbered, because steps may be left out.
class TraceSteps {
 public:
  /// `trace` is that of the recorded pass; it must outlive this object, as must the recording. If `layer` is given, the
  /// steps of other layers are left out, except for attention weights and memory gradients.
  TraceSteps(const Recording& recording, const Trace& trace, std::optional<Index> layer);

  /// In packed form, a vocabulary axis is cut to the ids shown.
  nlohmann::ordered_json tensors(MatrixForm form, const ShownIds& shown) const;
  nlohmann::ordered_json steps() const;
  nlohmann::ordered_json sources() const;  ///< the text of the files that the steps name
  /// The number of the last tensor that was computed under this part and name; null if there is none.
  nlohmann::ordered_json computed(const PartAndName& wanted) const;

 private:
  nlohmann::ordered_json step_json(std::size_t step, std::optional<std::size_t> differentiated) const;
  nlohmann::ordered_json inputs_json(const RecordedStep& step) const;
  nlohmann::ordered_json differentiated_json(std::optional<std::size_t> step) const;

  const Recording& recording_;
  const Trace& trace_;
  std::map<std::size_t, std::size_t> step_numbers_, tensor_numbers_;  // number in the recording -> in the trace
};

}  // namespace glassformer
