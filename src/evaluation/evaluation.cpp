#include "evaluation/evaluation.hpp"

#include <cmath>

#include "evaluation/forced_decoding.hpp"
#include "files/utf8.hpp"
#include "text/parallel_reader.hpp"

namespace glassformer {
namespace {

/// The share of lines that have the same words; two lines that differ in white space only say the same.
double share_of_equal_lines(const std::vector<std::string>& translations, const std::vector<std::string>& references) {
  Index equal = 0;
  for (std::size_t i = 0; i < references.size(); ++i) {
    equal += split_words(translations[i]) == split_words(references[i]);
  }
  return static_cast<double>(equal) / static_cast<double>(references.size());
}

}  // namespace

TestText TestText::read(const std::filesystem::path& source_file, const std::filesystem::path& reference_file,
                        const TokenizerPair& tokenizers) {
  TestText text{{}, {}, Corpus(tokenizers.source->special(), tokenizers.target->special())};
  ParallelReader reader(source_file, reference_file);
  std::string source, reference;
  while (reader.next(source, reference)) {
    text.corpus.add(tokenizers, source, reference, 0);
    text.sources.push_back(source);
    text.references.push_back(reference);
  }
  text.fingerprint = reader.fingerprint();
  text.corpus.refuse_empty(source_file.string() + " and " + reference_file.string(), 0);
  return text;
}

double Evaluation::cross_entropy() const { return loss.cross_entropy / static_cast<double>(loss.tokens); }

double Evaluation::perplexity() const { return std::exp(cross_entropy()); }

double Evaluation::token_accuracy() const {
  return static_cast<double>(loss.correct) / static_cast<double>(loss.tokens);
}

Evaluation evaluate(const Model<float>& model, const TokenizerPair& tokenizers, const DecodingSettings& decoding,
                    const EvaluationSettings& settings, const TestText& text) {
  Evaluation evaluation;
  evaluation.loss = teacher_forced_loss(model, text.corpus);
  evaluation.empty_pairs = text.corpus.line_counts().empty;
  evaluation.translations = translate_lines(model, tokenizers, decoding, text.sources);
  evaluation.bleu = corpus_bleu(evaluation.translations, text.references, settings);
  evaluation.chrf = corpus_chrf(evaluation.translations, text.references, settings.lowercase);
  evaluation.exact_match = share_of_equal_lines(evaluation.translations, text.references);
  return evaluation;
}

}  // namespace glassformer
