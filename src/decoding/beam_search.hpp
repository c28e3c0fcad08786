#pragma once

#include <span>
#include <vector>

#include "glassformer/decoding/incremental_decoder.hpp"
#include "glassformer/decoding/likeliest_tokens.hpp"
#include "glassformer/decoding/search.hpp"

namespace glassformer {

/// Beam search for one sentence. At each step, every running hypothesis proposes its most likely next tokens. Of all
/// these extensions, the 2 * beam best are considered, best first. One that ends in eos is finished if it is among the
/// first `beam`. Of the others, the first `beam` keep running. (2 * beam is enough, because at most half end in eos.)
///
/// The search keeps the `beam` best finished hypotheses and returns `n_best` of them. When can it stop? The score is
/// log p divided by a power of the length, so a running hypothesis may still overtake a finished one. But log p is
/// negative and only falls, and dividing by the maximum length brings it closest to 0. So however the hypothesis
/// continues, its score is at most
///
///   log p / (maximum length)^length_penalty        (its score if all further tokens had probability 1)
///
/// Once `n_best` hypotheses are finished, running ones whose bound does not beat the worst of the `n_best` best are
/// dropped. When none is left, this beam can find nothing better. With settings.early_stopping, all are dropped once
/// `beam` hypotheses are finished. This common rule stops earlier, and sometimes too early.
class SentenceBeam {
 public:
  /// A running hypothesis.
  struct Running {
    double log_probability;
    Id token;             ///< its last token
    Index parent;         ///< which running hypothesis of the previous step it extends
    std::vector<Id> ids;  ///< all its tokens but bos
  };

  /// A running hypothesis with a proposed next token.
  struct Extended {
    double log_probability;
    Id token;
    Index parent;
  };

  /// `limit`: the maximum number of tokens in a translation, without eos.
  SentenceBeam(const DecodingSettings& settings, const SpecialIds& ids, Index limit);

  /// One step. Row h of logits [running, V] scores the tokens that may follow running()[h].
  void advance(MatrixView<const float> logits, LikeliestTokens& likeliest);

  /// At first one hypothesis, whose only token is bos. Empty once the search is done.
  std::span<const Running> running() const { return running_; }
  /// What the last step considered, best first.
  std::span<const Extended> proposed() const { return proposed_; }
  /// After the search: the `n_best` best hypotheses, best first. If none is finished, the best of those cut off.
  std::span<const Hypothesis> result() const;
  /// Whether the logits of any step were infinite or NaN, so that no token could follow.
  bool overflowed() const { return overflowed_; }

 private:
  void propose(MatrixView<const float> logits, LikeliestTokens& likeliest);
  void finish(const Extended& extended);
  void keep_running(const Extended& extended);
  bool is_hopeless(double log_probability) const;
  void keep_running_as_cut_off();

  DecodingSettings settings_;
  Id eos_;
  Index limit_;
  bool overflowed_ = false;
  Index length_ = 0;                // tokens of each running hypothesis, without bos
  std::vector<Extended> proposed_;  // best first
  std::vector<Running> running_, next_;
  std::vector<Hypothesis> kept_;  // best first
};

/// Beam search (see SentenceBeam) for all sources (ids, eos included) in one batch, which sentences leave when they are
/// done. Returns the settings.n_best best hypotheses of each.
std::vector<std::vector<Hypothesis>> beam_search(const DecodingSettings& settings, const SpecialIds& ids,
                                                 std::span<const std::span<const Id>> sources,
                                                 IncrementalDecoder<float>& decoder);

}  // namespace glassformer
