// With chain.hpp, all that includes MPI's header. Where CMake has found no MPI, communicator_alone.cpp takes its place.
#include "numerics/communicator.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <string>
#include <vector>

#include "numerics/chain.hpp"
#include "numerics/parallel.hpp"
#include "user_error.hpp"

namespace glassformer {
namespace {

const MPI_Comm kAll = MPI_COMM_WORLD;
constexpr std::size_t kLongest = std::size_t{1} << 30;  // bytes in one message: MPI counts by int

/// Ends only when this process is ended.
[[noreturn]] void wait_to_be_ended() {
  while (true) MPI_Barrier(kAll);
}

}  // namespace

/// While it lives, MPI is initialised. Where an exception ends it, MPI stays so: end() finds that.
class Communicator::Group {
 public:
  Group() {
    sigset_t every, before;  // MPI begins threads of its own, which are to leave signals to ours
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    MPI_Comm_rank(kAll, &rank);
    MPI_Comm_size(kAll, &size);
    using Name = std::array<char, MPI_MAX_PROCESSOR_NAME>;
    Name name{};
    int length = 0;
    MPI_Get_processor_name(name.data(), &length);
    std::vector<Name> names(static_cast<std::size_t>(size));
    MPI_Allgather(name.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, names.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, kAll);
    for (const Name& host : names) hosts.emplace_back(host.data());
    const Processors mine = allowed_processors();
    allowed.resize(names.size());
    MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, allowed.data(), sizeof(mine), MPI_BYTE, kAll);
  }
  ~Group() {
    if (std::uncaught_exceptions() == 0) MPI_Finalize();
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  /// On which processors each rank of this machine may run.
  std::vector<Processors> here() const {
    std::vector<Processors> found;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      if (hosts[i] == hosts[static_cast<std::size_t>(rank)]) found.push_back(allowed[i]);
    }
    return found;
  }

  int rank = 0, size = 1;
  std::vector<std::string> hosts;   // of each rank
  std::vector<Processors> allowed;  // to each rank
};

Communicator Communicator::join() {
  const int announced = announced_processes();
  if (announced == 1) return {};
  Communicator all;
  all.group_ = std::make_shared<Group>();
  all.rank_ = all.group_->rank;
  all.size_ = all.group_->size;
  if (all.size_ == announced) return all;
  throw UserError("expected " + std::to_string(announced) + " processes, as mpirun or srun has started, found " +
                  std::to_string(all.size_) + ": this program was built with another MPI. Start it with that one's " +
                  "mpirun (for srun, --mpi=pmix may help), or build it with this one.");
}

int Communicator::machines() const {
  if (!group_) return 1;
  std::vector<std::string> hosts = group_->hosts;
  std::ranges::sort(hosts);
  return static_cast<int>(std::unique(hosts.begin(), hosts.end()) - hosts.begin());
}

int Communicator::ranks_here() const { return group_ ? static_cast<int>(group_->here().size()) : 1; }

int Communicator::ranks_sharing() const {
  if (!group_) return 1;
  const Processors mine = group_->allowed[static_cast<std::size_t>(rank_)];
  if (mine.none()) return ranks_here();  // nobody knows
  const std::vector<Processors> all = group_->here();
  return static_cast<int>(std::ranges::count_if(all, [&](const Processors& theirs) { return (theirs & mine).any(); }));
}

int Communicator::processors_here() const {
  Processors any;
  if (group_) {
    for (const Processors& theirs : group_->here()) any |= theirs;
  }
  return any.none() ? processor_count() : static_cast<int>(any.count());
}

void Communicator::once(const std::function<void()>& action) const {
  if (is_first()) action();
  if (group_) MPI_Barrier(kAll);
}

void Communicator::together(const std::function<void()>& action) const {
  if (!group_) return action();
  std::exception_ptr thrown;
  try {
    action();
  } catch (...) {
    thrown = std::current_exception();
  }
  const int mine = thrown ? rank_ : size_;
  int first = size_;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, kAll);
  if (first == size_) return;
  if (first == rank_) std::rethrow_exception(thrown);
  wait_to_be_ended();
}

void Communicator::largest(std::span<double> numbers) const {
  if (!group_) return;
  MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, MPI_MAX, kAll);
}

void Communicator::require_same(const std::string& what, const std::function<std::uint64_t()>& fingerprint,
                                const std::string& hint) const {
  if (!group_) return;
  std::vector<std::uint64_t> all(static_cast<std::size_t>(size_));
  all[static_cast<std::size_t>(rank_)] = fingerprint();
  gather(std::span(all));
  std::string names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == all[0]) continue;
    names += (names.empty() ? "rank " : ", rank ") + std::to_string(i) + " on " + group_->hosts[i];
  }
  if (names.empty()) return;
  once([&] { throw UserError(what + ": expected the same on every rank, found others on " + names + ". " + hint); });
}

void Communicator::broadcast_bytes(std::span<std::byte> bytes) const {
  for (; group_ && !bytes.empty(); bytes = bytes.subspan(std::min(kLongest, bytes.size()))) {
    MPI_Bcast(bytes.data(), static_cast<int>(std::min(kLongest, bytes.size())), MPI_BYTE, 0, kAll);
  }
}

void Communicator::gather_bytes(std::span<std::byte> all, std::size_t item) const {
  if (!group_) return;
  const auto bytes = [&](Index items) { return static_cast<int>(items * static_cast<Index>(item)); };
  std::vector<int> sizes, places;
  for (int rank = 0; rank < size_; ++rank) {
    const Block theirs = block(std::ssize(all) / static_cast<Index>(item), rank, size_);
    sizes.push_back(bytes(theirs.size()));
    places.push_back(bytes(theirs.begin));
  }
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, all.data(), sizes.data(), places.data(), MPI_BYTE, kAll);
}

void Communicator::sum_in_order(std::span<float> values, const std::function<void(Index, Index)>& add) const {
  if (!group_) return add(0, std::ssize(values));
  Chain(rank_, size_, values, add).run();
}

void Communicator::sum_in_any_order(std::span<float> values) const {
  constexpr std::size_t kMost = kLongest / sizeof(float);
  for (; group_ && !values.empty(); values = values.subspan(std::min(kMost, values.size()))) {
    const auto count = static_cast<int>(std::min(kMost, values.size()));
    MPI_Allreduce(MPI_IN_PLACE, values.data(), count, MPI_FLOAT, MPI_SUM, kAll);
  }
}

namespace {

/// Between MPI_Init and MPI_Finalize.
bool is_joined() {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  return begun != 0 && ended == 0;
}

}  // namespace

std::string Communicator::speaker() {
  int rank = 0, length = 0;
  if (is_joined()) MPI_Comm_rank(kAll, &rank);
  if (rank == 0) return "";
  std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
  MPI_Get_processor_name(host.data(), &length);
  return "rank " + std::to_string(rank) + " on " + host.data() + ": ";
}

void Communicator::end(int status) {
  if (is_joined()) MPI_Abort(kAll, status);
}

}  // namespace glassformer
