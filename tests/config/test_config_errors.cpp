#include "catch.hpp"
#include "config/workplace.hpp"
#include "glassformer/files/suggestion.hpp"
#include "glassformer/numerics/random.hpp"

using namespace glassformer;

// The smallest config has two lines, so the text that a test adds begins on line 3.

TEST_CASE("an unknown key is an error that names file, line and key, and suggests the right key", "[config]") {
  const Workplace place;
  CHECK(place.complaint("model:\n  d_modle: 64\n") ==
        "a.yaml:4: model.d_modle: unknown key; did you mean model.d_model?");
  CHECK(place.complaint("modl: {}\n") == "a.yaml:3: modl: unknown key; did you mean model?");
  CHECK(place.complaint("decoding: {batch: 2,\n  Beam: 3}\n") ==
        "a.yaml:4: decoding.Beam: unknown key; did you mean decoding.beam?");
  CHECK(place.complaint("", {"model.d_modle=64"}) ==
        "--set model.d_modle=64: unknown key; did you mean model.d_model?");
  CHECK(place.complaint("decoding: {lr: 2}\n") ==
        "a.yaml:3: decoding.lr: unknown key; decoding has the keys beam, length_penalty, early_stopping, batch, "
        "max_length_ratio");
  CHECK(place.complaint("", {"lr=2"}) ==
        "--set lr=2: unknown key; the sections are data, tokenizer, model, masks, training, decoding, evaluation");
  CHECK(place.complaint("", {"a.b.c=2"}) ==
        "--set a.b.c=2: unknown key; the sections are data, tokenizer, model, masks, training, decoding, evaluation");
}

TEST_CASE("the error for a key in the wrong section names the right section", "[config]") {
  const Workplace place;
  CHECK(place.complaint("dropout: 0.1\n") == "a.yaml:3: dropout: unknown key; dropout belongs to model: model.dropout");
  CHECK(place.complaint("", {"training.learning_rate=1"}) ==
        "--set training.learning_rate=1: unknown key; "
        "learning_rate belongs to training.schedule: training.schedule.learning_rate");
  CHECK(place.complaint("", {"optimizer.kind=adam"}) ==
        "--set optimizer.kind=adam: unknown key; kind belongs to training.optimizer: training.optimizer.kind");
  CHECK(place.complaint("model: {look_ahead: true}\n") ==
        "a.yaml:3: model.look_ahead: unknown key; look_ahead belongs to masks: masks.look_ahead");
  CHECK(place.complaint("model: {training: {}}\n") ==
        "a.yaml:3: model.training: unknown key; training is a section of its own");
}

TEST_CASE("a misspelt key in the wrong section is recognised, too", "[config]") {
  const Workplace place;
  CHECK(place.complaint("decoding: {warmpu: 3}\n") ==
        "a.yaml:3: decoding.warmpu: unknown key; did you mean training.schedule.warmup?");
}

