#include "config/retired_keys.hpp"

#include <spdlog/spdlog.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>

#include "user_error.hpp"

namespace glassformer {
namespace {

constexpr std::array kRetired = {
    RetiredKey{"training.tensorboard", "false",
               "scripts/metrics_to_tensorboard.py converts a run's metrics.jsonl for TensorBoard"},
    RetiredKey{"training.sum", "ordered",
               "gradients are always summed in the same order, which also turned out faster"},
    RetiredKey{"data.lines_in_memory", "1000000",
               "set data.mapped_above: a text with more tokens lies in files, and is shuffled as a whole"},
};

/// Whether two scalars mean the same to a reader of type T: false and no, 1000 and 1e3.
template <typename T>
bool same_as(const YAML::Node& a, const YAML::Node& b) {
  T left{}, right{};
  return YAML::convert<T>::decode(a, left) && YAML::convert<T>::decode(b, right) && left == right;
}

}  // namespace

std::span<const RetiredKey> retired_keys() { return kRetired; }

const RetiredKey* find_retired_key(std::string_view name) {
  const auto* const found = std::ranges::find(kRetired, name, &RetiredKey::name);
  return found == kRetired.end() ? nullptr : found;
}

void check_retired_key(const RetiredKey& key, const YAML::Node& value, const Place& place) {
  const std::string default_value(key.default_value);
  const YAML::Node expected = YAML::Load(default_value);
  if (value.IsScalar() &&
      (value.Scalar() == expected.Scalar() || same_as<bool>(value, expected) || same_as<double>(value, expected)))
    return;
  throw UserError(place.name + ": this key was removed in version 0.2; expected its default " + default_value +
                  ", found " + describe(value) + ". Delete the key; " + std::string(key.advice) + ".");
}

void warn_about_retired_keys(const Places& given) {
  std::string list;
  for (const auto& [name, place] : given)
    if (find_retired_key(name)) list += (list.empty() ? "" : ", ") + place.name;
  if (!list.empty()) spdlog::warn("{}: removed in version 0.2; ignored, as the value is the old default", list);
}

}  // namespace glassformer
