#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "glassformer/evaluation/evaluation.hpp"
#include "glassformer/setup/loaded_model.hpp"

namespace glassformer {

/// A test text of `evaluate`.
struct NamedTest {
  std::string name;
  std::filesystem::path source;
  std::vector<std::filesystem::path> references;  ///< at least one

  /// \throws UserError as TestText::read does
  TestText read(const TokenizerPair& tokenizers) const;
};

/// Warns if the user probably did not mean to evaluate on this text, or not in this way.
void warn_about(const NamedTest& test, const TestText& text, const LoadedModel& loaded);

}  // namespace glassformer
