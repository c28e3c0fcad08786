#include "glassformer/page/explanation.hpp"

#include "glassformer/batching/plan.hpp"
#include "glassformer/session/session_text.hpp"

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

std::vector<MaskVariant> variants_of(const ExplainedModel& explained, const Batch& batch) {
  const Model<float>& model = explained.model;
  return mask_variants(model.settings.masks, model.vocabulary.special, batch.source, batch.target_input);
}

/// Runs the batch under each variant's masks, and records the first. `text` has the ids of the pairs.
Explanation explain_variants(const ExplainedModel& explained, std::vector<ExplainedPair> pairs, const SessionText& text,
                             std::vector<MaskVariant> variants) {
  const std::vector<Index> sentences = all_sentences(text.view());
  Explanation explanation{std::move(pairs), make_batch(text.view(), sentences), {}, {}};
  for (MaskVariant& variant : variants) {
    Recording* const recording = explanation.variants.empty() ? &explanation.recording : nullptr;
    Trace traced = trace_pass(explained, explanation.batch, variant.masks, recording);
    explanation.variants.push_back({std::move(variant), std::move(traced), {}, {}});
  }
  for (const Index b : sentences) {
    const Batch single = make_batch(text.view(), {&b, 1});
    const std::vector<MaskVariant> alone = variants_of(explained, single);
    for (std::size_t i = 0; i < explanation.variants.size(); ++i) {
      ExplainedVariant& variant = explanation.variants[i];
      variant.on_padding.push_back(attention_on_padding(explained.model.settings, variant.trace, single, b));
      variant.alone.push_back(find_answers(explained, single, alone[i].masks).front());
      variant.alone.back().resize(static_cast<std::size_t>(explanation.batch.target_output.cols()));
    }
  }
  return explanation;
}

}  // namespace

SessionText ids_of(const VocabularyPair& vocabularies, const std::vector<ExplainedPair>& pairs) {
  std::vector<SentencePair> ids;
  for (const ExplainedPair& pair : pairs) {
    ids.push_back({vocabularies.source->encode(pair.source), vocabularies.target->encode(pair.target)});
  }
  return {{vocabularies.source->special(), vocabularies.target->special()}, ids};
}

Explanation explain(const ExplainedModel& explained, std::vector<ExplainedPair> pairs) {
  const SessionText text = ids_of(explained.tokenizers, pairs);
  const Batch batch = make_batch(text.view(), all_sentences(text.view()));
  return explain_variants(explained, std::move(pairs), text, variants_of(explained, batch));
}

Explanation explain_masks(const ExplainedModel& explained, std::vector<ExplainedPair> pairs,
                          const TransformerMasks* other_masks) {
  const SessionText text = ids_of(explained.tokenizers, pairs);
  const Batch batch = make_batch(text.view(), all_sentences(text.view()));
  MaskVariant own = variants_of(explained, batch).front();
  if (other_masks != nullptr) {
    own.masks = *other_masks;
  }
  std::vector<MaskVariant> only;
  only.push_back(std::move(own));
  return explain_variants(explained, std::move(pairs), text, std::move(only));
}

}  // namespace glassformer
