#include <cmath>
#include <limits>
#include <random>

#include "catch.hpp"
#include "config/workplace.hpp"
#include "every_value.hpp"
#include "glassformer/config/changed_keys.hpp"
#include "glassformer/config/config.hpp"
#include "glassformer/schema/decoding.hpp"
#include "glassformer/schema/model.hpp"
#include "glassformer/schema/training.hpp"

using namespace glassformer;

namespace {

/// Makes random configs that obey every rule.
class RandomConfigs {
 public:
  explicit RandomConfigs(std::uint32_t seed) : generator_(seed) {}

  Config config() {
    Config c;
    for_each_setting(c.data, *this);
    for_each_setting(c.tokenizer, *this);
    for_each_setting(c.model, *this);
    for_each_setting(c.model.masks, *this);
    for_each_setting(c.training, *this);
    for_each_setting(c.training.optimizer, *this);
    for_each_setting(c.training.schedule, *this);
    for_each_setting(c.run, *this);
    for_each_setting(c.run.validation, *this);
    for_each_setting(c.run.checkpoints, *this);
    for_each_setting(c.decoding, *this);
    for_each_setting(c.evaluation, *this);
    obey_rules(c);
    return c;
  }

  // A random value of each kind of setting.
  void operator()(const char*, const std::string&, Index& field, Index lowest, Index highest) const {
    field = integer(lowest, highest);
  }
  void operator()(const char*, const std::string&, double& field, const Range& range) const {
    do {
      const double high = std::exp2(fraction() * 60 - 50);
      field = std::vector<double>{fraction(), 0.98 + 0.02 * fraction(), high}[static_cast<std::size_t>(integer(0, 2))];
    } while (!range.holds(field));
  }
  void operator()(const char*, const std::string&, bool& field) const { field = integer(0, 1) == 1; }
  void operator()(const char*, const std::string&, std::uint64_t& field) const {
    field = (static_cast<std::uint64_t>(generator_()) << 32) | generator_();
  }
  template <class Enum, std::size_t size>
  void operator()(const char*, const std::string&, Enum& field, const std::array<const char*, size>&) const {
    // The array has one name for each value of the enum.
    static_assert(has_name<static_cast<Enum>(size - 1)>() && !has_name<static_cast<Enum>(size)>());
    field = static_cast<Enum>(integer(0, static_cast<Index>(size) - 1));
  }
  void operator()(const char*, const std::string&, std::string& field, Empty = Empty::refused) const { field = text(); }
  void operator()(const char*, const std::string&, std::vector<std::string>& field) const {
    for (Index i = integer(0, 3); i > 0; --i) {
      field.push_back(text());
    }
  }
  void operator()(const char*, const std::string&, std::filesystem::path& field, Empty = Empty::refused) const {
    field = "/" + text() + "x";
  }

 private:
  Index integer(Index lowest, Index highest) const {
    return std::uniform_int_distribution<Index>(lowest, highest)(generator_);
  }
  double fraction() const { return std::uniform_real_distribution<double>(0, 1)(generator_); }
  std::string text() const {
    static const std::vector<std::string> parts = {"a",  "B9", " ",  "#",  ":", ": ", "\"", "'",    "\\", "ä",
                                                   "\n", "\t", "no", "~",  "-", "[",  "}",  "null", ",",  "1e3",
                                                   "%",  "@",  "&",  "*x", "!", "|",  ">",  "語",   "?",  "\x7f"};
    std::string result;
    for (Index i = integer(1, 4); i > 0; --i) {
      result += parts[static_cast<std::size_t>(integer(0, 29))];
    }
    return result;
  }

  /// Changes the values that do not fit each other.
  void obey_rules(Config& c) const {
    c.model.heads = integer(1, 8);
    c.model.d_model = c.model.heads * 2 * integer(1, 32);
    TokenizerSettings& tokenizer = c.tokenizer;
    tokenizer.kind = integer(0, 1) == 1 ? TokenizerKind::word : TokenizerKind::sentencepiece;
    const bool has_files = tokenizer.kind == TokenizerKind::sentencepiece;
    tokenizer.source_model = has_files ? tokenizer.source_model : "";
    tokenizer.target_model = has_files && !tokenizer.joint ? tokenizer.target_model : "";
    for (Index* size : {&tokenizer.source_vocabulary_size, &tokenizer.target_vocabulary_size}) {
      *size = tokenizer.joint ? 0 : std::max(*size, kLeastVocabulary);
    }
    if (!tokenizer.joint && c.model.tied_embeddings == Tying::all) {
      c.model.tied_embeddings = Tying::none;
    }
    c.training.max_updates = integer(1000, 9999);
    c.training.schedule.warmup = integer(0, 999);
    const Metric metric = c.run.validation.metric;
    c.run.validation.translate |= metric == Metric::bleu || metric == Metric::exact_match;
  }

