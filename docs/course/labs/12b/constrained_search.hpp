#pragma once

#include <functional>
#include <span>
#include <vector>

#include "glassformer/numerics/matrix.hpp"

namespace glassformer {

struct Constraints {
  Id eos = 1;
  Index limit = 0;            ///< the maximum number of tokens in a translation, without eos
  Index no_repeat_ngram = 0;  ///< no n-gram of this length may occur twice; 0: all may
  std::vector<Id> forbidden;  ///< tokens of the vocabulary that are never chosen
};

struct Translation {
  std::vector<Id> ids;    ///< without bos and eos
  bool finished = false;  ///< false: cut off without eos
};

/// The logits [V] of the next token, for the tokens so far, without bos.
using NextLogits = std::function<RowView<const double>(std::span<const Id>)>;

inline constexpr Id kNone = -1;  ///< no token

/// Whether ids, followed by `next`, end in an n-gram that occurs earlier in ids (the two may overlap). n = 0: never.
bool repeats_ngram(std::span<const Id> ids, Id next, Index n);

/// The token with the largest logit of all that may follow ids, or kNone if no token may. Of equally large logits, the
/// first one counts. A token may follow unless
///
///   - its logit is -infinity;
///   - it is forbidden;
///   - it would repeat an n-gram;
///   - ids already have `limit` tokens, and it is not eos.
Id best_allowed(const Constraints& constraints, RowView<const double> logits, std::span<const Id> ids);

/// Greedy search: keeps taking the best token that is allowed until it is eos, or until there is none. Blocking n-grams
/// that would repeat is from Paulus, Xiong & Socher (2018, "A Deep Reinforced Model for Abstractive Summarization"),
/// and is `no_repeat_ngram_size` in fairseq and Hugging Face's transformers; the list of forbidden tokens is
/// `bad_words_ids` there.
Translation constrained_greedy_search(const Constraints& constraints, const NextLogits& next_logits);

}  // namespace glassformer
