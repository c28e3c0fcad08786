#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "glassformer/run/training_text.hpp"
#include "glassformer/setup/read_config.hpp"
#include "glassformer/setup/training_setup.hpp"
#include "temporary_directory.hpp"

using namespace glassformer;
using test::complaint;
using test::contains;
using test::TemporaryDirectory;

namespace {

namespace fs = std::filesystem;

/// Lines like "one two three", different each time, and longer than 10 tokens together.
std::string numbered(int count, const std::string& word) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += word + " " + std::string(1, static_cast<char>('a' + i % 26)) + " .\n";
  }
  return text;
}

/// The texts of a run.
struct Texts {
  std::string train_source = numbered(40, "dog"), train_target = numbered(40, "Hund");
  std::string valid_source = "dog b\n", valid_target = "Hund b\n";
};

/// A run's texts, its plan, and what the report says about them.
class Report {
 public:
  explicit Report(const Texts& texts, const TokenizerSettings& tokenizer = {}, bool has_valid = true) {
    data.directory = directory_.path();
    data.source_language = "en";
    data.target_language = "de";
    if (!has_valid) {
      data.valid = "";
    }
    directory_.write("train.en", texts.train_source);
    directory_.write("train.de", texts.train_target);
    directory_.write("valid.en", texts.valid_source);
    directory_.write("valid.de", texts.valid_target);
    plan.tokenizer = tokenizer;
  }

  std::vector<Remark> remarks() const {
    const TokenizerPair tokenizers =
        make_tokenizers(plan.tokenizer, data.source_file("train"), data.target_file("train"));
    return remarks_on(TrainingText(data, tokenizers), plan);
  }
  /// All remarks, one per line; warnings begin with "!".
  std::string text() const {
    std::string all;
    for (const Remark& remark : remarks()) {
      all += (remark.is_warning ? "! " : "  ") + remark.text + "\n";
    }
    return all;
  }

  DataSettings data;
  TrainingPlan plan;

 private:
  TemporaryDirectory directory_;
};

TokenizerSettings pieces(Index size) {
  TokenizerSettings settings;
  settings.kind = TokenizerKind::sentencepiece;
  settings.vocabulary_size = size;
  return settings;
}

std::string report(const Texts& texts, const TokenizerSettings& tokenizer = {}) {
  return Report(texts, tokenizer).text();
}

}  // namespace

TEST_CASE("ordinary texts, and those of the configs in this project, get no remark", "[training]") {
  CHECK(report({}).empty());
  for (const char* name : {"toy", "reverse", "debug"}) {
    CAPTURE(name);
    const Config config = read_config(fs::path(GLASSFORMER_SOURCE_DIR) / "configs" / (std::string(name) + ".yaml"));
    const TokenizerPair tokenizers = starting_tokenizers(config, "config.yaml");
    const std::vector<Remark> remarks =
        remarks_on(TrainingText(config.data, tokenizers), plan_training(config, tokenizers));
    for (const Remark& remark : remarks) {
      FAIL_CHECK(remark.text);
    }
  }
}

TEST_CASE("pairs that are left out are worth a warning from one in twenty on", "[training]") {
  const auto warns = [](int pairs, const std::string& source, const std::string& words) {
    Texts texts{.train_source = source + numbered(pairs - 1, "dog"), .train_target = numbered(pairs, "Hund")};
    Report report(texts);
    report.data.max_length = 5;
    return contains(report.text(), "! 1 of " + std::to_string(pairs) + " training pairs (" + words);
  };
  for (const std::string source : {"\n", "1 2 3 4 5 6\n"}) {
    CAPTURE(source);
    CHECK(warns(20, source, ""));
    CHECK_FALSE(warns(21, source, ""));
  }
}

TEST_CASE("unknown words are counted on each side of each text, with the most frequent ones", "[training]") {
  Texts texts;
  texts.valid_source = "dog cat cat bird\ncat dog\n";
  texts.valid_target = "Hund b\nHund b .\n";
  const std::string words = report(texts);
  CHECK(words ==
        "! 4 of 6 tokens (66.67%) in the source of the validation text are unknown to its tokenizer (unk), most "
        "often cat (3), bird (1); the training text has none, so check that this text was prepared in the same "
        "way, and that source and target are not swapped\n");

  TokenizerSettings rare;
  rare.min_frequency = 2;
  texts.train_source = numbered(52, "dog") + "dog a .\n";
  texts.train_target = numbered(52, "Hund") + "Katze a .\n";
  texts.valid_source = "dog b\n";
  texts.valid_target = "Hund b\n";
  const std::string frequency = report(texts, rare);
  CHECK(contains(frequency, "! 1 of 159 tokens (0.63%) in the target of the training text are unknown"));
  CHECK(contains(frequency, "most often Katze (1)"));
  CHECK(contains(frequency, "lower tokenizer.min_frequency"));
  CHECK(frequency.starts_with("  "));  // the vocabulary's own remark, which is not a warning
  CHECK_FALSE(contains(frequency, "the source of the training text"));
}

