#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "glassformer/checkpoint/checkpoint.hpp"
#include "glassformer/checkpoint/file_names.hpp"
#include "glassformer/checkpoint/parameters.hpp"
#include "glassformer/checkpoint/safetensors.hpp"
#include "glassformer/checkpoint/training_state.hpp"
#include "glassformer/numerics/parameter.hpp"

using namespace glassformer;
using namespace glassformer::stand_in;
using nlohmann::json;

namespace {

SmallArena& filled(SmallArena& arena, float salt = 0) {
  fill(arena, salt);
  return arena;
}

void save(const fs::path& directory, const SmallArena& arena, const TrainingState* state = nullptr) {
  save_checkpoint(directory, description(), arena, state);
}

std::vector<float> numbers(const SmallArena& arena) { return {arena.values().begin(), arena.values().end()}; }

/// The error of read_parameters after the model file of a good checkpoint is changed; "" if there is none. If there
/// is one, the arena must not change.
std::string complaint_after(const std::function<void(const fs::path& model_file)>& change) {
  const TemporaryDirectory directory;
  SmallArena saved;
  SmallArena loaded;
  save(directory / "checkpoint", filled(saved));
  fill(loaded, 5);
  const std::vector<float> before = numbers(loaded);
  change(directory / "checkpoint" / "model.safetensors");
  std::string message =
      complaint([&] { read_parameters(directory / "checkpoint", loaded.tensors(), loaded.values().data()); });
  CHECK(numbers(loaded) == (message.empty() ? numbers(saved) : before));
  return message;
}

std::string complaint_after_edit(const std::function<void(std::vector<NamedTensor>& tensors)>& edit) {
  return complaint_after([&](const fs::path& model_file) {
    const Safetensors file(model_file);
    std::vector<NamedTensor> tensors = tensors_of(file);
    edit(tensors);
    write_safetensors(model_file, tensors);
  });
}

}  // namespace

TEST_CASE("parameters and training state are read back from a checkpoint bit for bit", "[checkpoint]") {
  const TemporaryDirectory directory;
  SmallArena saved;
  SmallArena loaded;
  fill(saved);
  const std::vector<float> m(static_cast<std::size_t>(saved.size()), 0.25F);
  const std::vector<float> v(m.size(), 1e-12F);
  const TrainingState state{m, v, some_progress()};
  save(directory / "step-00000012", saved, &state);

  read_parameters(directory / "step-00000012", loaded.tensors(), loaded.values().data());
  CHECK(numbers(loaded) == numbers(saved));
  const ReadState read = read_state(directory / "step-00000012", loaded.size());
  CHECK(read.adam_m == m);
  CHECK(read.adam_v == v);
  CHECK(read.progress == state.progress);
}

TEST_CASE("a checkpoint directory has everything that you need to use it", "[checkpoint]") {
  const TemporaryDirectory directory;
  SmallArena arena;
  save(directory / "checkpoint", filled(arena));
  CHECK(is_checkpoint(directory / "checkpoint"));
  for (const char* name : {"model.safetensors", "config.yaml", "config.json", "generation_config.json"}) {
    CHECK(fs::file_size(directory / "checkpoint" / name) > 0);
  }
  CHECK(count_entries(directory / "checkpoint") > 4);  // the tokenizers
  CHECK(json::parse(read_bytes(directory / "checkpoint" / "config.json"))["model_type"] == "marian");
  CHECK(count_entries(directory.path()) == 1);
  CHECK_THAT(complaint([&] { read_state(directory / "checkpoint", arena.size()); }), Says("cannot continue training"));
}

TEST_CASE("the file stores the output's bias as a matrix with one row", "[checkpoint]") {
  const TemporaryDirectory directory;
  SmallArena arena;
  save(directory / "checkpoint", filled(arena));
  const Safetensors file(directory / "checkpoint" / "model.safetensors");
  CHECK(file.metadata().at("format") == "pt");
  CHECK(file.find("final_logits_bias")->shape == std::vector<Index>{1, 3});
  CHECK(file.find("model.shared.weight")->shape == std::vector<Index>{3, 2});
}

