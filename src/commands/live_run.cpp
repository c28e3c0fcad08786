#include "glassformer/commands/live_run.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "glassformer/commands/live_checkpoints.hpp"
#include "glassformer/files/base64.hpp"
#include "glassformer/files/lines.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/live/live_settings.hpp"
#include "glassformer/live/live_text.hpp"
#include "glassformer/setup/loaded_model.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostTextBytes = std::size_t{64} << 20;
constexpr std::size_t kShownPairs = 3;
constexpr std::ptrdiff_t kShownLength = 60;  // bytes

struct Lines {
  std::vector<std::string> source, target;
  Index fingerprint = 0;

  Json json() const { return {{"source", joined(source)}, {"target", joined(target)}}; }

 private:
  static std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
      text += line + '\n';
    }
    return text;
  }
};

Lines read_lines(const DataSettings& data, const std::string& name) {
  ParallelReader reader(data.source_file(name), data.target_file(name));
  Lines lines;
  std::size_t bytes = 0;
  for (std::string source, target; reader.next(source, target);) {
    bytes += source.size() + target.size();
    if (bytes > kMostTextBytes) {
      throw UserError(fmt::format("{}: the text is too large for a page, which holds at most {} MB",
                                  data.source_file(name).string(), kMostTextBytes >> 20));
    }
    lines.source.push_back(source);
    lines.target.push_back(target);
  }
  lines.fingerprint = reader.fingerprint();
  return lines;
}

/// The settings that a page has.
LiveSettings live_settings(const Config& config, const std::string& run) {
  const TokenizerSettings& tokenizer = config.tokenizer;
  const auto require = [&](bool condition, const std::string& expected, const std::string& found) {
    if (!condition) {
      throw UserError(
          fmt::format("{}: the live page needs {}, and this run has {}. `glassformer explain {}` shows its "
                      "numbers.",
                      run, expected, found, run));
    }
  };
  require(tokenizer.kind == TokenizerKind::word, "tokenizer.kind: word",
          kTokenizerKindNames[static_cast<std::size_t>(tokenizer.kind)]);
  require(tokenizer.source_vocabulary_size == 0 && tokenizer.target_vocabulary_size == 0,
          "vocabularies of tokenizer.vocabulary_size", "a size for one language alone");
  return {config.model,          config.training,           config.decoding,
          tokenizer.joint,       tokenizer.vocabulary_size, tokenizer.min_frequency,
          config.data.max_length};
}

/// The page's vocabularies and pairs.
LiveText live_text(const LiveSettings& settings, const Lines& lines, const DataSettings& data) try {
  return read_text(settings, lines.source, lines.target);
} catch (const std::invalid_argument& error) {
  throw UserError(fmt::format("{} and {}: {}", data.source_file(data.train).string(),
                              data.target_file(data.train).string(), error.what()));
}

void check_text(const LiveText& text, const Lines& lines, const LoadedModel& loaded, const RunProgress& progress) {
  const DataSettings& data = loaded.config.data;
  const auto same = [](const WordVocabulary& learned, const Tokenizer& saved) {
    bool equal = learned.vocabulary_size() == saved.vocabulary_size();
    for (Id id = 0; equal && id < saved.vocabulary_size(); ++id) {
      equal = learned.piece(id) == saved.piece(id);
    }
    return equal;
  };
  const bool is_text = progress.text == 0 || progress.text == lines.fingerprint;
  if (is_text && same(*text.source, *loaded.tokenizers.source) && same(*text.target, *loaded.tokenizers.target)) {
    return;
  }
  throw UserError(fmt::format(
      "{} and {}: expected the text that {} was trained on, found another; the page needs it to go on with training",
      data.source_file(data.train).string(), data.target_file(data.train).string(), loaded.checkpoint.string()));
}

/// A few short pairs, to begin with.
Json shown_pairs(const Lines& lines) {
  Json pairs = Json::array();
  for (std::size_t i = 0; i < lines.source.size() && pairs.size() < kShownPairs; ++i) {
    const auto fits = [](const std::string& line) { return !line.empty() && std::ssize(line) <= kShownLength; };
    if (fits(lines.source[i]) && fits(lines.target[i])) {
      pairs.push_back({{"source", lines.source[i]}, {"target", lines.target[i]}});
    }
  }
  if (pairs.empty()) {
    pairs.push_back({{"source", lines.source.front()}, {"target", lines.target.front()}});
  }
  return pairs;
}

/// The first test text; none, with a warning, if it cannot be read.
Lines test_lines(const DataSettings& data) {
  if (data.tests.empty()) {
    return {};
  }
  try {
    return read_lines(data, data.tests.front());
  } catch (const UserError& error) {
    spdlog::warn("the page gets no test text: {}", error.what());
    return {};
  }
}

Json json_of(const LiveSettings& settings) {
  Json values = Json::object();
  for (const Json& setting : settings_json(settings)) {
    values[setting["key"].get<std::string>()] = setting["value"];
  }
  return values;
}

}  // namespace

std::string live_run_json(const fs::path& run) {
  const LoadedModel loaded(run);
  const Config& config = loaded.config;
  const LiveSettings settings = live_settings(config, run.string());
  const std::vector<fs::path> checkpoints = checkpoints_to_show(run, loaded);
  const Lines lines = read_lines(config.data, config.data.train);
  const LiveText text = live_text(settings, lines, config.data);
  CheckpointReader reader(settings, text);
  check_text(text, lines, loaded, reader.read(checkpoints.back()));
  if (!config.model_from.empty()) {
    spdlog::warn("this run began with the weights of {}; update 0 in the page has new ones",
                 config.model_from.string());
  }
  const Lines test = test_lines(config.data);
  const bool has_test = !test.source.empty();
  Json result{{"name", run.lexically_normal().string()}, {"settings", json_of(settings)}};
  result.update(lines.json());
  result["test"] = has_test ? test.json() : Json();
  result["pairs"] = shown_pairs(has_test ? test : lines);
  for (const fs::path& checkpoint : checkpoints) {
    if (!fs::exists(checkpoint)) {
      continue;  // the run is training, and has just deleted this old checkpoint
    }
    const RunProgress progress = reader.read(checkpoint);
    result["snapshots"].push_back({{"update", progress.update}, {"bytes", base64_of(reader.snapshot(progress))}});
  }
  return result.dump(-1, ' ', false, Json::error_handler_t::replace);  // a path need not be UTF-8
}

}  // namespace glassformer