TEST_CASE("a wrong value is an error that states what was expected and what was found", "[config]") {
  const Workplace place;
  const auto complaint = [&](const std::string& value) { return place.complaint("", {value}); };
  const std::string fraction = ": expected a number of at least 0 and below 1, found ";
  CHECK(place.complaint("model:\n  heads: 4\n  dropout: 1.5\n") == "a.yaml:5: model.dropout" + fraction + "1.5");
  for (const std::string value : {"1", "-0.1", "1.5", "nan", "inf", "1e3"}) {
    CHECK(complaint("model.dropout=" + value) == "--set model.dropout=" + value + fraction + value);
  }
  for (const std::string value : {"abc", ".nan", "0.1x", "0x1", "1e-400", "1e400", "+0.1", "0.1e", "0,1"}) {
    CHECK(complaint("model.dropout=" + value) == "--set model.dropout=" + value + fraction + '"' + value + '"');
  }
  CHECK(complaint("model.dropout=\"0.1\"") == "--set model.dropout=\"0.1\"" + fraction + "\"0.1\"");
  CHECK(complaint("model.dropout=[0]") == "--set model.dropout=[0]" + fraction + "a list");
  CHECK(complaint("model.dropout={a: 1}") == "--set model.dropout={a: 1}" + fraction + "a section");
  CHECK(complaint("model.dropout=~") == "--set model.dropout=~" + fraction + "nothing");
  CHECK(place.complaint("model:\n  dropout:\n") == "a.yaml:4: model.dropout" + fraction + "nothing");

  const std::string whole = ": expected an integer from 2 to 100000, found ";
  for (const std::string value : {"1e3", "64.0", "1", "-64", "100001", "99999999999999999999999999", "nan"}) {
    CHECK(complaint("model.d_model=" + value) == "--set model.d_model=" + value + whole + value);
  }
  for (const std::string value : {"0x40", "1_000", "64 heads", "\"64\""}) {
    CHECK(complaint("model.d_model=" + value).find(whole) != std::string::npos);
  }
  CHECK(complaint("model.d_model=") == "--set model.d_model=" + whole + "\"\"");

  for (const std::string value : {"-1", "18446744073709551616", "1.0"}) {
    CHECK(complaint("training.seed=" + value) ==
          "--set training.seed=" + value + ": expected an integer from 0 to 18446744073709551615, found " + value);
  }
  CHECK(complaint("training.validation.every=0")
            .starts_with("--set training.validation.every=0: expected an integer from 1 to "));
  for (const std::string key : {"tokenizer.source_vocabulary_size", "tokenizer.target_vocabulary_size"}) {
    CHECK(place.complaint("", {"tokenizer.joint=false", key + "=4"}) ==
          "--set " + key + "=4: expected 0 (as vocabulary_size) or at least 5, found 4");
    CHECK(place.complaint("", {"tokenizer.joint=false", key + "=5"}).empty());
  }
  CHECK(complaint("tokenizer.joint=maybe") == "--set tokenizer.joint=maybe: expected true or false, found \"maybe\"");
  CHECK(complaint("tokenizer.joint=1") == "--set tokenizer.joint=1: expected true or false, found 1");
  for (const std::string name : {"encoder_padding", "look_ahead", "target_padding", "cross_padding"}) {
    CHECK(complaint("masks." + name + "=leaky") ==
          "--set masks." + name + "=leaky: expected true or false, found \"leaky\"");
  }
  CHECK(complaint("data.train=[a]") == "--set data.train=[a]: expected text, found a list");
  CHECK(complaint("data.train=") == "--set data.train=: expected text, found \"\"");
  CHECK(complaint("data.tests=a") == "--set data.tests=a: expected a list such as [a, b] or [], found \"a\"");
  CHECK(complaint("data.tests=[a, []]") == "--set data.tests=[a, []]: expected text, found a list");
  CHECK(complaint("tokenizer.source_model=~") ==
        "--set tokenizer.source_model=~: expected a path, or \"\" for none, found nothing");
  CHECK(complaint("training.optimizer.epsilon=0") ==
        "--set training.optimizer.epsilon=0: expected a number above 0, found 0");
  CHECK(complaint("decoding.length_penalty=.inf") ==
        "--set decoding.length_penalty=.inf: expected a number of at least 0, found \".inf\"");
}

TEST_CASE("dropout can number the tokens of every sentence that data.max_length allows", "[config]") {
  const Workplace place;
  for (const std::string value : {"1048576", "2000000"}) {
    CHECK(place.complaint("", {"data.max_length=" + value}) ==
          "--set data.max_length=" + value + ": expected an integer from 1 to 1048575, found " + value);
  }
  CHECK(place.read("", {"data.max_length=1048575"}).data.max_length == kMostPositions - 1);
}

TEST_CASE("the error for a wrong choice lists the choices and suggests the nearest", "[config]") {
  const Workplace place;
  CHECK(place.complaint("", {"tokenizer.kind=sentencepice"}) ==
        "--set tokenizer.kind=sentencepice: expected word, sentencepiece or marian, found \"sentencepice\"; "
        "did you mean sentencepiece?");
  CHECK(place.complaint("model: {tied_embeddings: 3}\n") ==
        "a.yaml:3: model.tied_embeddings: expected none, target or all, found 3");
}

