#include "program/program.hpp"

using namespace glassformer::program_test;

namespace {

/// A config for a run of one update on texts in the directory d.
void write_text_config(const Program& program, const std::string& tokenizer) {
  write_bytes(program / "c.yaml",
              "data: {directory: d, source_language: en, target_language: fa}\n"
              "tokenizer: {" +
                  tokenizer +
                  "}\n"
                  "model: {d_model: 8, heads: 2, encoder_layers: 1, decoder_layers: 1, d_ff: 8}\n"
                  "training: {max_updates: 1}\n");
}

void write_texts(const Program& program, const std::string& source, const std::string& target) {
  fs::create_directories(program / "d");
  for (const char* name : {"train", "valid"}) {
    write_bytes(program / "d" / (std::string(name) + ".en"), source);
    write_bytes(program / "d" / (std::string(name) + ".fa"), target);
  }
}

}  // namespace

TEST_CASE("train says what normalization does to the references, once, in its log; identity keeps them", "[program]") {
  const Program program;
  std::string source;
  std::string target;
  for (int i = 0; i < 30; ++i) {
    source += std::string(1, static_cast<char>('a' + i % 10)) + " tables\n";
    target += std::string(1, static_cast<char>('k' + i % 10)) + " m\u200Ca\n";
  }
  write_texts(program, source, target);
  write_text_config(program, "kind: sentencepiece, vocabulary_size: 28, target_vocabulary_size: 20");
  const auto trained = program.run("train c.yaml --output run");
  CAPTURE(trained.err);
  CHECK(trained.status == 0);
  const std::string expected =
      "warning: 30 of 30 validation references (100.00%) change when the tokenizer encodes and decodes them, so even a "
      "perfect model reaches at most 0.00% exact match";
  const std::string log = read_bytes(program / "run/train.log");
  CHECK(log.find(expected) != std::string::npos);
  CHECK(trained.err.find(expected) != std::string::npos);
  program.run("train c.yaml --output run --resume --set training.max_updates=2");
  CHECK(read_bytes(program / "run/train.log").find(expected, log.find(expected) + 1) == std::string::npos);

  const auto kept = program.run("train c.yaml --output kept --set tokenizer.normalization=identity");
  CAPTURE(kept.err);
  CHECK(kept.status == 0);
  CHECK(read_bytes(program / "kept/train.log").find("encodes and decodes") == std::string::npos);
}

TEST_CASE("a vocabulary size that one side does not allow is refused with that side's key and its range", "[program]") {
  const Program program;
  write_texts(program, "a b\nb a\n", "abcdefghijklmnopqrstuvwxyz\nzyx\n");
  write_text_config(program, "kind: sentencepiece, vocabulary_size: 30");
  const auto refused = program.run("train c.yaml --output run");
  check_refused(refused, "c.yaml: tokenizer.vocabulary_size: expected at most ");
  CHECK(refused.err.find("set tokenizer.source_vocabulary_size to ") != std::string::npos);
  check_refused(program.run("train c.yaml --output run --set tokenizer.vocabulary_size=8"),
                "d/train.fa, one for each of its characters, found 8; set tokenizer.target_vocabulary_size to ");
  CHECK_FALSE(fs::exists(program / "run"));
}

TEST_CASE("keys of the tokenizer that have no effect are named, but not those of a base", "[program]") {
  const Program program;
  write_texts(program, "a b\nb a\n", "c d\nd c\n");
  const auto warning = [&](const std::string& tokenizer) {
    write_text_config(program, tokenizer);
    const auto result =
        program.shell("\"$glassformer\" train c.yaml --output run; status=$?; rm -rf run; exit $status");
    CHECK(result.status == 0);
    const std::size_t at = result.err.find("c.yaml:2: ");
    return at == std::string::npos ? "" : result.err.substr(at, result.err.find('\n', at) - at);
  };
  CHECK(
      warning("kind: word, model: unigram, normalization: nfkc, min_frequency: 2") ==
      "c.yaml:2: tokenizer.model (tokenizer.kind is word), c.yaml:2: tokenizer.normalization (tokenizer.kind is word)");
  CHECK(warning("kind: sentencepiece, vocabulary_size: 8, min_frequency: 2") ==
        "c.yaml:2: tokenizer.min_frequency (only tokenizer.kind word uses it)");
  CHECK(warning("kind: word, model: bpe").empty());
  write_text_config(program, "kind: sentencepiece, vocabulary_size: 8, normalization: nfkc");
  write_bytes(program / "words.yaml", "base: c.yaml\ntokenizer: {kind: word}\n");
  const auto inherited = program.run("train words.yaml --output run");
  CHECK(inherited.status == 0);
  CHECK(inherited.err.find("no effect") == std::string::npos);
}

TEST_CASE("text in another format is refused, --invalid replace or not, from a file or a pipe", "[program]") {
  const Program program;
  REQUIRE(program.run("train " + config("debug") + " --output run").status == 0);
  const std::string wide("\xFF\xFEs\0h\0e\0 \0.\0\n\0", 14);
  const std::string zipped = "\x1F\x8B\x08 \n \n";
  write_bytes(program / "utf16.en", wide);
  for (const std::string more : {"", " --invalid replace"}) {
    check_refused(program.run("translate run --input utf16.en" + more),
                  "utf16.en: expected UTF-8 text, found UTF-16; convert it with iconv -f UTF-16 -t UTF-8\n");
    check_refused(program.run("translate run" + more, wide), "standard input: expected UTF-8 text, found UTF-16;");
    check_refused(program.run("translate run" + more, zipped),
                  "found a file compressed by gzip; unpack it with gunzip\n");
    check_refused(program.run("translate run" + more, "she .\rshe .\r"), "found only CR");
  }
  write_bytes(program / "c.yaml", wide);
  check_refused(program.run("train c.yaml --output other"), "c.yaml: expected UTF-8 text, found UTF-16;");
  check_refused(program.run("translate run", "gr\xFC\xDF\n"),
                "iconv -f WINDOWS-1252 -t UTF-8); save the file as UTF-8, or");
}
