#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "commands/commands.hpp"
#include "evaluation/evaluation.hpp"
#include "files/suggestion.hpp"
#include "files/user_error.hpp"
#include "text/language_codes.hpp"
#include "text/subword_marks.hpp"

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

struct NamedTest {
  std::string name;
  fs::path source;
  std::vector<fs::path> references;  // at least one

  TestText read(const TokenizerPair& tokenizers) const {
    return TestText::read(source, references.front(), tokenizers, std::span(references).subspan(1));
  }
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
                    ": expected test texts, found none (data.tests is empty); give --source and --reference.");
  }
  return tests;
}

/// If a model needs the code of the target language, such as ">>deu<<", sentences without one are translated badly.
void warn_about_language_codes(const NamedTest& test, const TestText& text, const Tokenizer& tokenizer) {
  LanguageCodes codes;
  for (const std::string& source : text.sources) {
    codes.add(source);
  }
  if (const std::string advice = codes.advice(tokenizer); !advice.empty()) {
    spdlog::warn("{}: {}", test.name, advice);
  }
}

/// Warns about a text that is unlikely to be what the user means to evaluate on, or to be evaluated in this way.
void warn_about_text(const NamedTest& test, const TestText& text, const EvaluationSettings& settings,
                     const Tokenizer& source_tokenizer) {
  if (std::error_code error;
      text.sources == text.references || fs::equivalent(test.source, test.references[0], error)) {
    spdlog::warn("{}: the source and the reference are the same text; did you give the same file twice?", test.name);
  }
  for (std::size_t i = 0; i < test.references.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::error_code error; fs::equivalent(test.references[i], test.references[j], error)) {
        spdlog::warn("{}: --reference names the file {} twice; give each reference once", test.name,
                     test.references[i].string());
      }
    }
  }
  if (text.unknown_sources.are_many()) {
    spdlog::warn("{}: {:.2f}% of the source tokens are unknown to the model; {}", test.name,
                 100 * text.unknown_sources.share(), text.unknown_sources.advice(source_tokenizer));
  }
  SubwordMarks marks;
  for (const std::string& reference : text.references) {
    marks.add(reference);
  }
  if (marks.are_many()) {
    spdlog::warn(
        "{}: {}, so BLEU, chrF and exact match compare pieces, and this is not word-level BLEU. For word-level "
        "metrics, join translations and references with {}, and score them with sacrebleu",
        test.name, marks.text(), marks.command());
  }
  if (const std::string warning = looks_untokenized(text.references, settings); !warning.empty()) {
    spdlog::warn("{}: {}", test.name, warning);
  }
}

