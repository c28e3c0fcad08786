#include <fcntl.h>
#include <sentencepiece_trainer.h>

#include <cstdio>
#include <iostream>
#include <map>
#include <numeric>
#include <random>

#include "catch.hpp"
#include "glassformer/files/checkpoint_file.hpp"
#include "glassformer/text/sentencepiece.hpp"
#include "texts.hpp"

using namespace glassformer;
using namespace glassformer::text_test;

namespace {

using Ids = std::vector<Id>;

TokenizerSettings sentencepiece_settings(SentencePieceModel model = SentencePieceModel::bpe, Index size = 80) {
  TokenizerSettings settings;
  settings.kind = TokenizerKind::sentencepiece;
  settings.model = model;
  settings.vocabulary_size = size;
  settings.joint = true;
  return settings;
}

std::shared_ptr<const Tokenizer> trained(const std::string& source, const std::string& target,
                                         const TokenizerSettings& settings) {
  const TemporaryDirectory directory;
  return make_tokenizers(settings, directory.write("train.en", source), directory.write("train.de", target)).source;
}

/// A .model file trained by the library itself, as a user would train it.
fs::path write_model(const TemporaryDirectory& directory, const std::map<std::string, std::string>& options) {
  std::unordered_map<std::string, std::string> all = {{"input", directory.write("model-text", sentences(500)).string()},
                                                      {"model_prefix", (directory.path() / "given").string()},
                                                      {"vocab_size", "70"},
                                                      {"model_type", "bpe"},
                                                      {"minloglevel", "3"}};
  for (const auto& [name, value] : options) {
    all[name] = value;
  }
  REQUIRE(sentencepiece::SentencePieceTrainer::Train(all).ok());
  return directory.path() / "given.model";
}

/// What `action` and the libraries it calls write to standard output and standard error.
std::string printed_by(const std::function<void()>& action) {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "printed";
  std::cout.flush();
  std::fflush(nullptr);
  const int out = ::dup(1);
  const int err = ::dup(2);
  const int sink = ::open(file.c_str(), O_CREAT | O_WRONLY, 0600);
  ::dup2(sink, 1);
  ::dup2(sink, 2);
  action();
  std::cout.flush();
  std::fflush(nullptr);
  ::dup2(out, 1);
  ::dup2(err, 2);
  for (const int descriptor : {out, err, sink}) {
    ::close(descriptor);
  }
  return read_checkpoint_file(file);
}

std::string saved(const Tokenizer& tokenizer) {
  const TemporaryDirectory directory;
  tokenizer.save(directory.path(), "source");
  return read_checkpoint_file(directory.path() / "source.spm");
}

}  // namespace

TEST_CASE("pieces of both kinds of models decode to the original sentence", "[text]") {
  for (const auto model : {SentencePieceModel::bpe, SentencePieceModel::unigram}) {
    const auto tokenizer = trained(sentences(500), sentences(500, 2), sentencepiece_settings(model));
    CHECK(tokenizer->vocabulary_size() == 80);
    for (const std::string sentence : {"gulinsta sucht it .", "zw\u00F6bane paints das Fenster .", "a"}) {
      const Ids ids = tokenizer->encode(sentence);
      CHECK(std::ranges::all_of(ids, [](Id id) { return id > 3 && id < 80; }));
      CHECK(tokenizer->decode(ids) == sentence);
    }
    CHECK(tokenizer->encode("").empty());
    CHECK(tokenizer->encode(" \u200B ").empty());  // nothing is left of it after normalisation
  }
}

TEST_CASE("a trained model has pad 0, bos 1, eos 2, unk 3, and their names in a text are ordinary text", "[text]") {
  const auto tokenizer = trained(sentences(500), "", sentencepiece_settings());
  const SpecialIds special = tokenizer->special();
  CHECK(Ids{special.pad, special.bos, special.eos, special.unk} == Ids{0, 1, 2, 3});
  CHECK(tokenizer->piece(0) == "<pad>");
  CHECK(tokenizer->piece(3) == "<unk>");
  for (const Id id : tokenizer->encode("<s> the </s> <pad> <unk>")) {
    CHECK(id >= special.unk);
  }
}

