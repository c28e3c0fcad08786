#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "decoding/search.hpp"
#include "evaluation/bleu.hpp"
#include "numerics/functions.hpp"
#include "text/corpus.hpp"

namespace glassformer {

/// The maximum number of tokens in a batch; small, so that every thread has work.
inline constexpr Index kEvaluationTokens = 1024;

struct Translation {
  std::string text;
  double log_probability = 0;  ///< of the pieces and, unless the text was cut off, of eos, given the source line
  double score = 0;            ///< see Hypothesis
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

  /// \throws UserError as Corpus::read does
  static TestText read(const std::filesystem::path& source_file, const std::filesystem::path& reference_file,
                       const TokenizerPair& tokenizers);
};

struct Evaluation {
  LossSum loss;            ///< teacher-forced, without label smoothing
  Bleu bleu;               ///< of translations against references
  double exact_match = 0;  ///< fraction of translations equal to their reference apart from white space, 0 to 1
  Index empty_pairs = 0;   ///< pairs with an empty side; they are not in `loss`
  std::vector<std::string> translations;

  /// Per target token.
  double cross_entropy() const { return loss.cross_entropy / static_cast<double>(loss.tokens); }
  double perplexity() const { return exp(cross_entropy()); }
  /// How often the expected token is the most likely one, teacher-forced, 0 to 1.
  double token_accuracy() const { return static_cast<double>(loss.correct) / static_cast<double>(loss.tokens); }
};

/// Translates the text and computes all figures, including the loss of its pairs.
Evaluation evaluate(const Model<float>& model, const TokenizerPair& tokenizers, const DecodingSettings& decoding,
                    const EvaluationSettings& settings, const TestText& text);

/// The teacher-forced loss of all pairs, without dropout or label smoothing.
LossSum teacher_forced_loss(const Model<float>& model, const SentencePairs& pairs);

}  // namespace glassformer
