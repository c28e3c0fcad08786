#pragma once

#include <span>
#include <vector>

#include "glassformer/decoding/incremental_decoder.hpp"
#include "glassformer/decoding/search.hpp"

namespace glassformer {

/// Greedy search: keep taking the most likely token until it is eos or the length limit is reached. Returns a list
/// of one hypothesis for each source (ids, eos included), the same type as beam_search. All sources run in one batch,
/// which sentences leave when they are done.
std::vector<std::vector<Hypothesis>> greedy_search(const DecodingSettings& settings, const SpecialIds& ids,
                                                   std::span<const std::span<const Id>> sources,
                                                   IncrementalDecoder<float>& decoder);

}  // namespace glassformer
