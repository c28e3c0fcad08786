#pragma once

#include <span>
#include <vector>

#include "decoding/incremental_decoder.hpp"
#include "decoding/search.hpp"

namespace glassformer {

/// Beam search (see SentenceBeam) for all sources (ids, eos included) side by side; those that have ended leave the
/// batch. Each gives its settings.n_best best hypotheses.
std::vector<std::vector<Hypothesis>> beam_search(const DecodingSettings& settings, const SearchIds& ids,
                                                 std::span<const std::span<const Id>> sources,
                                                 IncrementalDecoder<float>& decoder);

}  // namespace glassformer
