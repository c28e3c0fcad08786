#include "text/parallel_text.hpp"

#include <fstream>

#include "catch.hpp"
#include "texts.hpp"

using namespace glassformer;
using namespace glassformer::text_test;

namespace {

/// Seven pairs: "w" and "x" so many times as the line has the number, from 1.
struct SevenPairs {
  TemporaryDirectory directory;
  fs::path source, target;
  TokenizerPair tokenizers;

  explicit SevenPairs(const std::string& end_of_line = "\n", const std::string& begin = "")
      : source(directory.write("train.en", begin + lines("w", end_of_line))),
        target(directory.write("train.de", lines("x", end_of_line))),
        tokenizers(make_tokenizers({}, source, target)) {}

  static std::string lines(const std::string& word, const std::string& end_of_line) {
    std::string text, line;
    for (int i = 0; i < 7; ++i) {
      line += (i == 0 ? "" : " ") + word;
      text += line + end_of_line;
    }
    return text;
  }
  ParallelText cut(Index part_lines) const { return {source, target, part_lines}; }
};

}  // namespace

TEST_CASE("a text is cut into parts of equally many lines, which together are all of it", "[text]") {
  const Index part_lines = GENERATE(range<Index>(1, 9));
  const std::string end_of_line = GENERATE("\n", "\r\n"), begin = GENERATE("", "\xEF\xBB\xBF");
  CAPTURE(part_lines);
  const SevenPairs files(end_of_line, begin);
  const ParallelText text = files.cut(part_lines);
  CHECK(text.lines() == 7);
  CHECK(text.parts() == (7 + part_lines - 1) / part_lines);
  Index line = 0;
  for (Index part = 0; part < text.parts(); ++part) {
    const Corpus corpus = text.read(part, files.tokenizers, 100);
    CHECK(corpus.size() == std::min(part_lines, 7 - line));
    for (Index i = 0; i < corpus.size(); ++i) {
      CHECK(corpus.line(i) == line);
      CHECK(std::ssize(corpus.source(i)) == line + 1);
      CHECK(std::ssize(corpus.target(i)) == line + 1);
      ++line;
    }
  }
  CHECK(line == 7);
}

TEST_CASE("parts can be read in any order, and again", "[text]") {
  const SevenPairs files;
  const ParallelText text = files.cut(3);
  for (const Index part : {2, 0, 1, 2}) {
    CHECK(text.read(part, files.tokenizers, 100).source(0).size() == static_cast<std::size_t>(3 * part + 1));
  }
}

TEST_CASE("the fingerprint of a text tells every change of it", "[text]") {
  const SevenPairs files;
  const Index fingerprint = files.cut(3).fingerprint();
  CHECK(fingerprint > 0);
  CHECK(files.cut(3).fingerprint() == fingerprint);
  const std::string before = SevenPairs::lines("x", "\n");
  const auto changed = [&](const std::string& text) {
    std::ofstream(files.target) << text;
    return files.cut(3).fingerprint();
  };
  CHECK(changed("y" + before.substr(1)) != fingerprint);
  CHECK(changed(before.substr(0, before.size() - 2) + "y\n") != fingerprint);
  CHECK(changed(before.substr(2) + "x\n") != fingerprint);
  CHECK(changed(before) == fingerprint);
}

TEST_CASE("files that change while they are trained on are refused", "[text]") {
  const SevenPairs files;
  const ParallelText text = files.cut(3);
  const std::string lines = SevenPairs::lines("x", "\n");
  const auto read = [&] { text.read(1, files.tokenizers, 100); };
  std::ofstream(files.target) << lines;
  CHECK_NOTHROW(read());
  std::ofstream(files.target) << lines.substr(0, lines.size() / 2) << 'y' << lines.substr(lines.size() / 2 + 1);
  CHECK(contains(complaint(read), "expected the lines that were there when the training began"));
  std::ofstream(files.target) << "x\n";
  CHECK(contains(complaint(read), "expected the lines that were there when the training began"));
}

TEST_CASE("lines that cannot be read, and files of unequal length, are refused before anything is trained", "[text]") {
  const SevenPairs files;
  std::ofstream(files.target, std::ios::app) << "x\n";
  CHECK(contains(complaint([&] { files.cut(3); }), "found 8"));
  std::ofstream(files.target) << SevenPairs::lines("x", "\n").substr(2) << "\xE4\n";
  CHECK(contains(complaint([&] { files.cut(3); }), "train.de:7: expected UTF-8"));
}

TEST_CASE("a file without a line is one part without a pair", "[text]") {
  const SevenPairs files;
  std::ofstream(files.source, std::ios::trunc).close();
  std::ofstream(files.target, std::ios::trunc).close();
  const ParallelText text = files.cut(3);
  CHECK(text.parts() == 1);
  CHECK(text.read(0, files.tokenizers, 100).size() == 0);
}
