#include "glassformer/config/check_files.hpp"

#include <system_error>

#include "glassformer/config/data_files.hpp"
#include "glassformer/files/descriptor.hpp"
#include "glassformer/files/suggestion.hpp"
#include "glassformer/files/user_error.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

/// \throws UserError whose message starts with `place`: one side of a text is missing or cannot be opened
void check_text(const std::string& place, const DataSettings& data, const TextSide& side) {
  const fs::path file = side.is_source ? data.source_file(side.name) : data.target_file(side.name);
  std::error_code error;
  if (fs::status(file, error).type() == fs::file_type::not_found) {
    if (const std::string hint = hint_about_names(data, side); !hint.empty()) {
      throw UserError(place + "no file " + file.string() + "; " + hint);
    }
  }
  check_file(place, file);
}

}  // namespace

void check_data_files(const Config& config, const Blame& blame) {
  const DataSettings& data = config.data;
  std::error_code error;
  const fs::file_status status = fs::status(data.directory, error);
  if (error == std::errc::io_error) {
    throw_disk_error("cannot be read", data.directory, error);
  }
  if (!fs::is_directory(status)) {
    blame.refuse({"data.directory"},
                 fs::exists(status) ? "expected a directory, found the file " + data.directory.string()
                                    : "no directory " + data.directory.string() + "; " + suggest_file(data.directory));
  }
  const auto check_pair = [&](const std::string& key, const std::string& name) {
    check_text(blame.at({key, "data.source_language", "data.directory"}), data,
               {key, name, data.source_language, data.target_language, true});
    check_text(blame.at({key, "data.target_language", "data.directory"}), data,
               {key, name, data.target_language, data.source_language, false});
  };
  check_pair("data.train", data.train);
  if (!data.valid.empty()) {
    check_pair("data.valid", data.valid);
  }
  for (const std::string& name : data.tests) {
    check_pair("data.tests", name);
  }
}

void check_tokenizer_files(const TokenizerSettings& tokenizer, const Blame& blame) {
  const fs::path& source = tokenizer.source_model;
  const fs::path& target = tokenizer.target_model;
  if (!source.empty()) {
    check_file(blame.at({"tokenizer.source_model"}), source);
  }
  if (!target.empty()) {
    check_file(blame.at({"tokenizer.target_model"}), target);
  }
}

}  // namespace glassformer
