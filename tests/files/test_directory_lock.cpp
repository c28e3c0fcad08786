#include <optional>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "glassformer/files/directory_lock.hpp"

using namespace glassformer;
using namespace glassformer::stand_in;

TEST_CASE("a locked directory cannot be locked again until the lock and all its copies are destroyed", "[files]") {
  const TemporaryDirectory directory;
  std::optional<DirectoryLock> first(directory.path());
  std::optional<DirectoryLock> copy = first;
  const auto second = [&] { return complaint([&] { const DirectoryLock lock(directory.path()); }); };
  CHECK_THAT(second(), Says("another process") && Says("--output"));
  first.reset();
  CHECK_FALSE(second().empty());
  copy.reset();
  CHECK(second().empty());
}

TEST_CASE("a directory that does not exist cannot be locked", "[files]") {
  const TemporaryDirectory directory;
  CHECK_THAT(complaint([&] { const DirectoryLock lock(directory / "nowhere"); }), Says("nowhere: cannot be opened"));
}

TEST_CASE("a lock leaves no file, and does not depend on one", "[files]") {
  const TemporaryDirectory directory;
  const DirectoryLock lock(directory.path());
  CHECK(lock.is_held());
  CHECK(count_entries(directory.path()) == 0);
}