namespace {

/// The tensors whose shapes depend on the vocabularies' sizes, for a model with two vocabularies.
std::vector<TensorPlace> tensors_of_vocabularies(Index source, Index target) {
  const BoundMemory<float> memory;
  ParameterCursor<float> cursor(memory);
  cursor.matrix("model.encoder.embed_tokens.weight", source, 2, Role::source_embedding);
  cursor.matrix("model.decoder.embed_tokens.weight", target, 2, Role::target_embedding);
  cursor.matrix("lm_head.weight", target, 2, Role::output);
  cursor.vector("final_logits_bias", target, Role::output_bias);
  return cursor.tensors();
}

/// The bytes of a file with these tensors in F16 or BF16.
std::string half_precision_file(const std::vector<NamedTensor>& tensors, const std::string& type) {
  nlohmann::ordered_json header;
  std::string data;
  for (const NamedTensor& tensor : tensors) {
    const std::size_t begin = data.size();
    for (const float number : tensor.values) {
      const std::uint16_t bits = type == "F16" ? std::bit_cast<std::uint16_t>(Eigen::half(number))
                                               : std::bit_cast<std::uint16_t>(Eigen::bfloat16(number));
      data.append({static_cast<char>(bits & 0xFF), static_cast<char>(bits >> 8)});
    }
    header[tensor.name] = {{"dtype", type}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
  }
  const std::string text = header.dump();
  const std::uint64_t length = text.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + text + data;
}

}  // namespace

TEST_CASE("the smaller vocabulary's tables are padded in the file, and read without the padding", "[checkpoint]") {
  const Index source = GENERATE(3, 5);
  const Index target = 8 - source;
  const TemporaryDirectory directory;
  Arena<float> saved(tensors_of_vocabularies(source, target));
  for (Index i = 0; i < saved.size(); ++i) {
    saved.values()[i] = static_cast<float>(i + 1);
  }
  const auto& tensors = saved.tensors();
  save_checkpoint(directory / "checkpoint", description(tokenizers(source, target)), saved);
  const fs::path model_file = directory / "checkpoint" / "model.safetensors";
  const Safetensors file(model_file);
  for (const TensorPlace& tensor : tensors) {
    CAPTURE(tensor.name);
    const Safetensors::Tensor& found = *file.find(tensor.name);
    const bool is_bias = tensor.name == "final_logits_bias";
    CHECK(found.shape == (is_bias ? std::vector<Index>{1, 5} : std::vector<Index>{5, 2}));
    const std::vector<float> numbers = file.read(found);
    for (auto i = static_cast<std::size_t>(tensor.size); i < numbers.size(); ++i) {
      if (is_bias) {
        CHECK((std::exp(numbers[i]) == 0 && numbers[i] > -65504));  // finite in half precision too
      }
      CHECK((std::bit_cast<std::uint32_t>(numbers[i]) & 0xFFFFU) == 0);  // exact in bfloat16
      if (!is_bias) {
        CHECK(numbers[i] == 0);
      }
    }
  }
  const auto size = static_cast<std::size_t>(saved.size());
  const std::vector<float> before(size + 4, -1);  // 4 numbers after the arena, which must not change
  std::vector<float> expected(saved.values().begin(), saved.values().end());
  std::vector<float> loaded = before;
  expected.resize(before.size(), -1);
  read_parameters(directory / "checkpoint", tensors, loaded.data());
  CHECK(loaded == expected);

  // If a vocabulary lacks one word, the row of that word does not count as padding.
  CHECK_THAT(complaint([&] {
               const auto shorter = tensors_of_vocabularies(source - (source < target), target - (target < source));
               read_parameters(directory / "checkpoint", shorter, loaded.data());
             }),
             Says("has the shape"));

  // Another tool may have rounded the bias of the padding.
  std::vector<NamedTensor> rounded = tensors_of(file);
  NamedTensor& padded = *std::ranges::find(rounded, "final_logits_bias", &NamedTensor::name);
  std::vector<float> bias(padded.values.begin(), padded.values.end());
  std::fill(bias.begin() + target, bias.end(), -9984.0F);  // -10,000 in bfloat16
  padded.values = bias;
  write_safetensors(directory / "rounded.safetensors", rounded);
  fs::rename(directory / "rounded.safetensors", model_file);
  loaded = before;
  read_parameters(directory / "checkpoint", tensors, loaded.data());
  CHECK(loaded == expected);

  // Older checkpoints have no padding.
  std::vector<NamedTensor> unpadded;
  for (const TensorPlace& tensor : tensors) {
    unpadded.push_back({tensor.name, tensor.name == "final_logits_bias" ? std::vector<Index>{1, target} : tensor.shape,
                        std::span(saved.values().data() + tensor.offset, static_cast<std::size_t>(tensor.size))});
  }
  write_safetensors(model_file, unpadded);
  loaded = before;
  read_parameters(directory / "checkpoint", tensors, loaded.data());
  CHECK(loaded == expected);

  const std::vector<float> other(8);  // a table that has neither size
  unpadded[0].shape = {4, 2};
  unpadded[0].values = other;
  write_safetensors(model_file, unpadded);
  CHECK_THAT(
      complaint([&] { read_parameters(directory / "checkpoint", tensors, loaded.data()); }),
      Says("model.encoder.embed_tokens.weight has the shape [4,2], expected [" + std::to_string(source) + ",2]"));
}

TEST_CASE("padded tables in half precision are read without the padding, and their padding is checked",
          "[checkpoint]") {
  const Index source = GENERATE(3, 5);
  const Index target = 8 - source;
  const TemporaryDirectory directory;
  Arena<float> saved(tensors_of_vocabularies(source, target));
  for (Index i = 0; i < saved.size(); ++i) {
    saved.values()[i] = static_cast<float>(i + 1) / 2;  // exact in both formats
  }
  save_checkpoint(directory / "checkpoint", description(tokenizers(source, target)), saved);
  const fs::path file = directory / "checkpoint" / "model.safetensors";
  const std::vector<NamedTensor> tensors = tensors_of(Safetensors(file));
  const std::vector<float> expected(saved.values().begin(), saved.values().end());
  const auto read = [&] {
    std::vector<float> numbers(expected.size());
    read_parameters(directory / "checkpoint", saved.tensors(), numbers.data());
    return numbers;
  };
  for (const std::string type : {"F16", "BF16"}) {
    CAPTURE(type);
    write_bytes(file, half_precision_file(tensors, type));
    CHECK(read() == expected);
    std::vector<NamedTensor> damaged = tensors;
    const bool source_is_shorter = source < target;
    NamedTensor& table = *std::ranges::find(
        damaged, source_is_shorter ? "model.encoder.embed_tokens.weight" : "lm_head.weight", &NamedTensor::name);
    std::vector<float> numbers(table.values.begin(), table.values.end());
    numbers[6] = 1;  // the first number of the padding: a word of another vocabulary
    table.values = numbers;
    write_bytes(file, half_precision_file(damaged, type));
    CHECK_THAT(complaint([&] { read(); }), Says(table.name + " has the shape [5,2], expected [3,2]"));
  }
}

TEST_CASE("a checkpoint replaces one of the same name as a whole, but nothing else", "[checkpoint]") {
  const TemporaryDirectory directory;
  SmallArena first;
  SmallArena second;
  SmallArena loaded;
  save(directory / "checkpoint", filled(first));
  write_bytes(directory / "checkpoint" / kStateFile, "left over from an older one");
  save(directory / "checkpoint", filled(second, 7));
  read_parameters(directory / "checkpoint", loaded.tensors(), loaded.values().data());
  CHECK(numbers(loaded) == numbers(second));
  CHECK_FALSE(fs::exists(directory / "checkpoint" / kStateFile));
  CHECK(count_entries(directory.path()) == 1);

  fs::create_directory(directory / "thesis");
  write_bytes(directory / "thesis" / "chapter1", "years of work");
  CHECK_THAT(complaint([&] { save(directory / "thesis", first); }), Says("thesis") && Says("not a checkpoint"));
  CHECK(read_bytes(directory / "thesis" / "chapter1") == "years of work");
  CHECK_THAT(complaint([&] { save(directory / "thesis" / "chapter1", first); }), Says("chapter1"));
}

TEST_CASE("an error while saving a checkpoint leaves the older one and nothing else", "[checkpoint]") {
  struct Failing : stand_in::Tokenizer {
    using stand_in::Tokenizer::Tokenizer;
    void save(const fs::path&, const std::string&) const override { throw UserError("disk full"); }
  };
  const TemporaryDirectory directory;
  SmallArena first;
  SmallArena second;
  SmallArena loaded;
  const TokenizerPair failing{std::make_shared<Failing>(5), std::make_shared<Failing>(3)};
  fill(second, 7);
  const auto fail = [&] { save_checkpoint(directory / "checkpoint", description(failing), second); };
  CHECK(complaint(fail) == "disk full");
  CHECK(count_entries(directory.path()) == 0);
  save(directory / "checkpoint", filled(first));
  CHECK(complaint(fail) == "disk full");
  CHECK(count_entries(directory.path()) == 1);
  read_parameters(directory / "checkpoint", loaded.tensors(), loaded.values().data());
  CHECK(numbers(loaded) == numbers(first));
}

TEST_CASE("the error names each tensor that is missing, is unexpected or has the wrong shape", "[checkpoint]") {
  const std::vector<float> two{1, 2};
  const std::vector<float> six(6, 0);
  CHECK(complaint_after_edit([](auto&) {}).empty());
  CHECK_THAT(complaint_after_edit([](auto& tensors) { tensors.erase(tensors.begin()); }),
             Says("model.safetensors: ") && Says("model.shared.weight [3,2] is missing"));
  CHECK_THAT(complaint_after_edit([&](auto& tensors) {
               tensors.push_back({"surprise", {2}, two});
             }),
             Says("surprise [2] is not part of the model"));
  CHECK_THAT(complaint_after_edit([&](auto& tensors) {
               tensors[0].shape = {2, 3};
             }),
             Says("model.shared.weight has the shape [2,3], expected [3,2]"));
  CHECK_THAT(complaint_after_edit([&](auto& tensors) { tensors[2].shape = {3}; }),
             Says("final_logits_bias has the shape [3], expected [1,3]"));
  CHECK_THAT(complaint_after_edit([](auto& tensors) { tensors.clear(); }),
             Says("shared") && Says("fc1") && Says("final_logits_bias"));
}

TEST_CASE("copies of tied matrices and tables of positions are ignored", "[checkpoint]") {
  const std::vector<float> positions(8, 0.5F);
  CHECK(complaint_after_edit([&](auto& tensors) {
          for (const char* copy :
               {"lm_head.weight", "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"}) {
            tensors.push_back({copy, {3, 2}, tensors[0].values});
          }
          tensors.push_back({"model.encoder.embed_positions.weight", {4, 2}, positions});
          tensors.push_back({"model.decoder.embed_positions.weight", {4, 2}, positions});
        }).empty());
  const std::vector<float> others(6, 0.5F);  // not a copy: the matrices in the file are not tied
  CHECK_THAT(complaint_after_edit([&](auto& tensors) {
               tensors.push_back({"lm_head.weight", {3, 2}, others});
             }),
             Says("lm_head.weight [3,2] is not part of the model"));
}

TEST_CASE("a tied matrix is found under each of its names", "[checkpoint]") {
  for (const char* name :
       {"lm_head.weight", "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"}) {
    CHECK(complaint_after_edit([&](auto& tensors) {
            tensors[0].name = name;
            tensors.push_back({"lm_head.weight", {3, 2}, tensors[0].values});
            if (tensors[0].name == tensors.back().name) {
              tensors.pop_back();
            }
          }).empty());
  }
  CHECK_THAT(complaint_after_edit([](auto& tensors) { tensors[0].name = "model.shared"; }),
             Says("model.shared.weight [3,2] is missing") && Says("model.shared [3,2] is not part"));
}

TEST_CASE("a checkpoint whose model file is damaged is refused", "[checkpoint]") {
  CHECK_THAT(complaint_after([](const fs::path& file) { fs::remove(file); }), Says("No such file"));
  CHECK_THAT(complaint_after([](const fs::path& file) { fs::resize_file(file, fs::file_size(file) - 1); }),
             Says("model.safetensors: "));
  CHECK_THAT(complaint_after([](const fs::path& file) { write_bytes(file, "GIF89a"); }), Says("6 bytes"));
}

TEST_CASE("flipping any bit of the header gives an error or the same parameters", "[checkpoint]") {
  const TemporaryDirectory directory;
  SmallArena saved;
  SmallArena loaded;
  save(directory / "checkpoint", filled(saved));
  const fs::path file = directory / "checkpoint" / "model.safetensors";
  const std::string bytes = read_bytes(file);
  const std::size_t header_end = bytes.size() - static_cast<std::size_t>(saved.size()) * 4;
  for (std::size_t bit = 0; bit < header_end * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    write_bytes(file, damaged);
    fill(loaded, 5);
    const std::string message =
        complaint([&] { read_parameters(directory / "checkpoint", loaded.tensors(), loaded.values().data()); });
    INFO("bit " << bit << ": " << message);
    CHECK((!message.empty() || numbers(loaded) == numbers(saved)));
  }
}

TEST_CASE("the average of checkpoints is the mean of each parameter, summed in double precision", "[checkpoint]") {
  const TemporaryDirectory directory;
  std::vector<fs::path> paths;
  // In float, 2^24 + 1 + 1 + 1 is 2^24: the ones are lost.
  for (const float value : {16777216.0F, 1.0F, 1.0F, 1.0F}) {
    SmallArena arena;
    fill(arena);
    arena.values()[0] = value;
    paths.push_back(directory / std::to_string(paths.size()));
    save(paths.back(), arena);
  }
  SmallArena mean;
  SmallArena expected;
  average_parameters(paths, mean.tensors(), mean.values().data());
  CHECK(mean.values()[0] == static_cast<float>((16777216.0 + 3) / 4));
  fill(expected);
  for (Index i = 1; i < mean.size(); ++i) {
    CHECK(mean.values()[i] == expected.values()[i]);
  }

  average_parameters({paths[0]}, mean.tensors(), mean.values().data());
  CHECK(mean.values()[0] == 16777216.0F);
  paths.push_back(directory / "missing");
  CHECK_THAT(complaint([&] { average_parameters(paths, mean.tensors(), mean.values().data()); }), Says("missing"));
}
