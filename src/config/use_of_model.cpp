#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "glassformer/config/config.hpp"
#include "glassformer/config/key.hpp"
#include "glassformer/files/suggestion.hpp"
#include "glassformer/files/user_error.hpp"

namespace glassformer {

std::vector<std::string> set_use_of_model(Config& config, const std::vector<std::string>& overrides) {
  std::vector<Key> keys = keys_of(config);
  std::vector<std::string> others;
  std::vector<std::string> allowed;
  for (const Key& key : keys) {
    const bool is_allowed = key.name.starts_with("decoding.") || key.name.starts_with("evaluation.");
    (is_allowed ? allowed : others).push_back(key.name);
  }
  for (const RetiredKey& key : retired_keys()) {
    others.push_back(key.name);
  }
  for (const std::string& text : overrides) {
    const std::string name = text.substr(0, text.find('='));
    if (std::ranges::find(others, name) == others.end()) {
      continue;
    }
    std::string list;
    for (const std::string& key : allowed) {
      list += (list.empty() ? "" : ", ") + key;
    }
    throw UserError(fmt::format("--set {}: {} matters only in training; for a trained model, you can set {}",
                                brief(text), name, list));
  }
  std::erase_if(keys, [&](const Key& key) { return std::ranges::find(allowed, key.name) == allowed.end(); });
  std::vector<std::string> set;
  for (const auto& [name, place] : read_overrides(keys, overrides)) {
    set.push_back(name);
  }
  return set;
}

}  // namespace glassformer
