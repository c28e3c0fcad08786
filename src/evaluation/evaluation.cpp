#include "evaluation/evaluation.hpp"

#include "batching/batch.hpp"
#include "files/lines.hpp"
#include "files/utf8.hpp"
#include "numerics/parallel.hpp"

namespace glassformer {

std::vector<std::vector<Translation>> translate_n_best(const Model<float>& model, const TokenizerPair& tokenizers,
                                                       const DecodingSettings& settings,
                                                       std::span<const std::string> lines) {
  std::vector<std::vector<Id>> sources;
  std::vector<std::size_t> line_of;  // an empty line has no source
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<Id> ids = tokenizers.source->encode(lines[i]);
    if (ids.empty()) continue;
    ids.push_back(tokenizers.source->special().eos);
    sources.push_back(std::move(ids));
    line_of.push_back(i);
  }

  const SpecialIds target = tokenizers.target->special();
  const auto found =
      translate(model, settings, {tokenizers.source->special().pad, target.bos, target.eos, target.pad}, sources);
  std::vector<std::vector<Translation>> translations(lines.size(), {Translation{}});
  for (std::size_t k = 0; k < found.size(); ++k) {
    std::vector<Translation>& of_line = translations[line_of[k]];
    of_line.clear();
    for (const Hypothesis& h : found[k])
      of_line.push_back({tokenizers.target->decode(h.ids), h.log_probability, h.score});
  }
  return translations;
}

std::vector<std::string> translate_lines(const Model<float>& model, const TokenizerPair& tokenizers,
                                         const DecodingSettings& settings, std::span<const std::string> lines) {
  std::vector<std::string> best;
  for (auto& translations : translate_n_best(model, tokenizers, settings, lines))
    best.push_back(std::move(translations.front().text));
  return best;
}

TestText TestText::read(const std::filesystem::path& source_file, const std::filesystem::path& reference_file,
                        const TokenizerPair& tokenizers) {
  TestText text{{}, {}, Corpus(tokenizers.source->special(), tokenizers.target->special())};
  ParallelReader reader(source_file, reference_file);
  for (std::string source, reference; reader.next(source, reference);) {
    text.corpus.add(tokenizers, source, reference, 0);
    text.sources.push_back(source);
    text.references.push_back(reference);
  }
  text.fingerprint = reader.fingerprint();
  text.corpus.throw_if_empty(source_file.string() + " and " + reference_file.string(), 0);
  return text;
}

Evaluation evaluate(const Model<float>& model, const TokenizerPair& tokenizers, const DecodingSettings& decoding,
                    const EvaluationSettings& settings, const TestText& text) {
  Evaluation evaluation;
  evaluation.loss = teacher_forced_loss(model, text.corpus);
  evaluation.empty_pairs = text.corpus.line_counts().empty;
  evaluation.translations = translate_lines(model, tokenizers, decoding, text.sources);
  evaluation.bleu = corpus_bleu(evaluation.translations, text.references, settings);
  Index equal = 0;  // equal apart from white space
  for (std::size_t i = 0; i < text.references.size(); ++i)
    equal += split_words(evaluation.translations[i]) == split_words(text.references[i]);
  evaluation.exact_match = static_cast<double>(equal) / static_cast<double>(text.references.size());
  return evaluation;
}

LossSum teacher_forced_loss(const Model<float>& model, const SentencePairs& pairs) {
  const auto batches = plan_in_order(pairs, kEvaluationTokens);
  std::vector<LossSum> losses(batches.size());
  Workspaces<Transformer<float>> transformers([&] { return make_transformer(model); });
  run_tasks_with(transformers, std::ssize(batches), [&](Index task, Transformer<float>& transformer) {
    const auto i = static_cast<std::size_t>(task);
    const Batch batch = make_batch(pairs, batches[i]);
    const TransformerMasks masks = transformer.masks(batch.source, batch.target_input);
    losses[i] = transformer.forward(Pass{}, {batch.source, batch.target_input, batch.target_output, masks});
  });
  LossSum sum;
  for (const LossSum& loss : losses) sum += loss;
  return sum;
}

}  // namespace glassformer
