#include <string>
#include <vector>

#include "catch.hpp"
#include "explanation/terminal_text.hpp"

using namespace glassformer;
using Lines = std::vector<std::string>;

TEST_CASE("Control characters cannot reach the terminal", "[explanation]") {
  CHECK(printable("schläft …") == "schläft …");
  CHECK(printable("\x1B[31mred") == "\uFFFD[31mred");
  CHECK(printable("a\tb\nc\r\x7F") == "a\uFFFDb\uFFFDc\uFFFD\uFFFD");
  CHECK(printable("a\u0085b\u009Bc\u00A0d") == "a\uFFFDb\uFFFDc\u00A0d");  // C1; U+00A0 is the first that is none
  CHECK(printable(std::string("a\0b", 3)) == "a\uFFFDb");
  CHECK(printable("\xC2") == "\xC2");
}

TEST_CASE("Text is cut between characters, with a sign that it was", "[explanation]") {
  CHECK(cut_to("schläft", 7) == "schläft");
  CHECK(cut_to("schläft", 6) == "schlä…");
  CHECK(cut_to("schläft", 5) == "schl…");
  CHECK(cut_to("日本語", 2) == "日…");
  CHECK(cut_to("日本語", 1) == "…");
  CHECK(cut_to("", 3).empty());
}

TEST_CASE("Text is filled up to a width in characters, not in bytes", "[explanation]") {
  CHECK(fit("schläft", 9) == "schläft  ");
  CHECK(fit("schläft", 7) == "schläft");
  CHECK(fit("schläft", 4) == "sch…");
  CHECK(fit("", 2) == "  ");
}

TEST_CASE("Text is wrapped between words", "[explanation]") {
  CHECK(wrapped("one two three", 13) == Lines{"one two three"});
  CHECK(wrapped("one two three", 12) == Lines{"one two", "three"});
  CHECK(wrapped("one two three", 3) == Lines{"one", "two", "three"});
  CHECK(wrapped("zwölf größen", 5) == Lines{"zwölf", "größen"});
}
