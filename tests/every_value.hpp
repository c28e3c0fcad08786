#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace glassformer {

/// Whether an enum has a name for this value. The compiler prints a value without a name as a cast: (Norm)2.
template <auto value>
constexpr bool has_name() {
  return std::string_view(__PRETTY_FUNCTION__).find("value = (") == std::string_view::npos;
}

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
