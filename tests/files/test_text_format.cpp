#include "catch.hpp"
#include "glassformer/files/text_format.hpp"
#include "read_lines.hpp"
#include "temporary_directory.hpp"

using namespace glassformer;
using test::complaint;
using test::contains;
using test::TemporaryDirectory;

namespace {

/// ASCII text in 2 or 4 bytes per character, the lowest byte at position `low`.
std::string widened(const std::string& text, std::size_t width, std::size_t low) {
  std::string bytes;
  for (const char letter : text) {
    std::string character(width, '\0');
    character[low] = letter;
    bytes += character;
  }
  return bytes;
}

/// The message from reading these bytes, with a handler for invalid bytes.
std::string complaint_with_handler(const std::string& bytes) {
  const TemporaryDirectory directory;
  return complaint([&] {
    LineReader reader(directory.write("text", bytes));
    reader.on_invalid = [](const std::string&) {};
    std::string line;
    bool has_more = true;
    while (has_more) {
      has_more = reader.next(line);
    }
  });
}

}  // namespace

TEST_CASE("UTF-16 and UTF-32 are recognised, with and without a byte order mark", "[files]") {
  const std::string text = "A man sleeps.\nTwo dogs run.\n";
  CHECK(other_format("\xFF\xFE" + widened(text, 2, 0)) == "UTF-16; convert it with iconv -f UTF-16 -t UTF-8");
  CHECK(other_format("\xFE\xFF" + widened(text, 2, 1)) == "UTF-16; convert it with iconv -f UTF-16 -t UTF-8");
  CHECK(contains(*other_format(std::string("\xFF\xFE\0\0", 4) + widened(text, 4, 0)), "UTF-32;"));
  CHECK(contains(*other_format(std::string("\0\0\xFE\xFF", 4) + widened(text, 4, 3)), "UTF-32;"));
  for (const std::string& part : {text, std::string("A\n"), std::string("\n")}) {
    CAPTURE(part);
    CHECK(other_format(widened(part, 2, 0)) == "UTF-16LE; convert it with iconv -f UTF-16LE -t UTF-8");
    CHECK(contains(*other_format(widened(part, 2, 1)), "iconv -f UTF-16BE"));
    CHECK(contains(*other_format(widened(part, 4, 0)), "iconv -f UTF-32LE"));
    CHECK(contains(*other_format(widened(part, 4, 3)), "iconv -f UTF-32BE"));
  }
  std::string greeting("\x1f\x04\x40\x04\x38\x04,\0 \0\x3c\x04\x38\x04!\0", 16);  // Cyrillic, where few bytes are NUL
  greeting += greeting;
  CHECK(other_format(greeting).value_or("").starts_with("UTF-16LE"));
}

TEST_CASE("compressed files and documents are recognised by how they begin", "[files]") {
  const auto format = [](const std::string& bytes) { return other_format(bytes + std::string(20, 'x')).value_or(""); };
  CHECK(format("\x1F\x8B\x08") == "a file compressed by gzip; unpack it with gunzip");
  CHECK(contains(format(std::string("\xFD\x37zXZ\0", 6)), "unxz"));
  CHECK(contains(format("BZh91AY&SY"), "bunzip2"));
  CHECK(contains(format("\x28\xB5\x2F\xFD"), "unzstd"));
  CHECK(contains(format("PK\x03\x04"), "unzip"));
  CHECK(contains(format("7z\xBC\xAF\x27\x1C"), "7z x"));
  CHECK(contains(format("%PDF-1.7"), "pdftotext"));
  CHECK(contains(format("{\\rtf1"), "plain text"));
  CHECK(contains(format("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"), "plain text"));
  CHECK(contains(format("train.en" + std::string(249, '\0') + "ustar"), "tar -xf"));
}

TEST_CASE("text is not taken for another format", "[files]") {
  for (const std::string text : {"", "a", "A man sleeps.\n", "BZh91", "PK",
                                 "\xEF\xBB\xBF"
                                 "a\n",
                                 "ÿþ", "7z x a.7z\n"}) {
    CAPTURE(text);
    CHECK_FALSE(other_format(text).has_value());
  }
  CHECK_FALSE(other_format(std::string("a\0b\n", 4)).has_value());  // NUL is an error, but this is not UTF-16
  CHECK_FALSE(other_format(std::string(1, '\0')).has_value());
  CHECK_FALSE(other_format(std::string(4096, '\0')).has_value());
}

TEST_CASE("a reader refuses another format, even with a handler for invalid bytes", "[files]") {
  const std::string wide = widened("A man sleeps.\nTwo dogs run.\n", 2, 0);
  CHECK(
      contains(complaint_with_handler("\xFF\xFE" + wide), "text: expected UTF-8 text, found UTF-16; convert it with"));
  CHECK(contains(complaint_with_handler(wide), "text: expected UTF-8 text, found UTF-16LE"));
  CHECK(contains(complaint_with_handler("\x1F\x8B\x08\n\n"), "found a file compressed by gzip; unpack it with gunzip"));
  CHECK(complaint_with_handler("gr\xFC\xDF\n").empty());
  CHECK(complaint_with_handler("a\n\x1F\x8B\n").empty());  // not at the start
}

TEST_CASE("a hint gives the command for a line that may be Windows-1252", "[files]") {
  for (const std::string line : {"gr\xFC\xDF dich", "\xC4ra", "d\xE9j\xE0 vu", "\x84Hallo\x93", "\xDF"}) {
    CAPTURE(line);
    CHECK(contains(hint_about_encoding(line), "iconv -f WINDOWS-1252 -t UTF-8"));
  }
  for (const std::string line :
       {"\xF0\xD2\xC9\xD7\xC5\xD4",  // KOI8-R
        "cut \xE2\x82", "\xD6\xD0\xCE\xC4", "a \x81 b", "\x01\xFC", "plain", "sch\xC3\xB6n \xFC"}) {
    CAPTURE(line);
    CHECK(hint_about_encoding(line).empty());
  }
}
