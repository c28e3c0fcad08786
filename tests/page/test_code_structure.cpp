#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"
#include "glassformer/page/code_structure.hpp"

using namespace glassformer;

namespace {

/// The position of the identifier `here`.
std::size_t here_in(const CodeStructure& structure) {
  const auto found = std::ranges::find_if(structure.code(), [](const CppToken& token) { return token.is("here"); });
  REQUIRE(found != structure.code().end());
  return static_cast<std::size_t>(found - structure.code().begin());
}

std::string function_of_here(const std::string& source) {
  const CodeStructure structure(cpp_tokens(source));
  return structure.function_around(here_in(structure)).name;
}

/// The statements of the block around `here`, without spaces.
std::vector<std::string> statements_around_here(const std::string& source) {
  const CodeStructure structure(cpp_tokens(source));
  std::vector<std::string> statements;
  for (const TokenRange& range : structure.statements_in(structure.block_around(here_in(structure)))) {
    std::string text;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      text += structure.code()[i].text;
    }
    statements.push_back(text);
  }
  return statements;
}

using Statements = std::vector<std::string>;

}  // namespace

TEST_CASE("The function around a token is named without its template arguments", "[page]") {
  CHECK(function_of_here("void f(int a) { here; }") == "f");
  CHECK(function_of_here("namespace a::b { namespace { int n = 1; Buffer<S>& f(A<S> a) { here; } } }") == "f");
  CHECK(function_of_here("template <std::floating_point S> const A<S>& Linear<S>::forward(B b) { here; }") ==
        "Linear::forward");
  CHECK(function_of_here("template <class A, class B> void Map<A, Set<B>>::Node<A>::f(A a) const { here; }") ==
        "Map::Node::f");
  CHECK(function_of_here("int g() { return 1; } auto f() -> int { for (;;) { h([&](int a) { here; }); } }") == "f");
  CHECK(function_of_here("struct A { int b; class C : D { void f() override { here; } }; };") == "A::C::f");
  CHECK(function_of_here("template <class T> class A { void f() { if (a) { here; } } };") == "A::f");
  CHECK(function_of_here("A::A(int b) : c(b), d(b) { here; }") == "A::A");
  CHECK_THROWS_AS(function_of_here("int here; void f() {}"), std::logic_error);
  CHECK_THROWS_AS(function_of_here("namespace a { int here; }"), std::logic_error);
}

TEST_CASE("A block is split into its statements", "[page]") {
  CHECK(statements_around_here("void f() { int a = 1; here; return a; }") ==
        Statements{"inta=1;", "here;", "returna;"});
  CHECK(statements_around_here("void f() { if (a) { b; } else if (c) { d; } else { e; } here; }") ==
        Statements{"if(a){b;}elseif(c){d;}else{e;}", "here;"});
  CHECK(statements_around_here("void f() { if (a) b; else c; for (;;) { d; } while (e) { f; } here; }") ==
        Statements{"if(a)b;elsec;", "for(;;){d;}", "while(e){f;}", "here;"});
  CHECK(statements_around_here("void f() { do { a; } while (b); try { c; } catch (D& d) { e; } { f; } here; }") ==
        Statements{"do{a;}while(b);", "try{c;}catch(D&d){e;}", "{f;}", "here;"});
  CHECK(statements_around_here("void f() { const A a{1, 2}; auto g = [&](int b) { return b; }; here; }") ==
        Statements{"constAa{1,2};", "autog=[&](intb){returnb;};", "here;"});
  CHECK(statements_around_here("void f() { if (a) return B{c}; for (D d : {1, 2}) { e; } here; }") ==
        Statements{"if(a)returnB{c};", "for(Dd:{1,2}){e;}", "here;"});
  CHECK(statements_around_here("void f() {\n#if A\n  a;  // ;\n#endif\n  b(\";\"); here }") ==
        Statements{"a;", "b(\";\");", "here"});
  CHECK(statements_around_here("void f() { a; g([&] { b; here; }); }") == Statements{"b;", "here;"});
}

TEST_CASE("Brackets that do not match are an error", "[page]") {
  CHECK_THROWS_AS(CodeStructure(cpp_tokens("void f() { (a; }")), std::logic_error);
  CHECK_THROWS_AS(CodeStructure(cpp_tokens("void f() {")), std::logic_error);
  CHECK_THROWS_AS(CodeStructure(cpp_tokens("}")), std::logic_error);
}
