#include "catch.hpp"
#include "glassformer/files/utf8.hpp"

using namespace glassformer;

TEST_CASE("visible() escapes what a terminal would obey: control and direction characters", "[files]") {
  CHECK(visible("schläft … 漢 🙂") == "schläft … 漢 🙂");
  CHECK(visible("\x1B[31mred") == "\\x1B[31mred");
  CHECK(visible("a\tb\nc\r\x7F") == "a\\x09b\\x0Ac\\x0D\\x7F");
  CHECK(visible("a:\n  b\r\n  c\nd\n", true) == "a:\n  b\\x0D\n  c\\x0Ad\\x0A");
  CHECK(visible("a\u0085b\u009Bc\u00A0d") == "a\\x85b\\x9Bc\u00A0d");  // C1; U+00A0 is not a control character
  CHECK(visible("a\u202Eb\u2066c\u200Fd\u061C") == "a\\u202Eb\\u2066c\\u200Fd\\u061C");
  CHECK(visible(std::string("a\0b", 3)) == "a\\x00b");
  CHECK(visible("\xC2 \xFF\xFE") == "\\xC2 \\xFF\\xFE");
}

TEST_CASE("Unicode's composed and decomposed forms", "[files]") {
  CHECK(composed("sch\u006F\u0308n") == "sch\u00F6n");
  CHECK(decomposed("sch\u00F6n") == "sch\u006F\u0308n");
  CHECK(composed("\uFB01 \u00BD") == "\uFB01 \u00BD");  // unlike NFKC
}
