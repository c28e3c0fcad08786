#pragma once

#include <vector>

#include "explanation/explanation.hpp"

namespace glassformer {

/// The tokens of both vocabularies that a page has numbers of, in rising order: all of them, or, where there are more
/// than 1,000, those that the batch, its answers and the special ids speak of. A page with a row for each of 58,100
/// tokens could not be opened.
struct ShownIds {
  std::vector<Id> source, target;
};

/// Those of this explanation.
ShownIds shown_ids(const ExplainedModel& explained, const Explanation& explanation);

}  // namespace glassformer
