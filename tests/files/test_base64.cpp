#include <algorithm>
#include <vector>

#include "catch.hpp"
#include "glassformer/files/base64.hpp"

using namespace glassformer;

namespace {

std::string base64_of_text(const std::string& text) { return base64_of(std::as_bytes(std::span(text))); }

}  // namespace

TEST_CASE("base64 has the examples of RFC 4648", "[files]") {
  CHECK(base64_of_text("").empty());
  CHECK(base64_of_text("f") == "Zg==");
  CHECK(base64_of_text("fo") == "Zm8=");
  CHECK(base64_of_text("foo") == "Zm9v");
  CHECK(base64_of_text("foobar") == "Zm9vYmFy");
}

TEST_CASE("base64 of many bytes is that of its groups of three", "[files]") {
  std::vector<std::byte> bytes(std::size_t{7} << 20 | 1);  // more than two of the pieces that base64_of converts
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(i * i >> 3);
  }
  const std::string text = base64_of(bytes);
  REQUIRE(text.size() == (bytes.size() + 2) / 3 * 4);
  std::string expected;
  for (std::size_t begin = 0; begin < bytes.size(); begin += 3) {
    expected += base64_of(std::span(bytes).subspan(begin, std::min<std::size_t>(3, bytes.size() - begin)));
  }
  CHECK((text == expected));  // in brackets, so that a failure does not print both
}
