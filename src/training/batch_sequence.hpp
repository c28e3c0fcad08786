#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "checkpoint/training_state.hpp"
#include "numerics/communicator.hpp"
#include "training/training_text.hpp"

namespace glassformer {

/// The batches of a run in their order: epoch after epoch, part after part of the training text, batch after batch. How
/// far the training has come is the Progress that it is given; it keeps only the plan of the part at hand.
class BatchSequence {
 public:
  using Batch = std::vector<Index>;  ///< numbers of sentences of the part at hand

  /// All of `ranks` must have been given the same text.
  BatchSequence(const Config& config, TrainingText text, Communicator ranks);

  const TrainingText& text() const { return text_; }
  /// Of the part at hand; empty where that is yet to be planned.
  std::span<const Batch> all() const { return batches_; }

  /// Takes up the sequence where `progress` stands.
  /// \throws UserError, which names `checkpoint`: the sequence has no such place
  void go_to(const Progress& progress, const std::filesystem::path& checkpoint);

  /// Makes sure that there is a batch to be trained on; parts without one are passed over.
  /// \throws UserError: an epoch without a batch; another rank has other text
  void prepare(Progress& progress);
  /// Those of the next update: training.accumulation of them, fewer at the end of a part. Until prepare() or advance().
  std::span<const Batch> next(const Progress& progress) const;
  /// `count` batches have been trained on.
  void advance(Progress& progress, std::size_t count);

 private:
  void plan(const Progress& progress);
  void next_part(Progress& progress);

  Index max_length_, max_tokens_;
  std::size_t accumulation_;
  std::uint64_t seed_;
  TrainingText text_;
  Communicator ranks_;
  std::vector<Batch> batches_;
};

}  // namespace glassformer
