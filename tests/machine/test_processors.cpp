#include <unistd.h>

#include "catch.hpp"
#include "glassformer/machine/mpi.hpp"
#include "glassformer/machine/rank_places.hpp"
#include "glassformer/run/rank_setup.hpp"

using namespace glassformer;

TEST_CASE("a program not started by mpirun is the only rank", "[machine]") {
  const auto ranks = join_ranks();
  CHECK(ranks->size() == 1);
  const RankPlaces places = rank_places(*ranks);
  CHECK(places.machines == 1);
  CHECK(places.here == 1);
  CHECK(places.sharing == 1);
  CHECK(places.processors >= 1);
  CHECK(places.processors <= static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
  CHECK_FALSE(host_name().empty());
  CHECK(message_prefix().empty());
  CHECK_NOTHROW(require_same(
      *ranks, "the text", [] { return std::uint64_t{1}; }, ""));
}
