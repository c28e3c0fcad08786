#pragma once

#include <cstdint>
#include <string>

#include "config/config.hpp"
#include "numerics/communicator.hpp"
#include "text/corpus.hpp"

namespace glassformer {

/// Where the time of training goes. The first three run on all threads side by side: their seconds are those of all
/// threads divided by the number of threads, and `waiting` is what is left over, for a shard may end before the others.
/// So all of them together are the time that has passed.
struct PartSeconds {
  double data = 0;       ///< ids and masks of the padded batches
  double forward = 0;
  double backward = 0;
  double waiting = 0;    ///< threads without work, and cutting batches into micro-batches
  double sum = 0;        ///< the shards' gradients are set to 0, and become one in the end, over all ranks
  double optimizer = 0;  ///< norm of the gradient, clipping, Adam
  double total() const { return data + forward + backward + waiting + sum + optimizer; }
};

/// How fast training is.
struct BenchmarkFigures {
  Index parameters = 0;         ///< of the model
  Index updates = 0;
  double source_tokens_per_second = 0, target_tokens_per_second = 0;  ///< padding not counted
  double gflops = 0;            ///< 1e9 operations a second, of those that training_flops counts
  double fma_peak_gflops = 0;   ///< what the processors of all ranks could do, if all are like this one's, see
                                ///< measure_fma_peak: mean of what was measured at the
                                ///< start and between updates
  double padding_share = 0;     ///< 0..1 of the cells of the padded shards
  PartSeconds seconds;          ///< of all updates together
  std::int64_t peak_rss_bytes = 0;
  double heap_allocations_per_update = 0;  ///< -1: unknown on this system
  int threads = 0;              ///< of each rank
  int ranks = 1;
  std::string backend;          ///< of matrix products

  double peak_share() const { return gflops / fma_peak_gflops; }
};

/// Trains the config's model on the batches of the first epoch for at least so many seconds, from random weights, and
/// throws the model away. Some updates before that, of the longest and of the shortest sentences among them, warm up
/// memory and caches. Several ranks train one model together, and all get the same figures, but for the seconds of the
/// sum, the optimizer, and memory, which are each rank's own.
BenchmarkFigures run_benchmark(const Config& config, const TokenizerPair& tokenizers, const Corpus& corpus,
                               double seconds, const Communicator& ranks = {});

}  // namespace glassformer
