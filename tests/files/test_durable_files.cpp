#include <sys/resource.h>

#include <csignal>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "glassformer/files/durable_directories.hpp"
#include "glassformer/files/durable_files.hpp"
#include "glassformer/files/output_file.hpp"
#include "glassformer/files/unfinished.hpp"

using namespace glassformer;
using namespace glassformer::stand_in;

namespace {

/// While it exists, no file can grow beyond `bytes`, as on a full disk.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit small{bytes, limit_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallDisk() {
    ::setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, handler_);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

 private:
  void (*handler_)(int);
  rlimit limit_{};
};

}  // namespace

TEST_CASE("if a file cannot be written completely, only the older one remains", "[checkpoint]") {
  const TemporaryDirectory directory;
  write_file_durably(directory / "file", "older");
  {
    const SmallDisk disk(1000);
    CHECK_THROWS_WITH(write_file_durably(directory / "file", std::string(5000, 'x')),
                      Says("file: cannot be written") && Says("too large") && Says("Free some space"));
  }
  CHECK(read_bytes(directory / "file") == "older");
  CHECK(count_entries(directory.path()) == 1);
  write_file_durably(directory / "file", std::string(5000, 'x'));
  CHECK(read_bytes(directory / "file") == std::string(5000, 'x'));
}

TEST_CASE("a directory gets its name only after everything in it is written", "[checkpoint]") {
  const TemporaryDirectory directory;
  const fs::path target = directory / "deep" / "target";
  const auto nothing = [](const fs::path&) {};
  CHECK(stand_in::complaint([&] { write_directory_durably(target, nothing); }).find("No such file") !=
        std::string::npos);
  fs::create_directory(directory / "deep");  // a run's directory that has been moved must not be recreated
  write_directory_durably(target, [&](const fs::path& unfinished) {
    CHECK_FALSE(fs::exists(target));
    CHECK(is_unfinished_name(unfinished));
    CHECK(unfinished.parent_path() == target.parent_path());
    fs::create_directory(unfinished / "inner");
    write_bytes(unfinished / "inner" / "file", "1");
  });
  CHECK(read_bytes(target / "inner" / "file") == "1");

  write_directory_durably(target / "", [&](const fs::path& unfinished) {
    CHECK(read_bytes(target / "inner" / "file") == "1");
    write_bytes(unfinished / "file", "2");
  });
  CHECK(read_bytes(target / "file") == "2");
  CHECK_FALSE(fs::exists(target / "inner"));
  CHECK(count_entries(target.parent_path()) == 1);
}

TEST_CASE("if a directory cannot be written completely, only the older one remains", "[checkpoint]") {
  const TemporaryDirectory directory;
  const auto fail = [](const fs::path& unfinished) {
    write_bytes(unfinished / "file", "half");
    throw UserError("no more");
  };
  CHECK(complaint([&] { write_directory_durably(directory / "target", fail); }) == "no more");
  CHECK(count_entries(directory.path()) == 0);
  write_directory_durably(directory / "target",
                          [](const fs::path& unfinished) { write_bytes(unfinished / "file", "1"); });
  CHECK(complaint([&] { write_directory_durably(directory / "target", fail); }) == "no more");
  CHECK(read_bytes(directory / "target" / "file") == "1");
  CHECK(count_entries(directory.path()) == 1);
}

TEST_CASE("leftovers of killed processes are removed, and an interrupted swap is undone", "[checkpoint]") {
  const TemporaryDirectory directory;
  for (const char* name : {".new.partial", ".swapped.partial", ".swapped.replaced", ".done.replaced", "done", ".hidden",
                           ".foreign.partial"}) {
    fs::create_directory(directory / name);
    write_bytes(directory / name / "file", name);
  }
  clear_unfinished_directories(directory.path(), [](const std::string& name) { return name != "foreign"; });
  CHECK(read_bytes(directory / "swapped" / "file") == ".swapped.replaced");
  CHECK(read_bytes(directory / "done" / "file") == "done");
  CHECK(read_bytes(directory / ".hidden" / "file") == ".hidden");
  CHECK(read_bytes(directory / ".foreign.partial" / "file") == ".foreign.partial");
  CHECK(count_entries(directory.path()) == 4);
}

