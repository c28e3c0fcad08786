#include "explanation/terminal_view.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "explanation/terminal_text.hpp"

namespace glassformer {
namespace {

/// Five shades, from no weight to all of it; what a mask blocks has a sign of its own.
constexpr const char* kShades[] = {" ", "░", "▒", "▓", "█"};
constexpr const char* kBlocked = "·";

std::vector<std::string> pieces(const IdMatrix& ids, Index sentence, const Tokenizer& tokenizer) {
  std::vector<std::string> row;
  for (Index t = 0; t < ids.cols(); ++t) row.push_back(printable(tokenizer.piece(ids(sentence, t))));
  return row;
}

class TerminalView {
 public:
  TerminalView(const ExplainedModel& explained, const Explanation& explanation, const TerminalViewOptions& options,
               std::ostream& output)
      : explained_(explained), explanation_(explanation), options_(options), output_(output) {}

  void write() {
    learned_without();
    for (Index b = 0; b < explanation_.batch.size(); ++b) {
      sentence(b);
      masks(b);
      attention(b);
      answers(b);
      alone(b);
    }
    loss();
    gradients();
  }

 private:
  const Tokenizer& source_tokenizer() const { return *explained_.tokenizers.source; }
  const Tokenizer& target_tokenizer() const { return *explained_.tokenizers.target; }
  const Batch& batch() const { return explanation_.batch; }
  const TransformerMasks& own_masks() const { return explanation_.variants.front().masks; }

  void heading(const std::string& text) {
    output_ << '\n';
    for (const std::string& part : wrapped(text, options_.columns)) line(part);
  }
  void line(const std::string& text) { output_ << cut_to(text, options_.columns) << '\n'; }

  void learned_without() {
    std::string names;
    for (const std::string& name : explained_.model.settings.masks.off()) {
      names += (names.empty() ? "masks." : ", masks.") + name;
    }
    if (!names.empty()) heading("This model was trained with masks off, and is shown without them: " + names);
  }

  void sentence(Index b) {
    const ExplainedPair& pair = explanation_.pairs[static_cast<std::size_t>(b)];
    heading("SENTENCE " + std::to_string(b + 1) + " of " + std::to_string(batch().size()));
    line("source  " + printable(pair.source));
    line("target  " + printable(pair.target) + (pair.own_translation ? "   (the model's own translation)" : ""));
    heading("The target shifted right: at each place the decoder reads the upper word and is asked for the lower one");
    const auto source = pieces(batch().source, b, source_tokenizer());
    const auto input = pieces(batch().target_input, b, target_tokenizer());
    const auto output = pieces(batch().target_output, b, target_tokenizer());
    for (const std::string& text : in_columns({"encoder reads"}, {source}, options_.columns)) line(text);
    for (const std::string& text : in_columns({"decoder reads", "is asked for"}, {input, output}, options_.columns)) {
      line(text);
    }
  }

  /// One row of cells for each query: its word, then a cell of two columns for each key.
  void grid(const std::vector<std::string>& queries, Index keys, const auto& cell) {
    for (std::size_t t = 0; t < queries.size(); ++t) {
      std::string row = "  " + fit(queries[t], 12) + " ";
      for (Index s = 0; s < keys; ++s) row += cell(static_cast<Index>(t), s);
      line(row);
    }
  }

  /// queries: none where the mask has one row for all of them.
  void mask(const std::string& title, const Mask& mask, Index b, const std::vector<std::string>& queries) {
    line(title);
    const std::vector<std::string> rows = queries.empty() ? std::vector<std::string>{"every query"} : queries;
    grid(rows, mask.keys(), [&](Index t, Index s) { return mask.is_blocked(b, t, s) ? "1 " : "0 "; });
  }

  void masks(Index b) {
    const auto target = pieces(batch().target_input, b, target_tokenizer());
    const MaskSettings& on = explained_.model.settings.masks;
    const auto switched = [](const std::string& what, bool is_on) { return what + (is_on ? "" : " (off)"); };
    heading("The three masks: 1 is blocked; a row is a query, a column a key");
    mask("encoder self-attention: " + switched("padding of the source", on.encoder_padding),
         own_masks().encoder_padding, b, {});
    mask("decoder self-attention: " + switched("the future", on.look_ahead) + ", and " +
             switched("padding of the target", on.target_padding),
         own_masks().decoder_combined, b, target);
    mask("cross-attention: " + switched("padding of the source", on.cross_padding), own_masks().cross_padding, b, {});
  }

  /// The mean of all heads.
  void attention_of(const std::string& title, const Matrix<float>& weights, const Mask& mask, Index b,
                    const std::vector<std::string>& queries) {
    const auto T = std::ssize(queries);
    const Index H = explained_.model.settings.heads;
    line(title);
    grid(queries, weights.cols(), [&](Index t, Index s) {
      if (mask.is_blocked(b, t, s)) return std::string(kBlocked) + kBlocked;
      float sum = 0;
      for (Index h = 0; h < H; ++h) sum += weights((b * H + h) * T + t, s);
      const auto shade = std::clamp(static_cast<int>(sum / static_cast<float>(H) * 5), 0, 4);
      return std::string(kShades[shade]) + kShades[shade];
    });
  }