TEST_CASE("the error for a broken rule between keys names the key that was given, overrides first", "[config]") {
  const Workplace place;
  CHECK(place.complaint("model:\n  d_model: 64\n  heads: 3\n") ==
        "a.yaml:5: model.heads: heads must divide d_model, but 3 does not divide 64; "
        "choose, for example, 2 heads");
  CHECK(place.complaint("model: {heads: 4}\n", {"model.d_model=66"}) ==
        "--set model.d_model=66: heads must divide d_model, but 4 does not divide 66; "
        "choose, for example, 3 heads");
  CHECK(place.complaint("", {"model.d_model=63"}) ==
        "--set model.d_model=63: expected an even number, found 63; positions are encoded as half sines, half cosines");
  CHECK(place.complaint("model: {tied_embeddings: all}\n") ==
        "a.yaml:3: model.tied_embeddings: tied_embeddings: all needs one vocabulary for both languages; "
        "set tokenizer.joint: true or tied_embeddings: target");
  CHECK(place.complaint("tokenizer: {joint: true, kind: sentencepiece, target_model: data/both.model}\n") ==
        "a.yaml:3: tokenizer.target_model: a joint tokenizer has one model; "
        "name it in source_model and leave target_model \"\"");
  CHECK(place.complaint("tokenizer: {source_model: data/both.model}\n") ==
        "a.yaml:3: tokenizer.source_model: a .model file needs tokenizer.kind: sentencepiece; "
        "set it, or leave the file out");
  CHECK(place.complaint("", {"training.max_updates=0"}) ==
        "--set training.max_updates=0: max_updates, max_epochs and max_minutes are all 0, "
        "so training would never end; set at least one");
  CHECK(place.complaint("", {"training.max_updates=0", "training.max_minutes=0.5"}) == "");

  const std::vector<std::string> cosine = {"training.schedule.kind=cosine", "training.max_updates=0",
                                           "training.max_epochs=3"};
  CHECK(
      place.complaint("", cosine) ==
      "--set training.schedule.kind=cosine: the cosine schedule ends at max_updates; set training.max_updates above 0");
  CHECK(place.complaint("", {cosine[0], "training.schedule.warmup=1000"}) ==
        "--set training.schedule.warmup=1000: the warm-up, 1000 updates, must be shorter than training.max_updates, "
        "1000, because the cosine comes after it");
  CHECK(place.complaint("", {cosine[0], "training.schedule.warmup=999"}) == "");
  CHECK(place.complaint("", {"training.schedule.warmup=1000"}) == "");  // other schedules may end during warm-up
}

TEST_CASE("the error for a malformed override shows the right form", "[config]") {
  const Workplace place;
  for (const std::string text : {"model.dropout", "=3", ""}) {
    CHECK(place.complaint("", {text}) == "--set " + text + ": expected KEY=VALUE, for example --set model.dropout=0.2");
  }
  CHECK(
      place.complaint("", {"decoding=3"}) ==
      "--set decoding=3: expected a key, found a section; decoding has the keys beam, length_penalty, early_stopping, "
      "batch, max_length_ratio");
  CHECK(place.complaint("", {"data.tests=[a"}) ==
        "--set data.tests=[a: the value is not valid YAML: end of sequence flow not found");
}

TEST_CASE("a file that is not a config is an error with its line", "[config]") {
  const Workplace place;
  const std::string empty =
      "a.yaml: expected the sections data, tokenizer, model, masks, training, decoding, evaluation, found an empty "
      "file";
  CHECK(place.complaint_of_text("") == empty);
  CHECK(place.complaint_of_text("# nothing\n\n") == empty);
  const std::string shape =
      "a.yaml:1: expected the sections data, tokenizer, model, masks, training, decoding, evaluation, found ";
  const std::string colon = "; put a colon and a space after each key";
  CHECK(place.complaint_of_text("model:x\n") == shape + "\"model:x\"" + colon);
  CHECK(place.complaint_of_text("- a\n- b\n") == shape + "a list" + colon);
  const std::string second = ": expected one YAML document, found the start of a second one; ";
  CHECK(place.complaint("---\nmodel: {}\n").starts_with("a.yaml:3" + second));
  CHECK(place.complaint(",\n").starts_with("a.yaml:3"));
  CHECK(place.complaint_of_text("#\n,").starts_with("a.yaml:2" + second));  // where yaml-cpp would never return
  CHECK(place.complaint_of_text("# ,\n, b (\nc d").starts_with("a.yaml:2"));
  CHECK(place.complaint("model: 64\n") ==
        "a.yaml:3: model: expected a section with its keys indented below it, found 64");
  CHECK(place.complaint("? [a]\n: b\n") == "a.yaml:3: expected a key, found a list");
  CHECK(place.complaint("model:\n\theads: 4\n") ==
        "a.yaml:4: expected spaces before \"heads: 4\", found a tab; YAML does not allow tabs there");
  CHECK(place.complaint("model:\n\t# a tab before a comment is harmless\n  heads: 8\t# here too\n") == "");
  CHECK(place.complaint("model: {dropout: *x}\n").starts_with("a.yaml:3: not valid YAML: "));
  CHECK(place.complaint("model: {a: [1, 2\n").find("not valid YAML") != std::string::npos);
  CHECK(place.complaint("model: {dropout: \"\xff\"}\n").starts_with("a.yaml:3"));       // not UTF-8
  CHECK(place.complaint(std::string("model: {}\n#\0\n", 13)).starts_with("a.yaml:4"));  // a NUL byte
}

