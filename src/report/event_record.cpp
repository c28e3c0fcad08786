#include "report/event_record.hpp"

#if GLASSFORMER_TENSORBOARD
#include <rhash.h>

#include <array>
#include <bit>
#include <iterator>
#include <protozero/pbf_builder.hpp>
#else
#include <stdexcept>
#endif

namespace glassformer {

#if GLASSFORMER_TENSORBOARD

namespace {

using protozero::pbf_builder;

// The fields that are used, each with its number.
enum class EventField : protozero::pbf_tag_type {
  wall_time = 1, step = 2, file_version = 3, summary = 5, session_log = 7
};
enum class SessionLogField : protozero::pbf_tag_type { status = 1 };
enum class SummaryField : protozero::pbf_tag_type { value = 1 };
enum class ValueField : protozero::pbf_tag_type { tag = 1, simple_value = 2, tensor = 8, metadata = 9 };
enum class MetadataField : protozero::pbf_tag_type { plugin_data = 1 };
enum class PluginDataField : protozero::pbf_tag_type { plugin_name = 1 };
enum class TensorField : protozero::pbf_tag_type { dtype = 1, tensor_shape = 2, string_val = 8 };
enum class ShapeField : protozero::pbf_tag_type { dim = 2 };
enum class DimField : protozero::pbf_tag_type { size = 1 };
constexpr std::int32_t kStart = 1;   // SessionLog.SessionStatus
constexpr std::int32_t kString = 7;  // DataType

void add_table(pbf_builder<SummaryField>& summary, const Event::TextTable& table) {
  pbf_builder<ValueField> value(summary, SummaryField::value);
  value.add_string(ValueField::tag, table.tag);
  {
    pbf_builder<TensorField> tensor(value, ValueField::tensor);
    tensor.add_enum(TensorField::dtype, kString);
    {
      pbf_builder<ShapeField> shape(tensor, TensorField::tensor_shape);
      for (const Index size : {std::ssize(table.cells) / table.columns, table.columns}) {
        pbf_builder<DimField>(shape, ShapeField::dim).add_int64(DimField::size, size);
      }
    }
    for (const std::string& cell : table.cells) tensor.add_bytes(TensorField::string_val, cell);
  }
  pbf_builder<MetadataField> metadata(value, ValueField::metadata);
  pbf_builder<PluginDataField>(metadata, MetadataField::plugin_data).add_string(PluginDataField::plugin_name, "text");
}

std::string as_message(const Event& event) {
  std::string bytes;
  pbf_builder<EventField> message(bytes);
  message.add_double(EventField::wall_time, event.wall_time);
  if (event.step != 0) message.add_int64(EventField::step, event.step);
  if (!event.file_version.empty()) message.add_string(EventField::file_version, event.file_version);
  if (!event.scalars.empty() || !event.text.tag.empty()) {
    pbf_builder<SummaryField> summary(message, EventField::summary);
    for (const auto& [tag, number] : event.scalars) {
      pbf_builder<ValueField> value(summary, SummaryField::value);
      value.add_string(ValueField::tag, tag);
      value.add_float(ValueField::simple_value, number);
    }
    if (!event.text.tag.empty()) add_table(summary, event.text);
  }
  if (event.starts_session) {
    pbf_builder<SessionLogField>(message, EventField::session_log).add_enum(SessionLogField::status, kStart);
  }
  return bytes;
}

std::string little_endian(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i) & 0xFF);
  return text;
}

std::string checksum(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return little_endian(std::rotr(crc, 15) + 0xA282EAD8U, 4);
}

}  // namespace

bool can_make_event_records() { return true; }

std::string event_record(const Event& event) {
  const std::string message = as_message(event);
  const std::string length = little_endian(message.size(), 8);
  return length + checksum(length) + message + checksum(message);
}

std::uint32_t crc32c(std::string_view bytes) {
  rhash_library_init();
  std::array<unsigned char, 4> digest{};  // the first byte is the highest
  rhash_msg(RHASH_CRC32C, bytes.data(), bytes.size(), digest.data());
  std::uint32_t crc = 0;
  for (const unsigned char byte : digest) crc = crc << 8 | byte;
  return crc;
}

#else

// Nobody comes here: the config's key is refused (src/config/checks.cpp).
bool can_make_event_records() { return false; }
std::string event_record(const Event&) { throw std::logic_error("built without TensorBoard's event files"); }
std::uint32_t crc32c(std::string_view) { throw std::logic_error("built without TensorBoard's event files"); }

#endif

}  // namespace glassformer
