#include "catch.hpp"
#include "glassformer/batching/batch.hpp"
#include "text/texts.hpp"

using namespace glassformer;
using namespace glassformer::text_test;

namespace {

using Ids = std::vector<Id>;
using Sentences = std::vector<Index>;

Ids row(const IdMatrix& matrix, Index i) { return {matrix.row(i).begin(), matrix.row(i).end()}; }

/// Encodes each character as its code, with the special ids that the test chooses.
class LetterTokenizer final : public Tokenizer {
 public:
  explicit LetterTokenizer(SpecialIds special) : special_(special) {}
  std::vector<Id> encode(std::string_view sentence) const override { return {sentence.begin(), sentence.end()}; }
  std::string decode(std::span<const Id> ids) const override { return {ids.begin(), ids.end()}; }
  std::vector<std::string> unknown(std::string_view) const override { return {}; }
  std::string piece(Id id) const override { return std::string(1, static_cast<char>(id)); }
  Index vocabulary_size() const override { return 256; }
  SpecialIds special() const override { return special_; }
  void save(const fs::path&, const std::string&) const override {}

 private:
  SpecialIds special_;
};

/// Three pairs of sentences made of letters. The two sides have different special ids, and neither pad is 0.
Corpus letters() {
  const TemporaryDirectory directory;
  const TokenizerPair tokenizers = {std::make_shared<LetterTokenizer>(SpecialIds{11, 12, 13, 14}),
                                    std::make_shared<LetterTokenizer>(SpecialIds{24, 23, 22, 21})};
  return Corpus::read(directory.write("en", "a\nbcd\ne\n"), directory.write("de", "xyz\nu\nv\n"), tokenizers, 0);
}

}  // namespace

TEST_CASE("a batch is padded, shifted and ended with the special ids of each side", "[batching]") {
  const Corpus corpus = letters();
  const Batch batch = make_batch(corpus, Sentences{0, 1});
  CHECK(batch.size() == 2);
  CHECK(batch.sentences == Sentences{0, 1});
  REQUIRE(batch.source.cols() == 4);
  CHECK(row(batch.source, 0) == Ids{'a', 13, 11, 11});
  CHECK(row(batch.source, 1) == Ids{'b', 'c', 'd', 13});
  CHECK(row(batch.target_input, 0) == Ids{23, 'x', 'y', 'z'});
  CHECK(row(batch.target_input, 1) == Ids{23, 'u', 24, 24});
  CHECK(row(batch.target_output, 0) == Ids{'x', 'y', 'z', 22});
  CHECK(row(batch.target_output, 1) == Ids{'u', 22, 24, 24});
}

TEST_CASE("a batch is only as wide as its own sentences need, and keeps the requested order", "[batching]") {
  const Corpus corpus = letters();
  const Batch batch = make_batch(corpus, Sentences{2, 0});
  CHECK(batch.sentences == Sentences{2, 0});
  CHECK(batch.source.rows() == 2);
  CHECK(batch.source.cols() == 2);
  CHECK(batch.target_input.cols() == 4);
  CHECK(row(batch.source, 0) == Ids{'e', 13});
  CHECK(row(batch.source, 1) == Ids{'a', 13});
  CHECK(make_batch(corpus, Sentences{}).size() == 0);
}

TEST_CASE("token counts do not include padding", "[batching]") {
  const Corpus corpus = letters();
  TokenCount count = count_tokens(corpus, Sentences{0, 1});
  CHECK(count.source == 2 + 4);
  CHECK(count.target == 4 + 2);
  CHECK(count.cells == 2 * 4 + 2 * 4);

  const Corpus many = random_corpus(40, 5);
  const Batch batch = make_batch(many, Sentences{3, 9, 20});
  const TokenCount of_many = count_tokens(many, Sentences{3, 9, 20});
  const auto tokens = [](const IdMatrix& ids) { return (ids.eigen().array() != SpecialIds().pad).count(); };
  CHECK(of_many.source == tokens(batch.source));
  CHECK(of_many.target == tokens(batch.target_output));
  CHECK(of_many.target == tokens(batch.target_input));
  CHECK(of_many.cells == batch.source.size() + batch.target_output.size());

  count += count_tokens(corpus, Sentences{2});
  CHECK(count.source == 8);
  CHECK(count.target == 8);
  CHECK(count.cells == 20);
}
