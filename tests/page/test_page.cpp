#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "catch.hpp"
#include "glassformer/page/embedded_files.hpp"
#include "glassformer/page/page.hpp"
#include "glassformer/page/trace_json.hpp"
#include "page/explained_example.hpp"

using namespace glassformer;
using Json = nlohmann::ordered_json;

namespace {

Json page_trace_of(const example::ExplainedExample& example) {
  return trace_json(example.explained(), example.explanation, {"</script><b>", {}, MatrixForm::packed});
}

std::string page_of(const Json& trace) {
  std::ostringstream page;
  write_page(trace, page);
  return page.str();
}

int count_in(const std::string& text, const std::string& part) {
  int times = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++times;
  }
  return times;
}

const std::string kTraceBegins = R"(<script type="application/json" id="trace">)";

}  // namespace

TEST_CASE("The page is one file with style, trace and script, and loads nothing", "[page]") {
  const std::string page = page_of(page_trace_of(example::ExplainedExample()));
  CHECK(page.starts_with("<!doctype html>"));
  CHECK(page.ends_with("</html>\n"));
  for (const char* once : {"<html", "</html>", "<head>", "<body", "<style>", "</style>"}) {
    CAPTURE(once);
    CHECK(count_in(page, once) == 1);
  }
  CHECK(count_in(page, kTraceBegins) == 1);
  CHECK(count_in(page, "<script") == 2);
  CHECK(count_in(page, "</script>") == 2);
  for (const char* place : {"<!-- styles -->", "<!-- data -->", "<!-- scripts -->"}) {
    CHECK(count_in(page, place) == 0);
  }
  // The names of XML namespaces, which no browser loads.
  CHECK(count_in(page, "http://") == count_in(page, "http://www.w3.org/"));
  CHECK(count_in(page, "url(") == count_in(page, "url(#"));  // the patterns of a drawing in the page
  for (const char* outside : {"https://", "src=", "@import"}) {
    CAPTURE(outside);
    CHECK(count_in(page, outside) == 0);
  }
}

TEST_CASE("A page is recognised by its first bytes", "[page]") {
  const test::TemporaryDirectory directory;
  const std::string page = page_of(Json::object());
  CHECK(is_page(directory.write("page", page)));
  CHECK_FALSE(is_page(directory.write("other", "<!doctype html>\n" + page)));
  CHECK_FALSE(is_page(directory.write("short", page.substr(0, 40))));
  CHECK_FALSE(is_page(directory.path()));
  CHECK_FALSE(is_page("nowhere"));
}

TEST_CASE("The page contains the style sheet and the script of the bundle", "[page]") {
  const std::string page = page_of(Json::object());
  const auto place = [&](const std::string& name) { return page.find(embedded_files().at("src/web/dist/" + name)); };
  REQUIRE(place("explain.css") != std::string::npos);
  REQUIRE(place("explain.js") != std::string::npos);
  CHECK(place("explain.css") < page.find(kTraceBegins));
  CHECK(page.find(kTraceBegins) < place("explain.js"));
}

TEST_CASE("No sentence can break out of the trace", "[page]") {
  const std::string hostile = "</script><b>&amp;<!-- <script> \\u003c \" '";
  const Json trace = page_trace_of(example::ExplainedExample(tiny_settings(), {{hostile, hostile}}));
  const std::string page = page_of(trace);
  CHECK(count_in(page, "</script><b>") == 0);
  CHECK(count_in(page, "<script") == 2);
  CHECK(count_in(page, "</script>") == 2);
  CHECK(count_in(page, "<!-- <script>") == 0);

  const std::size_t begin = page.find(kTraceBegins) + kTraceBegins.size();
  const Json read = Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  CHECK(read == trace);
  CHECK(read.at("sentences").at(0).at("source") == hostile);
  CHECK(read.at("checkpoint") == "</script><b>");
}
