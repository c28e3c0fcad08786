#include <spdlog/spdlog.h>
#include <unistd.h>

#include <iomanip>

#include "evaluation/evaluation.hpp"
#include "files/interruption.hpp"
#include "files/lines.hpp"
#include "files/output_file.hpp"
#include "files/user_error.hpp"
#include "text/language_codes.hpp"
#include "text/unknown_tokens.hpp"
#include "verbs/verbs.hpp"

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

/// What the user should know about the lines so far and their translations. It is said once, at the end.
struct Remarks {
  Index lines = 0;
  Index cut_off = 0, first_cut_off = 0;  // first: the line's number, from 1
  Index too_long = 0, first_too_long = 0;
  UnknownTokens sources;
  LanguageCodes codes;
  Index translated_tokens = 0, translated_unknown = 0;

  /// `trained_length`: the most tokens of a line that training kept; 0 if unknown.
  void add(const Tokenizer& tokenizer, const std::string& line, const Translation& best, Index trained_length) {
    ++lines;
    const std::vector<Id> ids = tokenizer.encode(line);
    sources.add(tokenizer, line, ids);
    codes.add(line);
    if (best.cut_off && ++cut_off == 1) {
      first_cut_off = lines;
    }
    if (trained_length > 0 && std::ssize(ids) > trained_length && ++too_long == 1) {
      first_too_long = lines;
    }
    translated_tokens += best.tokens;
    translated_unknown += best.unknown;
  }

  void warn(const Tokenizer& tokenizer, const DecodingSettings& decoding, Index trained_length) const {
    if (cut_off > 0) {
      spdlog::warn("{} (the first is that of line {})", cut_off_text(cut_off, lines, decoding), first_cut_off);
    }
    if (sources.unknown > 0) {
      spdlog::log(sources.are_many() ? spdlog::level::warn : spdlog::level::info, "{}",
                  sources.remark(tokenizer, "source tokens", "the translations of these lines suffer"));
    }
    if (const std::string advice = codes.advice(tokenizer); !advice.empty()) {
      spdlog::warn("{}", advice);
    }
    if (translated_unknown > 0) {
      spdlog::warn("{} of {} tokens of the translations are unk, which stands for a word that the model does not know",
                   translated_unknown, translated_tokens);
    }
    if (too_long > 0) {
      spdlog::warn(
          "{} of {} lines have more than {} tokens (the first is line {}); training left out such lines "
          "(data.max_length), so split them into sentences",
          too_long, lines, trained_length, first_too_long);
    }
  }
};

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

/// Keeps the first `lines` translations after an error, and adds where they are to its message.
std::string keep(OutputFile& output, Index lines, std::string message) {
  if (lines == 0 || output.keep().empty()) {
    return message;
  }
  if (message.ends_with('.')) {
    message.pop_back();
  }
  return fmt::format("{}; the finished translations, up to line {}, are in {}", message, lines, output.keep().string());
}

/// The tokenizer's message does not say which line begins with an unknown language code; this does.
void check_language(const Tokenizer& tokenizer, const std::string& line, const LineReader& input) try {
  tokenizer.encode(line);
} catch (const UserError& error) {
  throw UserError(fmt::format("{}:{}: {}", input.path().string(), input.lines_read(), error.what()));
}

/// \throws UserError: --input is a directory, or the file to write is the one to read, or a file of a checkpoint or run
void check_files(const TranslateOptions& options) {
  if (std::error_code error; fs::is_directory(options.input, error)) {
    throw UserError("--input: expected a file, found the directory " + options.input.string());
  }
  if (std::error_code error; !options.input.empty() && !options.output.empty() && options.input != "-" &&
                             fs::is_regular_file(options.input, error) &&
                             fs::equivalent(options.input, options.output, error)) {
    throw UserError("--input and --output: expected two files, found " + options.input.string() +
                    " for both; the translations would replace the text, so give another --output.");
  }
  if (!options.output.empty()) {
    check_output("--output", options.output);
  }
}

/// If something fails, the lines before it are translated and written first. Calls use(lines, translations).
void translate_all(const LoadedModel& loaded, const DecodingSettings& decoding, LineReader& input, const auto& use) {
  // Lines that have already arrived are translated together, to keep all threads busy. Lines that are typed, or sent by
  // a program that waits for each answer, are translated one by one. A signal stops us only between chunks of lines,
  // so a slow model gets shorter chunks.
  Index chunk = std::min<Index>(2048, 32 * decoding.batch);
  std::vector<std::string> lines;
  std::string line;
  std::exception_ptr error;
  for (bool more = true; more;) {
    lines.clear();
    try {
      while (std::ssize(lines) < chunk && (more = input.next(line))) {
        if (line.starts_with(">>")) {
          check_language(*loaded.tokenizers.source, line, input);
        }
        lines.push_back(line);
        if (!input.has_line_waiting()) {
          break;
        }
      }
    } catch (...) {
      error = std::current_exception();
    }
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::vector<Translation>> translations;
    try {
      translations = translate_n_best(loaded.model, loaded.tokenizers, decoding, lines);
    } catch (const std::bad_alloc&) {  // retry one by one, up to the line that needs too much
      for (const std::string& one : lines) {
        use(std::span(&one, 1), translate_n_best(loaded.model, loaded.tokenizers, decoding, std::span(&one, 1)));
      }
    }
    use(std::span<const std::string>(lines).first(translations.size()), translations);
    if (error) {
      std::rethrow_exception(error);
    }
    const bool is_slow = std::chrono::steady_clock::now() - start > std::chrono::seconds(20);
    chunk = is_slow ? std::max<Index>(8, chunk / 2) : std::min(64 * decoding.batch, 2 * chunk);
  }
}

