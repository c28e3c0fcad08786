#include "glassformer/run/rank_setup.hpp"

#include <spdlog/spdlog.h>

#include <array>
#include <vector>

#include "glassformer/files/user_error.hpp"
#include "glassformer/machine/rank_places.hpp"
#include "glassformer/machine/threads.hpp"
#include "glassformer/numerics/parallel.hpp"

namespace glassformer {

void set_up_ranks(const Processes& ranks, const std::function<std::uint64_t()>& fingerprint, Index shards) {
  if (ranks.size() == 1) {
    return;
  }
  require_same(ranks, "the command and the config", fingerprint,
               "Give all ranks the same command, config file and --set options.");
  ranks.once([&] {
    if (ranks.size() <= shards) {
      return;
    }
    throw UserError(fmt::format(
        "training.shards: expected at least one shard for each process, found {} shards and {} processes. Start fewer "
        "processes, or raise training.shards, which changes the last digits of the result.",
        shards, ranks.size()));
  });
  share_processors(rank_places(ranks).sharing);
}

void log_ranks(const Processes& ranks, Index shards) {
  if (ranks.size() == 1) {
    return;
  }
  const RankPlaces places = rank_places(ranks);
  const int used = places.here * thread_count();
  spdlog::info("{} ranks on {} machine(s) share {} shards; this machine: {} ranks, {} thread(s) each, {} processors",
               ranks.size(), places.machines, shards, places.here, thread_count(), places.processors);
  if (used > places.processors) {
    spdlog::warn("{} threads share {} processors on this machine: OMP_NUM_THREADS applies to each rank", used,
                 places.processors);
  }
}

void require_same(const Processes& ranks, const std::string& what, const std::function<std::uint64_t()>& fingerprint,
                  const std::string& hint) {
  if (ranks.size() == 1) {
    return;
  }
  struct Answer {
    std::array<char, 256> host{};
    std::uint64_t fingerprint = 0;
  };
  std::vector<Answer> all(static_cast<std::size_t>(ranks.size()));
  Answer& mine = all[static_cast<std::size_t>(ranks.rank())];
  host_name().copy(mine.host.data(), mine.host.size() - 1);
  mine.fingerprint = fingerprint();
  ranks.gather(std::span(all));
  std::string names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].fingerprint == all[0].fingerprint) {
      continue;
    }
    names += fmt::format("{}rank {} on {}", names.empty() ? "" : ", ", i, all[i].host.data());
  }
  if (names.empty()) {
    return;
  }
  ranks.once(
      [&] { throw UserError(fmt::format("{}: not the same on {} as on the first rank. {}", what, names, hint)); });
}

}  // namespace glassformer