TEST_CASE("rare unknown words of the training text are no remark; those of the validation text are no warning",
          "[training]") {
  Texts texts;
  texts.train_source = numbered(1000, "dog");
  texts.train_target = numbered(1000, "Hund");
  texts.train_source += "cat a .\n";
  texts.train_target += "Katze a .\n";
  texts.valid_source = numbered(1000, "dog!") + "cat a .\n";
  texts.valid_target = numbered(1001, "Hund");
  texts.train_source += numbered(10, "dog!");
  texts.train_target += numbered(10, "Hund!");
  TokenizerSettings rare;
  rare.min_frequency = 2;
  const std::string remarks = report(texts, rare);
  CHECK_FALSE(contains(remarks, "of the training text"));
  CHECK(contains(remarks, "\n  1 of 3003 tokens (0.03%) in the source of the validation text"));
}

TEST_CASE("a hint says if unknown words are known in another case or another Unicode form", "[training]") {
  Texts texts;
  texts.valid_source = "DOG B\n";
  CHECK(contains(report(texts), "most are known in lower case"));
  texts = {};
  texts.train_target = numbered(40, "sch\u00F6n");
  texts.valid_target = "scho\u0308n b\n";
  CHECK(contains(report(texts), "convert this text to it, for example with uconv -x nfc"));
  texts.train_target = numbered(40, "scho\u0308n");
  texts.valid_target = "sch\u00F6n b\n";
  CHECK(contains(report(texts), "decomposed form (NFD)"));
}

TEST_CASE("advice on unknown words depends on whether training has learned the tokenizer of their side", "[training]") {
  Texts texts;
  texts.valid_source = numbered(40, "dog") + "dog %\n";
  texts.valid_target = numbered(40, "Hund") + "Hund %\n";
  const TemporaryDirectory models;
  {
    const Report usual(texts);
    const TokenizerPair learned =
        make_tokenizers(pieces(40), usual.data.source_file("train"), usual.data.target_file("train"));
    learned.source->save(models.path(), "source");
    learned.target->save(models.path(), "target");
  }
  const bool is_source_given = GENERATE(false, true);
  const bool is_target_given = GENERATE(false, true);
  const bool is_fine_tuned = GENERATE(false, true);
  CAPTURE(is_source_given, is_target_given, is_fine_tuned);
  TokenizerSettings settings = pieces(40);
  settings.source_model = is_source_given ? models / "source.spm" : "";
  settings.target_model = is_target_given ? models / "target.spm" : "";
  Report files(texts, settings);
  files.plan.model_from = is_fine_tuned ? "model" : "";
  const std::string remarks = files.text();
  const auto check = [&](const std::string& side, bool is_given) {
    const std::string beginning = "in the " + side + " of the validation text are unknown to its tokenizer";
    CAPTURE(remarks, side);
    REQUIRE(contains(remarks, beginning));
    const std::string rest = remarks.substr(remarks.find(beginning));
    CHECK(contains(rest.substr(0, rest.find('\n')), is_given || is_fine_tuned
                                                        ? "; its vocabulary is fixed"
                                                        : "; the tokenizer did not learn these characters"));
  };
  check("source", is_source_given);
  check("target", is_target_given);
}

TEST_CASE("of the references that change in the tokenizer, those with unknown words are counted", "[training]") {
  Texts texts;
  texts.valid_source = "dog a\ndog b\ndog c\n";
  texts.valid_target = "Hund a\nKatze b\nMaus c\n";
  CHECK(
      contains(report(texts),
               "! 2 of 3 validation references (66.67%) change when the tokenizer encodes and decodes them, so even a "
               "perfect model reaches at most 33.33% exact match; 2 of them contain unknown words; for example, "
               "\"Katze\" becomes \"<unk>\"\n"));
}