/// The most tokens that a line of the training text had; 0 if the model was not trained here, so that it is unknown.
Index trained_length(const LoadedModel& loaded) {
  std::error_code ignored;
  return fs::exists(loaded.checkpoint / "config.yaml", ignored) ? loaded.config.data.max_length : 0;
}

int translate(const TranslateOptions& options) {
  LoadedModel loaded(options.checkpoint);
  options.search.apply_to(loaded.config, {"decoding."});
  DecodingSettings decoding = loaded.config.decoding;
  options.search.warn_if_greedy(decoding, options.n_best > 0);
  if (options.n_best > decoding.beam) {
    throw UserError("--n-best: expected at most the beam width, " + std::to_string(decoding.beam) + ", found " +
                    std::to_string(options.n_best) + "; give a larger --beam.");
  }
  if (options.n_best > 0) {
    decoding.n_best = options.n_best;
  }

  check_files(options);
  std::error_code ignored;
  if (options.invalid == "error" && options.input != "-" && fs::is_regular_file(options.input, ignored)) {
    LineReader check = open_input(options);  // of the whole file, before we start
    for (std::string line; check.next(line);) {
      continue;
    }
  }
  LineReader input = open_input(options);
  OutputFile output(options.output);
  if ((options.input.empty() || options.input == "-") && ::isatty(STDIN_FILENO) == 1) {
    spdlog::info("type a sentence per line; Ctrl-D ends");
  }
  Index number = 0;  // of the next line, from 0
  Remarks remarks;
  const Index longest = trained_length(loaded);
  stop_on_signals();
  try {
    translate_all(loaded, decoding, input, [&](std::span<const std::string> lines, const auto& translations) {
      for (std::size_t i = 0; i < translations.size(); ++i) {
        if (translations[i].front().overflowed) {
          throw_overflow(fmt::format("{}:{}", input.path().string(), number + 1));
        }
        write(output, translations[i], options.n_best > 0, number++);
        remarks.add(*loaded.tokenizers.source, lines[i], translations[i].front(), longest);
      }
      throw_if_interrupted();
    });
  } catch (const Interrupted&) {
    spdlog::info(keep(output, number, fmt::format("interrupted after line {}", number)));
    remarks.warn(*loaded.tokenizers.source, decoding, longest);
    return 128 + stop_signal();
  } catch (const UserError& error) {
    throw UserError(keep(output, number, error.what()));
  } catch (const std::bad_alloc&) {
    throw std::runtime_error(keep(output, number, fmt::format("not enough memory to translate line {}", number + 1)));
  } catch (const std::exception& error) {
    throw std::runtime_error(keep(output, number, error.what()));
  }
  output.finish();
  remarks.warn(*loaded.tokenizers.source, decoding, longest);
  return 0;
}

}  // namespace

void add_translate(CLI::App& program, int& status) {
  const auto [verb, options] = add_verb(program, status, "translate", "Translate text, line by line", translate);
  verb.add_option("checkpoint", options.checkpoint, kCheckpointHelp)->required()->type_name("");
  options.search.add_to(verb);
  verb.add_flag_function(
      "--early-stopping,!--no-early-stopping",
      [&stop = options.search.early_stopping](std::int64_t count) { stop = count > 0; },
      "end a sentence's search once `beam` hypotheses are\n"
      "finished: faster, but some translations are worse\n"
      "(default: decoding.early_stopping of the config)");
  check_range(verb.add_option("--n-best", options.n_best,
                              "print the N best translations of each line, each as\n"
                              "  line number, from 0 ||| translation ||| logprob= log p ||| score\n"
                              "(default: only the best, as text)"),
              1, 1000);
  check_range(verb.add_option("--batch", options.search.batch,
                              "sentences decoded together\n(default: decoding.batch of the config)"),
              1, 1'000'000);
  verb.add_option("--input", options.input, "text to translate, one sentence per line\n(default: standard input)")
      ->type_name("FILE");
  verb.add_option("--invalid", options.invalid,
                  "bytes that are not UTF-8: stop with an error, or\nreplace them with U+FFFD (default: error)")
      ->check([](const std::string& text) -> std::string {
        return text == "error" || text == "replace" ? "" : "expected error or replace, found " + text;
      })
      ->type_name("error|replace");
  verb.add_option("--output", options.output, "file to write to (default: standard output)")->type_name("FILE");
}

}  // namespace glassformer