TEST_CASE("a link is moved from one target to the next in one step", "[checkpoint]") {
  const TemporaryDirectory directory;
  fs::create_directory(directory / "one");
  fs::create_directory(directory / "two");
  point_link_durably(directory / "link", "one");
  CHECK(fs::read_symlink(directory / "link") == "one");
  fs::create_symlink("nowhere", directory / ".link.partial");  // left by a killed process
  point_link_durably(directory / "link", "two");
  CHECK(fs::read_symlink(directory / "link") == "two");
  CHECK(count_entries(directory.path()) == 3);
  CHECK_THAT(complaint([&] { point_link_durably(directory / "no" / "link", "two"); }), Says("link"));
}

TEST_CASE("a replaced file keeps its permissions, and a link in place of the unfinished file is not followed",
          "[checkpoint]") {
  const TemporaryDirectory directory;
  write_bytes(directory / "file", "older");
  fs::permissions(directory / "file", fs::perms::owner_read | fs::perms::owner_write);
  write_bytes(directory / "victim", "precious");
  fs::create_symlink("victim", directory / ".file.partial");
  write_file_durably(directory / "file", "newer");
  CHECK(read_bytes(directory / "file") == "newer");
  CHECK(fs::status(directory / "file").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(read_bytes(directory / "victim") == "precious");
  CHECK(count_entries(directory.path()) == 2);
}

TEST_CASE("an output file has a temporary name until it is finished, and replaces the file that a link leads to",
          "[files]") {
  const TemporaryDirectory directory;
  write_bytes(directory / "file", "older");
  fs::permissions(directory / "file", fs::perms::owner_read);
  write_bytes(directory / "file.partial", "the user's");
  fs::create_symlink("file", directory / "link");
  {
    OutputFile output(directory / "link");
    output.stream() << "newer";
    output.flush();
    CHECK(read_bytes(directory / "file") == "older");
    CHECK(count_entries(directory.path()) == 4);
    output.finish();
  }
  CHECK(read_bytes(directory / "file") == "newer");
  CHECK(fs::status(directory / "file").permissions() == fs::perms::owner_read);
  CHECK(fs::is_symlink(directory / "link"));
  CHECK(read_bytes(directory / "file.partial") == "the user's");
  { OutputFile(directory / "link").stream() << "unfinished"; }
  fs::path kept;
  {
    OutputFile output(directory / "file");
    output.stream() << "a line\n";
    output.flush();
    output.stream() << "half a li";
    kept = output.keep();
  }
  CHECK(read_bytes(kept) == "a line\n");
  fs::remove(kept);
  CHECK(count_entries(directory.path()) == 3);
}

TEST_CASE("if two programs write one file, the one that finishes last says where its result is", "[files]") {
  const TemporaryDirectory directory;
  const fs::path file = directory / "file";
  const bool exists = GENERATE(false, true);
  CAPTURE(exists);
  if (exists) {
    write_bytes(file, "older");
  }
  {
    OutputFile first(file);
    OutputFile second(file);
    first.stream() << "first";
    second.stream() << "second";
    first.finish();
    CHECK_THROWS_WITH(second.finish(), Says("file: another program has written this file") &&
                                           Says("this result is in " + second.keep().string()));
    CHECK(read_bytes(second.keep()) == "second");
  }
  CHECK(read_bytes(file) == "first");
  CHECK(count_entries(directory.path()) == 2);
}

TEST_CASE("removing a directory leaves nothing behind", "[checkpoint]") {
  const TemporaryDirectory directory;
  fs::create_directory(directory / "target");
  write_bytes(directory / "target" / "file", "1");
  remove_directory_durably(directory / "target");
  CHECK(count_entries(directory.path()) == 0);
  CHECK_THAT(complaint([&] { remove_directory_durably(directory / "target"); }), Says("target"));
}