TEST_CASE("decoding leaves out pad, bos and eos and shows unk", "[text]") {
  const auto tokenizer = trained(sentences(500), "", sentencepiece_settings());
  Ids ids = tokenizer->encode("the boat .");
  ids.insert(ids.begin(), 1);
  ids.insert(ids.end(), {2, 0, 0});
  CHECK(tokenizer->decode(ids) == "the boat .");
  CHECK(tokenizer->decode(Ids{1, 2, 0}).empty());
  CHECK(contains(tokenizer->decode(tokenizer->encode("the \u732B .")), "\u2047"));
}

TEST_CASE("every character of the training text has a piece, whichever file it is in", "[text]") {
  const auto tokenizer = trained(sentences(500), sentences(200) + "\u017B\n", sentencepiece_settings());
  const Ids ids = tokenizer->encode("\u017B");
  CHECK(std::ranges::count(ids, tokenizer->special().unk) == 0);
}

TEST_CASE("the same text gives the same pieces, byte for byte, and nothing is printed", "[text]") {
  for (const auto model : {SentencePieceModel::bpe, SentencePieceModel::unigram}) {
    std::string once;
    std::string again;
    const std::string printed = printed_by([&] {
      once = saved(*trained(sentences(500), sentences(300, 2), sentencepiece_settings(model)));
      again = saved(*trained(sentences(500), sentences(300, 2), sentencepiece_settings(model)));
    });
    CHECK(printed.empty());
    CHECK(once == again);
    CHECK_FALSE(once.empty());
  }
}

TEST_CASE("a vocabulary size that the text does not allow is an error that gives the limit and the key", "[text]") {
  for (const auto model : {SentencePieceModel::bpe, SentencePieceModel::unigram}) {
    for (const bool joint : {true, false}) {
      const auto train = [&](Index size, Index target_size = 0) {
        TokenizerSettings settings = sentencepiece_settings(model, size);
        settings.joint = joint;
        settings.target_vocabulary_size = target_size;
        return complaint([&] { trained(sentences(500), sentences(500), settings); });
      };
      const auto limit = [](const std::string& message, const std::string& words) {  // the number after these words
        const std::size_t at = message.find(words);
        REQUIRE(at != std::string::npos);
        return std::stol(message.substr(at + words.size()));
      };
      const std::string large = train(5000);
      const std::string small = train(10);
      CAPTURE(large, small);
      const Index most = limit(large, "tokenizer.vocabulary_size: expected at most ");
      const Index least = limit(small, "tokenizer.vocabulary_size: expected at least ");
      CHECK(contains(large, "train.en and ") == joint);
      CHECK(contains(large, ", found 5000; set " + std::string(joint ? "tokenizer.vocabulary_size to "
                                                                     : "tokenizer.source_vocabulary_size to ")));
      CHECK(contains(small, "tokenizer.character_coverage"));
      CHECK_FALSE(contains(large + small, "--"));
      CHECK(train(most).empty());
      CHECK_FALSE(train(most + 1).empty());
      CHECK(train(least).empty());
      CHECK_FALSE(train(least - 1).empty());
      if (!joint) {
        CHECK(contains(train(least, 5000), "train.de, found 5000; set tokenizer.target_vocabulary_size"));
      }
    }
  }
}

