#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "program/program.hpp"

// What evaluate, translate, score and explain tell their user besides the results.

using namespace glassformer::program_test;

namespace {

const std::string kTwoPairs = "she sleeps .\nthe small dog sees a house .\n";
const std::string kTwoTranslations = "sie schläft .\nder kleine hund sieht ein haus .\n";

/// The program, after training a model in "run" that knows two sentences by heart, with their text in a.en and a.de.
const Program& with_model() {
  static const Program program;
  static const int status = program.run("train " + config("debug") + " --output run").status;
  REQUIRE(status == 0);
  write_bytes(program / "a.en", kTwoPairs);
  write_bytes(program / "a.de", kTwoTranslations);
  return program;
}

const std::string kEvaluate = "evaluate run --source a.en --reference a.de ";

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// Makes a vector or a row of a matrix so large that the logits overflow, as training with a wild learning rate may.
void damage(const fs::path& checkpoint, const std::string& tensor, std::size_t row = 0) {
  std::string bytes = read_bytes(checkpoint / "model.safetensors");
  std::uint64_t header_size = 0;
  std::memcpy(&header_size, bytes.data(), sizeof header_size);
  const auto header = nlohmann::json::parse(bytes.substr(8, header_size));
  const auto& entry = header.at(tensor);
  const float huge = 3e38F;
  const std::size_t size = entry.at("shape").back().get<std::size_t>() * sizeof huge;
  const std::size_t begin = 8 + header_size + entry.at("data_offsets").at(0).get<std::size_t>() + row * size;
  for (std::size_t at = begin; at < begin + size; at += sizeof huge) {
    std::memcpy(&bytes[at], &huge, sizeof huge);
  }
  write_bytes(checkpoint / "model.safetensors", bytes);
  fs::remove(checkpoint / "SHA256SUMS");
}

}  // namespace

TEST_CASE("translate and evaluate say how many translations were cut off, and what to set", "[program]") {
  const Program& program = with_model();
  const std::string limit = " --set decoding.max_length_ratio=0";
  // Ten tokens are enough for these translations, so only a model that never ends is cut off.
  REQUIRE(program.run("train " + config("debug") + " --output cut --set training.max_updates=1").status == 0);
  const auto translated = program.run("translate cut --set decoding.max_length_ratio=1", "\n" + kTwoPairs);
  CAPTURE(translated.err);
  CHECK(translated.status == 0);
  CHECK(contains(translated.err, "translations were cut off at the length limit, 1 * source tokens + 10"));
  CHECK(contains(translated.err, "--set decoding.max_length_ratio=2"));
  CHECK(contains(translated.err, "(the first is that of line 2)"));
  CHECK(lines_in(translated.err) == 1);
  CHECK(contains(program.run("evaluate cut --source a.en --reference a.de").out, " of 2 translations were cut off"));
  const auto figures = nlohmann::json::parse(program.run("evaluate cut --source a.en --reference a.de --json").out);
  CHECK(figures.at(0).at("cut_off").get<int>() > 0);
  CHECK(contains(program.run("explain cut --source 'she sleeps .' --html /dev/null").err, "cut off at the length"));

  CHECK(program.run("translate run" + limit, kTwoPairs).err.empty());
  CHECK_FALSE(contains(program.run(kEvaluate + limit).out, "cut off"));
}

