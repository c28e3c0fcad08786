#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "glassformer/checkpoint/safetensors.hpp"

using namespace glassformer;
using namespace glassformer::stand_in;
using nlohmann::json;

namespace {

/// A file's bytes: length, header, data.
std::string raw_file(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

/// All numbers of a file.
std::vector<float> all_numbers(const Safetensors& file) {
  std::vector<float> all;
  for (const Safetensors::Tensor& tensor : tensors_in_order(file)) {
    std::ranges::copy(file.read(tensor), std::back_inserter(all));
  }
  return all;
}

/// The error from reading the whole file.
std::string complaint_about_bytes(const std::string& bytes) {
  const TemporaryDirectory directory;
  write_bytes(directory / "file.safetensors", bytes);
  return complaint([&] { all_numbers(Safetensors(directory / "file.safetensors")); });
}

/// The error for a file with this entry for a tensor "x" and this many bytes of data.
std::string complaint_about_entry(const json& entry, std::size_t data_bytes) {
  return complaint_about_bytes(raw_file(json{{"x", entry}}.dump(), std::string(data_bytes, '\0')));
}

json entry_of(const json& shape, const json& offsets) {
  return {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", offsets}};
}

std::string small_file() {
  const TemporaryDirectory directory;
  const std::vector<float> a{1, 2, 3, 4, 5, 6};
  const std::vector<float> b{7};
  write_safetensors(directory / "small", {{"a", {2, 3}, a}, {"b", {1}, b}}, {{"key", "value"}});
  return read_bytes(directory / "small");
}

}  // namespace

TEST_CASE("safetensors files are read back as they were written, bit for bit", "[checkpoint]") {
  const TemporaryDirectory directory;
  const std::vector<float> matrix{-0.0F, 1e-45F, 3.4e38F, -3.4e38F, 1e-38F, 1.0F / 3};
  const std::vector<float> scalar{42};
  const std::vector<float> nothing;
  write_safetensors(directory / "file", {{"matrix", {2, 3}, matrix}, {"nothing", {0, 7}, nothing}, {"one", {}, scalar}},
                    {{"ärger", "\"quoted\"\n"}});
  const Safetensors file(directory / "file");
  CHECK(file.metadata() == Metadata{{"format", "pt"}, {"ärger", "\"quoted\"\n"}});
  REQUIRE(file.tensors().size() == 3);
  CHECK(file.find("matrix")->shape == std::vector<Index>{2, 3});
  CHECK(file.find("nothing")->shape == std::vector<Index>{0, 7});
  CHECK(file.find("one")->shape.empty());
  CHECK(file.find("two") == nullptr);
  const auto values = file.read(*file.find("matrix"));
  CHECK(std::memcmp(values.data(), matrix.data(), sizeof(float) * 6) == 0);
  CHECK(file.read(*file.find("one"))[0] == 42);
  CHECK(count_entries(directory.path()) == 1);  // no temporary file is left
}

TEST_CASE("the data of a safetensors file begins at a multiple of 8", "[checkpoint]") {
  const std::string bytes = small_file();
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  CHECK(length % 8 == 0);
  CHECK(bytes.size() == 8 + length + std::size_t{7} * 4);
  CHECK(bytes[8] == '{');
}

TEST_CASE("a safetensors file written by the reference implementation is read", "[checkpoint]") {
  const Safetensors file(GLASSFORMER_SOURCE_DIR "/tests/fixtures/python.safetensors");
  CHECK(file.metadata() == Metadata{{"format", "pt"}, {"made_with", "Python"}});
  REQUIRE(file.tensors().size() == 3);
  CHECK(file.find("weight")->shape == std::vector<Index>{2, 3});
  for (Index i = 0; i < 6; ++i) {
    CHECK(file.read(*file.find("weight"))[static_cast<std::size_t>(i)] == 0.5F * static_cast<float>(i) - 1);
  }
  CHECK(file.find("bias")->shape == std::vector<Index>{2});
  CHECK(file.read(*file.find("bias"))[0] == 0.1F);
  CHECK(file.read(*file.find("bias"))[1] == -7e-30F);
  CHECK(file.find("empty")->shape == std::vector<Index>{0, 4});
}

TEST_CASE("a safetensors file that is truncated anywhere is refused", "[checkpoint]") {
  const std::string bytes = small_file();
  CHECK(complaint_about_bytes(bytes).empty());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    INFO("truncated after " << length << " bytes");
    CHECK_THAT(complaint_about_bytes(bytes.substr(0, length)), Says("file.safetensors: "));
  }
  CHECK_THAT(complaint_about_bytes(bytes + '\0'), Says("29 bytes follow"));
}

TEST_CASE("a safetensors header with any bit flipped is refused or gives the same numbers", "[checkpoint]") {
  const std::string bytes = small_file();
  const std::size_t header_end = bytes.size() - std::size_t{7} * 4;
  const TemporaryDirectory directory;
  for (std::size_t bit = 0; bit < header_end * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    write_bytes(directory / "file", damaged);
    INFO("bit " << bit);
    try {  // a flipped bit in a name just gives another name
      const Safetensors file(directory / "file");
      CHECK(all_numbers(file) == std::vector<float>{1, 2, 3, 4, 5, 6, 7});
    } catch (const UserError& error) {
      CHECK_THAT(error.what(), Says("file: "));
    }
  }
}

TEST_CASE("no memory is allocated for a safetensors header that claims terabytes of data", "[checkpoint]") {
  std::string bytes = small_file();
  const std::uint64_t one_too_many = bytes.size() - 8 + 1;
  for (const std::uint64_t length : {one_too_many, std::uint64_t{1} << 42, ~std::uint64_t{0}, ~std::uint64_t{0} - 7}) {
    std::memcpy(bytes.data(), &length, 8);
    CHECK_THAT(complaint_about_bytes(bytes), Says("claims to have a header of " + std::to_string(length) + " bytes"));
  }
  const std::int64_t tera = std::int64_t{1} << 40;
  CHECK_THAT(complaint_about_entry(entry_of({tera}, {0, 4 * tera}), 8), Says("data_offsets"));
  CHECK_THAT(complaint_about_entry(entry_of({tera}, {0, 8}), 8), Says("shape"));
}

TEST_CASE("safetensors shapes whose product overflows are refused", "[checkpoint]") {
  const std::int64_t half = std::int64_t{1} << 32;  // half * half = 2^64, which is 0 in 64 bits
  CHECK_THAT(complaint_about_entry(entry_of({half, half}, {0, 0}), 0), Says("shape"));
  CHECK_THAT(complaint_about_entry(entry_of({half, half, 2}, {0, 8}), 8), Says("shape"));
  CHECK_THAT(complaint_about_entry(entry_of({~std::uint64_t{0}}, {0, 8}), 8), Says("shape"));
  CHECK_THAT(complaint_about_entry(entry_of({2}, {0, ~std::uint64_t{0}}), 8), Says("data_offsets"));
  CHECK(complaint_about_entry(entry_of({half, half, 0}, {0, 0}), 0).empty());
}

TEST_CASE("half-precision safetensors numbers become floats, even next to other types", "[checkpoint]") {
  const TemporaryDirectory directory;
  const auto entry = [](const char* dtype, std::int64_t size, std::int64_t begin, std::int64_t end) {
    return json{{"dtype", dtype}, {"shape", {size}}, {"data_offsets", {begin, end}}};
  };
  const json header = {{"a", entry("F16", 3, 0, 6)}, {"b", entry("F32", 1, 6, 10)}, {"c", entry("BF16", 2, 10, 14)}};
  const std::uint16_t halves[] = {0x3C00, 0xC100, 0x0001};  // 1, -2.5, the smallest above 0 (IEEE 754 binary16)
  const float single = 0.1F;
  const std::uint16_t brains[] = {0x3F80, 0xC049};  // 1, -3.140625: the upper halves of floats
  std::string data(14, '\0');
  std::memcpy(data.data(), halves, 6);
  std::memcpy(data.data() + 6, &single, 4);
  std::memcpy(data.data() + 10, brains, 4);
  write_bytes(directory / "half.safetensors", raw_file(header.dump(), data));
  const Safetensors read(directory / "half.safetensors");
  CHECK(all_numbers(read) == std::vector<float>{1, -2.5F, std::ldexp(1.0F, -24), 0.1F, 1, -3.140625F});
  REQUIRE(read.find("c") != nullptr);
  CHECK(read.find("c")->size == 2);
}

TEST_CASE("safetensors numbers of other types are refused, and the error names the type", "[checkpoint]") {
  for (const char* dtype : {"F64", "I64", "U8", "F8_E4M3", ""}) {
    json entry = entry_of({2}, {0, 8});
    entry["dtype"] = dtype;
    CHECK_THAT(complaint_about_entry(entry, 8), Says("\"x\"") && Says("\"" + std::string(dtype) + "\"") && Says("F32"));
  }
}

TEST_CASE("a safetensors header that is wrong in any other way is refused", "[checkpoint]") {
  const std::string two(8, '\0');
  const auto complaint_about_header = [&](const std::string& header) {
    return complaint_about_bytes(raw_file(header, two));
  };
  CHECK_THAT(complaint_about_header(""), Says("JSON"));
  CHECK_THAT(complaint_about_header("[1, 2]"), Says("header is damaged"));
  CHECK_THAT(complaint_about_header("{\"x\": 1e999}"), Says("JSON"));
  CHECK_THAT(complaint_about_header("{\"\xff\": 1}"), Says("JSON"));
  CHECK_THAT(complaint_about_header("{}"), Says("0 bytes of data, but 8 bytes follow"));
  CHECK_THAT(complaint_about_header("{\"x\": 3}"), Says("header is damaged"));
  CHECK_THAT(complaint_about_header(std::string(100'000, '[')), Says("64 levels"));
  CHECK_THAT(complaint_about_header("{\"__metadata__\": []}"), Says("header is damaged"));
  CHECK_THAT(complaint_about_header("{\"__metadata__\": {\"epoch\": 3}}"), Says("header is damaged"));
  const std::string entry = entry_of({1}, {0, 4}).dump();
  CHECK_THAT(complaint_about_header("{\"x\": " + entry + ", \"x\": " + entry + "}"),
             Says("4 bytes of data, but 8 bytes follow"));

  CHECK_THAT(complaint_about_entry(json::object(), 8), Says("dtype"));
  CHECK_THAT(complaint_about_entry({{"dtype", 7}}, 8), Says("header is damaged"));
  CHECK_THAT(complaint_about_entry({{"dtype", "F32"}}, 8), Says("shape"));
  CHECK_THAT(complaint_about_entry({{"dtype", "F32"}, {"shape", {2}}}, 8), Says("data_offsets"));
  CHECK_THAT(complaint_about_entry(entry_of({-2}, {0, 8}), 8), Says("header is damaged"));
  CHECK_THAT(complaint_about_entry(entry_of({2.0}, {0, 8}), 8), Says("header is damaged"));
  CHECK_THAT(complaint_about_entry(entry_of("2", {0, 8}), 8), Says("header is damaged"));
  CHECK_THAT(complaint_about_entry(entry_of({3}, {0, 8}), 8), Says("shape"));
  CHECK_THAT(complaint_about_entry(entry_of({2}, {0}), 8), Says("data_offsets"));
  CHECK_THAT(complaint_about_entry(entry_of({2}, {8, 0}), 8), Says("data_offsets"));
  CHECK_THAT(complaint_about_entry(entry_of({2}, {0, 7}), 8), Says("7 bytes"));
  CHECK_THAT(complaint_about_entry(entry_of({1}, {4, 8}), 8), Says("does not begin at byte 0"));
}

TEST_CASE("tensors must cover safetensors data without gaps or overlaps, in any order in the header", "[checkpoint]") {
  const auto complaint_about_two = [](const json& x, const json& y) {
    return complaint_about_bytes(raw_file(json{{"x", x}, {"y", y}}.dump(), std::string(16, '\0')));
  };
  CHECK(complaint_about_two(entry_of({3}, {4, 16}), entry_of({1}, {0, 4})).empty());
  CHECK_THAT(complaint_about_two(entry_of({2}, {0, 8}), entry_of({1}, {12, 16})), Says("\"y\""));
  CHECK_THAT(complaint_about_two(entry_of({3}, {0, 12}), entry_of({2}, {8, 16})), Says("\"y\""));
  CHECK_THAT(complaint_about_two(entry_of({4}, {0, 16}), entry_of({4}, {0, 16})), Says("does not begin"));
}

TEST_CASE("a safetensors file that cannot be opened or written is a user error that names the file", "[checkpoint]") {
  const TemporaryDirectory directory;
  const std::vector<float> one{1};
  CHECK_THAT(complaint([&] { Safetensors(directory / "missing"); }), Says("missing") && Says("No such file"));
  CHECK_THAT(complaint([&] { Safetensors(directory.path()); }), Says("found a directory"));
  CHECK_THAT(complaint([&] {
               write_safetensors(directory / "no" / "where", {{"x", {1}, one}});
             }),
             Says("where") && Says("No such file or directory"));
  write_bytes(directory / "file", "");
  CHECK_THAT(complaint([&] {
               write_safetensors(directory / "file" / "x", {{"x", {1}, one}});
             }),
             Says("Not a directory"));
}

TEST_CASE("NaN and infinity are refused in every format, and the error names the tensor and how many", "[checkpoint]") {
  const auto entry = [](const char* dtype, int bytes) {
    return json{{"dtype", dtype}, {"shape", {2}}, {"data_offsets", {0, bytes}}};
  };
  const float singles[] = {NAN, -INFINITY};
  const std::uint16_t halves[] = {0x7C00, 0x3C00};
  const std::uint16_t brains[] = {0x3F80, 0x7FC0};
  const auto of = [](const auto& numbers) {
    return std::string(reinterpret_cast<const char*>(numbers), sizeof numbers);
  };
  CHECK_THAT(complaint_about_bytes(raw_file(json{{"x", entry("F32", 8)}}.dump(), of(singles))),
             Says("NaN or infinity (2 of 2 numbers in tensor \"x\")"));
  CHECK_THAT(complaint_about_bytes(raw_file(json{{"x", entry("F16", 4)}}.dump(), of(halves))), Says("1 of 2"));
  CHECK_THAT(complaint_about_bytes(raw_file(json{{"x", entry("BF16", 4)}}.dump(), of(brains))), Says("1 of 2"));
}

TEST_CASE("An error escapes control characters in a tensor's name, and cuts off a long one", "[checkpoint]") {
  const std::string message = complaint_about_bytes(raw_file(json{{"a\n\x1b[31m", 1}}.dump(), "")) +
                              complaint_about_entry({{"dtype", "F32"}, {"shape", {1}}, {"data_offsets", {0, 8}}}, 8);
  CHECK(message.find('\x1b') == std::string::npos);
  json entries{{"b\n\x1b" + std::string(1'000'000, 'b'), entry_of({3}, {0, 8})}};
  const std::string named = complaint_about_bytes(raw_file(entries.dump(), std::string(8, '\0')));
  CHECK_THAT(named, Says("\"b\\x0A\\x1Bbbb"));
  CHECK(named.size() < 400);
}

TEST_CASE("A header of many tensors takes time in proportion to its length", "[checkpoint]") {
  json header;
  for (int i = 0; i < 100'000; ++i) {
    header["t" + std::to_string(i)] = entry_of({0}, {0, 0});
  }
  CHECK(complaint_about_bytes(raw_file(header.dump(), "")).empty());  // quadratic time would exceed the test's limit
  CHECK_THAT(complaint_about_bytes(raw_file(std::string((1 << 24) + 1, ' '), "")), Says("a header of at most"));
}

TEST_CASE("a pointer of Git LFS in the place of a model is recognised", "[checkpoint]") {
  const TemporaryDirectory directory;
  write_bytes(directory / "model.safetensors", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 7\n");
  CHECK_THAT(complaint([&] { Safetensors(directory / "model.safetensors"); }), Says("git lfs pull"));
}