TEST_CASE("references that change in the tokenizer limit exact match; the report shows one and the key", "[training]") {
  Texts texts;
  texts.train_target = numbered(40, "Hund \u00BD a\u200Cb");
  texts.valid_target = "Hund b\nHund \u00BD b\n \n";
  texts.valid_source = "dog b\ndog b\ndog\n";
  TokenizerSettings settings = pieces(45);
  settings.source_vocabulary_size = 35;
  const std::string normalized = report(texts, settings);
  CHECK(normalized ==
        "! 1 of 3 validation references (33.33%) change when the tokenizer encodes and decodes them, so even "
        "a perfect model reaches at most 66.67% exact match; for "
        "example, \"\u00BD\" becomes \"1\u20442\"; tokenizer.normalization: identity keeps all "
        "characters but U+2581 and repeated spaces\n");
  settings.normalization = Normalization::identity;
  CHECK(report(texts, settings).empty());

  Report without_valid(texts, pieces(45), false);
  without_valid.plan.tokenizer.source_vocabulary_size = 35;
  CHECK(contains(without_valid.text(), "40 of 40 training targets (a sample) (100.00%) change"));
  CHECK(contains(without_valid.text(), "at most 0.00% exact match"));
}

TEST_CASE("targets beyond the limit of the search are counted, with a ratio that would suffice", "[training]") {
  Texts texts;
  std::string longest;
  for (int i = 0; i < 31; ++i) {
    longest += "x ";
  }
  texts.train_source += "dog a .\n";
  texts.train_target += longest + "\n";
  Report with_long(texts);
  const std::string remark = with_long.text();
  CHECK(contains(remark, "! 1 of 41 training targets (2.44%) are longer than 2 * source tokens + 10 tokens"));
  CHECK(contains(remark, "(decoding.max_length_ratio)"));
  CHECK(contains(remark, "a ratio of 7 would suffice"));
  with_long.plan.decoding.max_length_ratio = 7;
  CHECK(with_long.text().empty());
  with_long.plan.decoding.max_length_ratio = 6.9;
  CHECK_FALSE(with_long.text().empty());
  for (int i = 0; i < 10; ++i) {
    longest += longest.substr(0, 20);
  }
  texts.train_source = numbered(40, "dog") + "dog\n";
  texts.train_target = numbered(40, "Hund") + longest + "\n";
  Report too_long(texts);
  too_long.data.max_length = 1000;
  CHECK(contains(too_long.text(), "the largest ratio, 100, is not enough for 1 of them"));
}

TEST_CASE("any reference beyond the limit is a warning; so are training targets, unless they are few", "[training]") {
  std::string longest;
  for (int i = 0; i < 31; ++i) {
    longest += "x ";
  }
  const std::string limit = " are longer than 2 * source tokens + 10 tokens";
  Texts texts;
  texts.valid_source = numbered(2000, "dog") + "dog a .\n";
  texts.valid_target = numbered(2000, "Hund") + longest + "\n";
  const std::string of_references = report(texts);
  CHECK(contains(of_references, "! 1 of 2001 validation references (0.05%)" + limit));
  CHECK(contains(of_references, "a ratio of 7 would suffice"));
  CHECK_FALSE(contains(of_references, "training targets"));
  std::swap(texts.valid_source, texts.train_source);
  std::swap(texts.valid_target, texts.train_target);
  const std::string of_targets = report(texts);
  CHECK(contains(of_targets, "  1 of 2001 training targets (0.05%)" + limit));
  CHECK_FALSE(contains(of_targets, "validation references"));
}

TEST_CASE("text that is already split into subwords is reported", "[training]") {
  Texts texts;
  texts.train_target = numbered(40, "Hu@@ nd");
  texts.valid_target = "b Hu@@\n";  // at the end of the line
  const std::string signs = report(texts);
  CHECK(contains(signs, "! in the target of the training text, 40 of 160 words have a subword marker (@@, as "));
  CHECK(contains(signs,
                 "(@@, as subword-nmt writes it): translations will be split, too, and BLEU and exact match count "
                 "pieces; join the pieces with sed -E 's/@@( |$)//g', and let "));
  CHECK(contains(signs, "! in the target of the validation text, 1 of 2 words have a subword marker"));
  CHECK_FALSE(contains(signs, "in the source"));
  texts = {};
  texts.train_source = numbered(40, "\u2581do g");
  texts.valid_source = "\u2581do g b\n";
  const std::string bars = report(texts);
  CHECK(
      contains(bars,
               "! in the source of the training text, 40 of 160 words have a subword marker (U+2581, as SentencePiece "
               "writes it): translate will need text that is split in the same way; give the original text, and "));
  CHECK(contains(bars, "! in the source of the validation text, 1 of 3 words have a subword marker (U+2581"));
  CHECK_FALSE(contains(bars, "in the target"));
  CHECK_FALSE(contains(bars, "translations will be split"));
}

