#include <filesystem>
#include <sstream>

#include "golden.hpp"

using namespace glassformer;
using namespace glassformer::seeds;

TEST_CASE("golden.json has 35 examples, and each has one test whose name begins with its id", "[fixtures]") {
  std::ostringstream pages;
  for (const auto& file : std::filesystem::directory_iterator(GLASSFORMER_SOURCE_DIR "/tests/seeds")) {
    pages << std::ifstream(file.path()).rdbuf();
  }
  const std::string text = pages.str();
  CHECK(golden_entries().size() == 35);
  for (const nlohmann::json& entry : golden_entries()) {
    const std::string test = "TEST_CASE(\"" + entry.at("id").get<std::string>() + ": ";
    CAPTURE(test);
    CHECK(text.find(test) != std::string::npos);
    CHECK(text.find(test) == text.rfind(test));
  }
}

TEST_CASE("Numbers of the seeds agree within a tolerance, infinities and NaN only with themselves", "[fixtures]") {
  const double infinity = to_number(".inf");
  const double nan = to_number(".nan");
  const Tolerance tolerance{.absolute = 0.1, .relative = 0.01};
  CHECK(tolerance.allows(101.0, 100));
  CHECK(tolerance.allows(98.9, 100));
  CHECK_FALSE(tolerance.allows(101.2, 100));
  CHECK_FALSE(tolerance.allows(98.8, 100));
  CHECK(Tolerance{}.allows(-0.0, 0));

  CHECK(tolerance.allows(nan, nan));
  CHECK(tolerance.allows(-infinity, -infinity));
  CHECK_FALSE(tolerance.allows(infinity, -infinity));
  CHECK_FALSE(tolerance.allows(-1e300, -infinity));
  CHECK_FALSE(tolerance.allows(nan, -infinity));
  CHECK_FALSE(tolerance.allows(infinity, 1));
  CHECK_FALSE(tolerance.allows(nan, 1));
  CHECK_FALSE(tolerance.allows(1, nan));
}

TEST_CASE("Nested lists are flattened into rows, as a mask stores them", "[fixtures]") {
  const Matrix<Index> mask = to_matrix<Index>(nlohmann::json::parse("[[[[0, 1], [2, 3]]], [[[4, 5], [6, 7]]]]"));
  CHECK(mask == Matrix<Index>{{0, 1}, {2, 3}, {4, 5}, {6, 7}});
  CHECK(to_matrix<Index>(nlohmann::json::parse("[1, 2, true]")) == Matrix<Index>{{1, 2, 1}});
  CHECK(to_matrix<Index>(7) == Matrix<Index>{{7}});
}
