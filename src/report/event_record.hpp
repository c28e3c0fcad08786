#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "numerics/matrix.hpp"

/// TensorBoard's event files are records one after the other, each an Event of Protocol Buffers between two checksums:
///
///   length, 8 bytes | checksum of these | the event | checksum of the event          (TFRecord; little-endian)
///
/// The checksum is CRC32C, turned right by 15 bits, plus a constant (tensorflow/core/lib/hash/crc32c.h). The messages
/// and the numbers of their fields are those of tensorboard/compat/proto: event, summary, tensor and tensor_shape.
namespace glassformer {

/// What is told of one update; or, at the beginning of a file, what file it is, and from where a run goes on.
struct Event {
  double wall_time = 0;  ///< seconds since 1970
  Index step = 0;        ///< an update
  std::string file_version{};
  bool starts_session = false;  ///< TensorBoard forgets what earlier files say of this update and of later ones

  /// A number under its name.
  struct Scalar {
    std::string tag;
    float value;
  };
  std::vector<Scalar> scalars{};

  /// Texts, which TensorBoard shows as a table.
  struct TextTable {
    std::string tag{};
    Index columns = 1;
    std::vector<std::string> cells{};  ///< row by row
  };
  TextTable text{};  ///< without a tag: none
};

/// Whether CMake has found what the functions below are made with, protozero and RHash. \pre of the others: it has
bool can_make_event_records();

/// The event as a record, ready to be written behind those before it.
std::string event_record(const Event& event);

/// Castagnoli's cyclic redundancy check, as in RFC 3720.
std::uint32_t crc32c(std::string_view bytes);

}  // namespace glassformer
