#include "constrained_search.hpp"

#include <algorithm>

#include "glassformer/numerics/row_operations.hpp"

namespace glassformer {

bool repeats_ngram(std::span<const Id> ids, Id next, Index n) {
  // The new n-gram is the last n - 1 tokens and `next`. It is compared with each n-gram of ids, which begin at
  // 0 .. size - n. If n = 1, nothing precedes `next`, so every token that has occurred repeats a 1-gram.
  const Index size = std::ssize(ids);
  if (n == 0 || size < n) {
    return false;
  }
  const auto newest = ids.last(static_cast<std::size_t>(n - 1));
  for (Index begin = 0; begin + n <= size; ++begin) {
    const auto earlier = ids.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(n));
    if (earlier.back() == next && std::equal(newest.begin(), newest.end(), earlier.begin())) {
      return true;
    }
  }
  return false;
}

Id best_allowed(const Constraints& constraints, RowView<const double> logits, std::span<const Id> ids) {
  const bool at_limit = std::ssize(ids) >= constraints.limit;
  Id best = kNone;
  double best_logit = kMinusInfinity<double>;  // so -infinity never wins
  for (Id v = 0; v < logits.size(); ++v) {
    const bool is_forbidden = std::ranges::find(constraints.forbidden, v) != constraints.forbidden.end();
    if (is_forbidden || (at_limit && v != constraints.eos) || !(logits[v] > best_logit)) {
      continue;
    }
    if (!repeats_ngram(ids, v, constraints.no_repeat_ngram)) {
      best = v;
      best_logit = logits[v];
    }
  }
  return best;
}

Translation constrained_greedy_search(const Constraints& constraints, const NextLogits& next_logits) {
  // It ends: each step adds a token, and after `limit` tokens only eos is allowed.
  Translation found;
  while (true) {
    const Id next = best_allowed(constraints, next_logits(found.ids), found.ids);
    if (next == kNone || next == constraints.eos) {
      found.finished = next == constraints.eos;
      return found;
    }
    found.ids.push_back(next);
  }
}

}  // namespace glassformer
