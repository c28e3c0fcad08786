#include <spdlog/spdlog.h>

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "evaluation/evaluation.hpp"
#include "files/suggestion.hpp"
#include "files/user_error.hpp"
#include "verbs/verbs.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

struct EvaluateOptions {
  fs::path checkpoint;
  fs::path source, reference;
  SearchOptions search;
  bool json = false;
};

struct NamedTest {
  std::string name;
  fs::path source, reference;
};

std::vector<NamedTest> tests_of(const EvaluateOptions& options, const Config& config) {
  if (!options.source.empty()) return {{options.source.filename().string(), options.source, options.reference}};
  std::vector<NamedTest> tests;
  for (const std::string& name : config.data.tests) {
    tests.push_back({name, config.data.source_file(name), config.data.target_file(name)});
    const std::string place =
        options.checkpoint.string() + ": data.tests in its config (--source and --reference override it): ";
    for (const fs::path& file : {tests.back().source, tests.back().reference}) check_file(place, file);
  }
  if (tests.empty())
    throw UserError(options.checkpoint.string() +
                    ": expected test texts, found none (data.tests is empty); give --source and --reference.");
  return tests;
}

nlohmann::ordered_json to_json(const NamedTest& test, const Evaluation& e, const LoadedModel& loaded,
                               const DecodingSettings& decoding) {
  return {{"checkpoint", loaded.checkpoint.string()},
          {"beam", decoding.beam},
          {"length_penalty", decoding.length_penalty},
          {"parameters", loaded.model.weights.size()},
          {"name", test.name},
          {"source", test.source.string()},
          {"reference", test.reference.string()},
          {"pairs", e.translations.size()},
          {"pairs_with_an_empty_side", e.empty_pairs},
          {"loss", e.cross_entropy()},
          {"perplexity", e.perplexity()},
          {"token_accuracy", e.token_accuracy()},
          {"exact_match", e.exact_match},
          {"bleu", e.bleu.score},
          {"bleu_signature", e.bleu.signature}};
}

void print(const NamedTest& test, const Evaluation& e) {
  std::printf("%s: %zu pairs, loss %.4f, perplexity %.3f, token accuracy %.2f%%, exact match %.2f%%\n",
              test.name.c_str(), e.translations.size(), e.cross_entropy(), e.perplexity(), 100 * e.token_accuracy(),
              100 * e.exact_match);
  if (e.empty_pairs > 0)
    std::printf("  (loss, perplexity and token accuracy leave out %ld pairs with an empty side)\n",
                static_cast<long>(e.empty_pairs));
  std::printf("  %s\n", e.bleu.line().c_str());
  std::fflush(stdout);
}

int evaluate(const EvaluateOptions& options) {
  if (options.source.empty() != options.reference.empty())
    throw UserError("--source and --reference: expected both or neither, found one; give the other too.");
  const LoadedModel loaded(options.checkpoint);
  const DecodingSettings decoding = options.search.applied_to(loaded.config.decoding);
  const std::vector<NamedTest> tests = tests_of(options, loaded.config);
  std::vector<TestText> texts;
  for (const NamedTest& test : tests) texts.push_back(TestText::read(test.source, test.reference, loaded.tokenizers));

  spdlog::info("{}, beam {}, length penalty {:g}", loaded.checkpoint.string(), decoding.beam, decoding.length_penalty);
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const Evaluation evaluation =
        evaluate(loaded.model, loaded.tokenizers, decoding, loaded.config.evaluation, texts[i]);
    if (options.json)
      results.push_back(to_json(tests[i], evaluation, loaded, decoding));
    else
      print(tests[i], evaluation);
  }
  if (options.json) std::cout << results.dump(2) << '\n';
  return 0;
}

}  // namespace

void add_evaluate(CLI::App& program, int& status) {
  const auto [verb, options] =
      add_verb(program, status, "evaluate", "Compute loss, accuracy and BLEU on test text", evaluate);
  verb.add_option("checkpoint", options.checkpoint, kCheckpointHelp)->required()->type_name("");
  verb.add_option("--source", options.source,
                  "text to translate; needs --reference\n(default: the test texts of the config)")
      ->type_name("FILE");
  verb.add_option("--reference", options.reference, "its correct translations, line by line;\nneeds --source")
      ->type_name("FILE");
  options.search.add_to(verb);
  verb.add_flag("--json", options.json, "print JSON (default: text)");
}

}  // namespace glassformer
