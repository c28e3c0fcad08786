#pragma once

#include "glassformer/numerics/matrix.hpp"

namespace glassformer {

/// How to search for translations.
struct DecodingSettings {
  Index beam = 1;                 ///< hypotheses kept at each step; 1 is greedy search
  Index n_best = 1;               ///< how many of the best hypotheses to return, at most `beam`; not a config key
  double length_penalty = 1.0;    ///< a finished hypothesis scores log p / length^length_penalty (length includes eos)
  bool early_stopping = false;    ///< whether a sentence is done as soon as `beam` hypotheses are finished, even if a
                                  ///< running one could still score better
  Index batch = 64;               ///< sentences decoded together
  double max_length_ratio = 2.0;  ///< a translation has at most ratio * source tokens + 10 tokens

  bool operator==(const DecodingSettings&) const = default;
};

}  // namespace glassformer
