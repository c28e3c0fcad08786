#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "glassformer/decoding/settings.hpp"
#include "glassformer/model/model.hpp"
#include "glassformer/numerics/functions.hpp"

namespace glassformer {

/// log p of a hypothesis for which the model gave a logit of +infinity or NaN (or only logits of -infinity).
inline constexpr double kOverflow = std::numeric_limits<double>::quiet_NaN();

/// One translation found by the search.
struct Hypothesis {
  std::vector<Id> ids;         ///< without bos and eos
  double log_probability = 0;  ///< natural log of p(ids, and eos if finished | source); kOverflow: see overflowed()
  double score = 0;            ///< log_probability / length^length_penalty; the length includes eos, if finished
  bool finished = true;        ///< false: cut off without eos, at the length limit or because the logits overflowed

  /// Whether the search of this sentence met such logits. If so, the model is damaged or has diverged.
  bool overflowed() const { return std::isnan(log_probability); }
};

/// The length limit, in tokens without eos, for translating a source of `source_tokens` tokens, eos included.
inline Index longest_translation(const DecodingSettings& settings, Index source_tokens) {
  return static_cast<Index>(settings.max_length_ratio * static_cast<double>(source_tokens - 1)) + 10;
}

/// log p / length^length_penalty. log p falls with every token; without the division, short translations would win.
inline double length_normalised(double log_probability, Index length, double length_penalty) {
  return log_probability / pow(static_cast<double>(length), length_penalty);
}

/// The final score of a hypothesis.
inline double score(const Hypothesis& hypothesis, double length_penalty) {
  const Index length = std::ssize(hypothesis.ids) + (hypothesis.finished ? 1 : 0);
  return length_normalised(hypothesis.log_probability, length > 0 ? length : 1, length_penalty);
}

/// Translates each source (ids, eos included), by greedy search if settings.beam is 1 and by beam search otherwise.
/// Returns the `n_best` best hypotheses of each, best first (fewer if fewer exist, but at least one). An empty source
/// (eos only) is translated like any other. Sentences of similar length are decoded together, at most settings.batch of
/// them, with batches in parallel on all threads. The results are in the order of the sources. `ids`: the target's.
std::vector<std::vector<Hypothesis>> translate(const Model<float>& model, const DecodingSettings& settings,
                                               const SpecialIds& ids, std::span<const std::vector<Id>> sources);

}  // namespace glassformer
