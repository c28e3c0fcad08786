#include <filesystem>
#include <fstream>
#include <set>

#include "catch.hpp"
#include "temporary_directory.hpp"
#include "text/corpus.hpp"

using namespace glassformer;

namespace {

/// A text of long words made of a few syllables, and a joint tokenizer for it with few pieces.
struct Text {
  test::TemporaryDirectory directory;
  std::filesystem::path file = directory / "text";
  TokenizerPair tokenizers;

  explicit Text(SentencePieceModel model) {
    std::ofstream output(file);
    const std::vector<std::string> syllables = {"schmet", "ter", "ling", "un", "wider", "steh", "lich", "flat", "tern"};
    for (std::size_t i = 0; i < 729; ++i) {
      output << syllables[i % 9] << syllables[i / 9 % 9] << syllables[i / 81] << (i % 3 == 2 ? '\n' : ' ');
    }
    output.close();
    TokenizerSettings settings;
    settings.kind = TokenizerKind::sentencepiece;
    settings.joint = true;
    settings.vocabulary_size = 50;
    settings.model = model;
    tokenizers = make_tokenizers(settings, file, file);
  }
  std::vector<std::vector<Id>> sample(std::uint64_t seed, double sampling) const {
    const std::string sentence = "unwiderstehlich schmetterling flatternstehend";
    Corpus corpus;
    with_sampling_seed(seed, [&] {
      for (int i = 0; i < 20; ++i) corpus.add(tokenizers, sentence, sentence, 0, sampling);
    });
    std::vector<std::vector<Id>> ways;
    for (Index i = 0; i < corpus.size(); ++i) ways.emplace_back(corpus.source(i).begin(), corpus.source(i).end());
    return ways;
  }
};

}  // namespace

TEST_CASE("Sampling splits a sentence into different pieces each time, which decode to the same sentence", "[text]") {
  const Text text(GENERATE(SentencePieceModel::bpe, SentencePieceModel::unigram));
  const Tokenizer& tokenizer = *text.tokenizers.source;
  const std::string sentence = "unwiderstehlich schmetterling";
  std::set<std::vector<Id>> ways;
  with_sampling_seed(1, [&] {
    for (int i = 0; i < 50; ++i) {
      ways.insert(tokenizer.encode(sentence, 0.1));
      CHECK(tokenizer.decode(tokenizer.encode(sentence, 0.1)) == sentence);
    }
  });
  CHECK(ways.size() > 5);
}

TEST_CASE("Samples depend only on the seed", "[text]") {
  const Text text(GENERATE(SentencePieceModel::bpe, SentencePieceModel::unigram));
  CHECK(text.sample(1, 0.2) == text.sample(1, 0.2));
  CHECK(text.sample(1, 0.2) != text.sample(2, 0.2));
  CHECK(text.sample(1, 0) == text.sample(2, 0));
  constexpr std::uint64_t kNoSeed = 0xFFFFFFFF;  // the library's value for "no seed"
  CHECK(text.sample(kNoSeed, 0.2) == text.sample(kNoSeed, 0.2));
}

TEST_CASE("An exception during sampling reaches the caller", "[text]") {
  CHECK_THROWS_AS(with_sampling_seed(1, [] { throw std::runtime_error("the disk"); }), std::runtime_error);
}
