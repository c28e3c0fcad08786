#pragma once

#include <span>
#include <vector>

#include "decoding/settings.hpp"
#include "model/model.hpp"

namespace glassformer {

/// One translation that the search has found.
struct Hypothesis {
  std::vector<Id> ids;         ///< without bos and eos
  double log_probability = 0;  ///< natural logarithm, of ids and eos, given the source
  double score = 0;            ///< log_probability / (length with eos)^length_penalty
  bool finished = true;        ///< false: cut off at the longest length allowed, without eos
};

/// The ids that a search must know.
struct SearchIds {
  Id source_pad = 0;
  Id bos = 1;  ///< the target's: begins every hypothesis
  Id eos = 2;  ///< the target's: ends it
  Id target_pad = 0;
};

/// Translates each source (ids, eos included): greedy where settings.beam is 1, beam search otherwise. Each gives its
/// `n_best` best hypotheses, best first (fewer where fewer exist, one at least). An empty source (eos only) is
/// translated like any other. Sentences of similar length are decoded together, settings.batch at a time, batches
/// side by side on all threads; the results are in the order of the sources.
std::vector<std::vector<Hypothesis>> translate(const Model<float>& model, const DecodingSettings& settings,
                                               const SearchIds& ids, std::span<const std::vector<Id>> sources);

}  // namespace glassformer
