#pragma once

#include "checkpoint/run_directory.hpp"
#include "numerics/arena.hpp"
#include "text/settings.hpp"

/// A run's digests.jsonl, which scripts/verify.sh uses to confirm the run's weights. Each line is a JSON object:
///
///   {"update": 0, "program": DIGEST, "config": DIGEST, "source": DIGEST, "target": DIGEST,
///    "weights": {TENSOR: the first 16 digits of its DIGEST, ...}, "before": DIGEST}     when the run starts or resumes
///   {"update": 50, "arithmetic": DIGEST, "weights": {...}, "before": DIGEST}            for each checkpoint
///
/// A DIGEST is a SHA-256, except that of the arithmetic (training/self_test.hpp): of the executable, config.yaml, the
/// training text's two files, and, as "before", of all lines before this one, so that none of them can change
/// unnoticed. The functions do nothing if the run has no directory (on all ranks but the first).
namespace glassformer {

/// Appends a line of the first kind. The run must have its config.yaml.
void record_start(const RunDirectory& run, Index update, const Arena<float>& weights, const DataSettings& data);
/// Appends a line of the second kind.
void record_weights(const RunDirectory& run, Index update, const Arena<float>& weights);

/// Drops the lines of later updates; -1 drops all.
void drop_digests_after(const RunDirectory& run, Index update);

}  // namespace glassformer
