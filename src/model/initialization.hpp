#pragma once

#include <cstdint>

#include "model/transformer.hpp"

namespace glassformer {

/// Fills a model's parameters before training. The numbers depend on the seed and on the model's shape alone.
///
///   embeddings and an output matrix of its own   normal, standard deviation 1 / sqrt(D); the row of padding 0
///   linear maps                                  uniform in +-sqrt(6 / (in + out))             (Glorot & Bengio 2010)
///   query, key and value maps                    the same, times 1 / sqrt(2), as if the three were one map
///   biases 0, gains of layer normalisation 1
template <std::floating_point Scalar>
void initialize(const Transformer<Scalar>& model, std::uint64_t seed, typename Transformer<Scalar>::Parameters& p);

}  // namespace glassformer
