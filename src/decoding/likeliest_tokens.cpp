#include "glassformer/decoding/likeliest_tokens.hpp"

#include <algorithm>
#include <cmath>

#include "glassformer/numerics/functions.hpp"
#include "glassformer/numerics/row_operations.hpp"

namespace glassformer {

std::span<const NextToken> LikeliestTokens::choose(RowView<const float> logits, std::size_t count) {
  constexpr Index kBlock = 64;
  const auto block_at = [&](Index begin) {
    return RowView<const float>(logits.data() + begin, std::min(kBlock, logits.size() - begin));
  };
  largest_.clear();
  for (Index begin = 0; begin < logits.size(); begin += kBlock) {
    largest_.push_back(largest(block_at(begin)));
  }
  const float largest_logit = largest(RowView<const float>(largest_.data(), std::ssize(largest_)));
  const double sum = sum_of_exponentials(logits, largest_logit);
  const double log_sum = static_cast<double>(largest_logit) + log(sum);

  chosen_.clear();
  if (!std::isfinite(log_sum)) {
    return chosen_;  // the model has diverged
  }
  for (Index b = 0; b < std::ssize(largest_); ++b) {
    // Most blocks can be skipped, because even their largest logit is too small.
    if (chosen_.size() == count && !(largest_[static_cast<std::size_t>(b)] > chosen_.back().log_probability)) {
      continue;
    }
    Id id = static_cast<Id>(b * kBlock);
    for (const float logit : block_at(b * kBlock)) {
      consider(id++, logit, count);
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
