#include "report/json_log.hpp"

#include <spdlog/pattern_formatter.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace glassformer {

namespace {

using Json = nlohmann::ordered_json;

LogFormat format_of_program = LogFormat::text;
thread_local const Json* fields_of_thread = nullptr;  // a message goes to its sinks in the thread that logs it

std::string text_of(const auto& characters) { return {characters.data(), characters.size()}; }

class JsonFormatter : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    spdlog::memory_buf_t time;
    time_.format(message, time);
    // Figures of training are debug messages only so that a terminal need not show them twice.
    const auto level = std::max(message.level, spdlog::level::info);
    Json line;
    line["time"] = text_of(time);
    line["level"] = text_of(spdlog::level::to_string_view(level));
    line["message"] = text_of(message.payload);
    if (fields_of_thread) line.update(*fields_of_thread);
    const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace);
    out.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<JsonFormatter>(); }

 private:
  spdlog::pattern_formatter time_{"%Y-%m-%dT%H:%M:%S.%e%z", spdlog::pattern_time_type::local, ""};
};

}  // namespace

LogFormat log_format() { return format_of_program; }

void set_log_format(LogFormat format) { format_of_program = format; }

std::unique_ptr<spdlog::formatter> json_formatter() { return std::make_unique<JsonFormatter>(); }

std::string json_line(spdlog::level::level_enum level, std::string_view message) {
  spdlog::memory_buf_t line;
  JsonFormatter().format({"", level, {message.data(), message.size()}}, line);
  return text_of(line);
}

LogFields::LogFields(const nlohmann::ordered_json& fields) { fields_of_thread = &fields; }
LogFields::~LogFields() { fields_of_thread = nullptr; }

}  // namespace glassformer
