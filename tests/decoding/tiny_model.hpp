#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "glassformer/decoding/search.hpp"
#include "glassformer/model/model.hpp"
#include "glassformer/numerics/row_operations.hpp"
#include "random_values.hpp"

namespace glassformer {

inline constexpr Id kPad = 0, kBos = 1, kEos = 2;
inline constexpr SpecialIds kTinyIds{.pad = kPad, .bos = kBos, .eos = kEos};

inline TransformerSettings tiny_settings() {
  TransformerSettings settings;
  settings.d_model = 16;
  settings.heads = 2;
  settings.d_ff = 24;
  settings.tied_embeddings = Tying::none;
  return settings;
}

/// A random model whose predictions are peaked, as a trained model's are.
template <class Scalar = float>
struct TinyModel {
  Model<Scalar> model;

  explicit TinyModel(const TransformerSettings& settings, Index vocabulary_size, std::uint64_t seed = 1,
                     double peak = 4)
      : model(settings, {vocabulary_size, vocabulary_size, {kTinyIds, kTinyIds}}) {
    RandomValues random(seed);
    for (const TensorPlace& tensor : model.weights.tensors()) {
      const double factor = tensor.shape.size() == 2 ? 1 / std::sqrt(static_cast<double>(tensor.shape[1])) : 0.3;
      const auto values = model.weights.values(tensor);
      random.fill(values);
      scale(values, static_cast<Scalar>(factor));
      if (tensor.name.find("norm.weight") != std::string::npos) {
        values.eigen().array() += Scalar{1};
      }
      if (tensor.name == "lm_head.weight") {
        scale(values, static_cast<Scalar>(peak));
      }
    }
  }
  /// The bias of the logits. [V]
  RowView<Scalar> output_bias() {
    return Transformer<Scalar>(model.settings, model.vocabulary).output.bias.in(model.weights);
  }
};

/// `count` random sentences of `shortest` .. `longest` words, each followed by eos.
inline std::vector<std::vector<Id>> random_sources(std::size_t count, Index shortest, Index longest,
                                                   Index vocabulary_size, std::uint64_t seed = 7) {
  RandomValues random(seed);
  std::vector<std::vector<Id>> sources(count);
  for (std::vector<Id>& source : sources) {
    const Index length = shortest + random.index(longest - shortest + 1);
    for (Index i = 0; i < length; ++i) {
      source.push_back(static_cast<Id>(3 + random.index(vocabulary_size - 3)));
    }
    source.push_back(kEos);
  }
  return sources;
}

/// The logits [R * T, V] that teacher forcing gives for R partial translations of one source. Each starts with bos,
/// followed by the hypothesis; shorter ones are padded.
template <class Scalar>
Buffer<Scalar> forced_logits(const TinyModel<Scalar>& tiny, const std::vector<Id>& source,
                             const std::vector<std::vector<Id>>& hypotheses) {
  const auto rows = static_cast<Index>(hypotheses.size());
  std::size_t longest = 0;
  for (const std::vector<Id>& ids : hypotheses) {
    longest = std::max(longest, ids.size());
  }
  IdMatrix source_ids(rows, static_cast<Index>(source.size()));
  IdMatrix input(rows, static_cast<Index>(longest) + 1);
  input.fill(kPad);
  for (Index r = 0; r < rows; ++r) {
    std::copy(source.begin(), source.end(), source_ids.row(r).begin());
    const std::vector<Id>& ids = hypotheses[static_cast<std::size_t>(r)];
    input(r, 0) = kBos;
    for (std::size_t t = 0; t < ids.size(); ++t) {
      input(r, static_cast<Index>(t) + 1) = ids[t];
    }
  }
  const auto transformer = make_transformer(tiny.model);
  const TransformerMasks masks = transformer->masks(source_ids, input);
  const Buffer<Scalar>& memory = transformer->encode({}, source_ids, masks.encoder_padding);
  return transformer->decode({}, input, memory, masks);
}

/// log p of each hypothesis, eos included, by teacher forcing.
template <class Scalar>
std::vector<double> forced_log_probabilities(const TinyModel<Scalar>& tiny, const std::vector<Id>& source,
                                             const std::vector<std::vector<Id>>& hypotheses) {
  const Buffer<Scalar> logits = forced_logits(tiny, source, hypotheses);
  const Index length = logits.rows() / static_cast<Index>(hypotheses.size());
  std::vector<double> sums;
  for (std::size_t r = 0; r < hypotheses.size(); ++r) {
    std::vector<Id> expected = hypotheses[r];
    expected.push_back(kEos);
    double sum = 0;
    for (std::size_t t = 0; t < expected.size(); ++t) {
      const auto logits_row = logits.row(static_cast<Index>(r) * length + static_cast<Index>(t));
      const Eigen::ArrayXd row = logits_row.eigen().template cast<double>().transpose();
      sum += row[expected[t]] - row.maxCoeff() - std::log((row - row.maxCoeff()).exp().sum());
    }
    sums.push_back(sum);
  }
  return sums;
}

}  // namespace glassformer
