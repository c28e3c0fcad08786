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

/// A file of the bundle that src/web/build.mjs makes.
std::string_view bundled(const std::string& name) { return embedded_files().at("src/web/dist/" + name); }

}  // namespace

void write_page(const nlohmann::ordered_json& trace, std::ostream& page) {
  std::istringstream frame{std::string(bundled("explain.html"))};
  frame.exceptions(std::ios::badbit);  // otherwise, getline would treat a lack of memory as the end
  for (std::string line; std::getline(frame, line);) {
    if (line.ends_with("<!-- styles -->")) {
      page << "<style>\n" << bundled("explain.css") << "</style>\n";
    } else if (line.ends_with("<!-- trace -->")) {
      page << R"(<script type="application/json" id="trace">)";
      write_json(trace, page);
      page << "</script>\n";
    } else if (line.ends_with("<!-- scripts -->")) {
      page << "<script>\n" << bundled("explain.js") << "</script>\n";
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
