#include <spdlog/spdlog.h>
#include <unistd.h>

#include <iomanip>
#include <new>
#include <stdexcept>

#include "glassformer/commands/commands.hpp"
#include "glassformer/commands/translate_lines.hpp"
#include "glassformer/commands/translation_remarks.hpp"
#include "glassformer/config/config_file.hpp"
#include "glassformer/evaluation/evaluation.hpp"
#include "glassformer/files/interruption.hpp"
#include "glassformer/files/lines.hpp"
#include "glassformer/files/output_file.hpp"
#include "glassformer/files/user_error.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

struct TranslateOptions {
  fs::path checkpoint;
  SearchOptions search;
  Index n_best = 0;
  fs::path input, output;
  std::string invalid = "error";
};

LineReader open_input(const TranslateOptions& options) {
  const bool is_file = !options.input.empty() && options.input != "-";
  LineReader input = is_file ? LineReader(options.input) : LineReader::of_standard_input();
  input.while_waiting = throw_if_interrupted;
  input.on_invalid = [replaces = options.invalid == "replace", warned = false](const std::string& found) mutable {
    if (!replaces) {
      throw UserError(found + "; save the file as UTF-8, or give --invalid replace");
    }
    if (!std::exchange(warned, true)) {
      spdlog::warn("{}; this and all other invalid bytes become U+FFFD", found);
    }
  };
  return input;
}

/// Reads the whole file before translation starts, so that a line that is not UTF-8 is reported at once.
void check_text(const TranslateOptions& options) {
  std::error_code ignored;
  if (options.invalid != "error" || options.input == "-" || !fs::is_regular_file(options.input, ignored)) {
    return;
  }
  LineReader input = open_input(options);
  std::string line;
  bool has_more = true;
  while (has_more) {
    has_more = input.next(line);
  }
}

/// Writes the translations of a line. Flushes afterwards, so that keep() finds whole lines.
void write(OutputFile& output, const std::vector<Translation>& translations, bool as_list, Index number) {
  output.stream() << std::fixed << std::setprecision(6);
  if (!as_list) {
    output.stream() << translations.front().text << '\n';
  } else {
    for (const Translation& translation : translations) {  // in the format of Moses and Marian
      output.stream() << number << " ||| " << translation.text << " ||| logprob= " << translation.log_probability
                      << " ||| " << translation.score << '\n';
    }
  }
  output.flush();
}

/// \throws UserError: --input is a directory, or the file to write is the one to read, or a file of a checkpoint or run
void check_files(const TranslateOptions& options) {
  if (std::error_code error; fs::is_directory(options.input, error)) {
    throw UserError("--input: expected a file, found the directory " + options.input.string());
  }
  if (std::error_code error; !options.input.empty() && !options.output.empty() && options.input != "-" &&
                             fs::is_regular_file(options.input, error) &&
                             fs::equivalent(options.input, options.output, error)) {
    throw UserError("--input and --output are the same file, " + options.input.string() +
                    "; the translations would replace the text, so give another --output.");
  }
  if (!options.output.empty()) {
    check_output("--output", options.output);
  }
}

/// The search that the options ask for.
DecodingSettings search_of(const TranslateOptions& options, LoadedModel& loaded) {
  options.search.apply_to(loaded.config, {"decoding."});
  DecodingSettings decoding = loaded.config.decoding;
  options.search.warn_if_greedy(decoding, options.n_best > 0);
  if (options.n_best > decoding.beam) {
    throw UserError("--n-best: expected at most the beam size, " + std::to_string(decoding.beam) + ", found " +
                    std::to_string(options.n_best) + "; give a larger --beam.");
  }
  if (options.n_best > 0) {
    decoding.n_best = options.n_best;
  }
  return decoding;
}

/// The most tokens that a line of the training text had; 0 if the model was not trained here, so that it is unknown.
Index trained_length(const LoadedModel& loaded) {
  std::error_code ignored;
  return fs::exists(loaded.checkpoint / kConfigFile, ignored) ? loaded.config.data.max_length : 0;
}

/// Translates the input to the output. After an error, the translations that are finished stay.
class LineTranslator {
 public:
  LineTranslator(const TranslateOptions& options, const LoadedModel& loaded, const DecodingSettings& decoding)
      : loaded_(loaded),
        decoding_(decoding),
        as_list_(options.n_best > 0),
        input_(open_input(options)),
        output_(options.output),
        trained_length_(trained_length(loaded)) {}

