#include <algorithm>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "glassformer/checkpoint/checkpoint.hpp"
#include "glassformer/checkpoint/checksums.hpp"
#include "glassformer/checkpoint/parameters.hpp"
#include "glassformer/checkpoint/training_state.hpp"
#include "glassformer/model/model.hpp"

using namespace glassformer;
using namespace glassformer::stand_in;

namespace {

/// A small checkpoint with all its files.
struct Checkpoint {
  TemporaryDirectory directory;
  fs::path path = directory / "step-00000001";

  Checkpoint() {
    SmallArena arena;
    fill(arena);
    const std::vector<float> moments(static_cast<std::size_t>(arena.size()), 0.5F);
    const TrainingState state{moments, moments, {}};
    save_checkpoint(path, description(), arena, &state);
  }
  std::string verdict(Verify which = Verify::all) const {
    return complaint([&] { verify_checksums(path, which); });
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(path)) {
      files.push_back(entry.path());
    }
    return files;
  }
};

}  // namespace

TEST_CASE("a checkpoint has the checksums of its files, in the format of sha256sum", "[checkpoint]") {
  const Checkpoint checkpoint;
  CHECK(checkpoint.verdict().empty());
  const std::string lines = read_bytes(checkpoint.path / "SHA256SUMS");
  CHECK(std::count(lines.begin(), lines.end(), '\n') == static_cast<int>(checkpoint.files().size()) - 1);
  CHECK(lines.ends_with("  model.safetensors\n"));

  write_bytes(checkpoint.path / "abc", "abc");  // FIPS 180-4's own example
  write_checksums(checkpoint.path);
  CHECK_THAT(read_bytes(checkpoint.path / "SHA256SUMS"),
             Says("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  abc\n"));
}

TEST_CASE("a flipped bit anywhere in a checkpoint is noticed, and the error names the file", "[checkpoint]") {
  const Checkpoint checkpoint;
  for (const fs::path& file : checkpoint.files()) {
    const std::string whole = read_bytes(file);
    CAPTURE(file);
    const std::size_t step = std::max<std::size_t>(1, whole.size() / 200);
    for (std::size_t place = 0; place * step < whole.size(); ++place) {
      const std::size_t at = place * step;
      const std::size_t bit = place % 8;
      std::string flipped = whole;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      write_bytes(file, flipped);
      CAPTURE(at, bit);
      const std::string verdict = checkpoint.verdict();
      CHECK_THAT(verdict, Says(checkpoint.path.string() + "/"));
      if (file.filename() != "SHA256SUMS") {
        CHECK_THAT(verdict, Says(file.string() + ": expected the SHA-256 "));
      }
    }
    write_bytes(file, whole);
  }
  CHECK(checkpoint.verdict().empty());
}

TEST_CASE("a checkpoint file that is missing, or truncated anywhere, is noticed", "[checkpoint]") {
  const Checkpoint checkpoint;
  for (const fs::path& file : checkpoint.files()) {
    const std::string whole = read_bytes(file);
    CAPTURE(file);
    // Without its final newline, SHA256SUMS is still complete.
    for (std::size_t length = 0; length + 1 < whole.size(); ++length) {
      write_bytes(file, whole.substr(0, length));
      CAPTURE(length);
      CHECK_FALSE(checkpoint.verdict().empty());
    }
    if (file.filename() != "SHA256SUMS") {
      fs::remove(file);
      CHECK_THAT(checkpoint.verdict(), Says(file.string() + ": expected a file, found none"));
    }
    write_bytes(file, whole);
  }
}

TEST_CASE("a checkpoint without a training state is fine if you do not continue training", "[checkpoint]") {
  const Checkpoint checkpoint;
  fs::remove(checkpoint.path / "training_state.safetensors");
  CHECK(checkpoint.verdict(Verify::but_training_state).empty());
  CHECK_FALSE(checkpoint.verdict(Verify::all).empty());
}

TEST_CASE("checkpoints of other tools have no checksums, and users may add their own files", "[checkpoint]") {
  const Checkpoint checkpoint;
  write_bytes(checkpoint.path / "notes.txt", "mine");
  CHECK(checkpoint.verdict().empty());
  fs::remove(checkpoint.path / "SHA256SUMS");
  write_bytes(checkpoint.path / "config.yaml", "changed");
  CHECK(checkpoint.verdict().empty());
}

