#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "explanation/matrix_json.hpp"
#include "explanation/shown_ids.hpp"
#include "layers/recording.hpp"

namespace glassformer {

/// The steps and tensors of a recording that go into a trace. They are numbered anew, because steps may be left out.
class TraceSteps {
 public:
  /// With `layer`, the steps of all other layers are left out, except for attention weights and memory gradients, which
  /// the page shows side by side.
  TraceSteps(const Recording& recording, std::optional<Index> layer);

  /// In packed form, an axis of the vocabulary is cut to the ids shown.
  nlohmann::ordered_json tensors(MatrixForm form, const ShownIds& shown) const;
  nlohmann::ordered_json steps() const;
  /// The files that the steps name.
  nlohmann::ordered_json sources() const;
  /// The number of the last tensor of that name which a step of that part computed; null if none did.
  nlohmann::ordered_json computed(const std::string& part, const std::string& name) const;

 private:
  nlohmann::ordered_json step(std::size_t number, const std::optional<std::size_t>& differentiated) const;

  const Recording& recording_;
  std::vector<std::size_t> steps_, tensors_;                          // those that stay, by number in the recording
  std::map<std::size_t, std::size_t> step_numbers_, tensor_numbers_;  // from numbers in the recording to those here
};

}  // namespace glassformer
