#include <cstdlib>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "config/workplace.hpp"
#include "glassformer/config/changed_keys.hpp"
#include "glassformer/config/config.hpp"
#include "read_lines.hpp"

using namespace glassformer;
namespace fs = std::filesystem;

namespace {

struct Line {
  std::string value, comment, default_value;  // key: value  # comment (default default_value)
};

/// The keys of a config file, read line by line without a YAML parser. A key that occurs twice has two entries.
std::map<std::string, std::vector<Line>> keys_in(std::istream& text) {
  static const std::regex pattern(R"(^( *)(\w+):(?: (.*?))?(?: +# *(.*?) *\((required|default (.*))\))?$)");
  std::map<std::string, std::vector<Line>> keys;
  std::vector<std::string> sections;
  for (std::string line; std::getline(text, line);) {
    std::smatch part;
    if (line.empty() || line[0] == '#') {
      continue;
    }
    INFO(line);
    REQUIRE(std::regex_match(line, part, pattern));
    sections.resize(part[1].str().size() / 2);
    if (!part[3].matched) {
      sections.push_back(part[2]);
      continue;
    }
    std::string name;
    for (const std::string& section : sections) {
      name += section + ".";
    }
    keys[name + part[2].str()].push_back({part[3], part[4], part[5] == "required" ? part[5] : part[6]});
  }
  return keys;
}

/// The number that the whole text stands for. (libc++ has std::from_chars only for integers.)
std::optional<double> number_in(const std::string& text) {
  char* stop = nullptr;
  const double value = std::strtod(text.c_str(), &stop);
  return !text.empty() && *stop == '\0' ? std::optional(value) : std::nullopt;
}

bool same_value(const std::string& a, const std::string& b) {
  const auto x = number_in(a);
  const auto y = number_in(b);
  return x && y ? x == y : a == b;
}

std::vector<fs::path> config_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(GLASSFORMER_SOURCE_DIR) / "configs")) {
    if (entry.path().extension() == ".yaml") {
      files.push_back(entry.path());
    }
  }
  return files;
}

Config without_data(const std::string& name) {
  return read_config_of_checkpoint(fs::path(GLASSFORMER_SOURCE_DIR) / "configs" / name);
}

}  // namespace

TEST_CASE("a written config has every key, with its meaning and its default", "[config]") {
  std::istringstream written(write_config(Config{}));
  const auto table = keys_in(written);
  REQUIRE(table.size() > 50);
  for (const auto& [key, lines] : table) {
    CAPTURE(key);
    REQUIRE(lines.size() == 1);
    CHECK_FALSE(lines[0].comment.empty());
    const bool required = key == "data.directory" || key == "data.source_language" || key == "data.target_language";
    CHECK(same_value(lines[0].default_value, required ? "required" : lines[0].value));
  }
}

TEST_CASE("the configs that explain their keys have the right defaults", "[config]") {
  std::istringstream written(write_config(Config{}));
  const auto table = keys_in(written);
  for (const std::string name : {"toy.yaml", "multi30k_tiny.yaml"}) {
    CAPTURE(name);
    std::ifstream text(fs::path(GLASSFORMER_SOURCE_DIR) / "configs" / name);
    const auto keys = keys_in(text);
    CHECK(keys.size() > 20);
    for (const auto& [key, lines] : keys) {
      CAPTURE(key);
      REQUIRE(table.contains(key));
      REQUIRE(lines.size() == 1);
      CHECK_FALSE(lines[0].comment.empty());
      CHECK(same_value(lines[0].default_value, table.at(key)[0].default_value));
    }
  }
}

TEST_CASE("every file in configs/ can be read, with its data if present", "[config]") {
  REQUIRE(config_files().size() >= 12);
  for (const fs::path& file : config_files()) {
    INFO(file.string());
    const Config config = read_config_of_checkpoint(file);
    if (fs::exists(config.data.directory) || config.data.directory.string().find("multi30k") == std::string::npos) {
      CHECK(read_config(file) == config);
    } else {
      WARN(file << ": this config's text is missing (see docs/results.md), so only the config was read");
    }
  }
}

TEST_CASE("a lesson is the toy's config with a mask or a part turned off", "[config]") {
  const std::map<std::string, std::vector<std::string>> lessons = {
      {"no_cross_mask", {"masks.cross_padding"}},
      {"no_look_ahead", {"masks.look_ahead"}},
      {"no_positions", {"model.positions"}},
      {"no_residual", {"model.residual"}},
      {"no_scaling", {"model.scale_scores"}},
      {"no_padding_masks", {"masks.encoder_padding", "masks.target_padding", "masks.cross_padding"}}};
  const Config toy = without_data("toy.yaml");
  for (const auto& [name, off] : lessons) {
    INFO(name);
    const Config lesson = without_data("lessons/" + name + ".yaml");
    CHECK(lesson.data == toy.data);
    std::vector<std::string> changed;
    for (const ChangedKey& key : changed_keys(toy, lesson)) {
      if (!key.changes_training) {
        continue;
      }
      CHECK(key.after == "false");
      changed.push_back(key.name);
    }
    CHECK(changed == off);
  }
}

TEST_CASE("the Multi30k config has the published architecture and at most 2.6 million parameters", "[config]") {
  const Config c = without_data("multi30k_tiny.yaml");
  const Index d = c.model.d_model;
  const Index f = c.model.d_ff;
  const Index v = c.tokenizer.vocabulary_size;
  const Index linear = d * d + d;
  const Index norm = 2 * d;
  const Index feed_forward = d * f + f + f * d + d;
  const Index encoder = c.model.encoder_layers * (4 * linear + feed_forward + 2 * norm);
  const Index decoder = c.model.decoder_layers * (8 * linear + feed_forward + 3 * norm);
  CHECK(encoder == 529920);
  CHECK(decoder == 795136);
  CHECK(c.model.tied_embeddings == Tying::all);
  CHECK(v * d + v + encoder + decoder <= 2'600'000);
}

TEST_CASE("no validation or test line of the reversed digits is in the training text", "[config]") {
  const Config c = without_data("reverse.yaml");
  const std::vector<std::string> train = read_lines(c.data.source_file("train"));
  const std::vector<std::string> target = read_lines(c.data.target_file("train"));
  const std::set<std::string> known(train.begin(), train.end());
  CHECK(known.size() == train.size());
  for (const char* name : {"valid", "test"}) {
    for (const std::string& line : read_lines(c.data.source_file(name))) {
      CHECK_FALSE(known.contains(line));
    }
  }
  REQUIRE(target.size() == train.size());
  for (std::size_t i = 0; i < train.size(); ++i) {
    const std::string backwards(train[i].rbegin(), train[i].rend());
    if (backwards != target[i]) {
      FAIL_CHECK("line " << i + 1 << ": " << train[i] << " -> " << target[i]);
    }
  }
}
