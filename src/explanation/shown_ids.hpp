#pragma once

#include <vector>

#include "explanation/explanation.hpp"

namespace glassformer {

/// The tokens of both vocabularies whose numbers a page shows, in ascending order. Of a vocabulary of more than 1,000
/// tokens these are the special ids and those in the batch and its answers: no browser opens a page with 58,100 rows in
/// every table.
struct ShownIds {
  std::vector<Id> source, target;
};

ShownIds shown_ids(const ExplainedModel& explained, const Explanation& explanation);

}  // namespace glassformer
