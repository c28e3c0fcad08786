#include "catch.hpp"
#include "glassformer/files/json_file.hpp"
#include "temporary_directory.hpp"

using namespace glassformer;
using test::complaint;
using test::contains;
using test::TemporaryDirectory;

TEST_CASE("JSON may be nested 64 levels deep, whatever its strings contain", "[files]") {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + R"("[[[\"[[[")" + std::string(levels, ']');
  };
  CHECK(parse_json(nested(64), "place").is_array());
  CHECK(parse_json('"' + std::string(100, '[') + '"', "place").is_string());
  for (const std::size_t levels : {std::size_t{65}, std::size_t{1'000'000}}) {
    CHECK(contains(complaint([&] { parse_json(nested(levels), "place"); }), "place: expected JSON with at most 64"));
  }
  CHECK(contains(complaint([] { parse_json(std::string(1'000'000, '{'), "place"); }), "64 levels"));
}

TEST_CASE("an error about JSON quotes only the beginning of a long value", "[files]") {
  const TemporaryDirectory directory;
  const std::string text(1'000'000, 'x');
  const JsonFile file(directory.write("config.json", R"({"d_model": ")" + text + R"("})"));
  CHECK(contains(complaint([&] { static_cast<void>(file.integer("d_model")); }), "an integer, found \"xxx"));
  CHECK(complaint([&] { static_cast<void>(file.integer("d_model")); }).size() < 300);
  CHECK(complaint([&] { parse_json('"' + text, "place"); }).size() < 400);
}
