#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "glassformer/config/config.hpp"
#include "glassformer/config/config_file.hpp"
#include "glassformer/config/key.hpp"
#include "glassformer/files/suggestion.hpp"

namespace glassformer {

std::string write_config(const Config& config) {
  Config copy = config;
  Config default_config;  // keys_of needs fields that it can write
  const std::vector<Key> keys = keys_of(copy);
  const std::vector<Key> defaults = keys_of(default_config);
  std::string text = std::string(kConfigBeginning) +
                     ": every key is written out, and every path is absolute.\n"
                     "# Glassformer replaces this file when the run is resumed, so keep your own notes elsewhere.\n";
  std::string open;  // the section of the last key; the keys of a section are adjacent
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string& name = keys[i].name;
    const std::string section = section_of(name);
    const std::string indent(2 * static_cast<std::size_t>(std::ranges::count(name, '.')), ' ');
    if (section != open) {
      const bool nested = !section_of(section).empty();
      text += (nested ? indent.substr(2) : "\n") + last_part(section) + ":\n";
      open = section;
    }
    const std::string given = indent + last_part(name) + ": " + keys[i].field.write();
    const Field& fallback = defaults[i].field;
    text += fmt::format("{:30}  # {} ({})\n", given, keys[i].comment,
                        fallback.has_value() ? "default " + fallback.write() : "required");
  }
  return text;
}

}  // namespace glassformer
