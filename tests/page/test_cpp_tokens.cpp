#include <string>
#include <vector>

#include "catch.hpp"
#include "glassformer/page/cpp_tokens.hpp"

using namespace glassformer;

namespace {

/// Each token on a line of its own, with its kind and its line.
std::vector<std::string> described(std::string_view source) {
  constexpr const char* kKinds[] = {"identifier",  "number",  "string",   "character",
                                    "punctuation", "comment", "directive"};
  std::vector<std::string> tokens;
  for (const CppToken& token : cpp_tokens(source)) {
    tokens.push_back(std::to_string(token.line) + " " + kKinds[static_cast<int>(token.kind)] + " " +
                     std::string(token.text));
  }
  return tokens;
}

using Tokens = std::vector<std::string>;

}  // namespace

TEST_CASE("Identifiers, numbers and punctuation are tokens", "[page]") {
  CHECK(described("x_hat[j] =\n  Größe->A::b2;") == Tokens{"1 identifier x_hat", "1 punctuation [", "1 identifier j",
                                                           "1 punctuation ]", "1 punctuation =", "2 identifier Größe",
                                                           "2 punctuation -", "2 punctuation >", "2 identifier A",
                                                           "2 punctuation ::", "2 identifier b2", "2 punctuation ;"});
  CHECK(described("1'000'000 -.5e-3F 0x1.8p+2-1 2.0-x") ==
        Tokens{"1 number 1'000'000", "1 punctuation -", "1 number .5e-3F", "1 number 0x1.8p+2", "1 punctuation -",
               "1 number 1", "1 number 2.0", "1 punctuation -", "1 identifier x"});
}

TEST_CASE("Literals may contain anything, even quotes, brackets and comments", "[page]") {
  CHECK(described(R"__("a \" // {" '"' '\'' '\\' "\\" "")__") ==
        Tokens{R"__(1 string "a \" // {")__", R"__(1 character '"')__", R"__(1 character '\'')__",
               R"__(1 character '\\')__", R"__(1 string "\\")__", R"__(1 string "")__"});
  CHECK(described("u8\"a\" L'b' aR\"(c)\"") == Tokens{"1 identifier u8", "1 string \"a\"", "1 identifier L",
                                                      "1 character 'b'", "1 identifier aR", "1 string \"(c)\""});
  CHECK(described("R\"_(a\n)\" \"()_\" b") == Tokens{"1 string R\"_(a\n)\" \"()_\"", "2 identifier b"});
  CHECK(described("u8R\"(\\)\" c") == Tokens{"1 string u8R\"(\\)\"", "1 identifier c"});
}

TEST_CASE("Comments and directives are single tokens", "[page]") {
  CHECK(described("a // \"b\" /* c\nd /* \" // \n */ e / f") ==
        Tokens{"1 identifier a", "1 comment // \"b\" /* c", "2 identifier d", "2 comment /* \" // \n */",
               "3 identifier e", "3 punctuation /", "3 identifier f"});
  CHECK(described("// a \\\n b\nc") == Tokens{"1 comment // a \\\n b", "3 identifier c"});
  CHECK(described("#define A(b) \\\n  {b\nc\n  #include <d>") ==
        Tokens{"1 directive #define A(b) \\\n  {b", "3 identifier c", "4 directive #include <d>"});
  CHECK(cpp_tokens("/* 1\n2\n3 */").front().last_line() == 3);
}

TEST_CASE("A literal or comment that is not closed ends with the source", "[page]") {
  for (const char* const source : {"\"a;\n", "'a", "\"a\\", "R\"a(b)\"", "R\"a", "/* a *", "// a", "#a", "/*/"}) {
    CAPTURE(source);
    const std::vector<CppToken> tokens = cpp_tokens(source);
    REQUIRE(tokens.size() == 1);
    CHECK(tokens.front().text == source);
  }
  CHECK(cpp_tokens(" \n\t").empty());
}

TEST_CASE("Only identifiers and punctuation are compared with words", "[page]") {
  const std::vector<CppToken> tokens = cpp_tokens("if \"if\" :: // if\n#if");
  CHECK(tokens[0].is("if"));
  CHECK_FALSE(tokens[1].is("\"if\""));
  CHECK(tokens[2].is("::"));
  CHECK((tokens[2].is_code() && !tokens[3].is_code() && !tokens[4].is_code()));
}
