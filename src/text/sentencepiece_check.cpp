#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "glassformer/files/suggestion.hpp"
#include "glassformer/files/utf8.hpp"
#include "glassformer/text/sentencepiece.hpp"

namespace glassformer {
namespace {

/// Says what is wrong with a model.
struct Damage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads a Protocol Buffers message (https://protobuf.dev/programming-guides/encoding) field by field.
class FieldReader {
 public:
  explicit FieldReader(std::string_view message) : rest_(message) {}

  std::uint64_t number = 0;  ///< of the field
  std::uint64_t value = 0;   ///< if it is a varint
  std::string_view bytes;    ///< otherwise

  /// Reads a field. False at the end.
  bool next() {
    if (rest_.empty()) {
      return false;
    }
    const std::uint64_t key = varint();
    const std::uint64_t type = key & 7;
    number = key >> 3;
    bytes = {};
    if (type == 0) {
      value = varint();
    } else if (type == 1 || type == 5) {
      bytes = take(type == 1 ? 8 : 4);
    } else if (type == 2) {
      bytes = take(varint());
    } else {
      throw Damage("a field of an unknown type");
    }
    return true;
  }

 private:
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) {
      throw Damage("a field that is cut off");
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::uint64_t varint() {
    std::uint64_t number_read = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      number_read |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) {
        return number_read;
      }
    }
    throw Damage("a number that is too long");
  }

  std::string_view rest_;
};

std::uint32_t word_at(std::string_view bytes, std::size_t index) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + index * sizeof(word), sizeof(word));
  return word;
}

/// A table of characters to replace: 4 bytes with the length of a trie, the trie (a double array of 32-bit units, see
/// https://github.com/s-yata/darts-clone), then the replacements, each ended by a NUL. The library checks neither the
/// trie nor the replacements.
class CharacterMap {
 public:
  /// \throws Damage: there is no room for the trie or for the replacements
  explicit CharacterMap(std::string_view map) {
    if (map.size() < 4 || map.back() != '\0') {
      throw Damage("a table of characters without an end");
    }
    units_ = word_at(map, 0) / 4;
    const std::size_t replacements = 4 + std::size_t{word_at(map, 0)};
    if (units_ == 0 || replacements >= map.size()) {
      throw Damage("a table of characters that is cut off");
    }
    trie_ = map.substr(4);
    replacement_bytes_ = map.size() - replacements;
  }

