#include <vector>

#include "catch.hpp"
#include "glassformer/text/subword_marks.hpp"

using namespace glassformer;

namespace {

SubwordMarks marks_of(const std::vector<std::string>& lines) {
  SubwordMarks marks;
  for (const std::string& line : lines) {
    marks.add(line);
  }
  return marks;
}

}  // namespace

TEST_CASE("text that is split into subwords is recognised by one mark in a hundred words", "[text]") {
  CHECK_FALSE(marks_of({}).are_many());
  CHECK_FALSE(marks_of({"a house , e.g. @ home @@ @@"}).are_many());  // @@ alone marks nothing
  std::vector<std::string> lines(99, "a");
  lines.emplace_back("ha@@ us");
  CHECK_FALSE(marks_of(lines).are_many());  // 1 of 101
  lines.pop_back();
  lines.back() = "Ha@@ us";
  CHECK(marks_of(lines).are_many());
  CHECK(marks_of(lines).text() == "1 of 100 words have a subword marker (@@, as subword-nmt writes it)");
}

TEST_CASE("the command that joins subwords depends on their mark", "[text]") {
  CHECK(marks_of({"ein Ha@@ us Hu@@"}).command() == "sed -E 's/@@( |$)//g'");
  const SubwordMarks bars = marks_of({"\u2581ein \u2581Ha us"});
  CHECK(bars.text() == "2 of 3 words have a subword marker (U+2581, as SentencePiece writes it)");
  CHECK(bars.command() == "sed 's/ //g; s/\u2581/ /g; s/^ //'");
}
