#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/figures.hpp"

namespace glassformer {

/// The course of a run as one self-contained SVG picture: loss of training and validation, learning rate, BLEU
/// with exact match, over updates. To be comparable with validation, the training loss is drawn without label
/// smoothing: as the logarithm of its perplexity. The best checkpoint is the last validation whose `best` is set.
///
/// \throws UserError when the file cannot be written
void write_curves(const std::filesystem::path& file, const std::vector<TrainingFigures>& training,
                  const std::vector<ValidationFigures>& validation, const std::string& title);

}  // namespace glassformer
