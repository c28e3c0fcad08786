#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include <spdlog/spdlog.h>

#include "checkpoint/loaded_model.hpp"
#include "config/config.hpp"
#include "decoding/translator.hpp"
#include "evaluation/evaluation.hpp"
#include "report/log.hpp"
#include "text/lines.hpp"
#include "training/model_gradient_check.hpp"
#include "training/trainer.hpp"
#include "user_error.hpp"

/// The verbs. Each prints its result to standard output; the log goes to standard error.
/// Exit status: 0, 2 for a user's mistake, 1 for anything else, 128 + signal after an interrupt.
namespace glassformer {
namespace {

namespace fs = std::filesystem;

std::atomic<bool> interrupted = false;
std::atomic<int> interrupting_signal = 0;

/// The first Ctrl-C asks the training to stop after its update; the second one ends the program at once.
void stop_politely_on_signals() {
  struct sigaction action = {};
  action.sa_handler = [](int signal) {
    interrupting_signal = signal;
    interrupted = true;
  };
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

struct TrainOptions {
  fs::path config;
  std::vector<std::string> overrides;
  fs::path output;
  bool resume = false;
};

int train(const TrainOptions& options) {
  const Config config = read_config(options.config, options.overrides);
  const fs::path output = options.output.empty() ? fs::path("runs") / options.config.stem() : options.output;
  const auto old = options.resume ? std::optional(RunDirectory::resume(output)) : std::nullopt;
  if (old) {
    old->refuse_changed(config);
  } else {
    RunDirectory::refuse_existing(output);
  }

  // Everything that can be wrong with the text shows before the run's directory is made.
  const auto last = old ? old->last() : std::nullopt;
  const DataSettings& data = config.data;
  const TokenizerPair tokenizers =
      last ? load_tokenizers(config.tokenizer, *last)
           : make_tokenizers(config.tokenizer, data.source_file(data.train), data.target_file(data.train));
  TrainingText text = TrainingText::read(config, tokenizers);
  RunDirectory directory = old ? *old : RunDirectory::create(output, config);
  directory.store_config(config);

  stop_politely_on_signals();
  {
    Trainer trainer(config, std::move(text), directory, options.resume);
    trainer.run(interrupted);
  }
  if (interrupted) {
    spdlog::info("interrupted; the checkpoint is written. Continue with: glassformer train {} --resume --output {}",
                 options.config.string(), output.string());
    return 128 + interrupting_signal;
  }
  spdlog::info("done: {}/best is the best checkpoint, {}/curves.svg a picture of the run", output.string(),
               output.string());
  return 0;
}

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

struct TranslateOptions {
  fs::path checkpoint;
  Index beam = 0, batch = 0;
  std::optional<double> length_penalty;
  fs::path input, output;
};

int translate(const TranslateOptions& options) {
  const LoadedModel loaded(options.checkpoint);
  DecodingSettings decoding = loaded.config.decoding;
  if (options.beam > 0) decoding.beam = options.beam;
  if (options.batch > 0) decoding.batch = options.batch;
  if (options.length_penalty) decoding.length_penalty = *options.length_penalty;

  LineReader input(options.input.empty() ? "/dev/stdin" : options.input);
  std::ofstream file;
  if (!options.output.empty()) {
    file.open(options.output);
    if (!file) throw UserError(options.output.string() + ": cannot be written; give --output another path.");
  }
  std::ostream& output = options.output.empty() ? std::cout : file;

  // Lines that are there already are translated together, which keeps all threads busy. Someone who types, or a
  // program that waits for an answer, gets it line by line.
  const auto most = static_cast<std::size_t>(64 * decoding.batch);
  std::vector<std::string> lines;
  std::string line;
  for (bool more = true; more;) {
    lines.clear();
    while (lines.size() < most && (more = input.next(line))) {
      lines.push_back(line);
      if (!input.has_text_waiting()) break;
    }
    for (const std::string& translation :
         translate_lines(loaded.model, loaded.parameters.parameters(), loaded.tokenizers, decoding, lines)) {
      output << translation << '\n';
    }
    if (!output.flush()) throw std::runtime_error("the translations cannot be written (is the disk full?)");
  }
  return 0;
}

int gradcheck(const fs::path& file, const std::vector<std::string>& overrides, Index samples) {
  constexpr double kTolerance = 1e-7;
  bool right = true;
  std::printf("%-58s %13s %8s %12s\n", "tensor", "shape", "checked", "error");
  for (const TensorCheck& check : check_model_gradient(read_config(file, overrides), samples)) {
    std::string shape = std::to_string(check.shape.front());
    if (check.shape.size() == 2) shape += " x " + std::to_string(check.shape.back());
    const bool passes = check.error.relative < kTolerance;
    right = right && passes;
    std::printf("%-58s %13s %8ld %12.1e%s\n", check.name.c_str(), shape.c_str(), static_cast<long>(check.error.checked),
                check.error.relative, passes ? "" : "  WRONG");
  }
  std::printf("%s: relative error of the hand-written gradient against differences of the loss, at most %.0e allowed\n",
              right ? "all right" : "WRONG", kTolerance);
  return right ? 0 : 1;
}

const char* const kCheckpoint = "a checkpoint directory, or a run directory (then its best checkpoint)";

int run(int argc, char** argv) {
  CLI::App app{"Glassformer: a see-through encoder-decoder transformer.\n"
               "Results go to standard output, the log to standard error. "
               "Exit status: 0, 2 for a mistake in what was given, 1 for anything else."};
  app.set_version_flag("--version", "glassformer " GLASSFORMER_VERSION);
  app.require_subcommand(1);
  int status = 0;

  TrainOptions training;
  CLI::App* const train_verb = app.add_subcommand("train", "Train a model as a config file says");
  train_verb->add_option("config", training.config, "a YAML file, for example configs/toy.yaml")->required();
  train_verb
      ->add_option("--set", training.overrides, "set a key of the config: --set model.dropout=0.2 (may be repeated)")
      ->type_name("KEY=VALUE")->allow_extra_args(false);
  train_verb->add_flag("--resume", training.resume, "continue the run from its last checkpoint (default: begin anew)");
  train_verb->add_option("--output", training.output, "the run's directory (default: runs/NAME for configs/NAME.yaml)")
      ->type_name("DIR");
  train_verb->callback([&] { status = train(training); });

  EvaluateOptions evaluation;
  CLI::App* const evaluate_verb = app.add_subcommand("evaluate", "Compute loss, accuracy, BLEU and chrF on test text");
  evaluate_verb->add_option("checkpoint", evaluation.checkpoint, kCheckpoint)->required();
  CLI::Option* const source = evaluate_verb->add_option(
      "--source", evaluation.source, "text to translate (default: the test texts of the checkpoint's config)");
  CLI::Option* const reference =
      evaluate_verb->add_option("--reference", evaluation.reference, "its right translations, line by line");
  source->needs(reference)->type_name("FILE");
  reference->needs(source)->type_name("FILE");
  evaluate_verb->add_option("--beam", evaluation.beam, "hypotheses kept (default: decoding.beam of the config)")
      ->check(CLI::Range(1, 1000))->type_name("N");
  evaluate_verb->add_flag("--json", evaluation.json, "print JSON (default: text)");
  evaluate_verb->callback([&] { status = evaluate(evaluation); });

  TranslateOptions translation;
  CLI::App* const translate_verb = app.add_subcommand("translate", "Translate text, line by line");
  translate_verb->add_option("checkpoint", translation.checkpoint, kCheckpoint)->required();
  translate_verb
      ->add_option("--beam", translation.beam, "hypotheses kept, 1 is greedy (default: decoding.beam of the config)")
      ->check(CLI::Range(1, 1000))->type_name("N");
  translate_verb
      ->add_option("--length-penalty", translation.length_penalty,
                   "score = log p / length^A (default: decoding.length_penalty of the config)")
      ->check(CLI::NonNegativeNumber)->type_name("A");
  translate_verb
      ->add_option("--batch", translation.batch, "sentences decoded together (default: decoding.batch of the config)")
      ->check(CLI::Range(1, 1'000'000))->type_name("N");
  translate_verb->add_option("--input", translation.input, "text to translate (default: standard input)")
      ->type_name("FILE");
  translate_verb->add_option("--output", translation.output, "where translations go (default: standard output)")
      ->type_name("FILE");
  translate_verb->callback([&] { status = translate(translation); });

  fs::path gradcheck_config;
  std::vector<std::string> gradcheck_overrides;
  Index samples = 20;
  CLI::App* const gradcheck_verb =
      app.add_subcommand("gradcheck", "Compare the hand-written gradient with finite differences, a row per tensor");
  gradcheck_verb->add_option("config", gradcheck_config, "a YAML file, for example configs/debug.yaml")->required();
  gradcheck_verb->add_option("--set", gradcheck_overrides, "set a key of the config (may be repeated)")
      ->type_name("KEY=VALUE")->allow_extra_args(false);
  gradcheck_verb->add_option("--samples", samples, "numbers checked in each tensor; 0: all (default: 20)")
      ->type_name("N");
  gradcheck_verb->callback([&] { status = gradcheck(gradcheck_config, gradcheck_overrides, samples); });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return status;
}

}  // namespace
}  // namespace glassformer

int main(int argc, char** argv) {
  glassformer::log_to_standard_error();
  try {
    return glassformer::run(argc, argv);
  } catch (const glassformer::UserError& error) {
    std::cerr << "glassformer: " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "glassformer: " << error.what() << '\n';
    return 1;
  }
}
