#include "glassformer/report/explanation_screen.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "glassformer/files/utf8.hpp"
#include "glassformer/numerics/functions.hpp"
#include "glassformer/page/mask_variants.hpp"

namespace glassformer {
namespace {

constexpr Index kText = 65;                                                   // columns after the label of a text
constexpr Index kSentences = 2, kQueries = 15, kKeys = 15, kSourceKeys = 26;  // the most that fit on a screen

/// One query's row of a mask, cut after `max_keys` keys.
std::string mask_row(const Mask& mask, Index sentence, Index query, Index max_keys) {
  std::string row;
  for (Index key = 0; key < std::min(max_keys, mask.keys()); ++key) {
    if (key > 0) {
      row += ' ';
    }
    row += mask.is_blocked(sentence, query, key) ? '1' : '0';
  }
  return mask.keys() > max_keys ? row + " …" : row;
}

/// A line for each target position: the token read, its row of the mask, the expected and predicted tokens, the loss.
void write_decoder(const Vocabulary& tokenizer, const Explanation& explanation, Index b, std::ostream& output) {
  constexpr Index kToken = 12;
  constexpr Index kMask = 2 * kKeys + 2;
  const auto token = [&](Id id) { return fit(visible(tokenizer.piece(id)), kToken - 1) + ' '; };
  const Trace& trace = explanation.right().trace;
  const Mask& mask = explanation.right().masks.decoder_combined;
  const IdMatrix& target_input = explanation.batch.target_input;
  output << "  " << fit("decoder", kToken) << fit("decoder combined", kMask) << fit("expected", kToken)
         << fit("predicted", kToken) << "    loss\n";
  for (Index t = 0; t < std::min(kQueries, target_input.cols()); ++t) {
    const Answer& answer = trace.answers[static_cast<std::size_t>(b)][static_cast<std::size_t>(t)];
    output << "  " << token(target_input(b, t)) << fit(mask_row(mask, b, t, kKeys), kMask) << token(answer.expected);
    if (answer.counted) {
      output << token(answer.likeliest.front().id) << fmt::format("{:8.4f}\n", answer.loss);
    } else {
      output << "(not counted)\n";
    }
  }
  if (target_input.cols() > kQueries) {
    output << "  …\n";
  }
}

void write_sentence(const ExplainedModel& explained, const Explanation& explanation, Index b, std::ostream& output) {
  const ExplainedPair& pair = explanation.pairs[static_cast<std::size_t>(b)];
  const TransformerMasks& masks = explanation.right().masks;
  std::string tokens;
  for (const Id id : explanation.batch.source.row(b)) {
    tokens += explained.tokenizers.source->piece(id) + ' ';
  }
  tokens.pop_back();
  output << "\nencoder reads  " << cut_to(visible(tokens), kText) << '\n'
         << (pair.own_translation ? "translation    " : "target         ") << cut_to(visible(pair.target), kText)
         << "\n  encoder padding          " << mask_row(masks.encoder_padding, b, 0, kSourceKeys) << '\n'
         << "  cross-attention padding  " << mask_row(masks.cross_padding, b, 0, kSourceKeys) << '\n';
  write_decoder(*explained.tokenizers.target, explanation, b, output);
}

}  // namespace

void write_screen(const ExplainedModel& explained, const Explanation& explanation, std::ostream& output) {
  output << "Masks: 1 = blocked, rows = queries (a single row applies to all), columns = keys\n";
  const std::vector<std::string> off = masks_off(explained.model.settings.masks);
  if (!off.empty()) {
    output << fmt::format("Masks that are off: {}\n", fmt::join(off, ", "));
  }
  const Index sentences = std::min(kSentences, explanation.batch.size());
  for (Index b = 0; b < sentences; ++b) {
    write_sentence(explained, explanation, b, output);
  }
  const LossSum& sum = explanation.right().trace.loss;
  const auto count = static_cast<double>(sum.tokens);
  output << fmt::format("\nMean loss {:.4f} over {} token{} (label smoothing {:g}), perplexity {:.4g}\n",
                        sum.loss / count, sum.tokens, sum.tokens == 1 ? "" : "s", explained.label_smoothing,
                        exp(sum.cross_entropy / count));
  if (sentences < explanation.batch.size()) {
    output << fmt::format("Only the first {} of {} sentences are shown; the page has them all.\n", sentences,
                          explanation.batch.size());
  }
}

std::string cut_to(std::string_view text, Index columns) {
  const auto count = static_cast<std::size_t>(columns);
  if (first_characters(text, count) == text) {
    return std::string(text);
  }
  return std::string(first_characters(text, count - 1)) + "…";
}

std::string fit(std::string_view text, Index columns) {
  const std::string cut = cut_to(text, columns);
  return cut + std::string(static_cast<std::size_t>(columns) - code_points(cut).size(), ' ');
}

}  // namespace glassformer
