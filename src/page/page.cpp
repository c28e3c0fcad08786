#include "glassformer/page/page.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>

#include "glassformer/page/embedded_files.hpp"

namespace glassformer {
namespace {

constexpr std::string_view kBeginning = "<!doctype html>\n<!-- Written by glassformer explain. -->\n";

/// Writes JSON that is safe inside HTML: without '<', which could end the script element or begin a comment.
void write_json(const nlohmann::ordered_json& trace, std::ostream& page) {
  for (const char letter : trace.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) {
    if (letter == '<') {
      page << "\\u003c";
    } else {
      page.put(letter);
    }
  }
}

/// Writes all files with this ending, in alphabetical order, as one element.
void write_parts(const std::string& element, std::string_view ending, std::ostream& page) {
  page << '<' << element << ">\n";
  for (const auto& [path, text] : embedded_files()) {
    if (path.ends_with(ending)) {
      page << text << '\n';
    }
  }
  page << "</" << element << ">\n";
}

}  // namespace

void write_page(const nlohmann::ordered_json& trace, std::ostream& page) {
  std::istringstream frame{std::string(embedded_files().at("src/page/web/page.html"))};
  frame.exceptions(std::ios::badbit);  // otherwise, getline would treat a lack of memory as the end
  for (std::string line; std::getline(frame, line);) {
    if (line.ends_with("<!-- styles -->")) {
      write_parts("style", ".css", page);
    } else if (line.ends_with("<!-- trace -->")) {
      page << R"(<script type="application/json" id="trace">)";
      write_json(trace, page);
      page << "</script>\n";
    } else if (line.ends_with("<!-- scripts -->")) {
      write_parts("script", ".js", page);
    } else {
      page << line << '\n';
    }
  }
}

bool is_page(const std::filesystem::path& file) {
  if (!std::filesystem::is_regular_file(file)) {
    return false;
  }
  std::string beginning(kBeginning.size(), '\0');
  std::ifstream(file, std::ios::binary).read(beginning.data(), std::ssize(beginning));
  return beginning == kBeginning;
}

}  // namespace glassformer
