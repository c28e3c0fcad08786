#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "glassformer/report/explanation_screen.hpp"
#include "page/explained_example.hpp"

using namespace glassformer;
using example::ExplainedExample;

namespace {

std::vector<std::string> screen_of(const ExplainedExample& example) {
  std::ostringstream text;
  write_screen(example.explained(), example.explanation, text);
  std::vector<std::string> lines;
  std::istringstream from(text.str());
  for (std::string line; std::getline(from, line);) {
    lines.push_back(line);
  }
  return lines;
}

Index characters(const std::string& line) {
  return std::ranges::count_if(line, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; });
}

std::ptrdiff_t lines_with(const std::vector<std::string>& lines, const std::string& part) {
  return std::ranges::count_if(lines, [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("The screen shows tokens and masks, with 1 for blocked", "[page]") {
  const auto lines = screen_of(ExplainedExample());
  CHECK(lines.front() == "Masks: 1 = blocked, rows = queries (a single row applies to all), columns = keys");
  CHECK(std::ranges::count(lines, "  decoder     decoder combined                expected    predicted       loss") ==
        2);
  CHECK(lines_with(lines, "encoder reads  a b c d </s>") == 1);
  CHECK(lines_with(lines, "encoder reads  e f </s> <pad> <pad>") == 1);
  CHECK(lines_with(lines, "target         u v") == 1);
  CHECK(lines_with(lines, "  encoder padding          0 0 0 0 0") == 1);
  CHECK(lines_with(lines, "  encoder padding          0 0 0 1 1") == 1);
  CHECK(lines_with(lines, "  cross-attention padding  0 0 0 0 0") == 1);
  CHECK(lines_with(lines, "  cross-attention padding  0 0 0 1 1") == 1);
  CHECK(lines_with(lines, "  <s>         0 1 1 1 1 1                     u           ") == 1);
  CHECK(lines_with(lines, "  v           0 0 0 1 1 1                     </s>        ") == 1);
  CHECK(lines_with(lines, "  <pad>       0 0 0 1 1 1                     <pad>       (not counted)") == 3);
  CHECK(lines_with(lines, "translation") == 0);
  CHECK(lines_with(lines, "off") == 0);
}

TEST_CASE("The screen shows the model's predictions and losses", "[page]") {
  const ExplainedExample example(tiny_settings(), {{"a b", "t", true}});
  const auto lines = screen_of(example);
  CHECK(lines_with(lines, "translation    t") == 1);
  const Answer& first = example.right().answers[0][0];
  char loss[32];
  std::snprintf(loss, sizeof loss, "%8.4f", first.loss);
  const auto line = std::ranges::find_if(lines, [](const std::string& text) { return text.starts_with("  <s>"); });
  REQUIRE(line != lines.end());
  CHECK(line->ends_with(loss));
  CHECK(line->find(" " + example.tokenizers.target->piece(first.likeliest.front().id) + " ", 57) != std::string::npos);
  const LossSum& sum = example.right().loss;
  std::snprintf(loss, sizeof loss, "%.4f", sum.loss / 2);
  char perplexity[32];
  std::snprintf(perplexity, sizeof perplexity, "%.4g", std::exp(sum.cross_entropy / 2));
  CHECK(lines.back() ==
        std::string("Mean loss ") + loss + " over 2 tokens (label smoothing 0.1), perplexity " + perplexity);
  CHECK(lines_with(screen_of(ExplainedExample(tiny_settings(), {{"a", ""}})), " over 1 token (") == 1);
}

TEST_CASE("The screen names the masks that are off", "[page]") {
  TransformerSettings settings = tiny_settings();
  settings.masks = {.look_ahead = false, .cross_padding = false};
  const auto lines = screen_of(ExplainedExample(settings));
  CHECK(lines_with(lines, "Masks that are off: look_ahead, cross_padding") == 1);
  CHECK(lines_with(lines, "  <s>         0 0 0 1 1 1 ") == 1);
  CHECK(lines_with(lines, "  cross-attention padding  0 0 0 0 0") == 2);
  CHECK(lines_with(lines, "  encoder padding          0 0 0 1 1") == 1);
}

TEST_CASE("The screen stays small, however long the sentences are", "[page]") {
  std::string source;
  std::string target;
  for (int i = 0; i < 40; ++i) {
    source += "a b ";
    target += "unknown_long_word ";
  }
  const ExplainedExample example(tiny_settings(), std::vector<ExplainedPair>(5, {source, target}));
  const auto lines = screen_of(example);
  CHECK(lines.size() < 80);
  for (const std::string& line : lines) {
    CAPTURE(line);
    CHECK(characters(line) <= 80);
  }
  CHECK(lines_with(lines, "0 0 0 …") == 6);  // for each sentence: two padding masks, and the last query shown
  CHECK(lines_with(lines, "  …") == 2);
  CHECK(lines_with(lines, "encoder reads") == 2);
  CHECK(lines_with(lines, "first 2 of 5 sentences") == 1);
}

TEST_CASE("An ellipsis marks a row of a mask only if the row was cut", "[page]") {
  std::string target = "t";
  for (int i = 1; i < 14; ++i) {
    target += " u";
  }
  CHECK(lines_with(screen_of(ExplainedExample(tiny_settings(), {{"a b", target}})), "…") == 0);  // bos and 14 words fit
  CHECK(lines_with(screen_of(ExplainedExample(tiny_settings(), {{"a b", target + " u"}})), " …") > 0);
}

TEST_CASE("Control characters in a sentence do not reach the terminal", "[page]") {
  const auto lines = screen_of(ExplainedExample(tiny_settings(), {{"a \x1B[2J b", "t \u009Bm u"}}));
  for (const std::string& line : lines) {
    CHECK(std::ranges::none_of(line, [](char byte) { return static_cast<unsigned char>(byte) < 0x20; }));
    CHECK(line.find("\u009B") == std::string::npos);
  }
  CHECK(lines_with(lines, "target         t \\x9Bm u") == 1);
}

TEST_CASE("Text is cut between characters, and an ellipsis marks the cut", "[page]") {
  CHECK(cut_to("schläft", 7) == "schläft");
  CHECK(cut_to("schläft", 6) == "schlä…");
  CHECK(cut_to("schläft", 5) == "schl…");
  CHECK(cut_to("日本語", 2) == "日…");
  CHECK(cut_to("日本語", 1) == "…");
  CHECK(cut_to("", 3).empty());
}

TEST_CASE("Text is padded to a width in characters, not in bytes", "[page]") {
  CHECK(fit("schläft", 9) == "schläft  ");
  CHECK(fit("schläft", 7) == "schläft");
  CHECK(fit("schläft", 4) == "sch…");
  CHECK(fit("", 2) == "  ");
}
