#pragma once

#include <cstddef>
#include <vector>

namespace glassformer {

/// All values of an enum, from the array of their names: every_value<Activation>(kActivationNames).
template <class Enum>
std::vector<Enum> every_value(const auto& names) {
  std::vector<Enum> values;
  for (std::size_t i = 0; i < names.size(); ++i) {
    values.push_back(static_cast<Enum>(i));
  }
  return values;
}

}  // namespace glassformer
