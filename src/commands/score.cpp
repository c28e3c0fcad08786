#include <spdlog/spdlog.h>

#include <cmath>
#include <iomanip>
#include <iostream>
#include <new>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>

#include "glassformer/commands/commands.hpp"
#include "glassformer/evaluation/evaluation.hpp"
#include "glassformer/files/interruption.hpp"
#include "glassformer/files/lines.hpp"
#include "glassformer/files/suggestion.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/text/language_codes.hpp"
#include "glassformer/text/unknown_tokens.hpp"

namespace glassformer {
namespace {

struct ScoreOptions {
  std::filesystem::path checkpoint, source, target;
  SearchOptions search;
  bool json = false;
};

/// Every token of a target, in readable form, with its log-probability.
nlohmann::ordered_json to_json(const Tokenizer& tokenizer, std::span<const Id> ids, const std::vector<double>& tokens,
                               double sum) {
  auto list = nlohmann::ordered_json::array();
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const Id id = t < ids.size() ? ids[t] : tokenizer.special().eos;
    list.push_back({{"piece", tokenizer.piece(id)}, {"id", id}, {"log_probability", tokens[t]}});
  }
  return {{"log_probability", sum}, {"tokens", list}};
}

/// Scores the pairs of two files in chunks and prints their scores.
class Scorer {
 public:
  Scorer(const ScoreOptions& options, const LoadedModel& loaded)
      : options_(options),
        loaded_(loaded),
        source_tokenizer_(*loaded.tokenizers.source),
        target_tokenizer_(*loaded.tokenizers.target),
        reader_(options.source, options.target) {
    reader_.while_waiting(throw_if_interrupted);
  }

  /// If something fails, the lines before it are scored and printed first.
  void run() {
    std::exception_ptr error;
    for (bool more = true; more;) {
      Corpus chunk = empty_corpus();
      try {
        more = fill(chunk);
      } catch (...) {
        error = std::current_exception();
      }
      print_scores(chunk);
      if (error) {
        std::rethrow_exception(error);
      }
      throw_if_interrupted();
    }
  }

  Index lines() const { return printed_; }

  void warn() const {
    warn_about_unknown(source_tokenizer_, unknown_sources_, "source tokens");
    warn_about_unknown(target_tokenizer_, unknown_targets_, "target tokens");
    if (const std::string advice = codes_.advice(source_tokenizer_); !advice.empty()) {
      spdlog::warn("{}", advice);
    }
  }

 private:
  static void warn_about_unknown(const Tokenizer& tokenizer, const UnknownTokens& tokens, const std::string& what) {
    if (tokens.unknown == 0) {
      return;
    }
    spdlog::log(tokens.are_many() ? spdlog::level::warn : spdlog::level::info, "{}",
                tokens.remark(tokenizer, what, "the scores of these pairs mean little"));
  }

  Corpus empty_corpus() const { return {source_tokenizer_.special(), target_tokenizer_.special()}; }

  /// Reads pairs until the chunk is full, or until we would have to wait for more. Returns false at the end of the
  /// text.
  bool fill(Corpus& chunk) {
    constexpr Index kPairs = 4096;
    constexpr Index kTokens = Index{1} << 18;  // a long text need not fit in memory
    std::string source;
    std::string target;
    while (chunk.size() < kPairs && chunk.tokens() < kTokens) {
      if (!reader_.next(source, target)) {
        return false;
      }
      const std::vector<Id> source_ids = source_tokenizer_.encode(source);
      const std::vector<Id> target_ids = target_tokenizer_.encode(target);
      unknown_sources_.add(source_tokenizer_, source, source_ids);
      codes_.add(source);
      unknown_targets_.add(target_tokenizer_, target, target_ids);
      chunk.append(source_ids, target_ids, chunk.size());
      if (!reader_.has_pair_waiting()) {
        break;
      }
    }
    return true;
  }

  void print_alone(const Corpus& chunk, Index i) {
    Corpus alone = empty_corpus();
    alone.append(chunk.source(i), chunk.target(i), 0);
    print_together(alone);
  }

