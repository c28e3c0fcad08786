#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "glassformer/evaluation/evaluation.hpp"
#include "glassformer/files/lines.hpp"
#include "glassformer/setup/loaded_model.hpp"

namespace glassformer {

/// Gets lines and their translations, in order; called for one chunk of lines after another.
using UseTranslations =
    std::function<void(std::span<const std::string> lines, const std::vector<std::vector<Translation>>& translations)>;

/// Translates all lines of the input. If something fails, the lines before it are translated and used first.
void translate_all(const LoadedModel& loaded, const DecodingSettings& decoding, LineReader& input,
                   const UseTranslations& use);

}  // namespace glassformer