TEST_CASE("the normalization is the one that the key names, and identity keeps every character", "[text]") {
  const std::string special = "ｆｕｌｌ a\u200Cb \u00BD m\u00B2 \u2026 \u2122 GROSS \uFB01";
  const std::string text = sentences(300) + special + "\n";
  const auto back = [&](Normalization normalization, const std::string& sentence) {
    TokenizerSettings settings = sentencepiece_settings(SentencePieceModel::bpe, 120);
    settings.normalization = normalization;
    const auto tokenizer = trained(text, text, settings);
    return tokenizer->decode(tokenizer->encode(sentence));
  };
  CHECK(back(Normalization::identity, special) == special);
  CHECK(back(Normalization::identity, "  a  b ") == "a b");          // but not extra spaces
  CHECK(contains(back(Normalization::identity, "a\tb"), "\u2047"));  // a tab is unk: no piece can contain it
  CHECK(back(Normalization::nmt_nfkc, "a\tb") == "a b");
  CHECK(back(Normalization::nmt_nfkc, special) == "full a b 1\u20442 m2 ... TM GROSS fi");
  CHECK(back(Normalization::nfkc, special) == "full a\u200Cb 1\u20442 m2 ... TM GROSS fi");
  CHECK(back(Normalization::nmt_nfkc_cf, special) == "full a b 1\u20442 m2 ... tm gross fi");
  CHECK(back(Normalization::nfkc_cf, special) == "full a\u200Cb 1\u20442 m2 ... tm gross fi");
}

TEST_CASE("without full coverage, the rarest characters become unk and are listed", "[text]") {
  TokenizerSettings settings = sentencepiece_settings();
  settings.character_coverage = 0.9995;
  const auto tokenizer = trained(sentences(500), sentences(500) + "the boat \u732B .\n", settings);
  CHECK(tokenizer->unknown("the boat \u732B .") == std::vector<std::string>{"\u732B"});
  CHECK(tokenizer->unknown("the boat .").empty());
  settings.character_coverage = 1;
  CHECK(trained(sentences(500), sentences(500) + "the boat \u732B .\n", settings)->unknown("\u732B").empty());
}

TEST_CASE("a remark says how many lines the tokenizer skipped", "[text]") {
  const TemporaryDirectory directory;
  const fs::path text = directory.write(
      "train.en", sentences(500) + std::string(4193, 'a') + "\n" + std::string(4192, 'a') + "\n\u2585 a\n");
  TokenizerSettings settings = sentencepiece_settings();
  const auto remarks = make_tokenizers(settings, text, directory.write("train.de", "der Hund\n")).source->remarks;
  REQUIRE(remarks.size() == 2);
  CHECK(contains(remarks[0].text, "train.de: the tokenizer skipped 1 of 504 lines, because they have more than 4192"));
  CHECK(contains(remarks[1].text, "1 of 504 lines, because they contain U+2585"));
  CHECK(remarks[0].is_warning);
  CHECK(make_tokenizers(settings, directory.write("short.en", sentences(500)), directory.path() / "train.de")
            .source->remarks.empty());
}

TEST_CASE("text without anything to learn is an error and does not abort the process", "[text]") {
  const std::string long_line = std::string(70000, 'a') + "\n";
  for (const auto model : {SentencePieceModel::bpe, SentencePieceModel::unigram}) {
    for (const std::string& text :
         {std::string(), std::string("\n \n"), std::string("\u200B\n\u0001\n"), std::string("\u2585 a\n"), long_line}) {
      CAPTURE(text.size());
      CHECK(contains(complaint([&] { trained(text, text, sentencepiece_settings(model)); }),
                     "there is no text to train a tokenizer on"));
    }
    // Among other lines they do no harm.
    trained(sentences(500) + long_line, "\n\u2585 a\n\u0001\n", sentencepiece_settings(model));
  }
}

TEST_CASE("an error in the text is reported during training", "[text]") {
  const std::string message = complaint([] { trained(sentences(3), "a\nb\xFF\n", sentencepiece_settings()); });
  CHECK(contains(message, "train.de:2: expected UTF-8 text"));
}

TEST_CASE("SentencePiece tokenizers can be saved and loaded", "[text]") {
  const TemporaryDirectory directory;
  const fs::path english = directory.write("train.en", sentences(500));
  const fs::path german = directory.write("train.de", sentences(500, 3));
  for (const bool joint : {true, false}) {
    TokenizerSettings settings = sentencepiece_settings();
    settings.joint = joint;
    const TokenizerPair made = make_tokenizers(settings, english, german);
    save_tokenizers(settings, made, directory.path());
    const TokenizerPair loaded = load_tokenizers(settings, directory.path());
    CHECK(saved(*loaded.source) == saved(*made.source));
    CHECK(saved(*loaded.target) == saved(*made.target));
    CHECK((loaded.source == loaded.target) == joint);
    CHECK(loaded.target->encode("der B\u00E4r") == made.target->encode("der B\u00E4r"));
    const bool same_files =
        read_checkpoint_file(directory.path() / "source.spm") == read_checkpoint_file(directory.path() / "target.spm");
    CHECK(same_files == joint);
  }
}

