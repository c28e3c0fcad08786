#include "glassformer/page/explanation.hpp"

#include "glassformer/batching/plan.hpp"
#include "glassformer/text/corpus.hpp"

namespace glassformer {
namespace {

/// See ExplainedVariant::on_padding. `single` holds sentence b of the batch alone, without padding.
std::array<double, 3> attention_on_padding(const TransformerSettings& settings, const Trace& trace, const Batch& single,
                                           Index b) {
  const Index source = single.source.cols();
  const Index target = single.target_input.cols();
  std::array<double, 3> means{};
  for (const auto& [part, kind, layer, weights] : trace.attention) {
    const bool in_encoder = kind == AttentionKind::encoder_self;
    const Index layers = in_encoder ? settings.encoder_layers : settings.decoder_layers;
    const Index words = in_encoder ? source : target;
    const Index keys = kind == AttentionKind::decoder_self ? target : source;
    const Index length = weights.rows() / settings.heads / std::ssize(trace.answers);
    double sum = 0;
    for (Index h = 0; h < settings.heads; ++h) {
      const Index first = (b * settings.heads + h) * length;
      for (Index t = first; t < first + words; ++t) {
        for (Index s = keys; s < weights.cols(); ++s) {
          sum += static_cast<double>(weights(t, s));
        }
      }
    }
    means[static_cast<std::size_t>(kind)] +=
        sum / static_cast<double>(settings.heads * words) / static_cast<double>(layers);
  }
  return means;
}

}  // namespace

Explanation explain(const ExplainedModel& explained, std::vector<ExplainedPair> pairs) {
  const auto& [source, target] = explained.tokenizers;
  Corpus corpus(source->special(), target->special());
  for (const ExplainedPair& pair : pairs) {
    corpus.append(source->encode(pair.source), target->encode(pair.target), 0);
  }
  const std::vector<Index> sentences = all_sentences(corpus);

  const MaskSettings& on = explained.model.settings.masks;
  const SpecialIdPair special = explained.model.vocabulary.special;
  Explanation explanation{std::move(pairs), make_batch(corpus, sentences), {}, {}};
  const Batch& batch = explanation.batch;
  for (MaskVariant& variant : mask_variants(on, special, batch.source, batch.target_input)) {
    Recording* const recording = explanation.variants.empty() ? &explanation.recording : nullptr;
    Trace traced = trace_pass(explained, batch, variant.masks, recording);
    explanation.variants.push_back({std::move(variant), std::move(traced), {}, {}});
  }
  for (const Index b : sentences) {
    const Batch single = make_batch(corpus, {&b, 1});
    const std::vector<MaskVariant> variants = mask_variants(on, special, single.source, single.target_input);
    for (std::size_t i = 0; i < variants.size(); ++i) {
      ExplainedVariant& variant = explanation.variants[i];
      variant.on_padding.push_back(attention_on_padding(explained.model.settings, variant.trace, single, b));
      variant.alone.push_back(find_answers(explained, single, variants[i].masks).front());
      variant.alone.back().resize(static_cast<std::size_t>(batch.target_output.cols()));
    }
  }
  return explanation;
}

}  // namespace glassformer
