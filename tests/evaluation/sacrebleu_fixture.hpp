#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "glassformer/evaluation/bleu.hpp"

#ifndef GLASSFORMER_SOURCE_DIR
#define GLASSFORMER_SOURCE_DIR "."
#endif

/// The sacrebleu package's results for the same texts, written by scripts/fixtures/make_sacrebleu_fixtures.py.
namespace glassformer::sacrebleu {

inline const nlohmann::json& fixture() {
  static const nlohmann::json content = [] {
    std::ifstream file(GLASSFORMER_SOURCE_DIR "/tests/fixtures/sacrebleu.json");
    return nlohmann::json::parse(file);
  }();
  return content;
}

/// The text without "|version:...", the only field in which we differ from the package.
inline std::string without_version(std::string text) {
  const std::string version = "|version:" + std::string(kScorer);
  const std::size_t at = text.find(version);
  return at == std::string::npos ? "no version in: " + text : text.erase(at, version.size());
}

inline std::filesystem::path multi30k() { return GLASSFORMER_SOURCE_DIR "/../shared/multi30k"; }

inline std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// Splits at every space, as Python's split(" ") does.
inline std::vector<std::string> split_at_spaces(const std::string& line) {
  std::vector<std::string> words(1);
  for (const char c : line) {
    if (c == ' ') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

/// Makes hypotheses from references, as spoil() in scripts/fixtures/make_sacrebleu_fixtures.py does.
inline std::vector<std::string> spoil(const std::vector<std::string>& lines, const std::string& way) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (way == "take the next line") {
      result.push_back(lines[(i + 1) % lines.size()]);
      continue;
    }
    std::vector<std::string> words = split_at_spaces(lines[i]);
    if (way == "swap neighbours in every third line" && i % 3 == 0) {
      for (std::size_t j = 0; j + 1 < words.size(); j += 2) {
        std::swap(words[j], words[j + 1]);
      }
    }
    if (way == "keep the first half") {
      words.resize(words.size() / 2);
    }
    std::string spoilt;
    for (std::size_t j = 0; j < words.size(); ++j) {
      if (way == "drop every seventh word" && j % 7 == 6) {
        continue;
      }
      spoilt += (j > 0 ? " " : "") + words[j];
      if (way == "double every fifth word" && j % 5 == 4) {
        spoilt += " " + words[j];
      }
    }
    result.push_back(spoilt);
  }
  return result;
}

}  // namespace glassformer::sacrebleu
