#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "catch.hpp"
#include "glassformer/files/checkpoint_file.hpp"
#include "read_lines.hpp"
#include "temporary_directory.hpp"

using namespace glassformer;
using test::complaint;
using test::contains;
using test::TemporaryDirectory;

namespace fs = std::filesystem;

namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& bytes) {
  const TemporaryDirectory directory;
  return read_lines(directory.write("text", bytes));
}

/// The error message from reading these bytes.
std::string complaint_of(const std::string& bytes) {
  const TemporaryDirectory directory;
  return complaint([&] { read_lines(directory.write("text", bytes)); });
}

}  // namespace

TEST_CASE("lines lose their line endings, LF or CRLF, and nothing else", "[text]") {
  CHECK(lines_of("a b\nc\n") == Lines{"a b", "c"});
  CHECK(lines_of("a b\r\nc\r\n") == Lines{"a b", "c"});
  CHECK(lines_of(" a \n\t\n") == Lines{" a ", "\t"});
  CHECK(lines_of("a\rb\n") == Lines{"a\rb"});
  CHECK(lines_of("a\r\r\n") == Lines{"a\r"});
}

TEST_CASE("a last line counts with or without a line ending", "[text]") {
  CHECK(lines_of("a\nb") == Lines{"a", "b"});
  CHECK(lines_of("a\nb\r") == Lines{"a", "b"});
  CHECK(lines_of("a\n\n") == Lines{"a", ""});
  CHECK(lines_of("\n") == Lines{""});
}

TEST_CASE("an empty file has no lines", "[text]") { CHECK(lines_of("").empty()); }

TEST_CASE("a byte order mark is dropped at the start of a file and nowhere else", "[text]") {
  const std::string mark = "\xEF\xBB\xBF";
  CHECK(lines_of(mark + "a\n" + mark + "b\n") == Lines{"a", mark + "b"});
  CHECK(lines_of(mark).empty());
  CHECK(lines_of(mark + "\n") == Lines{""});
}

TEST_CASE("Unicode's own line separators do not end a line", "[text]") {
  const std::string line = "a\u2028b\u2029c\u0085d\v\f";
  CHECK(lines_of(line + "\n") == Lines{line});
}

TEST_CASE("the error for invalid UTF-8 gives file, line and byte", "[text]") {
  CHECK(contains(complaint_of("gut\ngr\xFC\xDF\n"), "text:2: expected UTF-8 text, found the byte 0xFC at byte 3"));
  CHECK(contains(complaint_of("\xFF"
                              "a"),
                 "text:1: expected UTF-8 text, found the byte 0xFF at byte 1"));
  CHECK(contains(complaint_of("gut\ngr\xFC\xDF\n"), "iconv -f WINDOWS-1252"));
  CHECK(contains(complaint_of("\xEF\xBB\xBF"
                              "a\xE4"),
                 ":1: expected UTF-8 text, found the byte 0xE4 at byte 2"));
  CHECK(contains(complaint_of("cut \xE2\x82"), "byte 5"));               // a character that ends too early
  CHECK(contains(complaint_of("\xC0\xAF"), "byte 1"));                   // overlong: / in two bytes
  CHECK(contains(complaint_of("\xED\xA0\x80"), "byte 1"));               // half of a UTF-16 pair
  CHECK(contains(complaint_of("\xF4\x90\x80\x80"), "byte 1"));           // beyond the last code point
  CHECK(complaint_of("\u00E4 \u20AC \U0001F600 \U0010FFFF\n").empty());  // valid: 2, 3 and 4 bytes
}

TEST_CASE("the error for a NUL byte gives file, line and byte", "[text]") {
  CHECK(contains(complaint_of(std::string("a\nb\0c\n", 6)), "text:2: expected UTF-8 text, found a NUL byte at byte 2"));
}

TEST_CASE("the error for a file that cannot be read gives the reason", "[text]") {
  const TemporaryDirectory directory;
  CHECK(contains(complaint([&] { read_lines(directory.path()); }), "Is a directory"));
  CHECK(contains(complaint([&] { read_lines(directory.path() / "none.en"); }), "none.en: no such file"));
  CHECK(contains(complaint([&] { read_checkpoint_file(directory.path() / "none"); }), "No such file"));
}

TEST_CASE("a pipe is read like a file", "[text]") {
  const TemporaryDirectory directory;
  const fs::path pipe = directory.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(pipe) << "a\nb\n"; });
  const Lines lines = read_lines(pipe);
  writer.join();
  CHECK(lines == Lines{"a", "b"});
}

TEST_CASE("the reader counts lines as it goes", "[text]") {
  const TemporaryDirectory directory;
  LineReader reader(directory.write("text", "a\nb\n"));
  std::string line;
  CHECK(reader.lines_read() == 0);
  REQUIRE(reader.next(line));
  CHECK(reader.lines_read() == 1);
  REQUIRE(reader.next(line));
  CHECK_FALSE(reader.next(line));
  CHECK_FALSE(reader.next(line));
  CHECK(reader.lines_read() == 2);
}

