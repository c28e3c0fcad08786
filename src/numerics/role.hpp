#pragma once

namespace glassformer {

/// What a tensor is for. The code that creates a tensor says so. Initialisation, the optimizer and the checkpoint read
/// it; nothing depends on a tensor's name.
enum class Role {
  source_embedding,  ///< a row for each source token; also the table that source and target share
  target_embedding,  ///< a row for each target token
  output,            ///< an untied output matrix: a row for each target token
  output_bias,       ///< an element for each target token
  query,             ///< attention's map to queries; like all maps, [out, in]
  key,               ///< attention's map to keys
  value,             ///< attention's map to values
  projection,        ///< any other linear map inside a layer
  bias,              ///< of any of these maps, or of a normalisation
  gain,              ///< of a normalisation
};

/// Whether it is the matrix of a linear map inside a layer.
constexpr bool is_layer_map(Role role) {
  return role == Role::query || role == Role::key || role == Role::value || role == Role::projection;
}

}  // namespace glassformer
