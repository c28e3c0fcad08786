#include "explanation/padding_effect.hpp"

namespace glassformer {
namespace {

Index tokens(const IdMatrix& ids, Index sentence, Id pad) { return (ids.row(sentence).eigen().array() != pad).count(); }

/// The sentence without its padding.
Batch alone(const Batch& batch, Index b, const VocabularyShape& vocabulary) {
  const Index source = tokens(batch.source, b, vocabulary.pad.source);
  const Index target = tokens(batch.target_output, b, vocabulary.pad.target);
  Batch one = batch;
  one.sentences = {batch.sentences[static_cast<std::size_t>(b)]};
  const auto cut = [&](IdMatrix& to, const IdMatrix& from, Index length) {
    to.resize(1, length);
    to.eigen() = from.eigen().row(b).leftCols(length);
  };
  cut(one.source, batch.source, source);
  cut(one.target_input, batch.target_input, target);
  cut(one.target_output, batch.target_output, target);
  return one;
}

}  // namespace

IdMatrix likeliest_tokens(MatrixView<const float> p, Index sentences) {
  const Index T = p.rows() / sentences;
  IdMatrix tokens(sentences, T);
  for (Index n = 0; n < p.rows(); ++n) {
    Index likeliest = 0;
    p.row(n).eigen().maxCoeff(&likeliest);
    tokens(n / T, n % T) = static_cast<Id>(likeliest);
  }
  return tokens;
}

Matrix<double> attention_on_padding(const Model<float>& model, const Batch& batch,
                                    const std::vector<Matrix<float>>& attention) {
  enum Kind { kEncoder, kDecoder, kCross };
  const TransformerSettings& settings = model.settings;
  Matrix<double> shares = Matrix<double>::Zero(batch.size(), 3);
  for (Index i = 0; i < std::ssize(attention); ++i) {
    const Matrix<float>& weights = attention[static_cast<std::size_t>(i)];
    const Index in_decoder = i - settings.encoder_layers;
    const Kind kind = in_decoder < 0 ? kEncoder : in_decoder % 2 == 0 ? kDecoder : kCross;
    const Index layers = kind == kEncoder ? settings.encoder_layers : settings.decoder_layers;
    const Index length = kind == kEncoder ? batch.source.cols() : batch.target_input.cols();
    for (Index b = 0; b < batch.size(); ++b) {
      const Index source = tokens(batch.source, b, model.vocabulary.pad.source);
      const Index target = tokens(batch.target_input, b, model.vocabulary.pad.target);
      const Index words = kind == kEncoder ? source : target, keys = kind == kDecoder ? target : source;
      double sum = 0;
      for (Index h = 0; h < settings.heads; ++h) {
        const Index first = (b * settings.heads + h) * length;
        sum += weights.middleRows(first, words).rightCols(weights.cols() - keys).cast<double>().sum();
      }
      shares(b, kind) += sum / static_cast<double>(settings.heads * words) / static_cast<double>(layers);
    }
  }
  return shares;
}

void answer_alone(const ExplainedModel& explained, Explanation& explanation) {
  const Model<float>& model = explained.model;
  const Batch& batch = explanation.batch;
  for (PassFigures& figures : explanation.figures) {
    figures.losses_alone = Matrix<float>::Zero(batch.size(), batch.target_output.cols());
    figures.answers_alone.resize_like(batch.target_output);
    figures.answers_alone.fill(model.vocabulary.pad.target);
  }
  const auto transformer = make_transformer(model, explained.label_smoothing);
  for (Index b = 0; b < batch.size(); ++b) {
    const Batch one = alone(batch, b, model.vocabulary);
    const Pass pass{.training = explained.dropout, .seed = explained.seed, .update = 1, .sentences = one.sentences};
    const auto variants = mask_variants(model.settings, model.vocabulary, one.source, one.target_input);
    const Index T = one.target_output.cols();
    for (std::size_t i = 0; i < variants.size(); ++i) {
      transformer->forward(pass, {one.source, one.target_input, one.target_output, variants[i].masks});
      PassFigures& figures = explanation.figures[i];
      figures.losses_alone.row(b).leftCols(T) = transformer->cross_entropy.losses().eigen().transpose();
      figures.answers_alone.eigen().row(b).leftCols(T) = likeliest_tokens(transformer->probabilities(), 1).eigen();
    }
  }
}

}  // namespace glassformer
