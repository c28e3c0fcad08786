#include <algorithm>
#include <nlohmann/json.hpp>

#include "program/program.hpp"

using namespace glassformer::program_test;

namespace {

const std::string kProject = GLASSFORMER_SOURCE_DIR;
const std::string kForeign = "'" + kProject + "/tests/fixtures/marian/opus'";

/// A config that only says where the model comes from. The toy's validation text is enough to train on.
void write_config(const Program& program) {
  write_bytes(program / "tune.yaml", "data: {directory: " + kProject + "/data/toy, source_language: en, " +
                                         "target_language: de, train: valid, valid: test}\n" +
                                         "model: {from: " + kForeign + "}\n" +
                                         "training: {max_updates: 1, schedule: {kind: constant, warmup: 0}}\n");
}

double loss_of(const Program& program, const std::string& checkpoint) {
  const std::string text = " --source " + kProject + "/data/toy/test.en --reference " + kProject + "/data/toy/test.de";
  const auto evaluated = program.run("evaluate " + checkpoint + text + " --beam 1 --json");
  CAPTURE(evaluated.err);
  REQUIRE(evaluated.status == 0);
  return nlohmann::json::parse(evaluated.out).at(0).at("loss").get<double>();
}

}  // namespace

TEST_CASE("training continues from a transformers model, with its shape, weights and tokenizers", "[program]") {
  const Program program;
  write_config(program);
  const double before = loss_of(program, kForeign);
  const auto still = program.run("train tune.yaml --output still --set training.schedule.learning_rate=1e-12");
  CAPTURE(still.err);
  REQUIRE(still.status == 0);
  CHECK(still.err.find("starting from") != std::string::npos);
  CHECK(loss_of(program, "still") == Approx(before).margin(1e-5));

  const std::string train = "train tune.yaml --output tuned --set training.schedule.learning_rate=5e-3 --set ";
  REQUIRE(program.run(train + "training.max_updates=50").status == 0);
  REQUIRE(program.run(train + "training.max_updates=100 --resume").status == 0);
  CHECK(loss_of(program, "tuned") < before - 0.05);

  // The result is a Marian model again, with the same ids.
  for (const char* name : {"vocab.json", "source.spm", "target.spm"}) {
    CAPTURE(name);
    const auto content = [](const fs::path& file) {
      const std::string bytes = read_bytes(file);
      return file.extension() == ".json" ? nlohmann::json::parse(bytes).dump() : bytes;
    };
    CHECK(content(program / "tuned/last" / name) == content(fs::path(kProject) / "tests/fixtures/marian/opus" / name));
  }
  const auto config = nlohmann::json::parse(read_bytes(program / "tuned/last/config.json"));
  const auto foreign = nlohmann::json::parse(read_bytes(fs::path(kProject) / "tests/fixtures/marian/opus/config.json"));
  for (const char* key : {"model_type", "d_model", "activation_function", "scale_embedding", "pad_token_id",
                          "eos_token_id", "decoder_start_token_id", "vocab_size", "decoder_vocab_size"}) {
    CAPTURE(key);
    CHECK(config.at(key) == foreign.at(key));
  }
}

TEST_CASE("gradcheck, benchmark and explain accept a transformers model", "[program]") {
  const Program program;
  write_config(program);
  for (const std::string command : {"gradcheck tune.yaml", "benchmark tune.yaml --seconds 0.1"}) {
    const auto done = program.run(command);
    CAPTURE(command, done.err);
    CHECK(done.status == 0);
  }
  for (const char* form : {"--html page.html", "--json trace.json", ""}) {  // too many pieces to show them all
    const auto explained = program.run("explain " + kForeign + " --source 'she sleeps .' --source 'it .' " + form);
    CAPTURE(form, explained.err);
    CHECK(explained.status == 0);
  }
  CHECK(nlohmann::json::parse(read_bytes(program / "trace.json")).at("batch").at("pad").at("source") == -1);
}

TEST_CASE("training continues from a Glassformer checkpoint", "[program]") {
  const Program program;
  REQUIRE(program.run("train " + config("debug") + " --output first --set training.max_updates=50").status == 0);
  const std::string again = "train " + config("debug") +
                            " --output second --set model.from=first/best --set "
                            "training.max_updates=1 --set training.schedule.learning_rate=1e-12 --set "
                            "training.schedule.initial_rate=0";
  REQUIRE(program.run(again).status == 0);
  const std::string options = " --beam 4 --n-best 4 --input " + kProject + "/data/debug/train.en";
  const auto before = program.run("translate first" + options);
  const auto after = program.run("translate second" + options);
  CHECK(std::count(before.out.begin(), before.out.end(), '\n') == 8);
  CHECK(before.out == after.out);  // with log-probabilities
}

