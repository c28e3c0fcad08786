#pragma once

#include <nlohmann/json.hpp>

namespace glassformer {

/// [item(x) for x in range]
nlohmann::ordered_json json_list(const auto& range, const auto& item) {
  auto items = nlohmann::ordered_json::array();
  for (const auto& one : range) {
    items.push_back(item(one));
  }
  return items;
}

}  // namespace glassformer
