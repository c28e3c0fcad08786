#pragma once

#include <memory>
#include <vector>

#include "model/recorded_run.hpp"

namespace glassformer::example {

/// Post-norm without dropout and pre-norm with it: together they record every kind of step.
inline const std::vector<std::unique_ptr<RecordedRun>>& all_steps() {
  static const std::vector<std::unique_ptr<RecordedRun>> runs = [] {
    std::vector<std::unique_ptr<RecordedRun>> made;
    made.push_back(std::make_unique<RecordedRun>(1, settings(Norm::post, Tying::none), batch()));
    made.push_back(std::make_unique<RecordedRun>(2, with_dropout(settings(Norm::pre, Tying::target)), batch()));
    return made;
  }();
  return runs;
}

}  // namespace glassformer::example
