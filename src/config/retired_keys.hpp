#pragma once

#include <span>
#include <string_view>

#include "config/key.hpp"

namespace glassformer {

/// A key that an earlier version had. Its default is ignored with a warning, so that old configs and checkpoints stay
/// readable; any other value is an error, because this version cannot do what it asks for.
struct RetiredKey {
  std::string_view name;           ///< with dots: training.optimizer.beta1
  std::string_view default_value;  ///< as YAML
  std::string_view advice;         ///< what to do instead, as a sentence without its full stop
};

/// All of them. To retire a key, add a row to the table in retired_keys.cpp.
std::span<const RetiredKey> retired_keys();

/// Null if there was no such key.
const RetiredKey* find_retired_key(std::string_view name);

/// \throws UserError: the value is not the key's default
void check_retired_key(const RetiredKey& key, const YAML::Node& value, const Place& place);

/// One warning that names every retired key that was given; nothing if there is none.
void warn_about_retired_keys(const Places& given);

}  // namespace glassformer