TEST_CASE("an existing model keeps the special ids it was trained with", "[text]") {
  const TemporaryDirectory directory;
  const fs::path text = directory.write("train.en", sentences(500));
  TokenizerSettings settings = sentencepiece_settings();
  settings.source_model = write_model(directory, {{"pad_id", "3"}, {"unk_id", "0"}});
  const TokenizerPair joint = make_tokenizers(settings, text, text);
  const SpecialIds special = joint.source->special();
  CHECK(Ids{special.pad, special.bos, special.eos, special.unk} == Ids{3, 1, 2, 0});
  CHECK(joint.source->vocabulary_size() == 70);  // vocabulary_size is only for training
  CHECK(joint.target == joint.source);
  CHECK(joint.source->decode(Ids{1, 2, 3}).empty());

  settings.joint = false;  // the target has no model, so it is trained
  const TokenizerPair separate = make_tokenizers(settings, text, text);
  CHECK(separate.source->special().pad == 3);
  CHECK(separate.target->special().pad == 0);
  CHECK(separate.target->vocabulary_size() == 80);
}

TEST_CASE("an existing model that lacks pad, bos or eos gets them as its last pieces", "[text]") {
  const TemporaryDirectory directory;
  const fs::path text = directory.write("train.en", sentences(500));
  TokenizerSettings settings = sentencepiece_settings();
  const auto special_of = [](const Tokenizer& tokenizer) {
    const SpecialIds special = tokenizer.special();
    return Ids{special.pad, special.bos, special.eos, special.unk};
  };

  settings.source_model = write_model(directory, {});  // spm_train's defaults: no pad
  const TokenizerPair defaults = make_tokenizers(settings, text, text);
  CHECK(special_of(*defaults.source) == Ids{70, 1, 2, 0});
  REQUIRE(defaults.source->remarks.size() == 1);
  CHECK(contains(defaults.source->remarks[0].text,
                 "given.model: the model has no pad, so the piece <pad> is added, with id 70"));

  write_model(directory, {{"unk_id", "0"}, {"bos_id", "-1"}, {"eos_id", "-1"}, {"user_defined_symbols", "<pad>,<s>"}});
  const TokenizerPair made = make_tokenizers(settings, text, text);
  CHECK(special_of(*made.source) == Ids{70, 71, 72, 0});
  CHECK(made.source->vocabulary_size() == 73);
  CHECK(made.source->piece(70) == "<pad>_");  // because <pad> is a piece of the text
  CHECK(made.source->piece(71) == "<s>_");
  CHECK(made.source->piece(72) == "</s>");
  const std::string sentence = "gulinsta sucht it .";
  CHECK(made.source->encode(sentence) ==
        SentencePieces(read_checkpoint_file(settings.source_model), "").encode<Id>(sentence));
  CHECK(made.source->decode(made.source->encode(sentence)) == sentence);
  CHECK(made.source->decode(Ids{71, 72, 70}).empty());

  save_tokenizers(settings, made, directory.path());  // the saved model has them, too, for us and for other tools
  const TokenizerPair loaded = load_tokenizers(settings, directory.path());
  CHECK(special_of(*loaded.source) == special_of(*made.source));
  CHECK(loaded.source->vocabulary() == made.source->vocabulary());
  CHECK(saved(*loaded.source) == saved(*made.source));
  const SentencePieces pieces(saved(*loaded.source), "");
  CHECK(Ids{pieces.processor.pad_id(), pieces.processor.bos_id(), pieces.processor.eos_id()} == Ids{70, 71, 72});
}

