#pragma once

#include "glassformer/numerics/matrix.hpp"
#include "glassformer/numerics/setting.hpp"

namespace glassformer {

/// How to search for translations.
struct DecodingSettings {
  Index beam = 1;                 ///< hypotheses kept at each step; 1 is greedy search
  Index n_best = 1;               ///< how many of the best hypotheses to return, at most `beam`; not a config key
  double length_penalty = 1.0;    ///< a finished hypothesis scores log p / length^length_penalty (eos included)
  bool early_stopping = false;    ///< whether a sentence is done as soon as `beam` hypotheses are finished, even if a
                                  ///< running one could still score better
  Index batch = 64;               ///< sentences decoded together
  double max_length_ratio = 2.0;  ///< a translation has at most ratio * source tokens + 10 tokens

  bool operator==(const DecodingSettings&) const = default;
};

/// Lists the fields (see numerics/setting.hpp), except for n_best.
void for_each_setting(DecodingSettings& decoding, const auto& visit) {
  visit("beam", "beam size: hypotheses kept at each step; 1: greedy search", decoding.beam, 1, 1000);
  visit("length_penalty", "score = log p / length^length_penalty", decoding.length_penalty, kNotNegative);
  visit("early_stopping", "true: stop a sentence's search once `beam` hypotheses are finished",
        decoding.early_stopping);
  visit("batch", "sentences decoded at a time", decoding.batch, 1, 1'000'000);
  visit("max_length_ratio", "limits a translation to max_length_ratio * source tokens + 10 tokens",
        decoding.max_length_ratio, kRatio);
}

}  // namespace glassformer
