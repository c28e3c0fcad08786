#pragma once

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "glassformer/report/metrics.hpp"

namespace glassformer {

/// The contents of metrics.jsonl.
struct Metrics {
  std::vector<TrainingMetrics> training;
  std::vector<ValidationMetrics> validation;
};

inline Metrics read_metrics(const std::filesystem::path& file) {
  Metrics metrics;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const auto json = nlohmann::json::parse(line);
    const auto number = [&](const char* name, double if_null = std::numeric_limits<double>::quiet_NaN()) {
      return json.at(name).is_null() ? if_null : json.at(name).get<double>();
    };
    if (json.at("kind") == "train") {
      metrics.training.push_back({.update = json.at("update"),
                                  .epoch = json.at("epoch"),
                                  .loss = number("loss"),
                                  .perplexity = number("perplexity"),
                                  .gradient_norm = number("gradient_norm"),
                                  .learning_rate = number("learning_rate"),
                                  .skipped = json.at("skipped"),
                                  .source_tokens_per_second = number("source_tokens_per_second"),
                                  .target_tokens_per_second = number("target_tokens_per_second"),
                                  .padding_share = number("padding_share"),
                                  .minutes = number("minutes"),
                                  .minutes_left = number("minutes_left", -1)});
    } else {
      metrics.validation.push_back({.update = json.at("update"),
                                    .epoch = json.at("epoch"),
                                    .loss = number("loss"),
                                    .perplexity = number("perplexity"),
                                    .token_accuracy = number("token_accuracy"),
                                    .bleu = number("bleu"),
                                    .exact_match = number("exact_match"),
                                    .minutes = number("minutes"),
                                    .best = json.at("best")});
    }
  }
  return metrics;
}

}  // namespace glassformer