TEST_CASE("signs of mistakes in the files are reported", "[training]") {
  Texts texts;
  SECTION("source and target are the same text") {
    texts.train_target = texts.train_source;
    texts.valid_target = texts.valid_source;
    CHECK(contains(report(texts), "! 40 of 40 training pairs (100.00%) have the same text on both sides"));
    Report same(texts);
    same.data.target_language = "en";
    CHECK(contains(same.text(), "train.en is both the source and the target of the training text"));
    CHECK_FALSE(contains(same.text(), "on both sides"));
  }
  SECTION("validation pairs are in the training text") {
    texts.valid_source = texts.valid_target = "";
    for (const char* letter : {"c .", "c .", "b", "c", "d", "e", "f", "g", "h"}) {
      texts.valid_source += "dog " + std::string(letter) + "\n";
      texts.valid_target += "Hund " + std::string(letter) + "\n";
    }
    CHECK(report(texts).empty());  // with few pairs, someone is only trying things out
    texts.valid_source += "dog i\n";
    texts.valid_target += "Hund i\n";
    CHECK(contains(report(texts), "! 1 of 10 validation pairs (10.00%) are in the training text, too"));
  }
  SECTION("many pairs are left out") {
    Report too_long(texts);
    too_long.data.max_length = 3;
    CHECK(too_long.text().empty());
    texts.train_source += "dog a a .\ndog b b .\ndog c c .\n";
    texts.train_target += "Hund\nHund\nHund\n";
    Report longer(texts);
    longer.data.max_length = 3;
    CHECK(contains(longer.text(),
                   "! 3 of 43 training pairs (6.98%) are left out, because one side has more than 3 tokens"));
    texts.train_source += "\n\n\n";
    texts.train_target += "Hund\nHund\nHund\n";
    CHECK(contains(report(texts), "3 of 46 training pairs (6.52%) are left out, because one side is empty"));
  }
  SECTION("a carriage return inside a line") {
    texts.train_target += "Hund\rHund a .\n";
    texts.train_source += "dog a .\n";
    CHECK(
        contains(report(texts), "1 of 41 lines (2.44%) in the target of the training text contain a carriage return"));
  }
}

TEST_CASE("remarks about how the tokenizers were made are part of the report", "[training]") {
  Texts texts;
  texts.train_source += std::string(5000, 'a') + "\n";
  texts.train_target += "Hund a .\n";
  TokenizerSettings settings = pieces(40);
  settings.target_vocabulary_size = 40;
  CHECK(report(texts, settings).starts_with("! "));
  CHECK(contains(report(texts, settings), "train.en: the tokenizer skipped 1 of 41 lines"));
}

TEST_CASE("the sample of a long training text comes from all over it", "[training]") {
  const auto target_of = [](Index line) {
    std::string digits;
    for (const char digit : std::to_string(line)) {
      digits += std::string(digits.empty() ? "" : " ") + digit;
    }
    return digits;
  };
  const auto [pairs, step] = GENERATE(table<Index, Index>({{4000, 1}, {4001, 2}, {8000, 2}, {8001, 4}, {9000, 4}}));
  CAPTURE(pairs, step);
  Texts texts;
  texts.train_source = texts.train_target = "";
  for (Index line = 0; line < pairs; ++line) {
    texts.train_source += "x\n";
    texts.train_target += target_of(line) + "\n";
  }
  const Report files(texts, {}, false);
  const TokenizerPair tokenizers =
      make_tokenizers({}, files.data.source_file("train"), files.data.target_file("train"));
  const TrainingText text(files.data, tokenizers);
  std::vector<std::string> expected;
  for (Index line = 0; line < pairs; line += step) {
    expected.push_back(target_of(line));
  }
  CHECK((text.sample() == expected));
}

TEST_CASE("a text that changes while training reads it is an error", "[training]") {
  const Report files({});
  const fs::path target = files.data.target_file("train");
  const TokenizerPair tokenizers = make_tokenizers({}, files.data.source_file("train"), target);
  const TextWatch watch(files.data);
  const TrainingText unchanged(files.data, tokenizers, watch);
  unchanged.require_unchanged();
  std::ofstream(target, std::ios::app) << "Hund\n";
  const std::string expected =
      "train.de: the text was changed while training was reading it; wait until it is complete";
  CHECK(contains(complaint([&] { unchanged.require_unchanged(); }), expected));
  std::ofstream(files.data.source_file("train"), std::ios::app) << "dog\n";
  CHECK(contains(complaint([&] { TrainingText(files.data, tokenizers, watch); }), "was changed while"));
  TrainingText(files.data, tokenizers).require_unchanged();

  const TextWatch changed(files.data);
  fs::remove(target);
  fs::create_symlink(target.filename(), target);  // any error but a missing file is reported as it is
  CHECK(contains(complaint([&] { changed.require_unchanged(); }), "train.de: cannot be read"));
}
