#pragma once

#include <map>
#include <string_view>

namespace glassformer {

/// Files of the project as they were when this program was built, by their path in the project: the sources of layers
/// and model, and the parts of the page. Made by cmake/EmbedFiles.cmake.
const std::map<std::string_view, std::string_view>& embedded_files();

}  // namespace glassformer
