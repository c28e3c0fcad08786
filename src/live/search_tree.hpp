#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "glassformer/decoding/search.hpp"
#include "glassformer/model/model.hpp"
#include "glassformer/words/vocabulary.hpp"

namespace glassformer {

/// Translates one sentence (ids, eos included) and keeps what the search considered. Greedy search is a beam of 1.
/// Returns
///
///   limit            the most tokens that a translation may have
///   steps            for each step, its extensions, best first: parent (which of the hypotheses that ran before this
///                    step it extends), token, text, probability (of this token), log_probability (of the whole
///                    hypothesis so far), score (if the hypothesis ended here), and fate:
///                      "runs"       it is one of those that run in the next step
///                      "finished"   it ends in eos and is among the first `beam`
///                      "too late"   it ends in eos, but is not among them
///                      "cut"        the beam was full
///                      "hopeless"   it can no longer beat the finished ones
///   found            the best translations, as hypotheses_json
///   overflowed       whether the model's logits were not finite
nlohmann::ordered_json search_tree(const Model<float>& model, const DecodingSettings& search, const Vocabulary& target,
                                   std::span<const Id> source);

/// For each hypothesis: text, ids, log_probability, score, finished.
nlohmann::ordered_json hypotheses_json(std::span<const Hypothesis> hypotheses, const Vocabulary& target);

}  // namespace glassformer
