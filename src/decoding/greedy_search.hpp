#pragma once

#include <span>
#include <vector>

#include "decoding/incremental_decoder.hpp"
#include "decoding/search.hpp"

namespace glassformer {

/// Greedy search: take the likeliest token, again and again, until it is eos or the longest length allowed is reached.
/// One hypothesis for each source (ids, eos included). All run side by side; those that have ended leave the batch.
std::vector<Hypothesis> greedy_search(const DecodingSettings& settings, const SearchIds& ids,
                                      std::span<const std::span<const Id>> sources, IncrementalDecoder<float>& decoder);

}  // namespace glassformer
