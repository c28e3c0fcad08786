#pragma once

#include <type_traits>

#include "glassformer/model/settings.hpp"
#include "random_values.hpp"

namespace glassformer::example {

/// Draws a value for every setting that is a choice: norm, activation, whatever a later one is called.
inline void draw_choices(RandomValues& random, TransformerSettings& settings) {
  for_each_setting(settings, [&](const char*, const auto&, auto& field, const auto&... accepted) {
    using Type = std::remove_reference_t<decltype(field)>;
    if constexpr (std::is_enum_v<Type>) {
      field = static_cast<Type>(random.index(std::ssize(accepted...)));
    }
  });
}

}  // namespace glassformer::example
