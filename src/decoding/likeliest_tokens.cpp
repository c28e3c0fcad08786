#include "glassformer/decoding/likeliest_tokens.hpp"

#include <algorithm>
#include <cmath>

#include "glassformer/numerics/functions.hpp"
#include "glassformer/numerics/row_operations.hpp"

namespace glassformer {

std::span<const NextToken> LikeliestTokens::choose(RowView<const float> logits, std::size_t count) {
  constexpr Index kBlock = 64;  // most blocks can be skipped, because even their largest logit is too small
  powers_.assign(logits.begin(), logits.end());
  const float largest_logit = largest(logits);
  const double sum = exponentials(RowView<float>(powers_.data(), logits.size()), largest_logit);
  const double log_sum = static_cast<double>(largest_logit) + log(sum);

  chosen_.clear();
  if (!std::isfinite(log_sum)) {
    return chosen_;  // the model has diverged
  }
  for (Index begin = 0; begin < logits.size(); begin += kBlock) {
    const Index end = std::min(logits.size(), begin + kBlock);
    const float block_largest = largest(RowView<const float>(logits.data() + begin, end - begin));
    if (chosen_.size() == count && !(block_largest > chosen_.back().log_probability)) {
      continue;
    }
    for (Index i = begin; i < end; ++i) {
      consider(static_cast<Id>(i), logits[i], count);
    }
  }
  for (NextToken& token : chosen_) {
    token.log_probability -= log_sum;
  }
  return chosen_;
}

void LikeliestTokens::consider(Id id, double logit, std::size_t count) {
  const bool is_full = chosen_.size() == count;
  if (!(logit > (is_full ? chosen_.back().log_probability : kMinusInfinity<double>)) || !may_be_chosen(id)) {
    return;
  }
  if (is_full) {
    chosen_.pop_back();
  }
  // Insert it after equally likely tokens, because ids arrive in increasing order.
  const auto place = std::upper_bound(chosen_.begin(), chosen_.end(), logit,
                                      [](double l, const NextToken& token) { return l > token.log_probability; });
  chosen_.insert(place, {id, logit});
}

}  // namespace glassformer
