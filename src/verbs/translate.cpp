#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>

#include "checkpoint/loaded_model.hpp"
#include "decoding/translator.hpp"
#include "files/lines.hpp"
#include "files/output_file.hpp"
#include "user_error.hpp"
#include "verbs/verbs.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

struct TranslateOptions {
  fs::path checkpoint;
  Index beam = 0, batch = 0, n_best = 0;
  std::optional<double> length_penalty;
  std::optional<bool> early_stopping;
  fs::path input, output;
};

/// A line of an n-best list, in the form that Moses and Marian use.
void write_ranked(Index line, const Translation& translation, std::ostream& output) {
  output << std::fixed << std::setprecision(6) << line << " ||| " << translation.text
         << " ||| logprob= " << translation.log_probability << " ||| " << translation.score << '\n';
}

int translate(const TranslateOptions& options) {
  const LoadedModel loaded(options.checkpoint);
  DecodingSettings decoding = loaded.config.decoding;
  if (options.beam > 0) decoding.beam = options.beam;
  if (options.batch > 0) decoding.batch = options.batch;
  if (options.length_penalty) decoding.length_penalty = *options.length_penalty;
  if (options.early_stopping) decoding.early_stopping = *options.early_stopping;

  if (options.n_best > decoding.beam) {
    throw UserError("--n-best: expected at most the beam, which is " + std::to_string(decoding.beam) + ", found " +
                    std::to_string(options.n_best) + "; give a larger --beam.");
  }
  if (options.n_best > 0) decoding.n_best = options.n_best;

  LineReader input = options.input.empty() || options.input == "-" ? LineReader::of_standard_input()
                                                                   : LineReader(options.input);
  std::optional<OutputFile> file;
  if (!options.output.empty()) file.emplace(options.output);
  std::ostream& output = file ? file->stream() : std::cout;

  // Lines that are there already are translated together, which keeps all threads busy. Someone who types, or a
  // program that waits for an answer, gets it line by line.
  const auto most = static_cast<std::size_t>(64 * decoding.batch);
  std::vector<std::string> lines;
  std::string line;
  Index number = 0;
  for (bool more = true; more;) {
    lines.clear();
    while (lines.size() < most && (more = input.next(line))) {
      lines.push_back(line);
      if (!input.has_line_waiting()) break;
    }
    for (const std::vector<Translation>& translations :
         translate_n_best(loaded.model, loaded.parameters.parameters(), loaded.tokenizers, decoding, lines)) {
      if (options.n_best == 0) {
        output << translations.front().text << '\n';
      } else {
        for (const Translation& translation : translations) write_ranked(number, translation, output);
      }
      ++number;
    }
    if (!output.flush()) throw std::runtime_error("the translations cannot be written (is the disk full?)");
  }
  if (file) file->finish();
  return 0;
}

}  // namespace

void add_translate(CLI::App& program, int& status) {
  const auto options = std::make_shared<TranslateOptions>();
  CLI::App* const verb = program.add_subcommand("translate", "Translate text, line by line");
  verb->add_option("checkpoint", options->checkpoint, kCheckpointHelp)->required()->type_name("");
  verb->add_option("--beam", options->beam, "hypotheses kept, 1 is greedy\n(default: decoding.beam of the config)")
      ->check(number_from(1, 1000))->type_name("N");
  verb->add_option("--length-penalty", options->length_penalty,
                   "score = log p / length^A\n(default: decoding.length_penalty of the config)")
      ->check(number_from(0, 1000))->type_name("A");
  verb->add_flag_callback("--early-stopping", [options] { options->early_stopping = true; },
                          "end a sentence at as many finished hypotheses as the\n"
                          "beam is wide: faster, now and then a worse translation\n"
                          "(default: decoding.early_stopping of the config)");
  verb->add_flag_callback("--no-early-stopping", [options] { options->early_stopping = false; },
                          "go on until nothing better can come, whatever the config\nsays");
  verb->add_option("--n-best", options->n_best,
                   "the N best translations of each line, each as\n"
                   "  number of the line, from 0 ||| translation ||| logprob= log p ||| score\n"
                   "fewer where the search finds fewer; other subwords of one text\n"
                   "count as another translation (default: the best alone, as text)")
      ->check(number_from(1, 1000))->type_name("N");
  verb->add_option("--batch", options->batch, "sentences decoded together\n(default: decoding.batch of the config)")
      ->check(number_from(1, 1'000'000))->type_name("N");
  verb->add_option("--input", options->input, "text to translate, a sentence a line\n(default: standard input)")
      ->type_name("FILE");
  verb->add_option("--output", options->output, "where translations go (default: standard output)")
      ->type_name("FILE");
  verb->callback([options, &status] { status = translate(*options); });
}

}  // namespace glassformer
