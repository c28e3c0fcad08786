#include "fuzz/input.hpp"
#include "glassformer/files/utf8.hpp"
#include "read_lines.hpp"

using namespace glassformer;

/// A text: the lines read are UTF-8 and contain no line end.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::may_refuse([&] {
    for (const std::string& line : read_lines(fuzz::as_file("train.en", data, size))) {
      if (line.find('\n') != std::string::npos || utf8_error(line)) {
        __builtin_trap();
      }
    }
  });
  return 0;
}