TEST_CASE("every key of decoding and evaluation can be set in evaluate and translate, and no other", "[program]") {
  const Program& program = with_model();
  const auto figures =
      nlohmann::json::parse(
          program
              .run(kEvaluate +
                   "--json --set decoding.beam=3 --set decoding.length_penalty=0.5 "
                   "--set decoding.early_stopping=true --set decoding.batch=1 --set decoding.max_length_ratio=7 "
                   "--set evaluation.bleu_tokenizer=char --set evaluation.lowercase=true")
              .out)
          .at(0);
  CHECK(figures.at("beam") == 3);
  CHECK(figures.at("length_penalty") == 0.5);
  CHECK(figures.at("early_stopping") == true);
  CHECK(figures.at("batch") == 1);
  CHECK(figures.at("max_length_ratio") == 7);
  CHECK(contains(figures.at("bleu_signature"), "case:lc|eff:no|tok:char"));
  CHECK(contains(figures.at("chrf_signature"), "case:lc"));

  const std::string translate = "translate run --set ";
  CHECK(program.run(translate + "decoding.beam=3 --n-best 3", "she sleeps .\n").out ==
        program.run("translate run --beam 3 --n-best 3", "she sleeps .\n").out);
  check_refused(program.run(translate + "model.dropout=0.2"), "you can set decoding.beam, decoding.length_penalty, ");
  check_refused(program.run(translate + "training.sum=ordered"), "you can set decoding.beam, ");
  check_refused(program.run(translate + "decoding.baem=2"), "did you mean decoding.beam?");
  check_refused(program.run(translate + "decoding.beam=0"), "from 1 to 1000, found 0");
  check_refused(program.run(translate + "decoding=0"), "expected a key, found a section");
  check_refused(program.run(kEvaluate + "--set evaluation.bleu_tokenizer=zhh"), "did you mean zh?");
  check_refused(program.run(translate + "decoding.beam=2 --beam 3"),
                "--beam is 3, but --set decoding.beam is 2; give only one");
  check_refused(program.run(translate + "decoding.batch=2 --batch 3"),
                "--batch is 3, but --set decoding.batch is 2; give only one");
  CHECK(program.run(translate + "decoding.beam=3 --beam 3", "she sleeps .\n").err.empty());

  // An option that makes no difference is not ignored in silence.
  CHECK(contains(program.run(translate + "evaluation.lowercase=true", "she sleeps .\n").err,
                 "--set evaluation.lowercase: translate does not use this key"));
  CHECK(contains(program.run("translate run --length-penalty 2", "she sleeps .\n").err, "no difference to greedy"));
  CHECK(contains(program.run(translate + "decoding.early_stopping=true", "she sleeps .\n").err, "no difference to"));
  CHECK(program.run("translate run --length-penalty 2 --n-best 1", "she sleeps .\n").err.empty());
  CHECK(program.run("translate run --length-penalty 2 --beam 2", "she sleeps .\n").err.empty());
}

TEST_CASE("unknown words are reported once, with their share and examples", "[program]") {
  const Program& program = with_model();
  const auto translated = program.run("translate run", "She sleeps .\n\nTHE dog sees a cat .\nShe sleeps .\n");
  CAPTURE(translated.err);
  CHECK(contains(
      translated.err,
      "warning: the model does not know 4 of 12 source tokens (33.33%), most often She (2), THE (1), cat (1), "));
  CHECK(contains(translated.err, "most are known in lower case: convert this text to lower case"));
  CHECK(lines_in(translated.err) == 1);

  std::string mostly_known = "She sleeps .\n";
  for (int i = 0; i < 20; ++i) {
    mostly_known += "she sleeps .\n";
  }
  const std::string few = program.run("translate run", mostly_known).err;
  CHECK(contains(few, "the model does not know 1 of 63 source tokens (1.59%), most often She (1)\n"));
  CHECK_FALSE(contains(few, "warning"));

  write_bytes(program / "u.de", "sie schläft !\nder kleine hund sieht ein Haus .\n");
  const auto evaluated = program.run("evaluate run --source a.en --reference u.de");
  CHECK(contains(evaluated.out,
                 "  (unknown to the model: 2 of 10 reference tokens (20.00%), most often ! (1), Haus (1))\n"));
  CHECK_FALSE(contains(evaluated.out, "source tokens ("));
  CHECK_FALSE(contains(program.run(kEvaluate).out, "unknown"));
  const auto scored = program.run("score run --source a.en --target u.de");
  CHECK(contains(scored.err, "warning: the model does not know 2 of 10 target tokens (20.00%)"));
  CHECK(program.run("score run --source a.en --target a.de").err.empty());
  write_bytes(program / "U.en", "SHE sleeps .\nthe small dog sees a house .\n");
  CHECK(contains(program.run("evaluate run --source U.en --reference a.de").err,
                 "U.en: 10.00% of the source tokens are unknown to the model; most are known in lower"));
}

TEST_CASE("no output replaces a file of a checkpoint or of a run", "[program]") {
  const Program& program = with_model();
  for (const char* file : {"run/train.log", "run/best/model.safetensors", "run/best"}) {
    check_refused(program.run(std::string("translate run --input a.en --output ") + file), ", which belongs to the ");
    for (const char* option : {"--html ", "--json "}) {
      check_refused(program.run(std::string("explain run --source 'she sleeps .' ") + option + file),
                    std::string(option, 6) + ": this would overwrite ");
    }
  }
  CHECK(program.run("translate run --input a.en --output run/a.translated").status == 0);
  CHECK(contains(program.run("explain run --source a.en --html /dev/null").err,
                 "warning: --source expects a sentence, but this is the name of a file: a.en"));
  CHECK(contains(program.run("explain run --source 'she sleeps .' --target a.de --html /dev/null").err,
                 "warning: --target expects a sentence, but this is the name of a file: a.de"));
}

