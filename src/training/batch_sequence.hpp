#pragma once

#include <functional>
#include <span>
#include <vector>

#include "batching/sentence_pairs.hpp"
#include "training/settings.hpp"

namespace glassformer {

/// How far training has progressed.
struct Progress {
  Index update = 0;          ///< updates done, skipped ones included
  Index epoch = 0;           ///< epochs completed
  Index batch = 0;           ///< batches done in the current epoch
  Index skipped = 0;         ///< updates whose loss or gradient was not finite
  Index skipped_in_row = 0;  ///< consecutive skipped updates up to now

  bool operator==(const Progress&) const = default;
};

/// The batches of a run in order, epoch after epoch. Progress holds the position; this class holds the epoch's plan.
class BatchSequence {
 public:
  using Batch = std::vector<Index>;  ///< numbers of sentence pairs
  /// Returns the pairs of an epoch, at least one. They stay valid until the next call.
  using Text = std::function<SentencePairs(Index epoch)>;

  BatchSequence(const TrainingSettings& settings, Text text);

  const SentencePairs& pairs() const { return pairs_; }    ///< of the current epoch
  std::span<const Batch> all() const { return batches_; }  ///< of the current epoch; empty before it is planned

  /// Continues from `progress`. Returns false if there is no such batch.
  bool go_to(const Progress& progress);

  /// Plans the current epoch unless it is planned already.
  void prepare(const Progress& progress);
  /// The batches of the next update: training.accumulation of them, or fewer at an epoch's end. Valid until prepare().
  std::span<const Batch> next(const Progress& progress) const;
  /// Call after training on `count` batches.
  void advance(Progress& progress, std::size_t count);

 private:
  Index max_tokens_;
  std::size_t accumulation_;
  std::uint64_t seed_;
  Text text_;
  SentencePairs pairs_;
  Index planned_ = -1;  // the epoch that batches_ belongs to; -1: none
  std::vector<Batch> batches_;
};

}  // namespace glassformer
