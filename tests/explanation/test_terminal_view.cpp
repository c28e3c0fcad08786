#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "explanation/explained_example.hpp"
#include "explanation/terminal_view.hpp"

using namespace glassformer;
using example::ExplainedExample;

namespace {

std::vector<std::string> view_of(const ExplainedExample& example, TerminalViewOptions options = {}) {
  std::ostringstream text;
  write_terminal_view(example.explained(), example.explanation, options, text);
  std::vector<std::string> lines;
  std::istringstream from(text.str());
  for (std::string line; std::getline(from, line);) lines.push_back(line);
  return lines;
}

Index characters(const std::string& line) {
  return std::ranges::count_if(line, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; });
}

std::ptrdiff_t lines_with(const std::vector<std::string>& lines, const std::string& part) {
  return std::ranges::count_if(lines, [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

/// The lines below the one that begins with `title`, up to so many.
std::vector<std::string> below(const std::vector<std::string>& lines, const std::string& title, std::ptrdiff_t count) {
  const auto at = std::ranges::find_if(lines, [&](const std::string& line) { return line.starts_with(title); });
  REQUIRE(lines.end() - at > count);
  return {at + 1, at + 1 + count};
}

}  // namespace

TEST_CASE("The view keeps to the terminal's width", "[explanation]") {
  const ExplainedExample example;
  for (const Index columns : {40, 80, 200}) {
    const auto lines = view_of(example, {columns, {}});
    CAPTURE(columns);
    CHECK(lines.size() > 100);
    for (const std::string& line : lines) {
      CAPTURE(line);
      CHECK(characters(line) <= columns);
    }
  }
  // In 80 columns, every tensor's name can be read to its end, and the loss's line, too.
  const auto lines = view_of(example);
  for (const TensorPlace& place : example.tiny.arena.tensors()) CHECK(lines_with(lines, place.name) >= 1);
  CHECK(std::ranges::count_if(lines, [](const std::string& line) { return line.ends_with("as expected"); }) == 1);
  CHECK(lines_with(view_of(example, {40, {}}), "is asked for ") == 3);  // the first sentence needs two blocks
}

TEST_CASE("The view shows the right shift, padding and what counts", "[explanation]") {
  const ExplainedExample example;
  const auto lines = view_of(example, {120, {}});
  CHECK(lines_with(lines, "encoder reads  a b c d </s>") == 1);
  CHECK(lines_with(lines, "decoder reads  <s> u v    <pad> <pad> <pad>") == 1);
  CHECK(lines_with(lines, "is asked for   u   v </s> <pad> <pad> <pad>") == 1);
  CHECK(lines_with(lines, "padding: not counted") == 3);
  CHECK(lines_with(lines, "Mean loss of 9 tokens") == 1);
  CHECK(lines_with(lines, "SENTENCE 2 of 2") == 1);
  CHECK(lines_with(lines, "own translation") == 0);
  const ExplainedExample translated(tiny_settings(), {{"a b", "t", true}});
  CHECK(lines_with(view_of(translated), "target  t   (the model's own translation)") == 1);
}

TEST_CASE("The view draws masks as they are: 1 is blocked", "[explanation]") {
  const ExplainedExample example;
  const auto lines = view_of(example);
  CHECK(below(lines, "encoder self-attention: padding", 1).front() == "  every query  0 0 0 0 0 ");
  const auto decoder = below(lines, "decoder self-attention: the future", 6);
  CHECK(decoder[0] == "  <s>          0 1 1 1 1 1 ");
  CHECK(decoder[2] == "  v            0 0 0 1 1 1 ");
  CHECK(decoder[5] == "  <pad>        0 0 0 1 1 1 ");
  const auto second = std::ranges::find(lines, "SENTENCE 2 of 2");
  CHECK(below({second, lines.end()}, "cross-attention: padding", 1).front() == "  every query  0 0 0 1 1 ");
}

TEST_CASE("The view tells which masks are off, and what a sentence gets alone where words look at padding",
          "[explanation]") {
  const ExplainedExample with_all;
  CHECK(lines_with(view_of(with_all), "(off)") == 0);
  CHECK(lines_with(view_of(with_all), "alone") == 0);

  TransformerSettings settings = tiny_settings();
  settings.masks = {.look_ahead = false};
  const auto no_look_ahead = view_of(ExplainedExample(settings));
  CHECK(lines_with(no_look_ahead, "decoder self-attention: the future (off), and padding of the target") == 2);
  CHECK(lines_with(no_look_ahead, "(off)") == 2);
  CHECK(below(no_look_ahead, "decoder self-attention: the future", 1)[0] == "  <s>          0 0 0 1 1 1 ");
  CHECK(lines_with(no_look_ahead, "alone") == 0);

  settings.masks = {.target_padding = false, .cross_padding = false};
  const ExplainedExample example(settings);
  const auto lines = view_of(example, {200, {}});
  CHECK(lines_with(lines, "decoder self-attention: the future, and padding of the target (off)") == 2);
  CHECK(lines_with(lines, "cross-attention: padding of the source (off)") == 2);
  CHECK(lines_with(lines, "encoder self-attention: padding of the source (off)") == 0);
  char share[128];
  std::snprintf(share, sizeof share, "pay to padding: 0.0 %% in the encoder, 0.0 %% in the decoder, %.1f %% in cross",
                100 * example.right().on_padding(1, 2));
  CHECK(lines_with(lines, share) == 1);  // the first sentence has the longest source
  const auto alone = below(lines, "The same sentence alone", 6);
  for (Index t = 0; t < 6; ++t) {
    char loss[32];
    std::snprintf(loss, sizeof loss, "%8.4f  ", example.right().losses_alone(1, t));
    const std::string& text = alone[static_cast<std::size_t>(t)];
    CHECK(text.starts_with(loss));
    CHECK(text.find(example.tokenizers.target->piece(example.right().answers_alone(1, t)), 24) != std::string::npos);
    const bool other = example.right().answers_alone(1, t) != example.right().answers(1, t);
    CHECK((text.find("differs from the answer") != std::string::npos) == other);
  }
}

TEST_CASE("The view shades attention by the mean of the heads, and marks what is blocked", "[explanation]") {
  ExplainedExample example;
  // Two heads of 0.75 and 0.25, and of 0.9 and 1, for the first two keys of the last source token.
  Matrix<float>& weights = example.explanation.figures.front().attention[1];
  weights.setZero();
  weights(4, 0) = 0.75F, weights(9, 0) = 0.25F;
  weights(4, 1) = 0.9F, weights(9, 1) = 1;
  const auto lines = view_of(example);
  const auto encoder = below(lines, "encoder layer 1, self-attention", 5);
  CHECK(encoder[4] == "  </s>         ▒▒██      ");
  CHECK(below(lines, "decoder layer 1, self-attention", 1).front().ends_with("··········"));
  CHECK(lines_with(view_of(example, {80, 0}), "encoder layer 0, self-attention") == 2);
  CHECK(lines_with(view_of(example, {80, 0}), "decoder layer 1") == 0);
}

TEST_CASE("The view's layer is the last one where a side has fewer", "[explanation]") {
  TransformerSettings settings = tiny_settings();
  settings.encoder_layers = 1;
  settings.decoder_layers = 3;
  const auto lines = view_of(ExplainedExample(settings), {80, 2});
  CHECK(lines_with(lines, "encoder layer 0, self-attention") == 2);
  CHECK(lines_with(lines, "decoder layer 2, cross-attention") == 2);
}

TEST_CASE("No control character of a sentence reaches the terminal", "[explanation]") {
  const ExplainedExample example(tiny_settings(), {{"a \x1B[2J b", "t \u009Bm u"}});
  const auto lines = view_of(example);
  for (const std::string& line : lines) {
    CHECK(std::ranges::none_of(line, [](char byte) { return static_cast<unsigned char>(byte) < 0x20; }));
    CHECK(line.find("\u009B") == std::string::npos);
  }
  CHECK(lines_with(lines, "source  a \uFFFD[2J b") == 1);
}