TEST_CASE("a checkpoint's model without pad, bos and eos is an error: its weights have no rows for them", "[text]") {
  const TemporaryDirectory directory;
  const auto complaint_of = [&](const std::map<std::string, std::string>& options) {
    const fs::path model = write_model(directory, options);
    return complaint([&] { read_sentencepiece(model); });
  };
  CHECK(contains(complaint_of({}), "without pad; train it with --pad_id=0"));
  CHECK(contains(complaint_of({{"pad_id", "0"}, {"unk_id", "1"}, {"bos_id", "-1"}, {"eos_id", "-1"}}),
                 "without bos, eos;"));
}

TEST_CASE("a model with damaged bytes is refused or works, but never crashes the library", "[text]") {
  const TemporaryDirectory directory;
  const std::string rule = GENERATE("nmt_nfkc", "identity");
  const std::string model = read_checkpoint_file(write_model(
      directory,
      {{"pad_id", "3"}, {"byte_fallback", "true"}, {"vocab_size", "290"}, {"normalization_rule_name", rule}}));
  std::mt19937 random(1);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  int refused = 0;
  constexpr int kTried = 200;
  for (int i = 0; i < kTried; ++i) {
    std::string damaged = model;
    const std::size_t flips = below(4) + 1;
    const std::size_t near = below(3) == 0 ? model.size() : 12'000;  // the pieces, and their types
    for (std::size_t flip = 0; flip < flips; ++flip) {
      damaged[below(std::min(near, model.size()))] ^= static_cast<char>(1 << below(8));
    }
    if (below(10) == 0) {
      damaged.resize(below(damaged.size()));
    }
    refused +=
        !complaint([&] {
           const auto tokenizer = read_sentencepiece(directory.write("damaged.model", damaged));
           for (const std::string sentence : {"A man sleeps \u2460 \u00C4\u0308 \uFB01.", "\U0001F642 x\u200By"}) {
             static_cast<void>(tokenizer->decode(tokenizer->encode(sentence)));
           }
           std::vector<Id> all(static_cast<std::size_t>(tokenizer->vocabulary_size()));
           std::iota(all.begin(), all.end(), Id{0});
           CHECK(tokenizer->decode(all).find('\n') == std::string::npos);
         }).empty();
  }
  CHECK(refused > kTried / 10);
}

