#include <bit>
#include <memory>
#include <stdexcept>

#include "catch.hpp"
#include "live/live_example.hpp"

using namespace glassformer;
using namespace glassformer::live_test;
using Json = Engine::Json;

namespace {

/// The message with which something is refused.
std::string refusal(const auto& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

std::vector<float> floats_at(const Json& address, std::size_t count) {
  const auto* const begin = std::bit_cast<const float*>(address.get<std::uintptr_t>());
  return {begin, begin + count};
}

/// The numbers of the last tensor called `name` that `part` computed.
std::vector<double> computed(const Json& trace, const std::string& part, const std::string& name) {
  std::vector<double> numbers;
  for (const Json& tensor : trace.at("tensors")) {
    if (tensor.at("part") == part && tensor.at("name") == name && tensor.at("computed") == true) {
      const Json& values = tensor.at("values");
      const auto size = values.at("rows").get<std::size_t>() * values.at("cols").get<std::size_t>();
      const auto* const begin = std::bit_cast<const double*>(values.at("doubles").get<std::uintptr_t>());
      numbers.assign(begin, begin + size);
    }
  }
  return numbers;
}

const std::vector<std::string> kShownSources = {"a b c d", "d"};
const std::vector<std::string> kShownTargets = {"z", "w y x"};

/// The model's own masks for the pairs above, a byte for each cell: B = 2, S = 5 and T = 4 with eos and bos.
std::vector<std::uint8_t> own_masks() {
  constexpr std::size_t kS = 5;
  constexpr std::size_t kT = 4;
  const std::vector<std::size_t> source_length = {5, 2};
  const std::vector<std::size_t> target_length = {2, 4};
  std::vector<std::uint8_t> cells;
  const auto add = [&](std::size_t queries, std::size_t keys, const auto& blocked) {
    for (std::size_t b = 0; b < 2; ++b) {
      for (std::size_t q = 0; q < queries; ++q) {
        for (std::size_t k = 0; k < keys; ++k) {
          cells.push_back(blocked(b, q, k) ? 1 : 0);
        }
      }
    }
  };
  const auto is_padding = [&](std::size_t b, std::size_t, std::size_t k) { return k >= source_length[b]; };
  add(kS, kS, is_padding);
  add(kT, kT, [&](std::size_t b, std::size_t q, std::size_t k) { return k > q || k >= target_length[b]; });
  add(kT, kS, is_padding);
  return cells;
}

}  // namespace

TEST_CASE("An engine without a model refuses everything but making one", "[live]") {
  Engine engine;
  CHECK(refusal([&] { engine.step(); }) == "there is no model yet");
  CHECK(refusal([&] { engine.trace(kShownSources, kShownTargets, {}); }) == "there is no model yet");
  CHECK(refusal([&] { static_cast<void>(engine.digest()); }) == "there is no model yet");
}

TEST_CASE("A new model says what it was made from and what was left out", "[live]") {
  Engine engine;
  const Json created = engine.create(kSettings + "data.max_length: 3\ntokenizer.vocabulary_size: 7\n",
                                     std::vector<std::string>{"a b b", "", "a b c d", "b d"},
                                     std::vector<std::string>{"x", "y", "z", "x x y"});
  CHECK(created.at("vocabulary").at("source") == Json{"<pad>", "<s>", "</s>", "<unk>", "b", "a", "d"});
  CHECK(created.at("vocabulary").at("target") == Json{"<pad>", "<s>", "</s>", "<unk>", "x", "y", "z"});
  CHECK(created.at("pairs") == 2);
  CHECK(created.at("batches") == 1);
  CHECK(created.at("remarks") == Json{"source: the vocabulary has 3 of 4 words; the others become <unk>",
                                      "1 pair is left out: a side is empty",
                                      "1 pair is left out: a side has more words than data.max_length allows, 3"});
  CHECK(created.at("tensors").at(0) == Json{{"name", "model.encoder.embed_tokens.weight"}, {"shape", {7, 8}}});
  CHECK(engine.tokens(true, " b  unicorn a").at("ids") == Json{4, 3, 5});
  CHECK(engine.tokens(true, " b  unicorn a").at("unknown") == Json{"unicorn"});
  CHECK(engine.tokens(false, "x").at("tokens") == Json{"x"});
}

TEST_CASE("With a joint vocabulary, both sides have the words of both", "[live]") {
  Engine engine;
  const Json created =
      engine.create(kSettings + "tokenizer.joint: true\nmodel.tied_embeddings: all\n", sources(), targets());
  CHECK(created.at("vocabulary").at("source") == created.at("vocabulary").at("target"));
  CHECK(engine.tokens(true, "z a").at("unknown").empty());
}

TEST_CASE("What is refused leaves the engine as it was", "[live]") {
  TrainedEngine engine(2);
  const std::uint64_t digest = engine.digest();
  const std::vector<std::string> one = {"a"};
  CHECK(refusal([&] { engine.create(kSettings, sources(), one); }) ==
        "text: expected a target line for each source line, found 8 source lines and 1 target lines");
  CHECK(refusal([&] { engine.create(kSettings + "model.heads: 3\n", sources(), targets()); }) ==
        "model.heads: heads must divide d_model, but 3 does not divide 8; choose, for example, 2 heads");
  CHECK(refusal([&] { engine.create(kSettings, std::vector<std::string>{" "}, one); }) ==
        "source: expected text, found no word that occurs 1 times or more");
  CHECK(refusal([&] {
          engine.create(kSettings, std::vector<std::string>{"a", ""}, std::vector<std::string>{"", "x"});
        }) == "text: expected at least one sentence pair to train on, found none");
  CHECK(refusal([&] { engine.trace(sources(), one, {}); }) ==
        "trace: expected a target for each source, found 8 sources and 1 targets");
  CHECK(refusal([&] { engine.update_numbers("model.nothing"); }) == "there is no tensor named \"model.nothing\"");
  CHECK(refusal([&] { engine.translate(one, "decoding.beam: 0"); }) ==
        "decoding.beam: expected an integer from 1 to 1000, found 0");
  CHECK(engine.digest() == digest);
  CHECK(engine.step().at("number") == 3);
}

TEST_CASE("Workers train the same weights as one, bit for bit", "[live]") {
  TrainedEngine single(4);
  for (const int size : {2, 3}) {
    CAPTURE(size);
    std::vector<std::unique_ptr<Engine>> workers;
    for (int rank = 0; rank < size; ++rank) {
      workers.push_back(std::make_unique<Engine>());
      workers.back()->create(kSettings, sources(), targets(), rank, size);
    }
    for (int update = 0; update < 4; ++update) {
      // Here, as in the page: the sum passes from worker to worker, and each adds its own shards and results.
      std::vector<float> sum(floats_at(workers[0]->weights().at(0).at("values"), 0));
      std::size_t parameters = 0;
      for (const Json& tensor : workers[0]->weights()) {
        std::size_t numbers = 1;
        for (const Json& length : tensor.at("shape")) {
          numbers *= length.get<std::size_t>();
        }
        parameters += numbers;
      }
      sum.resize(parameters);
      std::vector<std::byte> results;
      for (int rank = 0; rank < size; ++rank) {
        Engine& worker = *workers[static_cast<std::size_t>(rank)];
        worker.run_shards();
        worker.add_shards(sum);
        const std::span<std::byte> own = worker.shard_results();
        results.resize(own.size());
        const std::size_t shard = own.size() / 3;
        const auto block = Ranks::block(3, rank, size);
        for (auto i = static_cast<std::size_t>(block.begin) * shard; i < static_cast<std::size_t>(block.end) * shard;
             ++i) {
          results[i] = own[i];
        }
      }
      for (const auto& worker : workers) {
        worker->receive(sum, results);
        worker->step();
      }
    }
    for (const auto& worker : workers) {
      CHECK(worker->digest() == single.digest());
    }
  }
  CHECK(refusal([&] { Engine().create(kSettings, sources(), targets(), 0, 4); }) ==
        "training.shards: expected at least as many as ranks, 4, found 3");
}

TEST_CASE("A pass under the model's own masks, cell by cell, is the same pass", "[live]") {
  TrainedEngine engine(5);
  const Json own = engine.trace(kShownSources, kShownTargets, {});
  const std::vector<double> probabilities = computed(own, "loss", "p");
  REQUIRE(!probabilities.empty());
  const Json given = engine.trace(kShownSources, kShownTargets, own_masks());
  CHECK(given.at("loss") == own.at("loss"));
  CHECK(computed(given, "loss", "p") == probabilities);
}

TEST_CASE("A key that a changed mask blocks gets no attention, and one that it opens gets some", "[live]") {
  TrainedEngine engine(5);
  std::vector<std::uint8_t> masks = own_masks();
  constexpr std::size_t kCombined = 2 * 5 * 5;  // where decoder_combined begins
  masks[kCombined + 2 * 4 + 0] = 1;             // sentence 0, query 2: blocks key 0
  masks[kCombined + 1 * 4 + 3] = 0;             // query 1: opens key 3, in the future
  const Json trace = engine.trace(kShownSources, kShownTargets, masks);
  const std::vector<double> weights = computed(trace, "decoder.layers.0.self_attn", "weights");  // [B*H*T, T]
  CHECK(weights.at(2 * 4 + 0) == 0);
  CHECK(weights.at(1 * 4 + 3) > 0);
  masks.pop_back();
  CHECK(refusal([&] { engine.trace(kShownSources, kShownTargets, masks); }) == "masks: expected 122 cells, found 121");
  masks.push_back(2);
  CHECK(refusal([&] { engine.trace(kShownSources, kShownTargets, masks); }).starts_with("masks.cross_padding"));
}

TEST_CASE("A head that is off adds nothing, and the weights stay as they are", "[live]") {
  TrainedEngine engine(5);
  CHECK(refusal([&] { engine.turn_off_heads(std::vector<std::string>{"encoder.layers.0.self_attn 1"}); }).empty());
  engine.turn_off_heads({});
  const std::uint64_t digest = engine.digest();
  const Json before = engine.trace(kShownSources, kShownTargets, {});
  const std::vector<double> with_all = computed(before, "decoder.layers.0.encoder_attn.out_proj", "y");
  const std::vector<std::string> both = {"decoder.layers.0.encoder_attn 0", "decoder.layers.0.encoder_attn 1"};
  engine.turn_off_heads(both);
  const Json without = engine.trace(kShownSources, kShownTargets, {});
  // Without heads, only the bias is left: all rows are the same.
  const std::vector<double> bias_rows = computed(without, "decoder.layers.0.encoder_attn.out_proj", "y");
  REQUIRE(bias_rows.size() == with_all.size());
  CHECK(bias_rows != with_all);
  for (std::size_t i = 8; i < bias_rows.size(); ++i) {
    CHECK(bias_rows[i] == bias_rows[i - 8]);
  }
  CHECK(engine.digest() == digest);
  engine.turn_off_heads({});
  CHECK(engine.trace(kShownSources, kShownTargets, {}).at("loss") == before.at("loss"));
  CHECK(refusal([&] { engine.turn_off_heads(std::vector<std::string>{"decoder.layers.0.encoder_attn 2"}); }) ==
        "heads: there is no head \"decoder.layers.0.encoder_attn 2\"");
}

TEST_CASE("The numbers of an update are those before it, its gradient and those after it", "[live]") {
  TrainedEngine engine(0);
  const std::string name = "model.decoder.layers.1.fc1.bias";
  CHECK(refusal([&] { engine.update_numbers(name); }) == "there has been no update yet");
  engine.step();
  const std::vector<float> first = floats_at(engine.update_numbers(name).at("weights"), 12);
  const Json update = engine.step();
  const Json numbers = engine.update_numbers(name);
  CHECK(numbers.at("shape") == Json{12});
  CHECK(numbers.at("number") == 2);
  CHECK(numbers.at("learning_rate") == update.at("learning_rate"));
  const auto of = [&](const char* key) { return floats_at(numbers.at(key), 12); };
  CHECK(of("weights_before") == first);
  CHECK(of("weights") != first);
  const auto scale = numbers.at("clip_scale").get<float>();
  const std::vector<float> gradient = of("gradient");
  const std::vector<float> before = of("m_before");
  const std::vector<float> after = of("m");
  for (std::size_t i = 0; i < 12; ++i) {
    CHECK(after[i] == 0.9F * before[i] + (1 - 0.9F) * (scale * gradient[i]));
  }
}

TEST_CASE("An engine returns to a snapshot and continues as if it had never gone on", "[live]") {
  TrainedEngine engine(3);
  const std::vector<std::byte> snapshot = engine.snapshot();
  engine.step();
  const std::uint64_t digest = engine.digest();
  engine.step();
  engine.restore(snapshot);
  CHECK(refusal([&] { engine.update_numbers("model.decoder.layers.1.fc1.bias"); }) == "there has been no update yet");
  CHECK(engine.step().at("number") == 4);
  CHECK(engine.digest() == digest);

  engine.run_shards();  // of an update that is then not made
  engine.restore(snapshot);
  engine.step();
  CHECK(engine.digest() == digest);
}
