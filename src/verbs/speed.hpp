#pragma once

#include <nlohmann/json.hpp>

#include "config/config.hpp"
#include "numerics/communicator.hpp"
#include "text/corpus.hpp"

namespace glassformer {

/// Trains the config's model from random weights on the batches of the first epoch, for at least `seconds`, and says how
/// fast that was; the model is thrown away. A few updates beforehand, on the longest and the shortest sentences, warm up
/// memory and caches. All ranks get the same figures, except for their own memory and seconds of sum and optimizer.
///
///   source_tokens_per_second, target_tokens_per_second   without padding
///   gflops              billions of operations per second, of those that training_flops counts
///   fma_peak_gflops     what all ranks' processors could do if they are all like this one's; mean of the measurements
///                       at the start and between updates
///   seconds             where the time goes. data, forward and backward run on all threads at once: theirs is the sum
///                       over the threads divided by the number of threads, and `waiting` is the rest of that time.
///                       So the parts add up to the total.
nlohmann::ordered_json measure_speed(const Config& config, const TokenizerPair& tokenizers, const Corpus& corpus,
                                     double seconds, const Communicator& ranks);

}  // namespace glassformer
