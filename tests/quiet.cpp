// Tests assert and do not print: what the library logs goes nowhere, unless a test installs a logger of its own.
#include <spdlog/spdlog.h>

namespace {

const bool kIsQuiet = [] {
  spdlog::set_default_logger(std::make_shared<spdlog::logger>(""));
  return true;
}();

}  // namespace
