#pragma once

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

  /// `pairs`: at least one; the sequence keeps the view.
  BatchSequence(const TrainingSettings& settings, const SentencePairs& pairs);

  const SentencePairs& pairs() const { return pairs_; }
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
  const SentencePairs pairs_;
  Index planned_ = -1;  // the epoch that batches_ belongs to; -1: none
  std::vector<Batch> batches_;
};

}  // namespace glassformer
