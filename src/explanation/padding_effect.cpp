#include "explanation/padding_effect.hpp"

namespace glassformer {
namespace {

Index tokens(const IdMatrix& ids, Index sentence, Id pad) { return (ids.row(sentence).array() != pad).count(); }

/// The mean weight that lands on padding, of one sentence in one layer. weights [B*H*queries, keys]
double share_on_padding(const Matrix<float>& weights, Index heads, Index sentence, Index length, Index words,
                        Index keys) {
  double sum = 0;
  for (Index h = 0; h < heads; ++h) {
    const Index first = (sentence * heads + h) * length;
    sum += weights.middleRows(first, words).rightCols(weights.cols() - keys).cast<double>().sum();
  }
  return sum / static_cast<double>(heads * words);
}

/// The sentence without its padding.
Batch alone(const Batch& batch, Index b, const VocabularyShape& vocabulary) {
  const Index source = tokens(batch.source, b, vocabulary.source_pad);
  const Index target = tokens(batch.target_output, b, vocabulary.target_pad);
  Batch one = batch;
  one.sentences = {batch.sentences[static_cast<std::size_t>(b)]};
  one.source = batch.source.row(b).leftCols(source);
  one.target_input = batch.target_input.row(b).leftCols(target);
  one.target_output = batch.target_output.row(b).leftCols(target);
  return one;
}

}  // namespace

IdMatrix likeliest_tokens(ConstMatrixRef<float> p, Index sentences) {
  const Index T = p.rows() / sentences;
  IdMatrix tokens(sentences, T);
  for (Index n = 0; n < p.rows(); ++n) {
    Index likeliest = 0;
    p.row(n).maxCoeff(&likeliest);
    tokens(n / T, n % T) = static_cast<Id>(likeliest);
  }
  return tokens;
}

Matrix<double> attention_on_padding(const Transformer<float>& model, const Batch& batch,
                                    const std::vector<Matrix<float>>& attention) {
  const TransformerSettings& settings = model.settings;
  const auto encoder_layers = static_cast<std::size_t>(settings.encoder_layers);
  Matrix<double> shares = Matrix<double>::Zero(batch.size(), 3);
  for (Index b = 0; b < batch.size(); ++b) {
    const Index source = tokens(batch.source, b, model.vocabulary.source_pad);
    const Index target = tokens(batch.target_input, b, model.vocabulary.target_pad);
    const Index S = batch.source.cols(), T = batch.target_input.cols(), H = settings.heads;
    for (std::size_t i = 0; i < attention.size(); ++i) {  // encoder, then decoder self and cross, by layer
      const bool encoder = i < encoder_layers, cross = !encoder && (i - encoder_layers) % 2 == 1;
      const auto layers = static_cast<double>(encoder ? settings.encoder_layers : settings.decoder_layers);
      shares(b, encoder ? 0
                : cross ? 2
                        : 1) += share_on_padding(attention[i], H, b, encoder ? S : T, encoder ? source : target,
                                                 encoder || cross ? source : target) /
                                layers;
    }
  }
  return shares;
}

void answer_alone(const ExplainedModel& explained, Explanation& explanation) {
  const Transformer<float>& model = explained.model;
  const Batch& batch = explanation.batch;
  for (PassFigures& figures : explanation.figures) {
    figures.losses_alone = Matrix<float>::Zero(batch.size(), batch.target_output.cols());
    figures.answers_alone = IdMatrix::Constant(batch.size(), batch.target_output.cols(), model.vocabulary.target_pad);
  }
  Transformer<float>::Cache cache;
  for (Index b = 0; b < batch.size(); ++b) {
    const Batch one = alone(batch, b, model.vocabulary);
    const Pass pass{.training = explained.dropout, .seed = explained.seed, .update = 1, .sentences = one.sentences};
    const auto variants = mask_variants(model.settings, model.vocabulary, one.source, one.target_input);
    const Index T = one.target_output.cols();
    for (std::size_t i = 0; i < variants.size(); ++i) {
      const ModelInput input{one.source, one.target_input, one.target_output, variants[i].masks};
      model.forward(explained.parameters.parameters(), input, explained.label_smoothing, pass, cache);
      PassFigures& figures = explanation.figures[i];
      figures.losses_alone.row(b).leftCols(T) = cache.cross_entropy.losses.view().transpose();
      figures.answers_alone.row(b).leftCols(T) = likeliest_tokens(cache.logits, 1);
    }
  }
}

}  // namespace glassformer
