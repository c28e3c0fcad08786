#include "page/explanation.hpp"

#include <numeric>

#include "text/corpus.hpp"

namespace glassformer {
namespace {

Batch make_batch_of(const TokenizerPair& tokenizers, const std::vector<ExplainedPair>& pairs) {
  Corpus corpus(tokenizers.source->special(), tokenizers.target->special());
  std::vector<Index> sentences(pairs.size());
  std::iota(sentences.begin(), sentences.end(), Index{0});
  for (const Index i : sentences) {
    const ExplainedPair& pair = pairs[static_cast<std::size_t>(i)];
    corpus.append(tokenizers.source->encode(pair.source), tokenizers.target->encode(pair.target), i);
  }
  return make_batch(corpus, sentences);
}

Index tokens(const IdMatrix& ids, Index sentence, Id pad) { return (ids.row(sentence).eigen().array() != pad).count(); }

/// Sentence b without its padding.
Batch row_alone(const Batch& batch, Index b, PadIds pad) {
  const auto cut = [&](const IdMatrix& from, Index length) {
    IdMatrix to(1, length);
    to.eigen() = from.eigen().row(b).leftCols(length);
    return to;
  };
  const Index source = tokens(batch.source, b, pad.source), target = tokens(batch.target_output, b, pad.target);
  return {cut(batch.source, source),
          cut(batch.target_input, target),
          cut(batch.target_output, target),
          {batch.sentences[static_cast<std::size_t>(b)]}};
}

}  // namespace

std::array<double, 3> attention_on_padding(const Model<float>& model, const Batch& batch, const Trace& trace, Index b) {
  const TransformerSettings& settings = model.settings;
  const Index source = tokens(batch.source, b, model.vocabulary.pad.source);
  const Index target = tokens(batch.target_input, b, model.vocabulary.pad.target);
  std::array<double, 3> shares{};
  for (const auto& [kind, layer, weights] : trace.attention) {
    const bool in_encoder = kind == AttentionKind::encoder_self;
    const Index layers = in_encoder ? settings.encoder_layers : settings.decoder_layers;
    const Index length = in_encoder ? batch.source.cols() : batch.target_input.cols();
    const Index words = in_encoder ? source : target, keys = kind == AttentionKind::decoder_self ? target : source;
    double sum = 0;
    for (Index h = 0; h < settings.heads; ++h) {
      const Index first = (b * settings.heads + h) * length;
      sum += weights.middleRows(first, words).rightCols(weights.cols() - keys).cast<double>().sum();
    }
    shares[static_cast<std::size_t>(kind)] +=
        sum / static_cast<double>(settings.heads * words) / static_cast<double>(layers);
  }
  return shares;
}

Explanation explain(const ExplainedModel& explained, std::vector<ExplainedPair> pairs) {
  const MaskSettings& on = explained.model.settings.masks;
  const PadIds pad = explained.model.vocabulary.pad;
  Explanation explanation{.pairs = std::move(pairs), .batch = {}, .variants = {}, .recording = {}};
  const Batch& batch = explanation.batch = make_batch_of(explained.tokenizers, explanation.pairs);
  for (MaskVariant& variant : mask_variants(on, pad, batch.source, batch.target_input)) {
    Recording* const recording = explanation.variants.empty() ? &explanation.recording : nullptr;
    Trace traced = trace_pass(explained, batch, variant.masks, recording);
    explanation.variants.push_back({std::move(variant), std::move(traced), {}, {}});
  }
  for (Index b = 0; b < batch.size(); ++b) {
    const Batch one = row_alone(batch, b, pad);
    const std::vector<MaskVariant> variants = mask_variants(on, pad, one.source, one.target_input);
    for (std::size_t i = 0; i < variants.size(); ++i) {
      ExplainedVariant& variant = explanation.variants[i];
      variant.on_padding.push_back(attention_on_padding(explained.model, batch, variant.trace, b));
      variant.alone.push_back(find_answers(explained, one, variants[i].masks).front());
      variant.alone.back().resize(static_cast<std::size_t>(batch.target_output.cols()));
    }
  }
  return explanation;
}

}  // namespace glassformer
