#pragma once

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "glassformer/config/config.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/setup/read_config.hpp"

namespace glassformer {

/// A temporary directory for one test, with the data files that its configs name.
class Workplace {
 public:
  Workplace() {
    namespace fs = std::filesystem;
    static std::atomic<int> count = 0;
    do {
      directory = fs::temp_directory_path() / ("glassformer-config-" + std::to_string(++count));
    } while (!fs::create_directory(directory));
    directory = fs::canonical(directory);
    for (const char* name : {"train.en", "train.de", "valid.en", "valid.de", "test.en", "test.de", "both.model"}) {
      write("data/" + std::string(name), "a .\n");
    }
  }
  ~Workplace() { std::filesystem::remove_all(directory); }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::filesystem::path file = directory / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

  /// Reads the smallest valid config, two lines long, followed by `more`.
  Config read(const std::string& more, const std::vector<std::string>& overrides = {}) const {
    return read_config(write("a.yaml", smallest + more), overrides);
  }

  /// The message with which read() fails, without the directory's name; "" if it succeeds.
  std::string complaint(const std::string& more, const std::vector<std::string>& overrides = {}) const {
    return complaint_of_file(write("a.yaml", smallest + more), overrides);
  }
  std::string complaint_of_text(const std::string& text) const { return complaint_of_file(write("a.yaml", text)); }
  std::string complaint_of_file(const std::filesystem::path& file,
                                const std::vector<std::string>& overrides = {}) const {
    try {
      read_config(file, overrides);
    } catch (const UserError& error) {
      std::string message = error.what();
      const std::string prefix = directory.string() + "/";
      for (std::size_t at = 0; (at = message.find(prefix)) != std::string::npos;) {
        message.erase(at, prefix.size());
      }
      return message;
    }
    return "";
  }

  std::filesystem::path directory;
  std::string smallest =
      "data: {directory: data, source_language: en, target_language: de}\n"
      "training: {max_updates: 1000}\n";
};

}  // namespace glassformer
