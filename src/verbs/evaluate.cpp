#include "evaluation/evaluation.hpp"

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "checkpoint/loaded_model.hpp"
#include "user_error.hpp"
#include "verbs/verbs.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

struct EvaluateOptions {
  fs::path checkpoint;
  fs::path source, reference;
  Index beam = 0;
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
  }
  if (tests.empty()) {
    throw UserError(options.checkpoint.string() +
                    ": its config names no test text (data.tests is empty); give --source FILE and --reference FILE.");
  }
  return tests;
}

nlohmann::ordered_json to_json(const NamedTest& test, const Evaluation& e) {
  return {{"name", test.name},
          {"source", test.source.string()},
          {"reference", test.reference.string()},
          {"pairs", e.translations.size()},
          {"loss", e.cross_entropy()},
          {"perplexity", e.perplexity()},
          {"token_accuracy", e.token_accuracy()},
          {"exact_match", e.exact_match},
          {"bleu", e.bleu.score},
          {"bleu_signature", e.bleu.signature},
          {"chrf", e.chrf.score},
          {"chrf_signature", e.chrf.signature}};
}

void print(const NamedTest& test, const Evaluation& e) {
  std::printf("%s: %zu pairs, loss %.4f, perplexity %.3f, token accuracy %.2f%%, exact match %.2f%%\n",
              test.name.c_str(), e.translations.size(), e.cross_entropy(), e.perplexity(), 100 * e.token_accuracy(),
              100 * e.exact_match);
  std::printf("  %s\n  %s\n", e.bleu.line().c_str(), e.chrf.line().c_str());
  std::fflush(stdout);
}

int evaluate(const EvaluateOptions& options) {
  const LoadedModel loaded(options.checkpoint);
  DecodingSettings decoding = loaded.config.decoding;
  if (options.beam > 0) decoding.beam = options.beam;
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (const NamedTest& test : tests_of(options, loaded.config)) {
    const TestText text = TestText::read(test.source, test.reference, loaded.tokenizers);
    const Evaluation evaluation = evaluate(loaded.model, loaded.parameters.parameters(), loaded.tokenizers, decoding,
                                           loaded.config.evaluation, text);
    if (options.json) {
      results.push_back(to_json(test, evaluation));
    } else {
      print(test, evaluation);
    }
  }
  if (options.json) std::cout << results.dump(2) << '\n';
  return 0;
}

}  // namespace

void add_evaluate(CLI::App& program, int& status) {
  const auto options = std::make_shared<EvaluateOptions>();
  CLI::App* const verb = program.add_subcommand("evaluate", "Compute loss, accuracy, BLEU and chrF on test text");
  verb->add_option("checkpoint", options->checkpoint, kCheckpointHelp)->required();
  CLI::Option* const source = verb->add_option(
      "--source", options->source, "text to translate (default: the test texts of the checkpoint's config)");
  CLI::Option* const reference =
      verb->add_option("--reference", options->reference, "its right translations, line by line");
  source->needs(reference)->type_name("FILE");
  reference->needs(source)->type_name("FILE");
  verb->add_option("--beam", options->beam, "hypotheses kept, 1 is greedy (default: decoding.beam of the config)")
      ->check(CLI::Range(1, 1000))->type_name("N");
  verb->add_flag("--json", options->json, "print JSON (default: text)");
  verb->callback([options, &status] { status = evaluate(*options); });
}

}  // namespace glassformer
