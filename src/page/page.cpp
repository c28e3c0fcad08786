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

std::string_view bundled(const std::string& name) { return embedded_files().at("src/web/dist/" + name); }

}  // namespace

void write_json_element(const std::string& id, std::string_view json, std::ostream& page) {
  page << R"(<script type="application/json" id=")" << id << "\">";
  for (const char letter : json) {
    if (letter == '<') {
      page << "\\u003c";
    } else {
      page.put(letter);
    }
  }
  page << "</script>\n";
}

void write_bundled_page(const std::string& name, const std::function<void()>& write_data, std::ostream& page) {
  std::istringstream frame{std::string(bundled(name + ".html"))};
  frame.exceptions(std::ios::badbit);  // otherwise, getline would treat a lack of memory as the end
  for (std::string line; std::getline(frame, line);) {
    if (line.ends_with("<!-- styles -->")) {
      page << "<style>\n" << bundled(name + ".css") << "</style>\n";
    } else if (line.ends_with("<!-- data -->")) {
      write_data();
    } else if (line.ends_with("<!-- scripts -->")) {
      page << "<script>\n" << bundled(name + ".js") << "</script>\n";
    } else {
      page << line << '\n';
    }
  }
}

void write_page(const nlohmann::ordered_json& trace, std::ostream& page) {
  const std::string json = trace.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  write_bundled_page(
      "explain", [&] { write_json_element("trace", json, page); }, page);
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
