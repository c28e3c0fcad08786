#include <functional>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "glassformer/files/checkpoint_file.hpp"
#include "glassformer/text/tokenizer.hpp"
#include "temporary_directory.hpp"

using namespace glassformer;
using nlohmann::json;
using test::complaint;
using test::contains;

namespace {

namespace fs = std::filesystem;

/// A copy of a model's directory, in which files can be changed.
class Copy {
 public:
  explicit Copy(const std::string& model) {
    const fs::path original = fs::path(GLASSFORMER_SOURCE_DIR) / "tests/fixtures/marian" / model;
    for (const auto& entry : fs::directory_iterator(original)) {
      fs::copy(entry, directory_ / entry.path().filename());
    }
  }
  Copy& change(const std::string& name, const std::function<void(json&)>& edit) {
    json content = json::parse(read_checkpoint_file(directory_ / name));
    edit(content);
    directory_.write(name, content.dump());
    return *this;
  }
  TokenizerPair load(bool joint = true) const { return load_marian_tokenizers(directory_.path(), joint); }
  std::string complaint(bool joint = true) const {
    return test::complaint([&] { load(joint); });
  }
  fs::path operator/(const std::string& name) const { return directory_ / name; }

 private:
  test::TemporaryDirectory directory_;
};

}  // namespace

TEST_CASE("a Marian tokenizer looks up pieces in its own table; pieces not in it are unknown", "[text]") {
  Copy copy("opus");
  const Id unk = copy.load().source->special().unk;
  const std::vector<Id> before = copy.load().source->encode("she sleeps .");
  CHECK(std::count(before.begin(), before.end(), unk) == 0);
  CHECK(copy.load().source->decode(before) == "she sleeps .");
  copy.change("vocab.json", [](json& table) { table.erase("\u2581"); });
  const auto without = copy.load().source;
  const std::vector<Id> after = without->encode("she sleeps .");
  CHECK(after.size() == before.size());
  CHECK(std::count(after.begin(), after.end(), unk) > 0);
  CHECK(without->piece(before.front()) == "<" + std::to_string(before.front()) + ">");  // an id without a piece
}

TEST_CASE("a piece with a line break is refused; a claimed vocabulary size costs no memory", "[text]") {
  CHECK(contains(Copy("opus").change("vocab.json", [](json& table) { table["a\nb"] = 92; }).complaint(),
                 "vocab.json: a\\x0Ab: expected"));
  CHECK(Copy("opus")
            .change("config.json", [](json& config) { config["vocab_size"] = 2147483647; })
            .load()
            .source->vocabulary_size() == 2147483647);
}

TEST_CASE("padding the tables of the smaller vocabulary does not enlarge it", "[text]") {
  Copy copy("untied");
  copy.change("config.json", [](json& config) {
    config["vocab_size"] = config["decoder_vocab_size"] = 60;
    config["glassformer_source_vocabulary"] = 49;
    config["glassformer_target_vocabulary"] = 60;
  });
  CHECK(copy.load(false).source->vocabulary_size() == 49);
  CHECK(copy.load(false).target->vocabulary_size() == 60);
}

TEST_CASE("a language code is a single piece, but only at the start of a sentence", "[text]") {
  Copy copy("opus");
  Id code = 0;
  copy.change("vocab.json", [&](json& table) {
    code = table.at("\u2581").get<Id>();
    table.erase("\u2581");
    table[">>deu<<"] = code;
  });
  const auto tokenizer = copy.load().source;
  const auto translated = tokenizer->encode(">>deu<< she sleeps .");
  REQUIRE_FALSE(translated.empty());
  CHECK(translated.front() == code);
  CHECK(std::count(translated.begin(), translated.end(), code) == 1);
  const auto inside = tokenizer->encode("she >>deu<< sleeps .");
  CHECK(std::count(inside.begin(), inside.end(), code) == 0);
  CHECK(contains(complaint([&] { tokenizer->encode(">>xyz<< she"); }), "begins with >>xyz<<, which is not"));
  CHECK(contains(complaint([&] { tokenizer->encode(">>xyz<< she"); }), "The model has >>deu<<."));
  CHECK(tokenizer->encode("").empty());
  CHECK(tokenizer->language_codes()[0] == ">>deu<<");
}

