#pragma once

#include <string>
#include <vector>

#include "glassformer/config/config.hpp"

namespace glassformer {

/// A key whose values differ between two configs.
struct ChangedKey {
  std::string name, before, after;
  bool changes_training;  ///< false: a resumed run may change it
};

/// The keys whose values differ. A resumed run may change how long it trains, when it validates, what it logs and
/// keeps, how it decodes and evaluates, and where its files are.
std::vector<ChangedKey> changed_keys(const Config& before, const Config& after);

/// Whether a key is part of the model's shape, so that weights trained with another value do not fit.
bool is_of_shape(const std::string& key);

}  // namespace glassformer