TEST_CASE("lines longer than any in training are reported", "[program]") {
  const Program& program = with_model();
  std::string line;
  for (int i = 0; i < 101; ++i) {
    line += "dog ";
  }
  CHECK(contains(program.run("translate run", "she sleeps .\n" + line + "\n").err,
                 "1 of 2 lines have more than 100 tokens (the first is line 2); training left out such lines"));
}

TEST_CASE("logits that overflow are an error that names the line, not a certain translation", "[program]") {
  const Program& program = with_model();
  REQUIRE(program.shell("cp -rL run/best damaged").status == 0);
  damage(program / "damaged", "model.decoder.layers.0.final_layer_norm.weight");
  for (const char* beam : {"1", "3"}) {
    const auto translated = program.run(std::string("translate damaged --beam ") + beam, "\nshe sleeps .\n");
    CAPTURE(translated.err);
    CHECK(translated.status == 2);
    CHECK(translated.out == "\n");
    CHECK(contains(translated.err, "standard input:2: the model's logits overflow (they are infinite or NaN)"));
    CHECK(contains(translated.err, "use another checkpoint"));
  }
  for (const std::string json : {"", " --json"}) {
    const auto evaluated = program.run("evaluate damaged --source a.en --reference a.de" + json);
    CHECK(evaluated.status == 2);
    CHECK(evaluated.out.empty());
    CHECK(contains(evaluated.err, "a.en:1: the model's logits overflow"));
  }
  check_refused(program.run("score damaged --source a.en --target a.de"), "a.en:1: the model's logits overflow");
  for (const std::string target :
       {"", " --target 'sie schläft .'"}) {  // explain shows where the infinite numbers begin
    const auto explained = program.run("explain damaged --source 'she sleeps .'" + target);
    CAPTURE(explained.err);
    CHECK(explained.status == 0);
    CHECK(contains(explained.err, "the model's logits overflow, so the loss is infinite or NaN; the page shows where"));
  }
}

TEST_CASE("if the logits overflow only for one reference, its line is named, and no result before it is lost",
          "[program]") {
  const Program program;
  fs::copy(GLASSFORMER_SOURCE_DIR "/data/debug", program / "text");
  write_bytes(program / "text/first.en", "she sleeps .\n");
  write_bytes(program / "text/first.de", "sie schläft .\n");
  write_bytes(program / "text/second.en", "\nshe sleeps .\nshe sleeps .\n");
  write_bytes(program / "text/second.de", "\nsie schläft .\nder hund .\n");
  REQUIRE(program
              .run("train " + config("debug") +
                   " --output run --set model.tied_embeddings=none --set data.directory=text "
                   "--set 'data.tests=[first, second]'")
              .status == 0);
  REQUIRE(program.shell("cp -rL run/best damaged").status == 0);
  const auto words =
      nlohmann::json::parse(read_bytes(program / "run/best/target.vocab.json")).get<std::vector<std::string>>();
  const auto hund = static_cast<std::size_t>(std::ranges::find(words, "hund") - words.begin());
  damage(program / "damaged", "model.decoder.embed_tokens.weight", hund);  // a word that no translation contains
  const std::string message = "text/second.en:3: the model's logits overflow";
  const auto text = program.run("evaluate damaged");
  CHECK(text.status == 2);
  CHECK(text.out.starts_with("first: 1 pairs"));
  CHECK(contains(text.err, message));
  const auto json = program.run("evaluate damaged --json");
  CHECK(json.status == 2);
  const auto figures = nlohmann::json::parse(json.out);
  CHECK(figures.size() == 1);
  CHECK(figures.at(0).at("name") == "first");
  CHECK(contains(json.err, message));
  const auto scored = program.run("score damaged --source text/second.en --target text/second.de");
  CHECK(scored.status == 2);
  CHECK(lines_in(scored.out) == 2);
  CHECK(contains(scored.err, message));
}

