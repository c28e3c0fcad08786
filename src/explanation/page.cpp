#include "explanation/page.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

#include "explanation/embedded_files.hpp"

namespace glassformer {
namespace {

constexpr std::string_view kBeginning = "<!doctype html>\n<!-- Written by glassformer explain. -->\n";
constexpr std::string_view kFolder = "src/explanation/page/";

/// JSON that can stand in HTML: what would end the script element, or begin a comment, is written otherwise.
std::string json_in_html(const nlohmann::ordered_json& trace) {
  const std::string json = trace.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string safe;
  safe.reserve(json.size());
  for (const char letter : json) {
    if (letter == '<') safe += "\\u003c";
    else safe += letter;
  }
  return safe;
}

/// All files of one kind, in the order of the numbers in their names, as one element.
void write_parts(const std::string& element, std::string_view ending, std::ostream& page) {
  page << '<' << element << ">\n";
  for (const auto& [path, text] : embedded_files()) {  // in alphabetic order
    if (path.starts_with(kFolder) && path.ends_with(ending)) page << text << '\n';
  }
  page << "</" << element << ">\n";
}

}  // namespace

void write_page(const nlohmann::ordered_json& trace, std::ostream& page) {
  const std::string_view frame = embedded_files().at("src/explanation/page/page.html");
  for (std::size_t begin = 0; begin < frame.size();) {
    const std::size_t end = std::min(frame.find('\n', begin), frame.size());
    const std::string_view line = frame.substr(begin, end - begin);
    if (line.ends_with("<!-- styles -->")) {
      write_parts("style", ".css", page);
    } else if (line.ends_with("<!-- trace -->")) {
      page << R"(<script type="application/json" id="trace">)" << json_in_html(trace) << "</script>\n";
    } else if (line.ends_with("<!-- scripts -->")) {
      write_parts("script", ".js", page);
    } else {
      page << line << '\n';
    }
    begin = end + 1;
  }
}

bool is_page(const std::filesystem::path& file) {
  if (!std::filesystem::is_regular_file(file)) return false;
  std::string beginning(kBeginning.size(), '\0');
  std::ifstream(file, std::ios::binary).read(beginning.data(), std::ssize(beginning));
  return beginning == kBeginning;
}

}  // namespace glassformer
