#include "catch.hpp"
#include "glassformer/files/checkpoint_file.hpp"
#include "glassformer/text/tokenizer.hpp"
#include "texts.hpp"

using namespace glassformer;
using namespace glassformer::text_test;

namespace {

using Ids = std::vector<Id>;

/// The tokenizer learned from these texts (joint).
std::shared_ptr<const Tokenizer> learned(const std::string& source, const std::string& target = "",
                                         TokenizerSettings settings = {}) {
  const TemporaryDirectory directory;
  settings.joint = true;
  return make_tokenizers(settings, directory.write("train.en", source), directory.write("train.de", target)).source;
}

std::vector<std::string> pieces(const Tokenizer& tokenizer) {
  std::vector<std::string> all;
  for (Index id = 0; id < tokenizer.vocabulary_size(); ++id) {
    all.push_back(tokenizer.piece(static_cast<Id>(id)));
  }
  return all;
}

std::string complaint_of_vocabulary(const std::string& json) {
  const TemporaryDirectory directory;
  directory.write("source.vocab.json", json);
  directory.write("target.vocab.json", json);
  return complaint([&] { load_tokenizers({}, directory.path()); });
}

}  // namespace

TEST_CASE("words follow the special ids, most frequent first, ties in byte order", "[text]") {
  const auto tokenizer = learned("b a c\nB b \u00E4\n", "z b\n");
  CHECK(pieces(*tokenizer) ==
        std::vector<std::string>{"<pad>", "<s>", "</s>", "<unk>", "b", "B", "a", "c", "z", "\u00E4"});
  const SpecialIds special = tokenizer->special();
  CHECK(Ids{special.pad, special.bos, special.eos, special.unk} == Ids{0, 1, 2, 3});
}

TEST_CASE("any white space separates words", "[text]") {
  const auto tokenizer = learned("a b c d e f\n");
  CHECK(tokenizer->encode("  a\tb  c\u00A0d\u3000e\u2028f ") == Ids{4, 5, 6, 7, 8, 9});
  CHECK(tokenizer->encode("").empty());
  CHECK(tokenizer->encode(" \t\u2003").empty());
  CHECK(tokenizer->encode("ab") == Ids{3});
}

TEST_CASE("a word that is not in the vocabulary becomes unk and is decoded as <unk>", "[text]") {
  const auto tokenizer = learned("a b\n");
  CHECK(tokenizer->encode("a x b") == Ids{4, 3, 5});
  CHECK(tokenizer->decode(Ids{4, 3, 5}) == "a <unk> b");
}

TEST_CASE("decoding leaves out pad, bos and eos", "[text]") {
  const auto tokenizer = learned("a b\n");
  CHECK(tokenizer->decode(Ids{1, 4, 5, 4, 2, 0, 0}) == "a b a");
  CHECK(tokenizer->decode(Ids{1, 2, 0}).empty());
}

TEST_CASE("the name of a special id in a text becomes unk", "[text]") {
  const auto tokenizer = learned("<s> <s> a </s> <pad> <unk> <s>x\n");
  CHECK(pieces(*tokenizer) == std::vector<std::string>{"<pad>", "<s>", "</s>", "<unk>", "<s>x", "a"});
  CHECK(tokenizer->encode("<s> a </s> <pad> <unk>") == Ids{3, 5, 3, 3, 3});
}

TEST_CASE("words below min_frequency are left out, and so are the rarest beyond the vocabulary size", "[text]") {
  TokenizerSettings settings;
  settings.min_frequency = 2;
  CHECK(learned("a a b c c c\n", "", settings)->vocabulary_size() == 6);
  settings.min_frequency = 1;
  settings.vocabulary_size = 6;
  CHECK(pieces(*learned("a a b c c c\n", "", settings)) ==
        std::vector<std::string>{"<pad>", "<s>", "</s>", "<unk>", "c", "a"});
}

TEST_CASE("a vocabulary without words is an error", "[text]") {
  TokenizerSettings settings;
  CHECK(contains(complaint([&] { learned("\n \n", "", settings); }), "train.en: this file has no words"));
  settings.min_frequency = 3;
  CHECK(contains(complaint([&] { learned("a a b\n", "", settings); }), "no word occurs 3 times or more"));
}

TEST_CASE("each language has its own words unless the vocabulary is joint", "[text]") {
  const TemporaryDirectory directory;
  const fs::path english = directory.write("train.en", "a b\n");
  const fs::path german = directory.write("train.de", "c d e\n");
  const TokenizerPair separate = make_tokenizers({}, english, german);
  CHECK(separate.source->vocabulary_size() == 6);
  CHECK(separate.target->vocabulary_size() == 7);

  TokenizerSettings settings;
  settings.joint = true;
  const TokenizerPair joint = make_tokenizers(settings, english, german);
  CHECK(joint.source == joint.target);
  CHECK(joint.source->vocabulary_size() == 9);
}

