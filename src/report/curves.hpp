#pragma once

#include <filesystem>

#include "report/metrics.hpp"

namespace glassformer {

/// Draws a run as an SVG picture over updates: above, the loss of training and validation; below, what else validation
/// measured. The training loss is drawn without label smoothing, so that the two losses can be compared.
/// \throws UserError: the file cannot be written
void write_curves(const std::filesystem::path& file, const Metrics& metrics);

}  // namespace glassformer
