#include "decoding/likeliest_tokens.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace glassformer {
namespace {

using Row = Eigen::Map<const Eigen::Array<float, 1, Eigen::Dynamic>>;

/// Most stretches hold nothing that is likely enough, and one look at their largest logit tells.
constexpr std::size_t kPiece = 64;  // logits

}  // namespace

std::span<const NextToken> LikeliestTokens::choose(std::span<const float> logits, std::size_t count) {
  const float largest = find_largest(logits);
  const Row row(logits.data(), static_cast<Index>(logits.size()));
  const double log_sum = static_cast<double>(largest) + std::log(static_cast<double>((row - largest).exp().sum()));

  chosen_.clear();
  if (!std::isfinite(log_sum)) return chosen_;  // a model that has gone astray
  for (std::size_t begin = 0; begin < logits.size(); begin += kPiece) search_stretch(logits, begin, count);
  for (NextToken& token : chosen_) token.log_probability -= log_sum;
  return chosen_;
}

float LikeliestTokens::find_largest(std::span<const float> logits) {
  const std::size_t whole = logits.size() / kPiece;
  largest_.clear();
  for (std::size_t i = 0; i < whole; ++i) {
    largest_.push_back(Eigen::Map<const Eigen::Array<float, 1, kPiece>>(logits.data() + i * kPiece).maxCoeff());
  }
  if (whole * kPiece < logits.size()) {
    largest_.push_back(*std::max_element(logits.begin() + static_cast<std::ptrdiff_t>(whole * kPiece), logits.end()));
  }
  return *std::max_element(largest_.begin(), largest_.end());
}

void LikeliestTokens::search_stretch(std::span<const float> logits, std::size_t begin, std::size_t count) {
  constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
  double least = chosen_.size() < count ? kMinusInfinity : chosen_.back().log_probability;
  if (!(largest_[begin / kPiece] > least)) return;

  const std::size_t end = std::min(logits.size(), begin + kPiece);
  for (std::size_t i = begin; i < end; ++i) {
    const double logit = logits[i];
    if (!(logit > least) || !may_be_chosen(static_cast<Id>(i))) continue;
    if (chosen_.size() == count) chosen_.pop_back();
    // Behind all that are as likely: ids come in rising order.
    const auto place = std::upper_bound(chosen_.begin(), chosen_.end(), logit,
                                        [](double l, const NextToken& token) { return l > token.log_probability; });
    chosen_.insert(place, {static_cast<Id>(i), logit});
    if (chosen_.size() == count) least = chosen_.back().log_probability;
  }
}

}  // namespace glassformer