  void run() {
    translate_all(loaded_, decoding_, input_, [&](const auto& lines, const auto& translations) {
      for (std::size_t i = 0; i < translations.size(); ++i) {
        add(lines[i], translations[i]);
      }
      throw_if_interrupted();
    });
  }

  /// Keeps what is finished after an error, and adds where it is to the error's message.
  std::string keep(std::string message) {
    if (done_ == 0 || output_.keep().empty()) {
      return message;
    }
    if (message.ends_with('.')) {
      message.pop_back();
    }
    return fmt::format("{}; the finished translations, up to line {}, are in {}", message, done_,
                       output_.keep().string());
  }

  void finish() { output_.finish(); }
  Index lines() const { return done_; }
  void warn() const { remarks_.warn(*loaded_.tokenizers.source, decoding_, trained_length_); }

 private:
  void add(const std::string& line, const std::vector<Translation>& translations) {
    if (translations.front().overflowed) {
      throw_overflow(fmt::format("{}:{}", input_.path().string(), done_ + 1));
    }
    write(output_, translations, as_list_, done_++);
    remarks_.add(*loaded_.tokenizers.source, line, translations.front(), trained_length_);
  }

  const LoadedModel& loaded_;
  const DecodingSettings& decoding_;
  const bool as_list_;
  LineReader input_;
  OutputFile output_;
  const Index trained_length_;
  TranslationRemarks remarks_;
  Index done_ = 0;  // lines that are translated and written
};

int translate(const TranslateOptions& options) {
  LoadedModel loaded(options.checkpoint);
  const DecodingSettings decoding = search_of(options, loaded);
  check_files(options);
  check_text(options);
  LineTranslator translator(options, loaded, decoding);
  if ((options.input.empty() || options.input == "-") && ::isatty(STDIN_FILENO) == 1) {
    spdlog::info("type one sentence per line; press Ctrl-D to finish");
  }
  stop_on_signals();
  try {
    translator.run();
  } catch (const Interrupted&) {
    spdlog::info(translator.keep(fmt::format("interrupted after line {}", translator.lines())));
    translator.warn();
    return 128 + stop_signal();
  } catch (const UserError& error) {
    throw UserError(translator.keep(error.what()));
  } catch (const std::bad_alloc&) {
    throw std::runtime_error(
        translator.keep(fmt::format("not enough memory to translate line {}", translator.lines() + 1)));
  } catch (const std::exception& error) {
    throw std::runtime_error(translator.keep(error.what()));
  }
  translator.finish();
  translator.warn();
  return 0;
}

}  // namespace

void add_translate(CLI::App& program, int& status) {
  const auto [command, options] = add_command(program, status, "translate", "Translate text, line by line", translate);
  command.add_option("checkpoint", options.checkpoint, kCheckpointHelp)->required()->type_name("");
  options.search.add_to(command);
  command.add_flag_function(
      "--early-stopping,!--no-early-stopping",
      [&stop = options.search.early_stopping](std::int64_t count) { stop = count > 0; },
      "end a sentence's search once `beam` hypotheses are\n"
      "finished: faster, but some translations are worse\n"
      "(default: decoding.early_stopping of the config)");
  check_range(command.add_option("--n-best", options.n_best,
                                 "print the N best translations of each line, each as\n"
                                 "  line number, from 0 ||| translation ||| logprob= log p ||| score\n"
                                 "(default: only the best, as text)"),
              1, 1000);
  check_range(command.add_option("--batch", options.search.batch,
                                 "sentences decoded together\n(default: decoding.batch of the config)"),
              1, 1'000'000);
  command.add_option("--input", options.input, "text to translate, one sentence per line\n(default: standard input)")
      ->type_name("FILE");
  command
      .add_option("--invalid", options.invalid,
                  "bytes that are not UTF-8: stop with an error, or\nreplace them with U+FFFD (default: error)")
      ->check([](const std::string& text) -> std::string {
        return text == "error" || text == "replace" ? "" : "expected error or replace, found " + text;
      })
      ->type_name("error|replace");
  command.add_option("--output", options.output, "file to write to (default: standard output)")->type_name("FILE");
}

}  // namespace glassformer
