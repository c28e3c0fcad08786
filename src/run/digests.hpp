#pragma once

#include <filesystem>
#include <vector>

#include "glassformer/checkpoint/run_directory.hpp"
#include "glassformer/numerics/arena.hpp"
#include "glassformer/settings/text.hpp"

/// A run's digests.jsonl, which scripts/verify.sh uses to confirm the run. Each line is a JSON object:
///
///   when the run starts or resumes:
///     {"update": 0, "program": DIGEST, "config": DIGEST, "source": DIGEST, "target": DIGEST, "weights": WEIGHTS,
///      "before": DIGEST}
///   for each checkpoint:
///     {"update": 50, "arithmetic": DIGEST, "checksums": DIGEST, "weights": WEIGHTS, "before": DIGEST}
///   for the mean of the last checkpoints:
///     {"average": ["step-00000040", "step-00000050"], "update": 50, "best": true, "checksums": DIGEST,
///      "weights": WEIGHTS, "before": DIGEST}
///
/// WEIGHTS is {TENSOR: the first 16 digits of its DIGEST, ...}. A DIGEST is a SHA-256, except that of the arithmetic
/// (verification/self_test.hpp): of the executable, config.yaml, the training text's two files, the checkpoint's
/// SHA256SUMS (which has the checksums of its other files; version 0.2 recorded no "checksums" and no means), and, as
/// "before", of all lines before this one, so that none of them can change unnoticed. The functions do nothing if the
/// run has no directory (on all ranks but the first).
namespace glassformer {

/// Appends a line of the first kind. The run must have its config.yaml.
void record_start(const RunDirectory& run, Index update, const Arena<float>& weights, const DataSettings& data);
/// Appends a line of the second kind. The checkpoint must have been saved.
void record_weights(const RunDirectory& run, Index update, const Arena<float>& weights);
/// Appends a line of the third kind. The mean must have been saved; `averaged` are the checkpoints that went into it,
/// and `is_best` says whether it becomes the run's best checkpoint.
void record_average(const RunDirectory& run, Index update, const std::vector<std::filesystem::path>& averaged,
                    bool is_best, const Arena<float>& mean);

/// Whether the mean of the checkpoints up to this update became the run's best checkpoint.
bool mean_was_best(const RunDirectory& run, Index update);

/// Drops the lines of later updates; -1 drops all.
void drop_digests_after(const RunDirectory& run, Index update);

}  // namespace glassformer
