#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "decoding/tiny_model.hpp"
#include "glassformer/page/explanation.hpp"
#include "glassformer/text/tokenizer.hpp"
#include "temporary_directory.hpp"

namespace glassformer::example {

/// Each side has the four special tokens and `words` words. Words beyond the seventh are called more8, more9, ...
inline TokenizerPair letters_as_words(std::size_t words) {
  const test::TemporaryDirectory directory;
  const TokenizerSettings settings;
  std::string source = std::string("a b c d e f g ").substr(0, 2 * words);
  std::string target = std::string("t u v w x y z ").substr(0, 2 * words);
  for (std::size_t i = 8; i <= words; ++i) {
    source += "more" + std::to_string(i) + ' ';
    target += "more" + std::to_string(i) + ' ';
  }
  const auto learned = [&](const std::string& name, const std::string& text) {
    return learn_words(settings, {{directory.write(name, text + "\n")}, settings.vocabulary_size, "", ""});
  };
  return {learned("source", source), learned("target", target)};
}

/// The source is longer in the first pair, the target in the second, so both sides are padded.
inline std::vector<ExplainedPair> two_pairs() { return {{"a b c d", "u v"}, {"e f", "w x y t z"}}; }

/// A small random model, with tokenizers that know the words of its sentences.
struct ExplainedExample {
  TokenizerPair tokenizers;
  TinyModel<float> tiny;
  bool dropout = false;
  Explanation explanation;

  explicit ExplainedExample(const TransformerSettings& settings = tiny_settings(),
                            std::vector<ExplainedPair> pairs = two_pairs(), bool with_dropout = false,
                            std::size_t words = 7)
      : tokenizers(letters_as_words(words)),
        tiny(settings, static_cast<Index>(4 + words)),
        dropout(with_dropout),
        explanation(explain(explained(), std::move(pairs))) {}

  ExplainedModel explained() const { return {{tiny.model, 0.1, dropout, 5}, tokenizers}; }
  const Trace& right() const { return explanation.right().trace; }
  const ExplainedVariant& variant(const std::string& name) const {
    std::size_t i = 0;
    while (explanation.variants.at(i).name != name) {
      ++i;
    }
    return explanation.variants.at(i);
  }
  const Trace& trace(const std::string& name) const { return variant(name).trace; }
  /// The last tensor called `name` that a step of `part` computed.
  const Matrix<double>& computed(const std::string& part, const std::string& name) const {
    const Matrix<double>* last = nullptr;
    for (const RecordedTensor& tensor : explanation.recording.tensors()) {
      if (tensor.computed && tensor.part == part && tensor.name == name) {
        last = &tensor.values;
      }
    }
    if (last == nullptr) {
      throw std::runtime_error(part + " computed no " + name);
    }
    return *last;
  }
};

/// The losses at all positions, [B, T]
inline Matrix<float> losses(const Answers& answers) {
  Matrix<float> losses(std::ssize(answers), std::ssize(answers.front()));
  for (Index n = 0; n < losses.size(); ++n) {
    const auto b = static_cast<std::size_t>(n / losses.cols());
    const auto t = static_cast<std::size_t>(n % losses.cols());
    losses.data()[n] = static_cast<float>(answers[b].at(t).loss);
  }
  return losses;
}

/// The most likely token at each counted position of one sentence.
inline std::vector<Id> likeliest(const std::vector<Answer>& places) {
  std::vector<Id> ids;
  for (const Answer& place : places) {
    if (place.counted) {
      ids.push_back(place.likeliest.at(0).id);
    }
  }
  return ids;
}

}  // namespace glassformer::example