TEST_CASE("only regular files with data are hashed, so hashing always ends", "[checkpoint]") {
  const Checkpoint checkpoint;
  const std::string sums = read_bytes(checkpoint.path / "SHA256SUMS");
  write_bytes(checkpoint.path / "SHA256SUMS", std::string(64, '0') + "  other\n" + sums);
  write_bytes(checkpoint.path / "other", "");
  fs::resize_file(checkpoint.path / "other", std::uintmax_t{1} << 40);
  CHECK_THAT(checkpoint.verdict(), Says("other: this is a sparse file, and most of its data is missing"));
  if (!fs::exists("/proc/self/pagemap")) {
    return;  // seems to be an empty file, but has no end
  }
  fs::remove(checkpoint.path / "other");
  fs::create_symlink("/proc/self/pagemap", checkpoint.path / "other");
  CHECK_THAT(checkpoint.verdict(), Says("other: expected the SHA-256 000"));
}

TEST_CASE("a list of checksums that names files in other directories is refused", "[checkpoint]") {
  const Checkpoint checkpoint;
  const std::string sums = read_bytes(checkpoint.path / "SHA256SUMS");
  write_bytes(checkpoint.path / "SHA256SUMS", std::string(64, '0') + "  ../other/model.safetensors\n" + sums);
  CHECK_THAT(checkpoint.verdict(),
             Says("SHA256SUMS: expected a checksum and a new file name on each line") && Says("line 1"));
  write_bytes(checkpoint.path / "SHA256SUMS", sums + sums);  // each line would cost the time to read a file
  CHECK_THAT(checkpoint.verdict(), Says("a repeated name"));
}

TEST_CASE("each file of a checkpoint must be in its list of checksums", "[checkpoint]") {
  const Checkpoint checkpoint;
  const std::string sums = read_bytes(checkpoint.path / "SHA256SUMS");
  write_bytes(checkpoint.path / "source.vocab.json", "[]");  // a file that we would read, but that is not listed
  CHECK_THAT(checkpoint.verdict(), Says("SHA256SUMS: expected the checksum of source.vocab.json, found none"));
  fs::remove(checkpoint.path / "source.vocab.json");
  std::istringstream lines(sums);
  for (std::string line; std::getline(lines, line);) {
    std::string others = sums;
    others.erase(others.find(line), line.size() + 1);
    write_bytes(checkpoint.path / "SHA256SUMS", others);
    CAPTURE(line);
    const bool is_stand_in = line.ends_with(".stand_in");  // a name that no real checkpoint has
    CHECK(checkpoint.verdict().empty() == is_stand_in);
  }
}

TEST_CASE("the checksum of a file of any length is that of its bytes, wherever they differ", "[checkpoint]") {
  const TemporaryDirectory directory;
  constexpr std::size_t kBlock = std::size_t{1} << 18;  // what is read at a time
  for (const std::size_t size : {std::size_t{0}, kBlock - 1, kBlock, kBlock + 1, 3 * kBlock + 5}) {
    CAPTURE(size);
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i) {
      bytes[i] = static_cast<char>(i % 251);
    }
    write_bytes(directory / "file", bytes);
    CHECK(sha256_of(directory / "file") == sha256_of(std::as_bytes(std::span(bytes))));
  }
  write_bytes(directory / "file", std::string(1'000'000, 'a'));  // FIPS 180-2's third example
  CHECK(sha256_of(directory / "file") == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("a change behind the first block of a checkpoint's file is noticed", "[checkpoint]") {
  const Checkpoint checkpoint;
  std::string bytes(1'000'000, 'a');
  write_bytes(checkpoint.path / "abc", bytes);
  write_checksums(checkpoint.path);
  CHECK(checkpoint.verdict().empty());
  for (const std::size_t place : {std::size_t{0}, std::size_t{300'000}, bytes.size() - 1}) {
    bytes[place] ^= 1;
    write_bytes(checkpoint.path / "abc", bytes);
    CHECK_THAT(checkpoint.verdict(), Says("abc: expected the SHA-256 "));
    bytes[place] ^= 1;
  }
}

TEST_CASE("a damaged checkpoint is refused where training starts from it, and in a mean", "[checkpoint]") {
  const Checkpoint good;
  const Checkpoint damaged;
  std::string bytes = read_bytes(damaged.path / "model.safetensors");
  bytes[bytes.size() - 4] ^= 1;  // the last bit of the last number
  write_bytes(damaged.path / "model.safetensors", bytes);
  const SmallArena arena;
  std::vector<float> mean(static_cast<std::size_t>(arena.size()));
  const auto mean_with = [&](const fs::path& other) {
    return complaint([&] { average_parameters({good.path, other}, arena.tensors(), mean.data()); });
  };
  CHECK(mean_with(good.path).empty());
  CHECK_THAT(mean_with(damaged.path), Says("model.safetensors: expected the SHA-256 "));
  Model<float> model({.d_model = 2, .heads = 1, .encoder_layers = 1, .decoder_layers = 1, .d_ff = 2}, {3, 3, {}});
  CHECK_THAT(complaint([&] { set_starting_weights(model, damaged.path, 1); }),
             Says("model.safetensors: expected the SHA-256 "));
}
