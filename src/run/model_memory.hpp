#pragma once

#include "model/settings.hpp"

/// How much memory a model needs, by arithmetic.
namespace glassformer {

/// How many numbers all weights and biases are.
Index parameter_count(const TransformerSettings& settings, const VocabularyShape& vocabulary);

/// The size of a padded batch.
struct BatchShape {
  Index source = 0, target = 0;                  ///< tokens, padding included: B * S and B * T
  Index longest_source = 0, longest_target = 0;  ///< S and T
};

/// About how many numbers the layers keep while they compute such a batch.
/// \param training  backward and dropout included
Index activation_count(const TransformerSettings& settings, const VocabularyShape& vocabulary, const BatchShape& batch,
                       bool training);

}  // namespace glassformer
