#include "glassformer/evaluation/evaluation.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "glassformer/batching/batch.hpp"
#include "glassformer/batching/plan.hpp"
#include "glassformer/files/lines.hpp"
#include "glassformer/files/unfinished.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/numerics/parallel.hpp"
#include "glassformer/words/words.hpp"

namespace glassformer {
namespace {

/// Runs the forward pass over all pairs, and calls use(batch, losses) after each batch. Returns each batch's loss.
std::vector<LossSum> run_forward(const Model<float>& model, const SentencePairs& pairs, const auto& use) {
  const auto batches = plan_in_order(pairs, kEvaluationTokens);
  std::vector<LossSum> losses(batches.size());
  Workspaces<Transformer<float>> transformers([&] { return make_transformer(model); });
  run_tasks_with(transformers, std::ssize(batches), [&](Index task, Transformer<float>& transformer) {
    const auto i = static_cast<std::size_t>(task);
    const Batch batch = make_batch(pairs, batches[i]);
    const TransformerMasks masks = transformer.masks(batch.source, batch.target_input);
    const ModelInput input{batch.source, batch.target_input, batch.target_output, masks};
    const Losses<float> found = transformer.forward(Pass{}, input);
    losses[i] = found;
    use(batch, found);
  });
  return losses;
}

std::vector<std::string> read_lines(const std::filesystem::path& file) {
  std::vector<std::string> lines;
  LineReader reader(file);
  for (std::string line; reader.next(line);) {
    lines.push_back(line);
  }
  return lines;
}

/// The references of a text, one span for each file.
std::vector<TextLines> all_references(const TestText& text) {
  std::vector<TextLines> references = {text.references};
  references.insert(references.end(), text.more_references.begin(), text.more_references.end());
  return references;
}

/// The fraction of translations that have the same words as a reference, whatever the white space between them.
double exact_match(TextLines translations, std::span<const TextLines> references) {
  Index equal = 0;
  for (std::size_t i = 0; const std::string& translation : translations) {
    const auto words = split_words(translation);
    equal += std::ranges::any_of(references, [&](TextLines text) { return words == split_words(text[i]); });
    ++i;
  }
  return static_cast<double>(equal) / static_cast<double>(translations.size());
}

}  // namespace

std::vector<std::vector<Translation>> translate_n_best(const Model<float>& model, const TokenizerPair& tokenizers,
                                                       const DecodingSettings& settings,
                                                       std::span<const std::string> lines) {
  std::vector<std::vector<Id>> sources;
  std::vector<std::size_t> line_of;  // an empty line has no source
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<Id> ids = tokenizers.source->encode(lines[i]);
    if (ids.empty()) {
      continue;
    }
    ids.push_back(tokenizers.source->special().eos);
    sources.push_back(std::move(ids));
    line_of.push_back(i);
  }

  const SpecialIds target = tokenizers.target->special();
  const auto found = translate(model, settings, target, sources);
  std::vector<std::vector<Translation>> translations(lines.size(), {Translation{}});
  for (std::size_t k = 0; k < found.size(); ++k) {
    std::vector<Translation>& of_line = translations[line_of[k]];
    of_line.clear();
    for (const Hypothesis& h : found[k]) {
      of_line.push_back({.text = tokenizers.target->decode(h.ids),
                         .log_probability = h.log_probability,
                         .score = h.score,
                         .cut_off = !h.finished && !h.overflowed(),
                         .overflowed = h.overflowed(),
                         .tokens = std::ssize(h.ids),
                         .unknown = std::ranges::count(h.ids, target.unk)});
    }
  }
  return translations;
}

std::vector<std::string> translate_lines(const Model<float>& model, const TokenizerPair& tokenizers,
                                         const DecodingSettings& settings, std::span<const std::string> lines) {
  std::vector<std::string> best;
  for (auto& translations : translate_n_best(model, tokenizers, settings, lines)) {
    best.push_back(std::move(translations.front().text));
  }
  return best;
}

TestText TestText::read(const std::filesystem::path& source_file, const std::filesystem::path& reference_file,
                        const TokenizerPair& tokenizers, std::span<const std::filesystem::path> more) {
  TestText text;
  text.corpus = Corpus(tokenizers.source->special(), tokenizers.target->special());
  ParallelReader reader(source_file, reference_file);
  for (std::string source, reference; reader.next(source, reference);) {
    const std::vector<Id> source_ids = tokenizers.source->encode(source);
    const std::vector<Id> reference_ids = tokenizers.target->encode(reference);
    text.corpus.add(source_ids, reference_ids, 0);
    text.unknown_sources.add(*tokenizers.source, source, source_ids);
    text.unknown_references.add(*tokenizers.target, reference, reference_ids);
    text.sources.push_back(source);
    text.references.push_back(reference);
  }
  text.fingerprint = reader.fingerprint();
  for (const std::filesystem::path& file : more) {
    text.more_references.push_back(read_lines(file));
    if (const std::size_t lines = text.more_references.back().size(); lines != text.sources.size()) {
      throw UserError(file.string() + ": expected " + std::to_string(text.sources.size()) + " lines, as many as in " +
                      source_file.string() + ", found " + std::to_string(lines) +
                      "; all files must have one sentence per line");
    }
  }
  text.corpus.throw_if_empty(source_file.string() + " and " + reference_file.string(), 0);
  return text;
}

