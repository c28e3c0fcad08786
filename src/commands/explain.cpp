#include <spdlog/spdlog.h>

#include <algorithm>

#include "glassformer/commands/commands.hpp"
#include "glassformer/commands/explanation_output.hpp"
#include "glassformer/evaluation/evaluation.hpp"
#include "glassformer/files/suggestion.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/files/utf8.hpp"
#include "glassformer/page/trace_json.hpp"
#include "glassformer/report/explanation_screen.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxSentences = 8;  // a page with more or longer sentences is unreadable and large
constexpr std::size_t kMaxTokens = 60;

struct ExplainOptions {
  fs::path checkpoint;
  SearchOptions search;
  std::optional<fs::path> html, json;
  std::vector<std::string> sources, targets;
  std::optional<Index> layer;
  bool dropout = false;
};

void check_length(const std::vector<std::string>& sentences, const Vocabulary& tokenizer, const std::string& hint) {
  for (const std::string& sentence : sentences) {
    const std::size_t tokens = tokenizer.encode(sentence).size();
    if (tokens <= kMaxTokens) {
      continue;
    }
    throw UserError("explain: expected sentences of at most " + std::to_string(kMaxTokens) + " tokens, found " +
                    std::to_string(tokens) + " in \"" + cut_to(visible(sentence), 40) + "\"; " + hint);
  }
}

void warn_about_files(const std::string& option, const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) {
    if (std::error_code error; fs::is_regular_file(sentence, error)) {
      spdlog::warn("{} expects a sentence, but this is the name of a file: {}", option, brief(sentence));
    }
  }
}

/// The model's own translations; empty if its logits overflow, which the page then shows. Counts those that were cut
/// off.
std::vector<std::string> translate_sources(const std::vector<std::string>& sources, const LoadedModel& loaded,
                                           Index& cut_off) {
  std::vector<std::string> translations;
  for (const auto& found : translate_n_best(loaded.model, loaded.tokenizers, loaded.config.decoding, sources)) {
    const Translation& best = found.front();
    translations.push_back(best.text);
    if (best.cut_off) {
      ++cut_off;
    }
  }
  return translations;
}

std::vector<ExplainedPair> read_pairs(const ExplainOptions& options, const LoadedModel& loaded) {
  const std::vector<std::string>& sources = options.sources;
  if (sources.size() > kMaxSentences) {
    throw UserError("explain: expected at most " + std::to_string(kMaxSentences) + " sentences, found " +
                    std::to_string(sources.size()) + "; give fewer.");
  }
  warn_about_files("--source", sources);
  warn_about_files("--target", options.targets);
  check_length(sources, *loaded.tokenizers.source, "give a shorter one.");
  const bool own = options.targets.empty();
  Index cut_off = 0;
  const std::vector<std::string> targets = own ? translate_sources(sources, loaded, cut_off) : options.targets;
  if (targets.size() != sources.size()) {
    throw UserError("explain: expected a target for each of the " + std::to_string(sources.size()) +
                    " sources or no target at all, found " + std::to_string(targets.size()) +
                    "; without --target, the page shows the model's own translations.");
  }
  check_length(targets, *loaded.tokenizers.target,
               own ? "this is the model's translation; give a --target or a shorter --source." : "give a shorter one.");
  if (cut_off > 0) {
    spdlog::warn(cut_off_text(cut_off, std::ssize(sources), loaded.config.decoding));
  }
  std::vector<ExplainedPair> pairs;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    pairs.push_back({sources[i], targets[i], own});
  }
  return pairs;
}

void check_layer(Index layer, const TransformerSettings& settings) {
  const Index layers = std::max(settings.encoder_layers, settings.decoder_layers);
  if (layer < layers) {
    return;
  }
  throw UserError("--layer: expected a layer from 0 to " + std::to_string(layers - 1) + ", found " +
                  std::to_string(layer) + "; layers are counted from 0.");
}

int run_explain(const ExplainOptions& options) {
  LoadedModel loaded(options.checkpoint);
  options.search.apply_to(loaded.config, {"decoding."});
  check_layer(options.layer.value_or(0), loaded.model.settings);
  ExplanationOutput output(options.html, options.json);
  std::vector<ExplainedPair> pairs = read_pairs(options, loaded);

  const TrainingSettings& training = loaded.config.training;
  const ExplainedModel explained{{loaded.model, training.label_smoothing, options.dropout, training.seed},
                                 loaded.tokenizers};
  const Explanation explanation = explain(explained, std::move(pairs));
  output.write(explained, explanation, {loaded.checkpoint.string(), options.layer, MatrixForm::numbers});
  return 0;
}

}  // namespace

void add_explain(CLI::App& program, int& status) {
  const auto [command, options] = add_command(
      program, status, "explain",
      "Write a page with every number from text to gradients, and\nprint tokens, masks, translation and loss",
      run_explain);
  const auto is_name = [](const std::string& file) { return file.empty() ? "expected a file name" : ""; };
  const auto is_text = [](const std::string& sentence) {
    const auto fault = utf8_error(sentence);
    return fault ? "expected UTF-8 text, found " + *fault + "; set the terminal to UTF-8" : "";
  };
  command.add_option("checkpoint", options.checkpoint, kCheckpointHelp)->required()->type_name("");
  command
      .add_option("--source", options.sources,
                  "a sentence; repeat --source for several, which become\none padded batch")
      ->required();
  options.search.add_set(command);
  command.add_option("--target", options.targets, "its translation, one for each --source\n(default: the model's own)");
  for (const char* name : {"--source", "--target"}) {
    command.get_option(name)->check(is_text)->type_name("TEXT")->take_all()->expected(1)->allow_extra_args(false);
  }
  command
      .add_option("--html", options.html,
                  "write the page to FILE, and print no summary\n(default: explain.html, in the current directory)")
      ->check(is_name)
      ->type_name("FILE");
  command
      .add_option("--json", options.json, "also write all numbers as JSON; see\nsrc/page/trace_json.hpp for the format")
      ->check(is_name)
      ->type_name("FILE");
  check_range(
      command.add_option("--layer", options.layer,
                         "show layer N only (from 0), with the attention weights\nof all layers (default: all)"),
      0, 1000);
  command.add_flag("--dropout", options.dropout, "apply dropout, as in training");
}

}  // namespace glassformer
