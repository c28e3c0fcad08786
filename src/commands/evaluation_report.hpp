#pragma once

#include <nlohmann/json_fwd.hpp>

#include "glassformer/commands/named_test.hpp"
#include "glassformer/evaluation/evaluation.hpp"
#include "glassformer/setup/loaded_model.hpp"

/// What `evaluate` prints about each test text.
namespace glassformer {

nlohmann::ordered_json evaluation_json(const NamedTest& test, const TestText& text, const Evaluation& evaluation,
                                       const LoadedModel& loaded);

/// Prints the metrics as text, to standard output.
void print_evaluation(const NamedTest& test, const TestText& text, const Evaluation& evaluation,
                      const LoadedModel& loaded);

}  // namespace glassformer
