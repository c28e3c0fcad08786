#include "catch.hpp"
#include "text/corpus.hpp"
#include "texts.hpp"

using namespace glassformer;
using namespace glassformer::text_test;

namespace {

constexpr Index kPairs = 300'000;  // over a million ids: written in several pieces

std::pair<std::vector<Id>, std::vector<Id>> pair_of(Index i) {
  return {std::vector<Id>(static_cast<std::size_t>(1 + i % 5), static_cast<Id>(i)),
          std::vector<Id>(static_cast<std::size_t>(1 + i % 3), static_cast<Id>(1000 + i))};
}

}  // namespace

TEST_CASE("a corpus in a file has the pairs added to it, and the file has no name", "[text]") {
  const TemporaryDirectory directory;
  Corpus corpus(SpecialIds{.eos = 77}, SpecialIds{});
  for (Index i = 0; i < kPairs; ++i) {
    corpus.append(pair_of(i).first, pair_of(i).second, i + i / 3);
    if (i == 20) corpus.move_to_file(directory.path());
  }
  corpus.map();
  CHECK(fs::is_empty(directory.path()));
  CHECK(corpus.is_in_file());
  REQUIRE(corpus.size() == kPairs);
  CHECK(SentencePairs(corpus).source_special.eos == 77);
  CHECK(std::ssize(SentencePairs(corpus).ids) == corpus.tokens());
  Index different = 0;
  for (Index i = 0; i < kPairs; ++i) {
    const auto [source, target] = pair_of(i);
    different += !std::ranges::equal(corpus.source(i), source) || !std::ranges::equal(corpus.target(i), target) ||
                 corpus.line(i) != i + i / 3;
  }
  CHECK(different == 0);
}

TEST_CASE("if no file can be created for a corpus, the error names the directory", "[text]") {
  const TemporaryDirectory directory;
  CHECK(contains(complaint([&] { Corpus().move_to_file(directory / "none"); }), (directory / "none").string()));
}
