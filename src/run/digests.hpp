#pragma once

#include "checkpoint/run_directory.hpp"
#include "numerics/arena.hpp"
#include "text/settings.hpp"

/// A run's digests.jsonl, by which scripts/verify.sh confirms that the run computed its weights from its config and text.
/// Each line is a JSON object, and contains the SHA-256 of the file before it, so that no line can change unnoticed.
///
///   {"update": 0, "arithmetic": "f871...", "program": SHA-256, "config": SHA-256 of config.yaml, "source": SHA-256 of
///    the training text, "target": the same, "weights": {TENSOR: the first 16 digits of its SHA-256}, "before": SHA-256}
///   {"update": 50, "weights": {...}, "before": SHA-256}     for each checkpoint
///
/// Both functions do nothing if the run has no directory (on all ranks but the first).
namespace glassformer {

void record_start(const RunDirectory& run, Index update, const Arena<float>& weights, const DataSettings& data);
void record_weights(const RunDirectory& run, Index update, const Arena<float>& weights);

/// Drops the lines of later updates; -1 drops all.
void drop_digests_after(const RunDirectory& run, Index update);

}  // namespace glassformer