  /// \throws Damage: a unit that points outside the trie, or outside the replacements
  void check_pointers() const {
    for (std::size_t i = 0; i < units_; ++i) {
      if (!is_byte(i)) {
        continue;
      }
      if ((children(i) | 0xFF) >= units_) {
        throw Damage("a table of characters that points outside itself");
      }
      const bool has_replacement = (word_at(trie_, i) & 0x100) != 0;
      if (has_replacement && (word_at(trie_, children(i)) & 0x7FFF'FFFF) >= replacement_bytes_) {
        throw Damage("a table of characters whose replacements are missing");
      }
    }
  }

  /// The library has room for only 32 matches: prefixes of a text that are in the trie.
  /// \throws Damage: the trie is deeper \pre check_pointers()
  void check_depth() const {
    std::vector<bool> reached(units_);
    std::vector<bool> next(units_);  // positions of the children of the units at a depth
    reached[children(0)] = true;
    for (int depth = 0; depth <= 32; ++depth) {
      next.assign(units_, false);
      for (std::size_t i = 1; i < units_; ++i) {
        if (is_byte(i) && reached[std::min(i ^ (word_at(trie_, i) & 0xFF), units_ - 1)]) {
          next[children(i)] = true;
        }
      }
      if (std::ranges::find(next, true) == next.end()) {
        return;
      }
      reached.swap(next);
    }
    throw Damage("a table of characters that replaces more than 32 bytes at once");
  }

 private:
  /// The unit of a child is at this position ^ the child's byte.
  std::size_t children(std::size_t i) const {
    const std::uint32_t unit = word_at(trie_, i);
    return i ^ (std::size_t{unit >> 10} << ((unit & 0x200) >> 6));
  }
  /// Whether the unit stands for a byte; otherwise, it is a value.
  bool is_byte(std::size_t i) const { return i == 0 || word_at(trie_, i) >> 31 == 0; }

  std::string_view trie_;
  std::size_t units_ = 0, replacement_bytes_ = 0;
};

void check_character_map(std::string_view bytes) {
  if (bytes.empty()) {
    return;
  }
  const CharacterMap map(bytes);
  map.check_pointers();
  map.check_depth();
}

void check_piece(std::string_view message) {
  constexpr std::size_t kLongest = 64;  // bytes; the library has room for 64 user-defined prefixes of a text
  bool is_long = false;
  bool is_user_defined = false;
  for (FieldReader piece(message); piece.next();) {
    if (piece.number == 1) {
      if (utf8_error(piece.bytes)) {
        throw Damage("a piece that is not UTF-8 text");
      }
      if (piece.bytes.find_first_of("\r\n") != std::string_view::npos) {
        throw Damage("the piece \"" + brief(std::string(piece.bytes)) +
                     "\", whose line break would split a translation");
      }
      is_long = is_long || piece.bytes.size() > kLongest;
    }
    if (piece.number == 2 && piece.bytes.size() == 4 && !std::isfinite(std::bit_cast<float>(word_at(piece.bytes, 0)))) {
      throw Damage("a piece whose score is not finite");
    }
    if (piece.number == 3) {
      is_user_defined |= static_cast<std::uint32_t>(piece.value) == 4;  // once is enough
    }
  }
  if (is_user_defined && is_long) {
    throw Damage("a user-defined piece over 64 bytes");
  }
}

/// A field that is a varint, as Protocol Buffers encodes it.
std::string varint_field(std::uint64_t number, std::uint64_t value) {
  std::string bytes;
  for (std::uint64_t rest : {number << 3, value}) {
    for (; rest >= 0x80; rest >>= 7) {
      bytes += static_cast<char>((rest & 0x7F) | 0x80);
    }
    bytes += static_cast<char>(rest);
  }
  return bytes;
}

/// A field that is text or a message.
std::string bytes_field(std::uint64_t number, const std::string& content) {
  std::string bytes = varint_field(number, content.size());
  bytes[0] = static_cast<char>(bytes[0] | 2);  // the type, in the lowest bits of the first byte
  return bytes + content;
}

}  // namespace

void append_special_piece(std::string& model, const std::string& special, const std::string& piece, int id) {
  // See sentencepiece_model.proto: a piece has a text (1) and a type (3), which is CONTROL (3). Field 2 of the model,
  // the trainer's settings, names the ids and the pieces of bos, eos and pad.
  const std::uint64_t id_field = special == "bos" ? 41 : special == "eos" ? 42 : 43;
  const std::uint64_t piece_field = id_field + 5;
  model += bytes_field(1, bytes_field(1, piece) + varint_field(3, 3));
  model += bytes_field(2, varint_field(id_field, static_cast<std::uint64_t>(id)) + bytes_field(piece_field, piece));
}

void check_sentencepiece_model(std::string_view model, const std::string& origin) try {
  // See sentencepiece_model.proto: each field 1 is a piece; 3 and 5 say how to normalize, with the table in field 2.
  for (FieldReader part(model); part.next();) {
    if (part.number == 1) {
      check_piece(part.bytes);
    }
    if (part.number != 3 && part.number != 5) {
      continue;
    }
    for (FieldReader rule(part.bytes); rule.next();) {
      if (rule.number == 2) {
        check_character_map(rule.bytes);
      }
    }
  }
} catch (const Damage& damage) {
  throw UserError(origin + ": expected an intact SentencePiece model, found " + damage.what() +
                  "; copy the file again, or use another model");
}

}  // namespace glassformer
