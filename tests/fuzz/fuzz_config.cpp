#include "fuzz/input.hpp"
#include "glassformer/config/config.hpp"

using namespace glassformer;

/// A config file: if it is accepted, writing it and reading it back gives the same config.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::may_refuse([&] {
    const Config config = read_config_of_checkpoint(fuzz::as_file("config.yaml", data, size));
    const std::string written = write_config(config);
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(written.data());
    if (write_config(read_config_of_checkpoint(fuzz::as_file("again.yaml", bytes, written.size()))) != written) {
      __builtin_trap();
    }
  });
  return 0;
}