TEST_CASE("a line is waiting only after all of it has arrived", "[text]") {
  const TemporaryDirectory directory;
  const fs::path pipe = directory.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::thread opens([&] { LineReader(pipe).has_line_waiting(); });  // a writer can open once a reader has
  std::ofstream writer(pipe);
  LineReader reader(pipe);
  opens.join();
  std::string line;

  CHECK_FALSE(reader.has_line_waiting());
  writer << "one\ntwo\nth" << std::flush;
  CHECK(reader.has_line_waiting());
  REQUIRE(reader.next(line));
  CHECK(reader.has_line_waiting());
  REQUIRE(reader.next(line));
  CHECK(line == "two");
  CHECK_FALSE(reader.has_line_waiting());
  writer << "ree\n" << std::flush;
  CHECK(reader.has_line_waiting());
  REQUIRE(reader.next(line));
  CHECK(line == "three");
  writer << "four";
  writer.close();
  CHECK_FALSE(reader.has_line_waiting());
  REQUIRE(reader.next(line));
  CHECK(line == "four");
  CHECK_FALSE(reader.next(line));
}

TEST_CASE("a line that does not end is refused before it fills the memory", "[text]") {
  const std::string longest(LineReader::kLongestLine, 'x');
  CHECK(lines_of("a\n" + longest + "\nb\n").size() == 3);
  CHECK(contains(complaint_of("a\n" + longest + longest + "\n"), "text:2: expected lines of at most 16 MiB"));
}

TEST_CASE("with a handler for invalid bytes, they become U+FFFD", "[text]") {
  const TemporaryDirectory directory;
  LineReader reader(directory.write("text", std::string("gut\ngr\xFC\xDF a\0b \xE2\x82\nsch\u00F6n\n", 23)));
  std::vector<std::string> found;
  reader.on_invalid = [&](const std::string& what) { found.push_back(what); };
  Lines lines;
  for (std::string line; reader.next(line);) {
    lines.push_back(line);
  }
  CHECK(lines == Lines{"gut", "gr\uFFFD\uFFFD a\uFFFDb \uFFFD", "sch\u00F6n"});
  REQUIRE(found.size() == 1);
  CHECK(contains(found[0], "text:2: expected UTF-8 text, found the byte 0xFC at byte 3 of the line"));
}

TEST_CASE("lines longer than what is read at once stay whole", "[text]") {
  const std::string longest(300'000, 'x');
  const std::string shorter(65'535, 'y');
  CHECK(lines_of(shorter + "\n" + longest + "\r\nz\n" + shorter) == Lines{shorter, longest, "z", shorter});
}

TEST_CASE("a file of a checkpoint is a regular file of limited length, or a link to one", "[files]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.write("config.json", "12345");
  fs::create_symlink(file, directory.path() / "link");
  CHECK(read_checkpoint_file(directory.path() / "link", 5) == "12345");
  CHECK(contains(complaint([&] { read_checkpoint_file(file, 4); }), "at most 4 bytes, found 5"));
  fs::resize_file(directory.write("sparse", ""), std::uintmax_t{1} << 40);
  CHECK(contains(complaint([&] { read_checkpoint_file(directory.path() / "sparse"); }), "at most"));
  CHECK(contains(complaint([&] { check_checkpoint_file(directory.path() / "sparse", kUnlimited); }),
                 "most of its data is missing"));
  check_checkpoint_file(directory.write("whole", std::string(2 * kLongestConfig, '\0')), kUnlimited);
  fs::resize_file(directory.path() / "whole", 7 * kLongestConfig);  // copied by a program that leaves out zeros
  check_checkpoint_file(directory.path() / "whole", kUnlimited);
  REQUIRE(::mkfifo((directory.path() / "pipe").c_str(), 0600) == 0);
  for (const fs::path& special :
       {directory.path() / "pipe", directory.path(), fs::path("/dev/zero"), fs::path("/dev/tty")}) {
    CHECK(contains(complaint([&] { read_checkpoint_file(special); }), "expected a regular file"));
  }
  CHECK(contains(complaint([&] { read_checkpoint_file(directory.path() / "missing"); }), "cannot be opened"));
  if (fs::exists("/proc/self/pagemap")) {  // a regular file of size 0, from which one can read many gigabytes
    CHECK(read_checkpoint_file("/proc/self/pagemap").empty());
  }
}

TEST_CASE("a file that has only CR as line ending is refused, not read as one line", "[text]") {
  const std::string expected =
      "text: expected lines that end in LF or CRLF, found only CR, as on old Macs; convert it "
      "with tr '\\r' '\\n'";
  CHECK(contains(complaint_of("a\rb\rc\r"), expected));
  CHECK(contains(complaint_of("a\rb"), expected));
  CHECK(
      contains(complaint_of(std::string(LineReader::kLongestLine, 'x') + "\r" + std::string(100'000, 'y')), expected));
  CHECK(lines_of("a\r") == Lines{"a"});
  CHECK(lines_of("a\r\n") == Lines{"a"});
}

TEST_CASE("a file that becomes shorter while it is read is an error; one that grows is not", "[text]") {
  const TemporaryDirectory directory;
  std::string text;
  for (int i = 0; i < 50'000; ++i) {
    text += "line\n";
  }
  const auto read_and = [&](const std::function<void(const fs::path&)>& change) {
    const fs::path file = directory.write("text", text);
    LineReader reader(file);
    std::string line;
    REQUIRE(reader.next(line));
    change(file);
    bool has_more = true;
    while (has_more) {
      has_more = reader.next(line);
    }
    return reader.lines_read();
  };
  CHECK(contains(complaint([&] { read_and([](const fs::path& file) { fs::resize_file(file, 100'000); }); }),
                 "text: the file became shorter while it was being read; wait until it is complete"));
  CHECK(read_and([](const fs::path& file) { std::ofstream(file, std::ios::app) << "more\n"; }) == 50'001);
}
