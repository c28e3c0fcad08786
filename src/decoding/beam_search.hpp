#pragma once

#include <span>
#include <vector>

#include "decoding/incremental_decoder.hpp"
#include "decoding/likeliest_tokens.hpp"
#include "decoding/search.hpp"

namespace glassformer {

/// Beam search for one sentence. At each step every running hypothesis proposes its likeliest tokens; the 2 * beam best
/// of all these extensions are looked at, best first. One that ends in eos is finished if it is among the first
/// `beam`; of the others, the first `beam` run on. (Twice the beam, because half of them at most end in eos.)
///
/// The `beam` best finished hypotheses are kept; `n_best` of them are asked for. When is the search done? The score is
/// log p divided by a power of the length, so a running hypothesis may still overtake a finished one. But log p, which
/// is negative, only falls, because each token adds the log of a probability; and the divisor brings it nearest to 0 at
/// the longest length allowed. So however the hypothesis goes on, its score is at most
///
///   log p / (longest length)^length_penalty        (what it would be if all tokens to come had probability 1)
///
/// Once `n_best` hypotheses are finished, those whose bound does not beat the worst of the `n_best` best are dropped;
/// when none is left, no better result exists for this beam. With settings.early_stopping all are dropped once `beam`
/// hypotheses are finished: the customary rule, which ends sooner, and sometimes too soon.
class SentenceBeam {
 public:
  /// A hypothesis that runs on.
  struct Running {
    double log_probability;
    Id token;      ///< its last token
    Index parent;  ///< which of the running hypotheses before it continues
    Index node;    ///< its last token in the tree of all tokens
  };

  /// `limit`: tokens a translation may have, eos not counted.
  SentenceBeam(const DecodingSettings& settings, const SearchIds& ids, Index limit);

  /// One step. Row h of logits [running, V] says what may follow running()[h].
  void advance(MatrixView<const float> logits, LikeliestTokens& likeliest);

  /// At the start one, whose only token is bos. None: the search is done.
  std::span<const Running> running() const { return running_; }
  /// When the search is done: the `n_best` best hypotheses, best first; if none is finished, of those that still ran.
  std::span<const Hypothesis> result() const;

 private:
  struct Extended {
    double log_probability;
    Id token;
    Index parent;
  };
  struct Node {
    Id token;
    Index previous;
  };
  void propose(MatrixView<const float> logits, LikeliestTokens& likeliest);
  void finish(const Extended& extended);
  void run_on(const Extended& extended);
  bool is_hopeless(double log_probability) const;
  void keep_running_as_cut_off();
  std::vector<Id> tokens_up_to(Index node) const;

  DecodingSettings settings_;
  Id eos_;
  Index limit_;
  Index length_ = 0;                // tokens of each running hypothesis, bos not counted
  std::vector<Extended> proposed_;  // best first
  std::vector<Running> running_, next_;
  std::vector<Node> tree_;        // node 0 is bos
  std::vector<Hypothesis> kept_;  // best first
};

/// Beam search (see SentenceBeam) for all sources (ids, eos included) side by side; those that have ended leave the
/// batch. Each gives its settings.n_best best hypotheses.
std::vector<std::vector<Hypothesis>> beam_search(const DecodingSettings& settings, const SearchIds& ids,
                                                 std::span<const std::span<const Id>> sources,
                                                 IncrementalDecoder<float>& decoder);

}  // namespace glassformer