  void attention(Index b) {
    const TransformerSettings& settings = explained_.model.settings;
    const auto& weights = explanation_.figures.front().attention;
    const auto source = pieces(batch().source, b, source_tokenizer());
    const auto target = pieces(batch().target_input, b, target_tokenizer());
    const Index encoder = std::min(options_.layer.value_or(settings.encoder_layers), settings.encoder_layers - 1);
    const Index decoder = std::min(options_.layer.value_or(settings.decoder_layers), settings.decoder_layers - 1);
    const auto at = static_cast<std::size_t>(settings.encoder_layers + 2 * decoder);
    heading("Attention, mean of the heads: darker is more, ·· is blocked; columns are the words from first to last");
    attention_of("encoder layer " + std::to_string(encoder) + ", self-attention",
                 weights[static_cast<std::size_t>(encoder)], own_masks().encoder_padding, b, source);
    attention_of("decoder layer " + std::to_string(decoder) + ", self-attention", weights[at],
                 own_masks().decoder_combined, b, target);
    attention_of("decoder layer " + std::to_string(decoder) + ", cross-attention to the source", weights[at + 1],
                 own_masks().cross_padding, b, target);
  }

  void answers(Index b) {
    heading("What it answers: loss, expected word, the likeliest words");
    for (const Answer& answer : explanation_.answers[static_cast<std::size_t>(b)]) {
      const std::string expected = fit(printable(target_tokenizer().piece(answer.expected)), 12);
      if (!answer.counted) {
        line("       -  " + expected + "  padding: not counted");
        continue;
      }
      char loss[32];
      std::snprintf(loss, sizeof loss, "%8.4f  ", answer.loss);
      std::string text = loss + expected;
      for (std::size_t i = 0; i < std::min<std::size_t>(3, answer.likeliest.size()); ++i) {
        char share[32];
        std::snprintf(share, sizeof share, " %5.1f %%", 100 * answer.likeliest[i].probability);
        text += "  " + fit(printable(target_tokenizer().piece(answer.likeliest[i].id)), 10) + share;
      }
      line(text);
    }
  }

  /// Where words attend to padding: how much, and what the sentence gets without it.
  void alone(Index b) {
    const PassFigures& own = explanation_.figures.front();
    if (own.on_padding.row(b).isZero(0)) return;
    char shares[160];
    std::snprintf(shares, sizeof shares,
                  "Attention that words pay to padding: %.1f %% in the encoder, %.1f %% in the decoder, %.1f %% in "
                  "cross-attention",
                  100 * own.on_padding(b, 0), 100 * own.on_padding(b, 1), 100 * own.on_padding(b, 2));
    heading(shares);
    heading("The same sentence alone, without padding: loss, expected word, the likeliest word");
    for (Index t = 0; t < own.losses_alone.cols(); ++t) {
      const Answer& here = explanation_.answers[static_cast<std::size_t>(b)][static_cast<std::size_t>(t)];
      if (!here.counted) continue;
      char loss[32];
      std::snprintf(loss, sizeof loss, "%8.4f  ", own.losses_alone(b, t));
      const Id likeliest = own.answers_alone(b, t);
      line(loss + fit(printable(target_tokenizer().piece(here.expected)), 12) + "  " +
           fit(printable(target_tokenizer().piece(likeliest)), 10) +
           (likeliest == own.answers(b, t) ? "" : "  (differs from the answer in the batch)"));
    }
  }

  void loss() {
    const LossSum& sum = explanation_.figures.front().loss;
    char text[160];
    std::snprintf(text, sizeof text,
                  "Mean loss of %td tokens: %.4f (label smoothing %g); perplexity %.3f; %td likeliest as expected",
                  sum.tokens, sum.loss / static_cast<double>(sum.tokens), explained_.label_smoothing,
                  std::exp(sum.cross_entropy / static_cast<double>(sum.tokens)), sum.correct);
    heading(text);
  }

  /// A bar for each tensor, on a scale of logarithms: four letters are ten times as much. (So narrow that 80 columns
  /// hold the tensor's name.)
  void gradients() {
    heading("Gradient of that loss, norm by tensor");
    const auto& norms = explanation_.figures.front().gradient_norms;
    const double largest = *std::ranges::max_element(norms);
    const auto& tensors = explained_.parameters.tensors();
    for (std::size_t i = 0; i < norms.size(); ++i) {
      char norm[32];
      std::snprintf(norm, sizeof norm, "%.3e ", norms[i]);
      const double tens = std::log10(largest / norms[i]);  // not finite where a norm is 0 or is not finite
      const double below = std::isfinite(tens) ? tens : 4;
      std::string bar;
      for (int k = 0; k < std::clamp(16 - static_cast<int>(4 * below), 0, 16); ++k) bar += "█";
      line(norm + fit(bar, 17) + tensors[i].name);
    }
  }

  const ExplainedModel& explained_;
  const Explanation& explanation_;
  const TerminalViewOptions& options_;
  std::ostream& output_;
};

}  // namespace

void write_terminal_view(const ExplainedModel& explained, const Explanation& explanation,
                         const TerminalViewOptions& options, std::ostream& output) {
  TerminalView(explained, explanation, options, output).write();
}

}  // namespace glassformer
