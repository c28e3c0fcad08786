#include "catch.hpp"
#include "glassformer/files/lines.hpp"
#include "texts.hpp"

using namespace glassformer;
using namespace glassformer::text_test;

namespace {

using Ids = std::vector<Id>;

Ids copy(std::span<const Id> ids) { return {ids.begin(), ids.end()}; }

/// Two files, and tokenizers with a few words.
struct TwoTexts {
  TemporaryDirectory directory;
  fs::path source, target;
  TokenizerPair tokenizers;

  TwoTexts(const std::string& source_text, const std::string& target_text)
      : source(directory.write("train.en", source_text)),
        target(directory.write("train.de", target_text)),
        tokenizers(
            make_tokenizers({}, directory.write("words.en", "a b c d\n"), directory.write("words.de", "x y z\n"))) {}

  Corpus read(Index max_length = 0) const { return Corpus::read(source, target, tokenizers, max_length); }
  std::string complaint(Index max_length = 0) const {
    return text_test::complaint([&] { read(max_length); });
  }
};

}  // namespace

TEST_CASE("a corpus holds the ids of both sides, without eos, and their line numbers", "[text]") {
  const TwoTexts text("a b\nc\n", "x\ny z q\n");
  const Corpus corpus = text.read();
  REQUIRE(corpus.size() == 2);
  CHECK(copy(corpus.source(0)) == Ids{4, 5});
  CHECK(copy(corpus.source(1)) == Ids{6});
  CHECK(copy(corpus.target(0)) == Ids{4});
  CHECK(copy(corpus.target(1)) == Ids{5, 6, 3});
  CHECK(corpus.line(1) == 1);
}

TEST_CASE("pairs with an empty side are left out and counted, and lines keep their numbers", "[text]") {
  const TwoTexts text("\na\n  \nb\n\n", "x\n\n\ny\n\n");
  const Corpus corpus = text.read();
  REQUIRE(corpus.size() == 1);
  CHECK(corpus.line(0) == 3);
  CHECK(copy(corpus.source(0)) == Ids{5});
  CHECK(corpus.line_counts().empty == 4);
  CHECK(corpus.line_counts().too_long == 0);
}

TEST_CASE("pairs with more than max_length tokens on one side are left out and counted", "[text]") {
  const TwoTexts text("a a a\na a\na\na a a\n", "x\nx x\nx x x\nx x x\n");
  CHECK(text.read(2).size() == 1);
  CHECK(text.read(2).line_counts().too_long == 3);
  CHECK(text.read(2).line(0) == 1);
  CHECK(text.read(3).size() == 4);
  CHECK(text.read(0).size() == 4);  // 0: no limit
}

TEST_CASE("files with different numbers of lines are an error that gives both numbers", "[text]") {
  const TwoTexts less("a\nb\nc\n", "x\ny\n");
  CHECK(less.complaint() == less.target.string() + ": expected 3 lines, as many as in " + less.source.string() +
                                ", found 2; both files must have one sentence per line");
  const TwoTexts more("a\n", "x\ny\n\nz\n");
  CHECK(contains(more.complaint(), "train.de: expected 1 lines"));
  CHECK(contains(more.complaint(), "found 4;"));
  CHECK_FALSE(contains(more.complaint() + less.complaint(), "empty"));
  CHECK(contains(TwoTexts("a\n", "x\n\n \n").complaint(), "train.de are empty: remove them"));
  CHECK(contains(TwoTexts("a\n\n", "x\n").complaint(), ". The last line of "));
  CHECK(contains(TwoTexts("a\n\n", "x\n").complaint(), "train.en is empty: remove it"));
}

TEST_CASE("a corpus without a pair is an error that gives the reason", "[text]") {
  CHECK(contains(TwoTexts("", "").complaint(), "of 0 lines"));
  const std::string message = TwoTexts("a a\n\n", "x\ny\n").complaint(1);
  CHECK(contains(message, "of 2 lines, 1 have an empty side and 1 have more than 1 tokens"));
}

TEST_CASE("unreadable parallel text is an error that names the file", "[text]") {
  CHECK(contains(TwoTexts("a\n", "\xFF\n").complaint(), "train.de:1: expected UTF-8"));
  TwoTexts text("a\n", "x\n");
  text.target = text.directory.path() / "none.de";
  CHECK(contains(text.complaint(), "none.de: no such file"));
}

TEST_CASE("a corpus carries the special ids of both its tokenizers", "[text]") {
  const Corpus corpus(SpecialIds{.pad = 7, .bos = 8, .eos = 9, .unk = 5}, SpecialIds{.pad = 1});
  const SentencePairs pairs = corpus;
  CHECK(pairs.size() == 0);
  CHECK(pairs.source_special.pad == 7);
  CHECK(pairs.source_special.eos == 9);
  CHECK(pairs.target_special.pad == 1);
  const TwoTexts text("a\n", "x\n");
  const Corpus read = text.read();
  CHECK(SentencePairs(read).source_special.eos == 2);
}

TEST_CASE("the fingerprint of a text depends on every line, and equals that of version 0.1", "[text]") {
  const TemporaryDirectory directory;
  const auto of = [&](const std::string& source, const std::string& target) {
    ParallelReader reader(directory.write("a.en", source), directory.write("a.de", target));
    for (std::string a, b; reader.next(a, b);) {
    }
    return reader.fingerprint();
  };
  constexpr Index kOfVersion01 = 3437300837406339786;
  CHECK(of("a b\nc\n", "x\ny z\n") == kOfVersion01);
  CHECK(of("a b\r\nc", "x\ny z") == kOfVersion01);  // line endings do not count
  CHECK(of("a b\nd\n", "x\ny z\n") != kOfVersion01);
  CHECK(of("a b\nc\n", "x\ny y\n") != kOfVersion01);
  CHECK(of("c\na b\n", "y z\nx\n") != kOfVersion01);
  CHECK(of("", "") > 0);
}

TEST_CASE("the fingerprint of tokens depends on where a sentence ends", "[text]") {
  using Pair = std::pair<Ids, Ids>;
  const auto of = [](const std::vector<Pair>& pairs) {
    Corpus corpus;
    for (const auto& [source, target] : pairs) {
      corpus.append(source, target, corpus.size());
    }
    return fingerprint(corpus);
  };
  CHECK(of({{{1, 2}, {3}}}) == of({{{1, 2}, {3}}}));
  CHECK(of({{{1, 2}, {3}}}) != of({{{1}, {2, 3}}}));
  CHECK(of({{{1, 2}, {3}}}) != of({{{1, 2}, {4}}}));
}

TEST_CASE("the names of data files consist of directory, name and language", "[text]") {
  DataSettings settings;
  settings.directory = "data/toy";
  settings.source_language = "en";
  settings.target_language = "de";
  CHECK(settings.source_file("train") == fs::path("data/toy/train.en"));
  CHECK(settings.target_file("test.2016") == fs::path("data/toy/test.2016.de"));
}