TEST_CASE("a starting model that is missing, or has a different shape, is refused before anything is written",
          "[program]") {
  const Program program;
  write_config(program);
  check_refused(program.run("train tune.yaml --output run --set model.from=nowhere"), "model.from");
  check_refused(program.run("train tune.yaml --output run --set model.d_ff=7"), "expected 32, as in the model");
  check_refused(program.run("train tune.yaml --output run --set tokenizer.kind=word"), "expected marian");
  check_refused(program.run("train " + config("debug") + " --output run --set tokenizer.kind=marian"), "model.from");
  fs::copy(fs::path(kProject) / "tests/fixtures/marian/opus", program / "damaged");
  fs::resize_file(program / "damaged/model.safetensors", 1000);
  for (const std::string command : {"train tune.yaml --output run", "gradcheck tune.yaml", "benchmark tune.yaml"}) {
    check_refused(program.run(command + " --set model.from=damaged"), "model.safetensors");
  }
  fs::remove(program / "damaged/vocab.json");
  check_refused(program.run("train tune.yaml --output run --set model.from=damaged"), "vocab.json");
  CHECK_FALSE(fs::exists(program / "run"));
  REQUIRE(program.run("train " + config("debug") + " --output other --set training.max_updates=1").status == 0);
  const auto from_run = program.run("train tune.yaml --output run --set model.from=other");
  CHECK(from_run.status == 0);
  CHECK(from_run.err.find("/other/step-00000001\n") != std::string::npos);  // the best checkpoint of the run
  fs::remove_all(program / "run");
  fs::rename(program / "damaged/model.safetensors", program / "damaged/pytorch_model.bin");
  check_refused(program.run("translate damaged"), "save_pretrained");
  check_refused(program.run("train tune.yaml --output run --set model.from=damaged"), "save_pretrained");
  fs::rename(program / "damaged/pytorch_model.bin", program / "damaged/model.safetensors.index.json");
  check_refused(program.run("translate damaged"), "max_shard_size");
}

TEST_CASE("settings of a foreign model's search that are ignored are named", "[program]") {
  const Program program;
  fs::copy(fs::path(kProject) / "tests/fixtures/marian/opus", program / "opus");
  const auto usual = program.run("translate opus", "she sleeps .\n");
  CHECK(usual.err.find("ignored") == std::string::npos);
  auto generation = nlohmann::json::parse(read_bytes(program / "opus/generation_config.json"));
  generation["repetition_penalty"] = 1.3;
  generation["no_repeat_ngram_size"] = 0;  // has no effect
  generation["min_length"] = 5;
  generation["bad_words_ids"].push_back({17});
  generation["suppress_tokens"] = nlohmann::json::array();  // has no effect
  generation["eos_token_id"] = {0, 2};
  write_bytes(program / "opus/generation_config.json", generation.dump());
  const auto ignored = program.run("translate opus", "she sleeps .\n");
  CAPTURE(ignored.err);
  CHECK(ignored.status == 0);
  CHECK(ignored.out == usual.out);
  for (const char* key : {"repetition_penalty 1.3", "min_length 5", "bad_words_ids", "eos_token_id [0,2]"}) {
    CHECK(ignored.err.find(key) != std::string::npos);
  }
  for (const char* key : {"no_repeat_ngram_size", "suppress_tokens"}) {
    CHECK(ignored.err.find(key) == std::string::npos);
  }
}

TEST_CASE("an unknown language code is an error that names the line, after the translations before it", "[program]") {
  const Program program;
  fs::copy(fs::path(kProject) / "tests/fixtures/marian/opus", program / "opus");
  auto ids = nlohmann::json::parse(read_bytes(program / "opus/vocab.json"));
  ids[">>deu<<"] = ids.at("\u2581");
  ids.erase("\u2581");
  write_bytes(program / "opus/vocab.json", ids.dump());
  const auto translated = program.run("translate opus", ">>deu<< she sleeps .\n>>xyz<< she sleeps .\n");
  CAPTURE(translated.err);
  CHECK(translated.status == 2);
  CHECK(std::ranges::count(translated.out, '\n') == 1);
  CHECK(translated.err.find("standard input:2: a sentence begins with >>xyz<<") != std::string::npos);
}