TEST_CASE("each check of a model's structure finds its mistake", "[text]") {
  const TemporaryDirectory directory;
  const std::string model = read_checkpoint_file(write_model(directory, {{"pad_id", "3"}}));
  const auto field = [](int number, const std::string& bytes) {
    std::string length;
    for (std::size_t rest = bytes.size(); rest > 0 || length.empty(); rest >>= 7) {
      length += static_cast<char>((rest & 0x7F) | (rest > 0x7F ? 0x80 : 0));
    }
    return std::string(1, static_cast<char>(number << 3 | 2)) + length + bytes;
  };
  const auto complaint_of = [&](const std::string& added) {
    return complaint([&] { check_sentencepiece_model(model + added, "model"); });
  };
  CHECK(complaint_of(field(1, field(1, "piece"))).empty());
  CHECK(contains(complaint_of(field(1, field(1, "a\nb"))), "the piece \"a\\x0Ab\""));
  CHECK(contains(complaint_of(field(1, field(1, "a\xFF"))), "not UTF-8"));
  CHECK(contains(complaint_of(field(1, field(1, std::string(1, '\0')))), "not UTF-8"));
  CHECK(contains(complaint_of(field(1, std::string("\x15\x00\x00\xC0\x7F", 5))), "not finite"));
  CHECK(contains(complaint_of(field(1, "\x0A\x7F")), "cut off"));
  CHECK(contains(complaint_of("\x0B"), "unknown type"));
  CHECK(contains(complaint_of("\x08" + std::string(12, '\xFF')), "too long"));

  // A trie of 256 units, the first two of which are given, and the replacements.
  const auto table = [&](std::uint32_t first, std::uint32_t second, const std::string& replacements) {
    std::vector<std::uint32_t> words(257, 0x8000'0000);
    words[0] = 4 * 256;
    words[1] = first;
    words[2] = second;
    return field(3, field(2, std::string(reinterpret_cast<const char*>(words.data()), 4 * 257) + replacements));
  };
  const std::string end(1, '\0');
  constexpr std::uint32_t kReplaced = 0x100 | 1 << 10;
  constexpr std::uint32_t kValue = 0x8000'0000;  // the second unit has the position
  CHECK(complaint_of(table(0, kValue, end)).empty());
  CHECK(complaint_of(table(kReplaced, kValue | 1, "a" + end)).empty());
  CHECK(contains(complaint_of(table(kReplaced, kValue | 2, "a" + end)), "replacements are missing"));
  CHECK(contains(complaint_of(table(0, kValue, "a")), "without an end"));
  CHECK(contains(complaint_of(table(0, kValue, "")), "without an end"));
  CHECK(contains(complaint_of(table(256 << 10, kValue, end)), "outside itself"));
  CHECK(contains(complaint_of(table(kValue | 256 << 10, kValue, end)), "outside itself"));  // the root is not a value
  CHECK(contains(complaint_of(table(0, 1 | 1 << 10, end)), "more than 32 bytes"));          // the unit is its own child
  std::string user_defined = field(1, std::string(64, 'a')) + "\x18\x04";
  std::string longer = field(1, std::string(65, 'a')) + "\x18\x04";
  CHECK(complaint_of(field(1, user_defined)).empty());
  CHECK(contains(complaint_of(field(1, longer)), "a user-defined piece over 64 bytes"));
  const std::string before = "\x18\x04" + field(1, std::string(65, 'a'));  // fields may have any order
  CHECK(contains(complaint_of(field(1, before)), "a user-defined piece over 64 bytes"));
  const std::string beyond = field(1, std::string(65, 'a')) + "\x18\x84\x80\x80\x80\x10";  // 2^32 + 4
  CHECK(contains(complaint_of(field(1, beyond)), "a user-defined piece over 64 bytes"));
  const std::string twice = longer + "\x18\x64";  // the library ignores the unknown type 100
  CHECK(contains(complaint_of(field(1, twice)), "a user-defined piece over 64 bytes"));
  CHECK(contains(complaint_of(field(5, field(2, "abc" + end))), "cut off"));
}

TEST_CASE("a line break from byte pieces becomes a space", "[text]") {
  const TemporaryDirectory directory;
  const auto tokenizer = read_sentencepiece(write_model(
      directory,
      {{"pad_id", "3"}, {"byte_fallback", "true"}, {"vocab_size", "290"}, {"normalization_rule_name", "identity"}}));
  CHECK(tokenizer->decode(tokenizer->encode("a\nb\rc")) == "a b c");
}

TEST_CASE("a missing or damaged model is an error", "[text]") {
  const TemporaryDirectory directory;
  const fs::path text = directory.write("train.en", sentences(500));
  TokenizerSettings settings = sentencepiece_settings();
  const std::string model = read_checkpoint_file(write_model(directory, {{"pad_id", "3"}}));
  const auto complaint_of = [&](const std::string& bytes) {
    settings.source_model = directory.write("damaged.model", bytes);
    return complaint([&] { make_tokenizers(settings, text, text); });
  };
  CHECK(complaint_of(model).empty());
  CHECK(contains(complaint_of(model + "\x0B"), "damaged.model: expected an intact SentencePiece model"));
  CHECK(contains(complaint_of(model + "\x0B"), "a field of an unknown type"));
  for (const std::string& bytes : {std::string(), std::string("no model\n"), model.substr(0, model.size() / 2)}) {
    CHECK(contains(complaint_of(bytes), "damaged.model: expected a"));
    CHECK(contains(complaint_of(bytes), "SentencePiece model, found"));
  }
  settings.source_model = directory.path() / "none.model";
  CHECK(contains(complaint([&] { make_tokenizers(settings, text, text); }), "none.model: cannot be opened"));
  CHECK(contains(complaint([&] { load_tokenizers(settings, directory.path()); }), "source.spm: cannot be opened"));
}