/// \throws UserError naming the first line for which the model's logits are infinite or NaN
void check_overflow(const NamedTest& test, const TestText& text, const Evaluation& e, const Model<float>& model) {
  Index line = e.first_overflowed;
  if (line == 0 && !std::isfinite(e.loss.cross_entropy)) {
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

nlohmann::ordered_json to_json(const NamedTest& test, const TestText& text, const Evaluation& e,
                               const LoadedModel& loaded) {
  const DecodingSettings& decoding = loaded.config.decoding;
  auto references = nlohmann::ordered_json::array();
  for (const fs::path& file : test.references) {
    references.push_back(file.string());
  }
  return {{"checkpoint", loaded.checkpoint.string()},
          {"beam", decoding.beam},
          {"length_penalty", decoding.length_penalty},
          {"early_stopping", decoding.early_stopping},
          {"batch", decoding.batch},
          {"max_length_ratio", decoding.max_length_ratio},
          {"parameters", loaded.model.weights.size()},
          {"name", test.name},
          {"source", test.source.string()},
          {"reference", test.references.front().string()},
          {"references", references},
          {"pairs", e.translations.size()},
          {"pairs_with_an_empty_side", e.empty_pairs},
          {"source_tokens", text.unknown_sources.tokens},
          {"unknown_source_tokens", text.unknown_sources.unknown},
          {"reference_tokens", text.unknown_references.tokens},
          {"unknown_reference_tokens", text.unknown_references.unknown},
          {"translation_tokens", e.translated_tokens},
          {"unknown_translation_tokens", e.translated_unknown},
          {"cut_off", e.cut_off},
          {"loss", e.cross_entropy()},
          {"perplexity", e.perplexity()},
          {"token_accuracy", e.token_accuracy()},
          {"exact_match", e.exact_match},
          {"bleu", e.bleu.score},
          {"bleu_signature", e.bleu.signature},
          {"chrf", e.chrf.score},
          {"chrf_signature", e.chrf.signature}};
}

/// Lines that are printed only if there is something to say.
void print_remarks(const NamedTest& test, const TestText& text, const Evaluation& e, const LoadedModel& loaded) {
  if (e.empty_pairs > 0) {
    std::printf("  (loss, perplexity and token accuracy leave out %ld pairs with an empty side)\n",
                static_cast<long>(e.empty_pairs));
  }
  if (test.references.size() > 1) {
    std::printf("  (loss, perplexity and token accuracy are those of the first reference)\n");
  }
  for (const auto& [unknown, what] :
       {std::pair(&text.unknown_sources, "source tokens"), {&text.unknown_references, "reference tokens"}}) {
    if (unknown->unknown > 0) {
      std::printf("  (unknown to the model: %s)\n", unknown->text(what).c_str());
    }
  }
  if (e.translated_unknown > 0) {
    std::printf("  (%ld of %ld tokens of the translations are <unk>)\n", static_cast<long>(e.translated_unknown),
                static_cast<long>(e.translated_tokens));
  }
  if (e.cut_off > 0) {
    std::printf("  (%s)\n", cut_off_text(e.cut_off, std::ssize(e.translations), loaded.config.decoding,
                                         needed_length_ratio(text.corpus))
                                .c_str());
  }
}

void print(const NamedTest& test, const TestText& text, const Evaluation& e, const LoadedModel& loaded) {
  std::printf("%s: %zu pairs, loss %.4f, perplexity %.3f, token accuracy %.2f%%, exact match %.2f%%\n",
              test.name.c_str(), e.translations.size(), e.cross_entropy(), e.perplexity(), 100 * e.token_accuracy(),
              100 * e.exact_match);
  print_remarks(test, text, e, loaded);
  std::printf("  %s\n", e.bleu.line().c_str());
  std::printf("  %s\n", e.chrf.line().c_str());
  std::fflush(stdout);
}

/// Warns about the text, and evaluates the model on it.
Evaluation evaluate_on(const NamedTest& test, const TestText& text, const LoadedModel& loaded) {
  const Config& config = loaded.config;
  warn_about_text(test, text, config.evaluation, *loaded.tokenizers.source);
  warn_about_language_codes(test, text, *loaded.tokenizers.source);
  Evaluation e = evaluate(loaded.model, loaded.tokenizers, config.decoding, config.evaluation, text);
  add_chrf(e, config.evaluation, text);
  check_overflow(test, text, e, loaded.model);
  return e;
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
  std::vector<TestText> texts;
  for (const NamedTest& test : tests) {
    texts.push_back(test.read(loaded.tokenizers));
  }

  spdlog::info("{}, beam {}, length penalty {:g}", loaded.checkpoint.string(), config.decoding.beam,
               config.decoding.length_penalty);
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  const auto report = [&](const NamedTest& test, const TestText& text) {
    const Evaluation e = evaluate_on(test, text, loaded);
    if (options.json) {
      results.push_back(to_json(test, text, e, loaded));
    } else {
      print(test, text, e, loaded);
    }
    if (const std::string hint = why_bleu_is_low(e.bleu); !hint.empty()) {
      spdlog::warn("{}: {}", test.name, hint);
    }
  };
  std::exception_ptr error;
  try {
    for (std::size_t i = 0; i < tests.size(); ++i) {
      report(tests[i], texts[i]);
    }
  } catch (...) {
    error = std::current_exception();  // the metrics of the texts before it are printed first
  }
  if (options.json && (!error || !results.empty())) {
    std::cout << results.dump(2) << '\n';
  }
  if (error) {
    std::rethrow_exception(error);
  }
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
                  "its correct translations, line by line;\nneeds --source. If repeated, several references for BLEU,\n"
                  "chrF and exact match; the first one for the rest")
      ->type_name("FILE")
      ->allow_extra_args(false);
  options.search.add_to(command);
  command.add_flag("--json", options.json, "print JSON (default: text)");
}

}  // namespace glassformer