TEST_CASE("evaluate says if a text was probably not meant", "[program]") {
  const Program& program = with_model();
  const auto same = program.run("evaluate run --source a.en --reference a.en");
  CHECK(contains(same.err, "a.en: the source and the reference are the same text"));
  CHECK(contains(program.run(kEvaluate + "--reference a.de").err, "names the file a.de twice"));
  CHECK_FALSE(contains(program.run(kEvaluate).err, "warn"));

  write_bytes(program / "pieces.de", "sie schl@@ äft .\nder kleine hund sieht ein haus .\n");
  CHECK(contains(program.run("evaluate run --source a.en --reference pieces.de").err,
                 "1 of 11 words have a subword marker"));
  write_bytes(program / "short.de", "ja\nnein\n");
  CHECK(contains(program.run("evaluate run --source a.en --reference short.de").err, "the longest reference has 1"));
  CHECK_FALSE(contains(program
                           .run("evaluate run --source a.en --reference short.de "
                                "--set evaluation.bleu_tokenizer=char")
                           .err,
                       "BLEU"));
  write_bytes(program / "plain.de", "Sie schläft.\nDer kleine Hund sieht ein Haus.\n");
  CHECK(contains(program.run("evaluate run --source a.en --reference plain.de").err, "for plain text, set it to 13a"));
  CHECK(contains(program.run("score run --source a.en --target a.en").err, "are the same file"));
  write_bytes(program / "one.de", "ja\n");
  const auto shorter = program.run(kEvaluate + "--reference one.de");
  CHECK(contains(shorter.err, "one.de: expected 2 lines, as many as in a.en, found 1"));
  CHECK(shorter.status == 2);
}

TEST_CASE("translate refuses to replace its input", "[program]") {
  const Program& program = with_model();
  const std::string both = "translate run --input a.en --output ";
  check_refused(program.run(both + "a.en"), "--input and --output are the same file, a.en");
  check_refused(program.run(both + "./a.en"), "are the same file");
  CHECK(read_bytes(program / "a.en") == kTwoPairs);
  fs::create_hard_link(program / "a.en", program / "link.en");
  check_refused(program.run(both + "link.en"), "are the same file");
  fs::remove(program / "link.en");
  CHECK(program.run(both + "/dev/stdout").out == kTwoTranslations);
  check_refused(program.run("translate run --input run"), "--input: expected a file, found the directory run");
}

TEST_CASE("score prints one line for each pair, of any length, as soon as it has both lines", "[program]") {
  const Program& program = with_model();
  const auto scored = program.run("score run --source a.en --target a.de");
  CHECK(scored.status == 0);
  CHECK(lines_in(scored.out) == 2);
  CHECK(std::stod(scored.out) > -0.1);  // it knows this translation by heart
  CHECK(
      contains(program.run("score run --source a.en --target a.de --set decoding.beam=2").err, "makes no difference"));

  std::string long_line;
  for (int i = 0; i < 5000; ++i) {
    long_line += "dog ";
  }
  write_bytes(program / "l.en", "\nshe sleeps .\n" + long_line + "\nshe\n\n");
  write_bytes(program / "l.de", "\n\nsie\n" + long_line + "\nsie schläft .\n");
  const auto lengths = program.run("score run --source l.en --target l.de");
  CAPTURE(lengths.err);
  CHECK(lengths.status == 0);
  CHECK(lines_in(lengths.out) == 5);
  const auto json = program.run("score run --source l.en --target l.de --json");
  std::istringstream lines(json.out);
  std::string line;
  REQUIRE(std::getline(lines, line));
  CHECK(nlohmann::json::parse(line).at("tokens").size() == 1);  // eos
  CHECK(nlohmann::json::parse(line).at("tokens").at(0).at("piece") == "</s>");

  // A program that sends a pair and waits gets the score before it sends another.
  CHECK(program
            .shell("mkfifo s t scores; timeout 60 \"$glassformer\" score run --source s --target t >scores & "
                   "exec 5<scores 3>s 4>t; echo 'she sleeps .' >&3; echo 'sie schläft .' >&4; read -r score <&5; "
                   "echo \"$score\"; exec 3>&- 4>&-; wait")
            .out == scored.out.substr(0, scored.out.find('\n') + 1));
  CHECK(program.shell("\"$glassformer\" score run --source a.en --target a.de | head -n 1").out ==
        scored.out.substr(0, scored.out.find('\n') + 1));
  CHECK(program.run("score run --source a.en --target a.de >/dev/full").status == 1);
}