Evaluation evaluate(const Model<float>& model, const TokenizerPair& tokenizers, const DecodingSettings& decoding,
                    const EvaluationSettings& settings, const TestText& text) {
  Evaluation evaluation;
  evaluation.loss = teacher_forced_loss(model, text.corpus);
  evaluation.empty_pairs = text.corpus.line_counts().empty;
  for (auto& translations : translate_n_best(model, tokenizers, decoding, text.sources)) {
    Translation& best = translations.front();
    evaluation.translations.push_back(std::move(best.text));
    evaluation.cut_off += best.cut_off ? 1 : 0;
    evaluation.translated_tokens += best.tokens;
    evaluation.translated_unknown += best.unknown;
    if (best.overflowed && ++evaluation.overflowed == 1) {
      evaluation.first_overflowed = std::ssize(evaluation.translations);
    }
  }
  const std::vector<TextLines> references = all_references(text);
  evaluation.bleu = corpus_bleu(evaluation.translations, references, settings);
  evaluation.exact_match = exact_match(evaluation.translations, references);
  return evaluation;
}

void add_chrf(Evaluation& evaluation, const EvaluationSettings& settings, const TestText& text) {
  const std::vector<TextLines> references = all_references(text);
  evaluation.chrf = corpus_chrf(evaluation.translations, references, settings.lowercase);
}

Index needed_length_ratio(const SentencePairs& pairs) {
  Index ratio = 0;
  for (Index i = 0; i < pairs.size(); ++i) {
    const Index source = std::max<Index>(1, std::ssize(pairs.source(i)));
    const Index target = std::ssize(pairs.target(i));
    while (longest_translation({.max_length_ratio = static_cast<double>(ratio)}, source + 1) < target) {
      ++ratio;
    }
  }
  return ratio;
}

std::string cut_off_text(Index cut_off, Index translations, const DecodingSettings& decoding, Index needed) {
  const double ratio = decoding.max_length_ratio;
  const double twice = ratio > 0 ? 2 * ratio : 2;
  const bool is_short = static_cast<double>(needed) > ratio;
  const double larger = std::min(kLargestLengthRatio, is_short ? static_cast<double>(needed) : twice);
  const std::string limit =
      fmt::format("{} of {} translations were cut off at the length limit, {:g} * source tokens + 10", cut_off,
                  translations, ratio);
  if (ratio >= kLargestLengthRatio) {
    return limit + ", and the ratio cannot be larger; if they repeat themselves, the model needs more training";
  }
  if (is_short) {
    return fmt::format("{}; some references are longer: set decoding.max_length_ratio={:g} with --set", limit, larger);
  }
  return fmt::format(
      "{}; if they should be longer, raise it, for example with --set decoding.max_length_ratio={:g}; if "
      "they repeat themselves, the model needs more training",
      limit, larger);
}

void throw_overflow(const std::string& place) {
  throw UserError(place + ": the model's logits overflow (they are infinite or NaN); the model is damaged, or its " +
                  "training diverged; use another checkpoint");
}

LossSum teacher_forced_loss(const Model<float>& model, const SentencePairs& pairs) {
  LossSum sum;
  const std::vector<LossSum> losses = run_forward(model, pairs, [](const Batch&, const auto&) {});
  for (const LossSum& loss : losses) {
    sum += loss;
  }
  return sum;
}

std::vector<std::vector<double>> token_log_probabilities(const Model<float>& model, const SentencePairs& pairs) {
  std::vector<std::vector<double>> log_probabilities(static_cast<std::size_t>(pairs.size()));
  run_forward(model, pairs, [&](const Batch& batch, const Losses<float>& losses) {
    const Index T = batch.target_output.cols();
    for (Index b = 0; b < batch.size(); ++b) {
      const Index sentence = batch.sentences[static_cast<std::size_t>(b)];
      const Index tokens = std::ssize(pairs.target(sentence)) + 1;
      for (Index t = 0; t < tokens; ++t) {
        const double cross_entropy = losses.cross_entropies(b * T + t, 0);
        log_probabilities[static_cast<std::size_t>(sentence)].push_back(0 - cross_entropy);  // 0 - x is never -0
      }
    }
  });
  return log_probabilities;
}

}  // namespace glassformer