TEST_CASE("a model without language codes treats a code as an unknown word", "[text]") {
  const auto tokenizer = Copy("untied").load(false).source;
  CHECK(tokenizer->encode(">>xyz<< she").front() == tokenizer->special().unk);
}

TEST_CASE("a piece of the other language is decoded without the mark that starts a word", "[text]") {
  const auto [source, target] = Copy("opus").load();
  const std::vector<Id> girl = source->encode("the girl");
  const std::vector<Id> sie = target->encode("sie schläft");
  CHECK(source->piece(girl.front()) == "\u2581the");  // which the German model lacks
  std::vector<Id> mixed = sie;
  mixed.insert(mixed.end(), girl.begin(), girl.end());
  CHECK(target->decode(mixed) == "sie schläft the girl");
  CHECK(target->decode(girl) == "the girl");
  CHECK(target->decode({}) == "");
}

TEST_CASE("saving and reloading a Marian tokenizer changes nothing", "[text]") {
  TokenizerSettings settings;
  settings.kind = TokenizerKind::marian;
  for (const std::string model : {"opus", "untied"}) {
    settings.joint = model == "opus";
    const Copy copy(model);
    const TokenizerPair loaded = load_tokenizers(settings, copy / "");
    const test::TemporaryDirectory directory;
    save_tokenizers(settings, loaded, directory.path());
    fs::copy(copy / "config.json", directory / "config.json");  // the checkpoint writes it
    const TokenizerPair reloaded = load_tokenizers(settings, directory.path());
    for (const auto& [a, b] : {std::pair(loaded.source, reloaded.source), {loaded.target, reloaded.target}}) {
      CHECK(a->vocabulary() == b->vocabulary());
      CHECK(a->vocabulary_size() == b->vocabulary_size());
      CHECK(a->encode("she sleeps .") == b->encode("she sleeps ."));
    }
    CHECK(fs::exists(directory / "target_vocab.json") == !settings.joint);
  }
}

TEST_CASE("an incomplete directory of a Marian tokenizer is rejected, and the error names the file", "[text]") {
  for (const char* file : {"config.json", "vocab.json", "source.spm", "target.spm"}) {
    const Copy copy("opus");
    fs::remove(copy / file);
    CHECK(contains(copy.complaint(), file));
  }
  const Copy separate("untied");
  fs::remove(separate / "target_vocab.json");
  CHECK(contains(separate.complaint(false), "target_vocab.json"));
  const Copy cut("opus");
  fs::resize_file(cut / "target.spm", 100);
  CHECK(contains(cut.complaint(), "target.spm: expected an intact SentencePiece model"));
  const auto table = [](const auto& edit) { return Copy("opus").change("vocab.json", edit).complaint(); };
  CHECK(contains(table([](json& t) { t["new"] = 100'000; }), "vocab.json: new: expected an id below"));
  CHECK(contains(table([](json& t) { t["new"] = 0; }), "vocab.json: new: expected an id other than that of </s>"));
  CHECK(contains(table([](json& t) { t["new"] = "5"; }), "vocab.json: new: expected an integer, found \"5\""));
  CHECK(contains(table([](json& t) { t.erase("<unk>"); }), "vocab.json: <unk>: expected a value, found none"));
  const auto ids = [](const auto& edit) { return Copy("opus").change("config.json", edit).complaint(); };
  CHECK(contains(ids([](json& c) { c["eos_token_id"] = 100'000; }), "config.json: eos_token_id: expected an id below"));
  CHECK(contains(ids([](json& c) { c["eos_token_id"] = 5; }), "vocab.json: </s>: expected 5, the eos_token_id of"));
  CHECK(contains(ids([](json& c) { c["pad_token_id"] = 5; }), "vocab.json: <pad>: expected 5, the pad_token_id of"));
  CHECK(contains(ids([](json& c) { c.erase("decoder_start_token_id"); }), "decoder_start_token_id"));
}
