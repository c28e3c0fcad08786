#pragma once

#include <spdlog/common.h>

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace spdlog {
class formatter;
}

/// The log for other programs: each message is a JSON object on a line of its own,
///
///   {"time":"2026-03-01T10:15:00.250+01:00","level":"info","message":"20 training pairs, ..."}
///
/// and where it tells figures they are fields besides, with the names that they have in metrics.jsonl.
namespace glassformer {

/// How the log is written: for people, or for programs.
enum class LogFormat { text, json };

/// Of standard error, in the whole program: text, until main says otherwise, before anything is said.
LogFormat log_format();
/// For main. \pre nothing has been said yet
void set_log_format(LogFormat format);

/// Makes these objects, without an end of line. Bytes of a message that are no UTF-8 become U+FFFD.
std::unique_ptr<spdlog::formatter> json_formatter();

/// For what is said past the log.
std::string json_line(spdlog::level::level_enum level, std::string_view message);

/// While it lives, what this thread logs has these fields as well. \pre `fields` lives as long, and is an object
class LogFields {
 public:
  explicit LogFields(const nlohmann::ordered_json& fields);
  ~LogFields();
  LogFields(const LogFields&) = delete;
  LogFields& operator=(const LogFields&) = delete;
};

}  // namespace glassformer
