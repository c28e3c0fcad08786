#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "glassformer/commands/commands.hpp"
#include "glassformer/commands/evaluation_report.hpp"
#include "glassformer/commands/named_test.hpp"
#include "glassformer/evaluation/bleu_hints.hpp"
#include "glassformer/evaluation/evaluation.hpp"
#include "glassformer/files/suggestion.hpp"
#include "glassformer/files/user_error.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

struct EvaluateOptions {
  fs::path checkpoint;
  fs::path source;
  std::vector<fs::path> references;
  SearchOptions search;
  bool json = false;
};

std::vector<NamedTest> tests_of(const EvaluateOptions& options, const Config& config) {
  if (!options.source.empty()) {
    return {{options.source.filename().string(), options.source, options.references}};
  }
  std::vector<NamedTest> tests;
  for (const std::string& name : config.data.tests) {
    tests.push_back({name, config.data.source_file(name), {config.data.target_file(name)}});
    const std::string place =
        options.checkpoint.string() + ": data.tests in its config (--source and --reference override it): ";
    for (const fs::path& file : {tests.back().source, tests.back().references.front()}) {
      check_file(place, file);
    }
  }
  if (tests.empty()) {
    throw UserError(options.checkpoint.string() +
                    ": its config names no test texts (data.tests is empty); give --source and --reference.");
  }
  return tests;
}

/// \throws UserError naming the first line for which the model's logits are infinite or NaN
void check_overflow(const NamedTest& test, const TestText& text, const Evaluation& evaluation,
                    const Model<float>& model) {
  Index line = evaluation.first_overflowed;
  if (line == 0 && !std::isfinite(evaluation.loss.cross_entropy)) {
    const auto log_probabilities = token_log_probabilities(model, text.corpus);
    const auto is_finite = [](const auto& tokens) {
      return std::ranges::all_of(tokens, [](double log_p) { return std::isfinite(log_p); });
    };
    const auto first = std::ranges::find_if_not(log_probabilities, is_finite);
    line = first == log_probabilities.end() ? 1 : text.corpus.line(first - log_probabilities.begin()) + 1;
  }
  if (line > 0) {
    throw_overflow(fmt::format("{}:{}", test.source.string(), line));
  }
}

/// Warns about the text, and evaluates the model on it.
Evaluation evaluate_on(const NamedTest& test, const TestText& text, const LoadedModel& loaded) {
  const Config& config = loaded.config;
  warn_about(test, text, loaded);
  Evaluation evaluation = evaluate(loaded.model, loaded.tokenizers, config.decoding, config.evaluation, text);
  add_chrf(evaluation, config.evaluation, text);
  check_overflow(test, text, evaluation, loaded.model);
  return evaluation;
}

/// Prints the metrics of all texts. If one of them fails, the metrics of the texts before it are still printed.
void evaluate_all(const std::vector<NamedTest>& tests, const std::vector<TestText>& texts, const LoadedModel& loaded,
                  bool as_json) {
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  const auto print_results = [&] {
    if (as_json) {
      std::cout << results.dump(2) << '\n';
    }
  };
  try {
    for (std::size_t i = 0; i < tests.size(); ++i) {
      const Evaluation evaluation = evaluate_on(tests[i], texts[i], loaded);
      if (as_json) {
        results.push_back(evaluation_json(tests[i], texts[i], evaluation, loaded));
      } else {
        print_evaluation(tests[i], texts[i], evaluation, loaded);
      }
      if (const std::string hint = why_bleu_is_low(evaluation.bleu); !hint.empty()) {
        spdlog::warn("{}: {}", tests[i].name, hint);
      }
    }
  } catch (...) {
    if (!results.empty()) {
      print_results();
    }
    throw;
  }
  print_results();
}

int evaluate(const EvaluateOptions& options) {
  if (options.source.empty() != options.references.empty()) {
    throw UserError("--source and --reference: expected both or neither, found one; give the other too.");
  }
  LoadedModel loaded(options.checkpoint);
  options.search.apply_to(loaded.config, {"decoding.", "evaluation."});
  const Config& config = loaded.config;
  options.search.warn_if_greedy(config.decoding, false);
  const std::vector<NamedTest> tests = tests_of(options, config);
  std::vector<TestText> texts;  // all are read first, so that a mistake in the last one is reported at once
  for (const NamedTest& test : tests) {
    texts.push_back(test.read(loaded.tokenizers));
  }

  spdlog::info("{}, beam {}, length penalty {:g}", loaded.checkpoint.string(), config.decoding.beam,
               config.decoding.length_penalty);
  evaluate_all(tests, texts, loaded, options.json);
  return 0;
}

}  // namespace

void add_evaluate(CLI::App& program, int& status) {
  const auto [command, options] =
      add_command(program, status, "evaluate", "Compute loss, accuracy, BLEU and chrF on test text", evaluate);
  command.add_option("checkpoint", options.checkpoint, kCheckpointHelp)->required()->type_name("");
  command
      .add_option("--source", options.source,
                  "text to translate; needs --reference\n(default: the test texts of the config)")
      ->type_name("FILE");
  command
      .add_option("--reference", options.references,
                  "its correct translations, line by line;\nneeds --source. May be repeated: BLEU, chrF and exact\n"
                  "match use all references, other metrics the first")
      ->type_name("FILE")
      ->allow_extra_args(false);
  options.search.add_to(command);
  command.add_flag("--json", options.json, "print JSON (default: text)");
}

}  // namespace glassformer
