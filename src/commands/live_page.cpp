#include "glassformer/commands/live_page.hpp"

#include <span>
#include <string_view>

#include "glassformer/files/base64.hpp"
#include "glassformer/page/embedded_files.hpp"
#include "glassformer/page/page.hpp"

namespace glassformer {
namespace {

/// The engine, compressed, where src/web/live/engine_files.ts looks for it.
void write_engine(const std::string& name, std::ostream& page) {
  const std::string_view packed = embedded_files().at("src/web/dist/" + name + ".gz");
  page << R"(<script type="application/octet-stream" id=")" << name << "\">"
       << base64_of(std::as_bytes(std::span(packed))) << "</script>\n";
}

}  // namespace

void write_live_page(const std::optional<std::string>& run_json, std::ostream& page) {
  const auto write_data = [&] {
    write_engine("engine.wasm", page);
    write_engine("engine_emulated.wasm", page);
    if (run_json) {
      write_json_element("run.json", *run_json, page);
    }
  };
  write_bundled_page("live", write_data, page);
}

}  // namespace glassformer
