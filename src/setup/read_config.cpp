#include "glassformer/setup/read_config.hpp"

#include <spdlog/fmt/fmt.h>

#include "glassformer/checkpoint/checkpoint.hpp"
#include "glassformer/checkpoint/run_directory.hpp"
#include "glassformer/checkpoint/run_names.hpp"
#include "glassformer/config/config_file.hpp"
#include "glassformer/files/suggestion.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/marian/marian_config.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

/// The message for a directory in the place of a config.
std::string directory_instead_of_config(const fs::path& directory) {
  const std::string name = directory.string();
  if (is_run(directory)) {
    return fmt::format(
        "{0}: expected a config file, found a run. Its config is {1}; to continue the run: glassformer train \"{1}\" "
        "--resume",
        name, (directory / kConfigFile).string());
  }
  if (is_checkpoint(directory)) {
    return name + ": expected a config file, found a checkpoint. To train it further, write a config with model.from.";
  }
  std::vector<std::string> configs;
  for (const std::string& entry : names_in(directory)) {
    if (entry.ends_with(".yaml") || entry.ends_with(".yml")) {
      configs.push_back(entry);
    }
  }
  return name + ": expected a config file, found a directory" +
         (configs.empty() ? " without any .yaml file" : "; its configs are " + listed(configs));
}

}  // namespace

Config read_config(const fs::path& file, const std::vector<std::string>& overrides,
                   const std::optional<fs::path>& resumed) {
  if (std::error_code error; fs::is_directory(file, error)) {
    throw UserError(directory_instead_of_config(file));
  }
  return parse_config(file, overrides, {resolve_checkpoint, read_config_of_model}, resumed);
}

Config read_config_of_model(const fs::path& directory) {
  const fs::path ours = directory / kConfigFile;
  const bool is_ours = fs::exists(fs::symlink_status(ours));  // also a broken link: reading it then gives an error
  return is_ours ? read_config_of_checkpoint(ours) : read_marian_config(directory);
}

}  // namespace glassformer