TEST_CASE("score loses no pair of a text that it reads in several parts", "[program]") {
  const Program& program = with_model();
  const std::string two_scores = program.run("score run --source a.en --target a.de").out;
  std::string sources;
  std::string targets;
  std::string scores;
  for (int i = 0; i < 2500; ++i) {  // a part has at most 4096 pairs
    sources += kTwoPairs;
    targets += kTwoTranslations;
    scores += two_scores;
  }
  write_bytes(program / "many.en", sources);
  write_bytes(program / "many.de", targets);
  CHECK(program.run("score run --source many.en --target many.de").out == scores);
}

TEST_CASE("if score fails or is stopped, the scores before that are not lost", "[program]") {
  const Program& program = with_model();
  write_bytes(program / "bad.en", kTwoPairs + "\xFF\n");
  write_bytes(program / "bad.de", kTwoTranslations + "x\n");
  const auto bad = program.run("score run --source bad.en --target bad.de");
  CHECK(bad.status == 2);
  CHECK(lines_in(bad.out) == 2);
  CHECK(contains(bad.err, "bad.en:3: "));
  write_bytes(program / "longer.de", kTwoTranslations + "x\n");
  const auto unequal = program.run("score run --source a.en --target longer.de");
  CHECK(unequal.status == 2);
  CHECK(lines_in(unequal.out) == 2);
  CHECK(contains(unequal.err, "longer.de: expected 2 lines"));
  write_bytes(program / "empty", "");
  write_bytes(program / "nothing", "");
  check_refused(program.run("score run --source empty --target nothing"), "found none");
  check_refused(program.run("score run --source nowhere --target a.de"), "nowhere");
  check_refused(program.run("score run --source a.en --target run"), "--target: expected a file, found the directory");
  check_refused(program.run("score run --source a.en"), "--target");

  const auto stopped = program.shell(
      "mkfifo in; exec 3<>in; echo 'she sleeps .' >&3; \"$glassformer\" score run --source in --target a.de >out & "
      "until [ -s out ]; do sleep 0.05; done; kill -TERM $!; wait $!");
  CHECK(stopped.status == 143);
  CHECK(contains(stopped.err, "interrupted after line 1"));
  CHECK(lines_in(read_bytes(program / "out")) == 1);
}

TEST_CASE("explain shows its summary even if explain.html cannot be written", "[program]") {
  const Program& program = with_model();
  // Nobody can create a file in /proc, not even root.
  const auto shown = program.shell("run=$PWD/run; cd /proc && \"$glassformer\" explain $run --source 'she sleeps .'");
  CAPTURE(shown.err);
  CHECK(shown.status == 2);
  CHECK(contains(shown.out, "translation    sie schläft .\n"));
  CHECK(contains(shown.out, "Mean loss "));
  CHECK(contains(shown.err, "explain.html: cannot be opened"));
  CHECK(contains(shown.err, "; write the page to another file with --html FILE."));
  CHECK(lines_in(shown.err) == 1);
  const auto with_json =
      program.shell("run=$PWD/run; cd /proc && \"$glassformer\" explain $run --source 'she sleeps .' --json /dev/null");
  CHECK(with_json.status == 2);
  CHECK(contains(with_json.err, "wrote the trace /dev/null"));
  // A full disk takes only what was written to it before.
  const auto full = program.run("explain run --source 'she sleeps .' --json /dev/full");
  CHECK(full.status == 1);
  CHECK(contains(full.out, "Mean loss "));
  CHECK(contains(full.err, "wrote the page explain.html"));
  CHECK(contains(full.err, "/dev/full"));
}

TEST_CASE("translate says how to use it only at a terminal", "[program]") {
  const Program& program = with_model();
  if (program.shell("script -qec true /dev/null").status != 0) {
    WARN("SKIPPED: there is no script(1) to make a pseudo-terminal");
    return;
  }
  const auto shown =
      program.shell("(echo 'she sleeps .'; sleep 1) | script -qec \"'$glassformer' translate run\" /dev/null");
  CHECK(contains(shown.out, "type one sentence per line; press Ctrl-D to finish"));
  CHECK(contains(shown.out, "sie schläft ."));
  CHECK(contains(program.shell("script -qec \"'$glassformer' translate run --input a.en\" /dev/null").out, "Ctrl-D") ==
        false);
  CHECK(program.run("translate run", "she sleeps .\n").err.empty());
}