TEST_CASE("word tokenizers can be saved and loaded", "[text]") {
  const TemporaryDirectory directory;
  const fs::path english = directory.write("train.en", "a \"quoted\\\" \u00E4 \u2581\n");
  const fs::path german = directory.write("train.de", sentences(50));
  for (const bool joint : {false, true}) {
    TokenizerSettings settings;
    settings.joint = joint;
    const TokenizerPair made = make_tokenizers(settings, english, german);
    save_tokenizers(settings, made, directory.path());
    const TokenizerPair loaded = load_tokenizers(settings, directory.path());
    CHECK(pieces(*loaded.source) == pieces(*made.source));
    CHECK(pieces(*loaded.target) == pieces(*made.target));
    CHECK((loaded.source == loaded.target) == joint);
    CHECK(loaded.target->encode("der B\u00E4r <s>") == made.target->encode("der B\u00E4r <s>"));
    const bool same_files = read_checkpoint_file(directory.path() / "source.vocab.json") ==
                            read_checkpoint_file(directory.path() / "target.vocab.json");
    CHECK(same_files == joint);
  }
}

TEST_CASE("other tools split a sentence into the same words, with a SentencePiece model and a table of ids", "[text]") {
  const TemporaryDirectory directory;
  const fs::path text = directory.write("train.en", "the dog \u00E4 \"quoted\\\" . . !\n");
  TokenizerSettings settings;
  settings.joint = true;
  const TokenizerPair words = make_tokenizers(settings, text, text);
  save_tokenizers(settings, words, directory.path());
  directory.write("config.json", R"({"vocab_size": )" + std::to_string(words.source->vocabulary_size()) +
                                     R"(, "pad_token_id": 0, "decoder_start_token_id": 1, "eos_token_id": 2})");
  const TokenizerPair others = load_marian_tokenizers(directory.path(), true);
  for (const char* sentence : {"the dog .", "  a  dog  , \u00E4 \"quoted\\\" !", "<unk> the", ""}) {
    CAPTURE(sentence);
    CHECK(others.source->encode(sentence) == words.source->encode(sentence));
  }
  CHECK(others.source->encode("the blue cat .").size() == 3);  // SentencePiece merges adjacent unknown words
  CHECK(others.target->decode(words.source->encode("the dog .")) == "the dog .");
}

TEST_CASE("a damaged vocabulary file is an error", "[text]") {
  CHECK(complaint_of_vocabulary(R"(["<pad>", "<s>", "</s>", "<unk>", "a"])").empty());
  for (const std::string text : {R"(["<pad>", "<s>", "</s>", "<unk>", "a")", "", "[\"<pad>\", \"\xFF\"]"}) {
    CAPTURE(text);
    CHECK(contains(complaint_of_vocabulary(text), "source.vocab.json: expected JSON"));
  }
  const std::string expected = "source.vocab.json: expected a JSON list of distinct words";
  for (const std::string text :
       {R"({"a": 1})", R"([1, 2, 3, 4])", R"(["<s>", "<pad>", "</s>", "<unk>", "a"])", R"(["<pad>"])",
        R"(["<pad>", "<s>", "</s>", "<unk>", "a", "a"])", R"(["<pad>", "<s>", "</s>", "<unk>", "a\nb"])",
        R"(["<pad>", "<s>", "</s>", "<unk>", "a\u2028"])", R"(["<pad>", "<s>", "</s>", "<unk>", ""])"}) {
    CAPTURE(text);
    CHECK(contains(complaint_of_vocabulary(text), expected));
  }
  const TemporaryDirectory empty;
  CHECK(contains(complaint([&] { load_tokenizers({}, empty.path()); }), "source.vocab.json: cannot be opened"));
}

TEST_CASE("unknown words are listed as they are spelled", "[text]") {
  const auto tokenizer = learned("a b\n");
  CHECK(tokenizer->unknown("a x b <s> x").size() == 3);
  CHECK(tokenizer->unknown("a x b <s> x")[1] == "<s>");
  CHECK(tokenizer->unknown("b a").empty());
}

TEST_CASE("each side may have a vocabulary size of its own", "[text]") {
  const TemporaryDirectory directory;
  const fs::path english = directory.write("train.en", "a a b b c\n");
  const fs::path german = directory.write("train.de", "x y z\n");
  TokenizerSettings settings;
  settings.vocabulary_size = 6;
  settings.source_vocabulary_size = 5;
  const TokenizerPair pair = make_tokenizers(settings, english, german);
  CHECK(pieces(*pair.source) == std::vector<std::string>{"<pad>", "<s>", "</s>", "<unk>", "a"});
  CHECK(pair.target->vocabulary_size() == 6);
  settings.target_vocabulary_size = 7;
  CHECK(make_tokenizers(settings, english, german).target->vocabulary_size() == 7);
}

TEST_CASE("a remark says how many words the vocabulary leaves out, and which key does so", "[text]") {
  const TemporaryDirectory directory;
  const fs::path english = directory.write("train.en", "a a a a b b b c c d\n");
  const fs::path german = directory.write("train.de", "x\n");
  TokenizerSettings settings;
  CHECK(make_tokenizers(settings, english, german).source->remarks.empty());
  settings.min_frequency = 2;
  settings.source_vocabulary_size = 6;
  const auto remarks = make_tokenizers(settings, english, directory.write("train.de", "x x\n")).source->remarks;
  REQUIRE(remarks.size() == 1);
  CHECK_FALSE(remarks[0].is_warning);
  CHECK(contains(remarks[0].text, "train.en: the vocabulary has 2 of 4 words; the others become unk, which is 30.00%"));
  CHECK(contains(remarks[0].text,
                 "(1 because of tokenizer.min_frequency: 2, 1 because of tokenizer.source_vocabulary_size: 6)"));
}
