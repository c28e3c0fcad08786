#pragma once

#include "glassformer/decoding/settings.hpp"
#include "glassformer/schema/setting.hpp"

namespace glassformer {

/// Lists the fields (see schema/setting.hpp), except for n_best.
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
