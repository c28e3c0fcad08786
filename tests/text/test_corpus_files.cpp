#include <fstream>

#include "catch.hpp"
#include "text/corpus_files.hpp"
#include "texts.hpp"

using namespace glassformer;
using namespace glassformer::text_test;

namespace {

constexpr Index kPairs = 50, kPiece = 7;

std::pair<std::vector<Id>, std::vector<Id>> pair_of(Index i) {
  return {std::vector<Id>(static_cast<std::size_t>(1 + i % 5), static_cast<Id>(i)),
          std::vector<Id>(static_cast<std::size_t>(1 + i % 3), static_cast<Id>(1000 + i))};
}

/// Adds pairs up to the next piece's end. Every fourth line is left out.
bool read_more(Corpus& corpus, Index& next) {
  for (Index added = 0; added < kPiece && next < kPairs; ++added, ++next) {
    corpus.append(pair_of(next).first, pair_of(next).second, next + next / 3);
  }
  return next < kPairs;
}

/// All pairs, some of which are in memory before the rest follows.
Corpus moved_to(const fs::path& directory, const std::string& key = "key") {
  Corpus corpus(SpecialIds{.eos = 77}, SpecialIds{});
  Index next = 0;
  read_more(corpus, next);
  move_to_files(
      corpus, directory, [&] { return key; }, [&] { return read_more(corpus, next); });
  return corpus;
}

void check_pairs(const Corpus& corpus) {
  CHECK(corpus.is_mapped());
  CHECK(corpus.bytes_in_memory() == 0);
  REQUIRE(corpus.size() == kPairs);
  CHECK(SentencePairs(corpus).source_special.eos == 77);
  for (Index i = 0; i < kPairs; ++i) {
    const auto [source, target] = pair_of(i);
    CHECK(std::ranges::equal(corpus.source(i), source));
    CHECK(std::ranges::equal(corpus.target(i), target));
    CHECK(corpus.line(i) == i + i / 3);
  }
}

bool opens(const fs::path& directory, const std::string& key = "key") {
  Corpus corpus(SpecialIds{.eos = 77}, SpecialIds{});
  const bool opened = open_corpus(corpus, directory, key);
  if (opened) check_pairs(corpus);
  return opened;
}

std::size_t count_files(const fs::path& directory) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a corpus in files has the pairs that were added to it", "[text]") {
  const TemporaryDirectory directory;
  check_pairs(moved_to(directory / "corpus"));
  CHECK(count_files(directory.path()) == 1);
  CHECK(opens(directory / "corpus"));
}

TEST_CASE("a corpus in temporary files leaves nothing behind", "[text]") {
  const TemporaryDirectory directory;
  ::setenv("TMPDIR", directory.path().c_str(), 1);
  const Corpus corpus = moved_to({});
  ::unsetenv("TMPDIR");
  CHECK(count_files(directory.path()) == 0);  // although the corpus is still in use
  check_pairs(corpus);
}

TEST_CASE("a corpus is opened again only with its own key, and only if nothing of it has changed", "[text]") {
  const TemporaryDirectory directory;
  CHECK_FALSE(opens(directory / "none"));
  const fs::path corpus = directory / "corpus";
  moved_to(corpus);
  CHECK_FALSE(opens(corpus, "another"));
  for (const std::string name : {"ids", "offsets", "lines", "corpus.json"}) {
    for (const std::string damage : {"missing", "empty", "truncated", "changed"}) {
      if (name == "lines" && damage == "changed") continue;  // lines only appear in messages
      CAPTURE(name, damage);
      moved_to(corpus);
      REQUIRE(opens(corpus));
      const fs::path file = corpus / name;
      if (damage == "missing") fs::remove(file);
      if (damage == "empty") fs::resize_file(file, 0);
      if (damage == "truncated") fs::resize_file(file, fs::file_size(file) / 2);
      if (damage == "changed") std::fstream(file, std::ios::in | std::ios::out).seekp(8).put('\x7F');
      CHECK_FALSE(opens(corpus));
    }
  }
}

TEST_CASE("a corpus that cannot be read to its end leaves the one before it", "[text]") {
  const TemporaryDirectory directory;
  const fs::path path = directory / "corpus";
  moved_to(path);
  Corpus corpus;
  CHECK_THROWS_AS(move_to_files(
                      corpus, path, [] { return "new"; }, []() -> bool { throw UserError("line 9"); }),
                  UserError);
  CHECK(count_files(directory.path()) == 1);
  CHECK(opens(path));
}