  void print_scores(const Corpus& chunk) {
    constexpr Index kLong = 4 * kEvaluationTokens;  // such a pair is scored alone, because it may not fit in memory
    Corpus together = empty_corpus();
    for (Index i = 0; i < chunk.size(); ++i) {
      const Index S = std::ssize(chunk.source(i)) + 1;
      const Index T = std::ssize(chunk.target(i)) + 1;
      if (std::max(S, T) > kLong) {
        print_together(std::exchange(together, empty_corpus()));
        check_memory(loaded_, S, T);
        print_alone(chunk, i);
      } else {
        together.append(chunk.source(i), chunk.target(i), together.size());
      }
    }
    print_together(together);
  }

  /// If there is not enough memory for all pairs at once, scores them one by one, up to the one that needs too much.
  void print_together(const Corpus& corpus) {
    std::vector<std::vector<double>> log_probabilities;
    try {
      log_probabilities = token_log_probabilities(loaded_.model, corpus);
    } catch (const std::bad_alloc&) {
      if (corpus.size() == 1) {
        throw;
      }
      for (Index i = 0; i < corpus.size(); ++i) {
        print_alone(corpus, i);
      }
      return;
    }
    for (Index i = 0; i < corpus.size(); ++i) {
      const std::vector<double>& tokens = log_probabilities[static_cast<std::size_t>(i)];
      const double sum = std::accumulate(tokens.begin(), tokens.end(), 0.0);
      if (!std::isfinite(sum)) {
        throw_overflow(fmt::format("{}:{}", options_.source.string(), printed_ + 1));
      }
      if (options_.json) {
        std::cout << to_json(target_tokenizer_, corpus.target(i), tokens, sum).dump() << '\n';
      } else {
        std::cout << std::fixed << std::setprecision(6) << sum << '\n';
      }
      ++printed_;
    }
    if (!std::cout.flush()) {
      throw std::runtime_error("the scores cannot be written (is the disk full?)");
    }
  }

  const ScoreOptions& options_;
  const LoadedModel& loaded_;
  const Tokenizer& source_tokenizer_;
  const Tokenizer& target_tokenizer_;
  ParallelReader reader_;
  UnknownTokens unknown_sources_, unknown_targets_;
  LanguageCodes codes_;
  Index printed_ = 0;
};

/// \throws UserError: a text is missing, or a directory
void check_texts(const ScoreOptions& options) {
  for (const auto& [option, file] : {std::pair("--source: ", &options.source), {"--target: ", &options.target}}) {
    if (std::error_code error; std::filesystem::is_directory(*file, error) || !std::filesystem::exists(*file, error)) {
      check_file(option, *file);
    }
  }
  if (std::error_code error; std::filesystem::equivalent(options.source, options.target, error)) {
    spdlog::warn("--source and --target are the same file; did you mean another?");
  }
}

int score(const ScoreOptions& options) {
  LoadedModel loaded(options.checkpoint);
  options.search.apply_to(loaded.config, {});
  check_texts(options);
  Scorer scorer(options, loaded);
  stop_on_signals();
  try {
    scorer.run();
  } catch (const Interrupted&) {
    spdlog::info("interrupted after line {}", scorer.lines());
    scorer.warn();
    return 128 + stop_signal();
  } catch (const std::bad_alloc&) {
    throw std::runtime_error(
        fmt::format("{}:{}: not enough memory to score this line; split it, or remove it from both "
                    "files",
                    options.source.string(), scorer.lines() + 1));
  }
  if (scorer.lines() == 0) {
    throw UserError(options.source.string() + " and " + options.target.string() +
                    ": expected at least one sentence pair, found none; check the files.");
  }
  scorer.warn();
  return 0;
}

}  // namespace

void add_score(CLI::App& program, int& status) {
  const auto [command, options] =
      add_command(program, status, "score",
                  "Print the log-probability of given translations, eos included,\none line per pair", score);
  command.add_option("checkpoint", options.checkpoint, kCheckpointHelp)->required()->type_name("");
  command.add_option("--source", options.source, "text in the source language")->required()->type_name("FILE");
  command.add_option("--target", options.target, "its translations, line by line")->required()->type_name("FILE");
  options.search.add_set(command)->group("");  // accepted, with a warning, but not in the help: no key matters here
  command.add_flag("--json", options.json,
                   "print each line as JSON, with every token's log p\n(default: only log p of the line)");
}

}  // namespace glassformer
