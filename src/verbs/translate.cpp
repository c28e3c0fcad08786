#include <iomanip>
#include <iostream>

#include "evaluation/evaluation.hpp"
#include "files/durable_files.hpp"
#include "files/lines.hpp"
#include "files/user_error.hpp"
#include "verbs/verbs.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

struct TranslateOptions {
  fs::path checkpoint;
  SearchOptions search;
  Index batch = 0, n_best = 0;
  std::optional<bool> early_stopping;
  fs::path input, output;
};

int translate(const TranslateOptions& options) {
  const LoadedModel loaded(options.checkpoint);
  DecodingSettings decoding = options.search.applied_to(loaded.config.decoding);
  if (options.batch > 0) decoding.batch = options.batch;
  if (options.early_stopping) decoding.early_stopping = *options.early_stopping;

  if (options.n_best > decoding.beam)
    throw UserError("--n-best: expected at most the beam width, " + std::to_string(decoding.beam) + ", found " +
                    std::to_string(options.n_best) + "; give a larger --beam.");
  if (options.n_best > 0) decoding.n_best = options.n_best;

  LineReader input = options.input.empty() || options.input == "-" ? LineReader::of_standard_input()
                                                                   : LineReader(options.input);
  std::optional<OutputFile> file;
  if (!options.output.empty()) file.emplace(options.output);
  std::ostream& output = file ? file->stream() : std::cout;
  output << std::fixed << std::setprecision(6);

  // Lines that have already arrived are translated together, to keep all threads busy. Lines that are typed, or sent by
  // a program that waits for each answer, are translated one by one.
  const auto max_lines = static_cast<std::size_t>(64 * decoding.batch);
  std::vector<std::string> lines;
  std::string line;
  Index number = 0;
  for (bool more = true; more;) {
    lines.clear();
    while (lines.size() < max_lines && (more = input.next(line))) {
      lines.push_back(line);
      if (!input.has_line_waiting()) break;
    }
    for (const std::vector<Translation>& translations :
         translate_n_best(loaded.model, loaded.tokenizers, decoding, lines)) {
      if (options.n_best == 0)
        output << translations.front().text << '\n';
      else
        for (const Translation& translation : translations)  // in the format of Moses and Marian
          output << number << " ||| " << translation.text << " ||| logprob= " << translation.log_probability << " ||| "
                 << translation.score << '\n';
      ++number;
    }
    if (!output.flush()) throw std::runtime_error("the translations cannot be written (is the disk full?)");
  }
  if (file) file->finish();
  return 0;
}

}  // namespace

void add_translate(CLI::App& program, int& status) {
  const auto [verb, options] = add_verb(program, status, "translate", "Translate text, line by line", translate);
  verb.add_option("checkpoint", options.checkpoint, kCheckpointHelp)->required()->type_name("");
  options.search.add_to(verb);
  verb.add_flag_function(
      "--early-stopping,!--no-early-stopping",
      [&stop = options.early_stopping](std::int64_t count) { stop = count > 0; },
      "end a sentence's search once `beam` hypotheses are\n"
      "finished: faster, but some translations are worse\n"
      "(default: decoding.early_stopping of the config)");
  check_range(verb.add_option("--n-best", options.n_best,
                              "print the N best translations of each line, each as\n"
                              "  line number, from 0 ||| translation ||| logprob= log p ||| score\n"
                              "(default: only the best, as text)"),
              1, 1000);
  check_range(
      verb.add_option("--batch", options.batch, "sentences decoded together\n(default: decoding.batch of the config)"),
      1, 1'000'000);
  verb.add_option("--input", options.input, "text to translate, one sentence per line\n(default: standard input)")
      ->type_name("FILE");
  verb.add_option("--output", options.output, "file to write to (default: standard output)")->type_name("FILE");
}

}  // namespace glassformer