TEST_CASE("a key or section that is given twice is an error, reported at the second place", "[config]") {
  const Workplace place;
  CHECK(place.complaint("model:\n  dropout: 0.1\n  dropout: 0.1\n") ==
        "a.yaml:5: model.dropout: given twice; first given on line 4");
  CHECK(place.complaint("data: {train: a}\n") == "a.yaml:3: data: given twice; first given on line 1");
  CHECK(place.complaint("model.dropout: 0.1\nmodel: {dropout: 0.1}\n") ==
        "a.yaml:4: model.dropout: given twice; first given on line 3");
}

TEST_CASE("a message stays on one line, however long the wrong text is", "[config]") {
  const Workplace place;
  const std::string message = place.complaint("model: {\"a\\nb" + std::string(200, 'c') + "\": \"x\"}\n");
  CHECK(message.find('\n') == std::string::npos);
  CHECK(message.starts_with("a.yaml:3: model.a\\x0Abccc"));
  CHECK(place.complaint("model: {heads: \"a\\nb" + std::string(200, 'c') + "\"}\n").size() < 200);
  CHECK(brief("äöü", 3) == "ä...");
}

TEST_CASE("the error for a missing file shows which files exist", "[config]") {
  const Workplace place;
  place.write("toy.yaml", "");
  CHECK(place.complaint_of_file(place.directory / "toi.yaml") == "toi.yaml: no such file; did you mean toy.yaml?");
  CHECK(place.complaint_of_file(place.directory / "data").starts_with("data"));
  CHECK(place.complaint_of_file("") == "expected the name of a config file, found \"\"");

  CHECK(place.complaint_of_text("training: {max_updates: 1}\n") ==
        "a.yaml: data.directory: missing; it has no default");
  CHECK(place.complaint("", {"data.train=trian"}) ==
        "--set data.train=trian: no file data/trian.en; did you mean train.en?");
  CHECK(place.complaint("", {"data.tests=[newstest]"}) ==
        "--set data.tests=[newstest]: no file data/newstest.en; data contains both.model, test.de, test.en, "
        "train.de, "
        "train.en, valid.de, valid.en");
  CHECK(place.complaint("", {"data.source_language=french"}) ==
        "--set data.source_language=french: no file data/train.french; there is train.en: if this is the text, set "
        "data.source_language: en");
  const std::string dat = (place.directory / "dat").string();
  CHECK(place.complaint("", {"data.directory=" + dat}) ==
        "--set data.directory=dat: no directory dat; did you mean data?");
  CHECK(place.complaint("", {"data.directory=" + (place.directory / "a.yaml").string()}) ==
        "--set data.directory=a.yaml: expected a directory, found the file a.yaml");
  CHECK(place.complaint("tokenizer: {kind: sentencepiece, source_model: data/bot.model}\n") ==
        "a.yaml:3: tokenizer.source_model: no file data/bot.model; did you mean both.model?");
  CHECK(place.complaint("tokenizer: {kind: sentencepiece, source_model: data}\n") ==
        "a.yaml:3: tokenizer.source_model: expected a file, found the directory data");
  std::filesystem::remove(place.directory / "data/valid.de");
  CHECK(place.complaint("") == "a.yaml:1: data.target_language: no file data/valid.de; did you mean valid.en?");
}

TEST_CASE("edit distance counts inserted, dropped and replaced letters", "[config]") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("Beam", "beam") == 0);
  CHECK(nearest("haeds", {"d_model", "heads"}) == "heads");
  CHECK_FALSE(nearest("lr", {"norm", "heads"}).has_value());
  CHECK(nearest("model.dropouts.x", {"model.dropout"}) == "model.dropout");
}
