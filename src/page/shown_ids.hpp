#pragma once

#include <vector>

#include "glassformer/page/explanation.hpp"

namespace glassformer {

/// The tokens of both vocabularies that a page shows, in ascending order. For a vocabulary of more than 1,000, only
/// the special ones and those in the batch and its answers: no browser opens a page with 58,100 rows per table.
struct ShownIds {
  std::vector<Id> source, target;
};
ShownIds shown_ids(const ExplainedModel& explained, const Explanation& explanation);

}  // namespace glassformer
