#pragma once

#include <span>
#include <vector>

#include "decoding/search.hpp"

namespace glassformer {

/// A token that may come next.
struct NextToken {
  Id id;
  double log_probability;
};

/// The likeliest tokens that a row of logits allows:
///
///   log p_v = logit_v - log(sum over k of exp(logit_k))
///
/// pad and bos are never chosen: no translation contains them. They are left out when choosing, after the softmax, so
/// that every probability is the model's own, as teacher forcing would give it (fairseq forbids pad in this way, and so
/// does Hugging Face for Marian models). A token whose logit is -infinity is never chosen; if any logit is NaN or
/// +infinity, none is. V = target vocabulary.
class LikeliestTokens {
 public:
  explicit LikeliestTokens(const SearchIds& ids) : ids_(ids) {}

  /// The `count` likeliest of logits [V] (fewer where fewer may be chosen), likeliest first; of equally likely ones
  /// the lower id first. They live until the next call.
  std::span<const NextToken> choose(std::span<const float> logits, std::size_t count);

 private:
  /// eos is always allowed, even for a model that begins its sentences with it.
  bool may_be_chosen(Id id) const { return id == ids_.eos || (id != ids_.bos && id != ids_.target_pad); }
  void consider(Id id, double logit, std::size_t count);

  SearchIds ids_;
  std::vector<NextToken> chosen_;  // while choosing, the logit stands in for the log-probability
};

}  // namespace glassformer
