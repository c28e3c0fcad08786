#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "glassformer/glassformer.hpp"

namespace glassformer {

/// Switches attention heads off while it exists: sets the columns of out_proj that read them to 0, and then restores
/// them. Nothing may be refused meanwhile: without exceptions, a refusal runs no destructor (numerics/errors.hpp).
class HeadsOff {
 public:
  /// \param heads  "part head", such as "decoder.layers.0.encoder_attn 1"
  /// \pre check_heads accepts them
  HeadsOff(Session& session, std::span<const std::string> heads);
  ~HeadsOff();
  HeadsOff(const HeadsOff&) = delete;
  HeadsOff& operator=(const HeadsOff&) = delete;

 private:
  std::vector<std::pair<TensorView<float>, std::vector<float>>> kept_;
};

/// Refuses a list of heads that the model does not have.
void check_heads(const TransformerSettings& model, std::span<const std::string> heads);

}  // namespace glassformer
