#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>

#include "evaluation/evaluation.hpp"
#include "files/lines.hpp"
#include "files/user_error.hpp"
#include "text/corpus.hpp"
#include "verbs/verbs.hpp"

namespace glassformer {
namespace {

struct ScoreOptions {
  std::filesystem::path checkpoint, source, target;
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

int score(const ScoreOptions& options) {
  constexpr Index kChunkSize = 4096;  // pairs; a long text need not fit in memory
  const LoadedModel loaded(options.checkpoint);
  const auto& [source_tokenizer, target_tokenizer] = loaded.tokenizers;
  ParallelReader reader(options.source, options.target);
  std::string source, target;
  Index line = 0;
  std::exception_ptr error;
  for (bool more = true; more;) {
    Corpus corpus(source_tokenizer->special(), target_tokenizer->special());
    try {
      while (corpus.size() < kChunkSize && (more = reader.next(source, target)))
        corpus.append(source_tokenizer->encode(source), target_tokenizer->encode(target), line++);
    } catch (...) {
      error = std::current_exception();  // after scoring the lines before it
    }
    const auto log_probabilities = token_log_probabilities(loaded.model, corpus);
    for (Index i = 0; i < corpus.size(); ++i) {
      const std::vector<double>& tokens = log_probabilities[static_cast<std::size_t>(i)];
      const double sum = std::accumulate(tokens.begin(), tokens.end(), 0.0);
      if (options.json)
        std::cout << to_json(*target_tokenizer, corpus.target(i), tokens, sum).dump() << '\n';
      else
        std::cout << std::fixed << std::setprecision(6) << sum << '\n';
    }
    if (!std::cout.flush()) throw std::runtime_error("the scores cannot be written (is the disk full?)");
    if (error) std::rethrow_exception(error);
  }
  if (line == 0)
    throw UserError(options.source.string() + " and " + options.target.string() +
                    ": expected at least one sentence pair, found none; check the files.");
  return 0;
}

}  // namespace

void add_score(CLI::App& program, int& status) {
  const auto [verb, options] =
      add_verb(program, status, "score",
               "Print the log-probability of given translations, eos included,\none line per pair", score);
  verb.add_option("checkpoint", options.checkpoint, kCheckpointHelp)->required()->type_name("");
  verb.add_option("--source", options.source, "text in the source language")->required()->type_name("FILE");
  verb.add_option("--target", options.target, "its translations, line by line")->required()->type_name("FILE");
  verb.add_flag("--json", options.json,
                "print each line as JSON, with every token's log p\n(default: only log p of the line)");
}

}  // namespace glassformer
