#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "glassformer/decoding/search.hpp"
#include "glassformer/evaluation/bleu.hpp"
#include "glassformer/evaluation/chrf.hpp"
#include "glassformer/numerics/functions.hpp"
#include "glassformer/text/corpus.hpp"
#include "glassformer/text/unknown_tokens.hpp"

namespace glassformer {

/// The maximum number of tokens in a batch; small, so that every thread has work.
inline constexpr Index kEvaluationTokens = 1024;

struct Translation {
  std::string text;
  double log_probability = 0;  ///< of the pieces and, unless the text was cut off, of eos, given the source line
  double score = 0;            ///< see Hypothesis
  bool cut_off = false;        ///< ended at the length limit, decoding.max_length_ratio, without eos
  bool overflowed = false;     ///< the model's logits are infinite or NaN, so this is no translation
  Index tokens = 0;            ///< without eos
  Index unknown = 0;           ///< of these, unk
};

/// The settings.n_best best translations of each line, best first. An empty line (or one of white space only) has one
/// translation, which is empty and has probability 1.
std::vector<std::vector<Translation>> translate_n_best(const Model<float>& model, const TokenizerPair& tokenizers,
                                                       const DecodingSettings& settings,
                                                       std::span<const std::string> lines);

/// The best translation of each line.
std::vector<std::string> translate_lines(const Model<float>& model, const TokenizerPair& tokenizers,
                                         const DecodingSettings& settings, std::span<const std::string> lines);

/// Text to evaluate on: as lines, for translations; as ids, for the loss.
struct TestText {
  std::vector<std::string> sources, references;
  Corpus corpus;          ///< without the pairs that have an empty side
  Index fingerprint = 0;  ///< of the lines, see ParallelReader
  UnknownTokens unknown_sources, unknown_references;
  std::vector<std::vector<std::string>> more_references;  ///< those of other files, line by line; not in `corpus`

  /// `more`: files with further references for the same sources. \throws UserError as Corpus::read does
  static TestText read(const std::filesystem::path& source_file, const std::filesystem::path& reference_file,
                       const TokenizerPair& tokenizers, std::span<const std::filesystem::path> more = {});
};

struct Evaluation {
  LossSum loss;            ///< teacher-forced, without label smoothing; of the first reference
  Bleu bleu;               ///< of translations against all references
  Chrf chrf;               ///< the same; see add_chrf()
  double exact_match = 0;  ///< fraction of translations equal to a reference apart from white space, 0 to 1
  Index empty_pairs = 0;   ///< pairs with an empty side; they are not in `loss`
  std::vector<std::string> translations;
  Index cut_off = 0;             ///< translations that ended at the length limit
  Index overflowed = 0;          ///< lines without a translation, because the model's logits are infinite or NaN
  Index first_overflowed = 0;    ///< the number of the first of these lines, from 1
  Index translated_tokens = 0;   ///< of all translations, without eos
  Index translated_unknown = 0;  ///< of these, unk

  /// Per target token.
  double cross_entropy() const { return loss.cross_entropy / static_cast<double>(loss.tokens); }
  double perplexity() const { return exp(cross_entropy()); }
  /// How often the expected token is the most likely one, teacher-forced, 0 to 1.
  double token_accuracy() const { return static_cast<double>(loss.correct) / static_cast<double>(loss.tokens); }
};

/// Translates the text and computes all metrics but chrF, including the loss of its pairs.
Evaluation evaluate(const Model<float>& model, const TokenizerPair& tokenizers, const DecodingSettings& decoding,
                    const EvaluationSettings& settings, const TestText& text);

/// Computes chrF, which takes long and which validations do not show.
void add_chrf(Evaluation& evaluation, const EvaluationSettings& settings, const TestText& text);

/// The largest value of decoding.max_length_ratio, as kRatio in schema/setting.hpp allows it.
inline constexpr double kLargestLengthRatio = 100;

/// The smallest integer max_length_ratio with which translations may be as long as the targets of these pairs. It
/// may be above kLargestLengthRatio.
Index needed_length_ratio(const SentencePairs& pairs);

/// "3 of 40 translations were cut off at the length limit (...)", and what to do. `needed`: the ratio that their
/// references need, or 0 if unknown.
std::string cut_off_text(Index cut_off, Index translations, const DecodingSettings& decoding, Index needed = 0);

/// \throws UserError that begins with `place`: the model's logits overflow
[[noreturn]] void throw_overflow(const std::string& place);

// Forced decoding: teacher-forced, without dropout, on all threads. A pair's results do not depend on other pairs.

/// The loss of all pairs, without label smoothing.
LossSum teacher_forced_loss(const Model<float>& model, const SentencePairs& pairs);
/// For each pair, log p of each target token and, at the end, of eos, given the source and the tokens before it.
std::vector<std::vector<double>> token_log_probabilities(const Model<float>& model, const SentencePairs& pairs);

}  // namespace glassformer