  mutable std::mt19937 generator_;
};

}  // namespace

TEST_CASE("a key that a file leaves out has the default of its struct", "[config]") {
  const Workplace place;
  Config expected;
  expected.data.directory = place.directory / "data";
  expected.data.source_language = "en";
  expected.data.target_language = "de";
  expected.training.max_updates = 1000;
  CHECK(place.read("") == expected);
  CHECK(place.read("model:\ndecoding: {}\n") == expected);  // empty sections are allowed
}

TEST_CASE("values of every type are read, and overrides are applied after the file", "[config]") {
  const Workplace place;
  const std::string more =
      "model: {d_model: 32, norm: pre, dropout: .25, attention_dropout: 5e-1}\n"
      "tokenizer: {joint: yes, kind: 'sentencepiece', source_model: data/both.model}\n"
      "decoding: {length_penalty: 2}\n";
  const Config c =
      place.read(more, {"model.d_model=64", "data.tests=[test, 'test']", "training.seed=18446744073709551615",
                        "training.optimizer.kind=muon", "model.d_model=128"});
  CHECK(c.model.d_model == 128);
  CHECK(c.model.norm == Norm::pre);
  CHECK(c.model.dropout == 0.25);
  CHECK(c.model.attention_dropout == 0.5);
  CHECK(c.tokenizer.joint);
  CHECK(c.tokenizer.kind == TokenizerKind::sentencepiece);
  CHECK(c.decoding.length_penalty == 2);
  CHECK(c.data.tests == std::vector<std::string>{"test", "test"});
  CHECK(c.training.seed == std::numeric_limits<std::uint64_t>::max());
  CHECK(c.training.optimizer.kind == OptimizerSettings::Kind::muon);
}

TEST_CASE("each word of a choice gives the value of that name", "[config]") {
  const Workplace place;
  const auto model = [&](const std::string& text) { return place.read("model: {" + text + "}\n").model; };
  const auto set = [&](const std::string& text) { return place.read("", {text}); };
  CHECK(model("norm: post").norm == Norm::post);
  CHECK(model("activation: relu").activation == Activation::relu);
  CHECK(model("activation: gelu").activation == Activation::gelu);
  CHECK(model("activation: swish").activation == Activation::swish);
  CHECK(model("tied_embeddings: none").tied_embeddings == Tying::none);
  CHECK(model("tied_embeddings: target").tied_embeddings == Tying::target);
  CHECK(model("tied_embeddings: all}\ntokenizer: {joint: true").tied_embeddings == Tying::all);
  CHECK(set("tokenizer.kind=word").tokenizer.kind == TokenizerKind::word);
  CHECK(set("tokenizer.kind=marian").tokenizer.kind == TokenizerKind::marian);
  CHECK(set("tokenizer.model=bpe").tokenizer.model == SentencePieceModel::bpe);
  CHECK(set("tokenizer.model=unigram").tokenizer.model == SentencePieceModel::unigram);
  CHECK(set("training.optimizer.kind=adam").training.optimizer.kind == OptimizerSettings::Kind::adam);
  CHECK(set("training.optimizer.kind=adamw").training.optimizer.kind == OptimizerSettings::Kind::adamw);
  const std::string schedule = "training.schedule.kind=";
  CHECK(set(schedule + "inverse_sqrt").training.schedule.kind == ScheduleSettings::Kind::inverse_sqrt);
  CHECK(set(schedule + "cosine").training.schedule.kind == ScheduleSettings::Kind::cosine);
  CHECK(set(schedule + "constant").training.schedule.kind == ScheduleSettings::Kind::constant);
  const auto validation = [&](const std::string& text) { return set("training.validation." + text).run.validation; };
  CHECK(validation("unit=updates").unit == ValidationSettings::Unit::updates);
  CHECK(validation("unit=epochs").unit == ValidationSettings::Unit::epochs);
  CHECK(validation("metric=loss").metric == Metric::loss);
  CHECK(validation("metric=perplexity").metric == Metric::perplexity);
  CHECK(validation("metric=token_accuracy").metric == Metric::token_accuracy);
  CHECK(validation("metric=bleu").metric == Metric::bleu);
  CHECK(validation("metric=exact_match").metric == Metric::exact_match);
  CHECK(set("evaluation.bleu_tokenizer=none").evaluation.bleu_tokenizer == BleuTokenizer::none);
  CHECK(set("evaluation.bleu_tokenizer=13a").evaluation.bleu_tokenizer == BleuTokenizer::tok_13a);
  CHECK(set("evaluation.bleu_tokenizer=zh").evaluation.bleu_tokenizer == BleuTokenizer::zh);
  CHECK(set("evaluation.bleu_tokenizer=char").evaluation.bleu_tokenizer == BleuTokenizer::character);
}

