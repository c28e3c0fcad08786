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
///
/// The value, output and feed-forward maps are multiplied by settings.initial_gain besides. Below 1, a sublayer adds
/// less to the residual stream at first. That is what post-norm needs: the first updates change what the model computes
/// by less, it bears a higher rate, and learns sooner. Wang et al. (DeepNet, arXiv 2203.00555) derive for N encoder and
/// M decoder layers 0.87 (N^4 M)^(-1/16) in the encoder (4 and 4 layers: 0.56).
template <std::floating_point Scalar>
void initialize(const Transformer<Scalar>& model, std::uint64_t seed, typename Transformer<Scalar>::Parameters& p);

}  // namespace glassformer
