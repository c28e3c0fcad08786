#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "glassformer/numerics/parameter.hpp"

namespace glassformer {

/// The number of a place in the model that draws random numbers. Each place has its own.
using Site = std::uint32_t;

/// What letters in a layer's equations mean in the whole model: {"N", "B*T"}. Other letters mean the same everywhere.
using Letters = std::map<std::string, std::string>;

/// What a part of the model is, for code that shows its numbers.
struct PartInfo {
  bool reads_source = false;  ///< a part of the encoder; false: of the decoder, or of the loss
  std::optional<Index> layer = {};
  Letters letters = {};
};

/// What a model under construction has assigned to its layers so far.
template <std::floating_point Scalar>
struct Construction {
  ParameterCursor<Scalar> cursor;
  Site next_site = 0;
  std::map<std::string, PartInfo> parts = {};  ///< by name
};

/// What a layer's constructor gets: its name, the positions of its parameters in the arena, and its dropout sites.
/// Parameters and sites are assigned in the order in which layers request them.
template <std::floating_point Scalar>
class Part {
 public:
  /// Adds the part to construction.parts. The names of its tensors begin with `prefix`.
  Part(Construction<Scalar>& construction, std::string name, std::string prefix, PartInfo info = {})
      : construction_(&construction), name_(std::move(name)), prefix_(std::move(prefix)), info_(std::move(info)) {
    construction_->parts[name_] = info_;
  }

  /// A part inside this part: at("encoder").
  Part at(const std::string& part) const { return {*construction_, inner_name(part), prefix_ + part + ".", info_}; }
  /// One of the layers inside this part: layer(0).
  Part layer(Index number) const {
    PartInfo info = info_;
    info.layer = number;
    const std::string part = "layers." + std::to_string(number);
    return {*construction_, inner_name(part), prefix_ + part + ".", info};
  }
  /// A part inside this part, with the same prefix: its own name does not occur in its tensors' names.
  Part sharing_prefix(const std::string& part) const { return {*construction_, inner_name(part), prefix_, info_}; }
  /// The same part, in which some letters have another meaning.
  Part with(const Letters& letters) const {
    PartInfo info = info_;
    for (const auto& [letter, meaning] : letters) {
      info.letters[letter] = meaning;
    }
    return {*construction_, name_, prefix_, info};
  }
  /// What a letter means in this part.
  std::string letter(const std::string& letter) const {
    const auto found = info_.letters.find(letter);
    return found == info_.letters.end() ? letter : found->second;
  }

  /// "encoder.layers.0.self_attn"
  const std::string& name() const { return name_; }

  /// Assigns the next tensor. `role` decides how it is initialised and updated.
  MatrixParameter<Scalar> matrix(const std::string& tensor, Index rows, Index cols, Role role) const {
    return construction_->cursor.matrix(prefix_ + tensor, rows, cols, role);
  }
  VectorParameter<Scalar> vector(const std::string& tensor, Index size, Role role) const {
    return construction_->cursor.vector(prefix_ + tensor, size, role);
  }
  /// Assigns the next dropout site. After start_sites(first), that is `first`.
  Site next_site() const { return construction_->next_site++; }
  void start_sites(Site first) const { construction_->next_site = first; }

 private:
  std::string inner_name(const std::string& part) const { return name_.empty() ? part : name_ + "." + part; }

  Construction<Scalar>* construction_;
  std::string name_, prefix_;
  PartInfo info_;
};

}  // namespace glassformer