TEST_CASE("each mask has a switch; an old config without these switches has all masks on", "[config]") {
  const Workplace place;
  CHECK(place.read("masks: {encoder_padding: false}\n").model.masks == MaskSettings{.encoder_padding = false});
  CHECK(place.read("masks: {look_ahead: off}\n").model.masks == MaskSettings{.look_ahead = false});
  CHECK(place.read("", {"masks.target_padding=no"}).model.masks == MaskSettings{.target_padding = false});
  const Config config = place.read("masks: {cross_padding: true}\n", {"masks.cross_padding=false"});
  CHECK(config.model.masks == MaskSettings{.cross_padding = false});

  std::string text = write_config(config);
  CHECK(text.find("  cross_padding: false ") != std::string::npos);
  const std::size_t masks = text.find("masks:\n");
  const std::size_t training = text.find("training:\n");
  REQUIRE(masks < training);
  text.erase(masks, training - masks);
  const Config before = read_config_of_checkpoint(place.write("old.yaml", text));
  CHECK(before.model.masks == MaskSettings{});

  const std::vector<ChangedKey> changed = changed_keys(before, config);
  REQUIRE(changed.size() == 1);
  CHECK(changed[0].name == "masks.cross_padding");
  CHECK(changed[0].changes_training);
}

TEST_CASE("words that YAML reads as numbers or booleans are text where a key takes text", "[config]") {
  const Workplace place;
  place.write("data/1e3.no", "a\n");
  place.write("data/1e3.true", "a\n");
  const Config c =
      place.read("", {"data.source_language=no", "data.target_language=true", "data.train=1e3", "data.valid=1e3"});
  CHECK(c.data.source_language == "no");
  CHECK(c.data.target_language == "true");
  CHECK(c.data.train == "1e3");
}

TEST_CASE("paths are relative to the file, and in overrides to the current directory", "[config]") {
  namespace fs = std::filesystem;
  const Workplace place;
  const fs::path file = place.write("configs/deep/b.yaml",
                                    "data: {directory: ../../data/./, source_language: en, target_language: de}\n"
                                    "training: {max_epochs: 1}\n");
  CHECK(read_config(file).data.directory == place.directory / "data");

  const fs::path there = fs::relative(place.directory / "data");
  REQUIRE(there.is_relative());
  CHECK(read_config(file, {"data.directory=" + there.string()}).data.directory == place.directory / "data");
  CHECK(read_config(fs::relative(file)).data.directory == place.directory / "data");

  const std::string sentencepiece = "tokenizer: {kind: sentencepiece, source_model: data/both.model}\n";
  CHECK(place.read(sentencepiece).tokenizer.source_model == place.directory / "data/both.model");
  CHECK(place.read(sentencepiece, {"tokenizer.source_model="}).tokenizer.source_model.empty());
  CHECK(place.read(sentencepiece, {"tokenizer.source_model=\"\""}).tokenizer.source_model.empty());
}

TEST_CASE("Windows line endings and a byte order mark do not matter", "[config]") {
  const Workplace place;
  std::string text = "\xEF\xBB\xBF" + place.smallest + "model: {heads: 8}\n";
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) {
    text.replace(at, 1, "\r\n");
  }
  CHECK(read_config(place.write("windows.yaml", text)).model.heads == 8);
}

TEST_CASE("a config that is written and read back is the same, down to the last bit", "[config]") {
  const Workplace place;
  RandomConfigs random(7);
  for (int i = 0; i < 300; ++i) {
    const Config config = random.config();
    const std::string text = write_config(config);
    INFO(text);
    CHECK(read_config_of_checkpoint(place.write("written.yaml", text)) == config);
    CHECK(text.starts_with("# "));
  }
}

TEST_CASE("a written config shows text as it is, in quotes only if it needs them", "[config]") {
  const Workplace place;
  const auto written = [&](const std::string& name) {
    for (const char* language : {"en", "de"}) {
      place.write("data/" + name + "." + language, "a .\n");
    }
    return write_config(place.read("", {"data.tests=[" + name + "]"}));
  };
  CHECK(written("straße 2").find("[\"straße 2\"]") != std::string::npos);
  CHECK(written("plain-2").find("[plain-2]") != std::string::npos);
}

TEST_CASE("a written config works from any directory", "[config]") {
  const Workplace place;
  const Config config = place.read("tokenizer: {kind: sentencepiece, source_model: data/both.model}\n");
  CHECK(read_config(place.write("runs/toy/config.yaml", write_config(config))) == config);
}

TEST_CASE("a checkpoint's config needs no data files, but must obey all other rules", "[config]") {
  const Workplace place;
  const std::string text = "data: {directory: gone, source_language: en, target_language: de}\n";
  CHECK(read_config_of_checkpoint(place.write("c.yaml", text + "training: {max_updates: 9}\n")).data.directory ==
        place.directory / "gone");
  CHECK_THROWS_AS(read_config_of_checkpoint(place.write("c.yaml", text)), UserError);
}
