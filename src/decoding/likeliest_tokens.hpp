#pragma once

#include <span>
#include <vector>

#include "glassformer/decoding/search.hpp"
#include "glassformer/numerics/views.hpp"

namespace glassformer {

/// A possible next token.
struct NextToken {
  Id id;
  double log_probability;
};

/// Finds the most likely tokens in a row of logits:
///
///   log p_v = logit_v - log(sum over k of exp(logit_k))
///
/// pad and bos are never chosen, because no translation contains them. They are excluded after the softmax, so every
/// probability is the model's own, the same as in teacher forcing. (fairseq excludes pad in this way, and so does
/// Hugging Face for Marian models.) A token whose logit is -infinity is never chosen. If any logit is NaN or +infinity,
/// no token is chosen. V = target vocabulary.
class LikeliestTokens {
 public:
  explicit LikeliestTokens(const SpecialIds& ids) : ids_(ids) {}

  /// The `count` most likely tokens of logits [V] (fewer if fewer may be chosen), most likely first. Of equally likely
  /// tokens, the lower id comes first. The result is valid until the next call.
  std::span<const NextToken> choose(RowView<const float> logits, std::size_t count);

 private:
  /// eos is always allowed, even if the model also uses it as bos or pad.
  bool may_be_chosen(Id id) const { return id == ids_.eos || (id != ids_.bos && id != ids_.pad); }
  void consider(Id id, double logit, std::size_t count);

  SpecialIds ids_;
  std::vector<float> largest_;     // the largest logit of each block of the row
  std::vector<NextToken> chosen_;  // while choosing, log_probability holds the logit
};

}  // namespace glassformer
