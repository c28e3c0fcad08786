// The only file that includes MPI's header. It is also compiled if CMake finds no MPI.

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <vector>

#if GLASSFORMER_HAS_MPI
#include <mpi.h>
#endif

#include "glassformer/files/user_error.hpp"
#include "glassformer/machine/mpi.hpp"
#include "glassformer/machine/rank_places.hpp"

namespace glassformer {
namespace {

/// See message_prefix(). Set when the ranks are joined.
std::string& stored_prefix() {
  static std::string prefix;
  return prefix;
}

#if GLASSFORMER_HAS_MPI

MPI_Comm const kAll = MPI_COMM_WORLD;                   // NOLINT(misc-misplaced-const): some MPIs use a pointer
constexpr std::size_t kLongest = std::size_t{1} << 18;  // bytes in one message, far below what an int can count

/// See Ranks::sum_in_order. The ranks form a chain. The sum is cut into segments, which travel from the first rank to
/// the last. Each rank adds its own numbers to the sum of the ranks below and sends it up. Finished segments travel
/// back while later ones are on their way up. As in a ring, a rank sends and receives each number at most twice.
class ChainSum {
 public:
  using Add = FunctionRef<void, Index, Index>;

  ChainSum(int rank, int size, std::span<float> values)
      : rank_(rank),
        size_(size),
        values_(values),
        segments_((std::ssize(values) + kSegment - 1) / kSegment),
        below_(static_cast<std::size_t>(kSegment)),
        up_(static_cast<std::size_t>(segments_), MPI_REQUEST_NULL),
        down_(up_) {}

  void run(const Add& add) {
    const Index lag = Index{2} * (size_ - 1 - rank_);  // how many segments later a finished one returns
    for (Index step = 0; step < segments_ + lag; ++step) {
      if (step < segments_) {
        add_and_send_up(step, add);
      }
      if (step >= lag) {
        receive_finished(step - lag);
      }
    }
    MPI_Waitall(static_cast<int>(segments_), down_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  static constexpr Index kSegment = Index{1} << 16;  // numbers: latency is negligible; a gradient has many segments

  void add_and_send_up(Index number, const Add& add) {
    const std::span<float> sum = segment(number);
    if (!is_first()) {
      receive(std::span(below_).first(sum.size()), rank_ - 1);
      for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] = below_[i] + sum[i];
      }
    }
    const Index begin = number * kSegment;
    add(begin, begin + std::ssize(sum));
    if (!is_last()) {
      send(sum, rank_ + 1, up_[static_cast<std::size_t>(number)]);
    }
  }

  void receive_finished(Index number) {
    const auto at = static_cast<std::size_t>(number);
    MPI_Wait(&up_[at], MPI_STATUS_IGNORE);  // the finished segment replaces the one that was sent up
    if (!is_last()) {
      receive(segment(number), rank_ + 1);
    }
    if (!is_first()) {
      send(segment(number), rank_ - 1, down_[at]);
    }
  }

  std::span<float> segment(Index number) const {
    const auto begin = static_cast<std::size_t>(number * kSegment);
    return values_.subspan(begin, std::min(static_cast<std::size_t>(kSegment), values_.size() - begin));
  }

  static void send(std::span<const float> numbers, int to, MPI_Request& request) {
    MPI_Isend(numbers.data(), static_cast<int>(numbers.size()), MPI_FLOAT, to, 0, kAll, &request);
  }
  static void receive(std::span<float> numbers, int from) {
    MPI_Recv(numbers.data(), static_cast<int>(numbers.size()), MPI_FLOAT, from, 0, kAll, MPI_STATUS_IGNORE);
  }

  bool is_first() const { return rank_ == 0; }
  bool is_last() const { return rank_ == size_ - 1; }

  const int rank_, size_;
  const std::span<float> values_;
  const Index segments_;
  std::vector<float> below_;            // a segment of the sum of the ranks below
  std::vector<MPI_Request> up_, down_;  // [segments] sent to the next rank, and back to the previous one
};

class MpiRanks final : public Processes {
 public:
  MpiRanks() {
    sigset_t every;
    sigset_t before;  // MPI starts its own threads; only ours take signals
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    MPI_Comm_rank(kAll, &rank_);
    MPI_Comm_size(kAll, &size_);
    if (!is_first()) {
      stored_prefix() = "rank " + std::to_string(rank_) + " on " + host_name() + ": ";
    }
  }
  /// If an exception destroys this object, MPI stays initialised, so that end_ranks can end the other ranks.
  ~MpiRanks() override {
    if (std::uncaught_exceptions() == 0) {
      MPI_Finalize();
    }
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void once(FunctionRef<void> action) const override {
    if (is_first()) {
      action();
    }
    MPI_Barrier(kAll);
  }

  void together(FunctionRef<void> action) const override {
    std::exception_ptr thrown;
    try {
      action();
    } catch (...) {
      thrown = std::current_exception();
    }
    const int mine = thrown ? rank_ : size_;
    int first = size_;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, kAll);
    if (first == size_) {
      return;
    }
    if (first == rank_) {
      std::rethrow_exception(thrown);
    }
    while (true) {
      MPI_Barrier(kAll);  // until rank `first` calls end_ranks
    }
  }

  void largest(std::span<double> numbers) const override {
    MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, MPI_MAX, kAll);
  }

  void sum_in_order(std::span<float> values, FunctionRef<void, Index, Index> add) const override {
    ChainSum(rank_, size_, values).run(add);
  }

 private:
  void broadcast_bytes(std::span<std::byte> bytes) const override {
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(kLongest, bytes.size()))) {
      MPI_Bcast(bytes.data(), static_cast<int>(std::min(kLongest, bytes.size())), MPI_BYTE, 0, kAll);
    }
  }

  void gather_bytes(std::span<std::byte> all, std::size_t item) const override {
    const auto bytes = [&](Index items) { return static_cast<int>(items * static_cast<Index>(item)); };
    std::vector<int> sizes;
    std::vector<int> places;
    for (int rank = 0; rank < size_; ++rank) {
      const Block theirs = block(std::ssize(all) / static_cast<Index>(item), rank, size_);
      sizes.push_back(bytes(theirs.size()));
      places.push_back(bytes(theirs.begin));
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, all.data(), sizes.data(), places.data(), MPI_BYTE, kAll);
  }

  int rank_ = 0, size_ = 1;
};

/// Whether we are between MPI_Init and MPI_Finalize.
bool is_joined() {
  int begun = 0;
  int ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  return begun != 0 && ended == 0;
}

#endif

}  // namespace

int announced_processes() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    if (const char* const text = std::getenv(name)) {
      int size = 1;  // stays 1 if the text is not a number
      std::from_chars(text, text + std::strlen(text), size);
      return std::max(1, size);
    }
  }
  return 1;
}

std::unique_ptr<const Processes> join_ranks() {
  const int announced = announced_processes();
  if (announced == 1) {
    return std::make_unique<Processes>();
  }
#if GLASSFORMER_HAS_MPI
  auto ranks = std::make_unique<const MpiRanks>();
  if (ranks->size() == announced) {
    return ranks;
  }
  throw UserError("mpirun or srun started " + std::to_string(announced) + " processes, but MPI reports " +
                  std::to_string(ranks->size()) +
                  ": this program was built with a different MPI. Start it with the mpirun of " +
                  "that MPI (with srun, --mpi=pmix may help), or rebuild it with the MPI you use.");
#else
  throw UserError("mpirun or srun started " + std::to_string(announced) +
                  " processes, but this program was built without MPI. Install MPI (on Debian libopenmpi-dev), " +
                  "run cmake again and check in its summary that it found MPI.");
#endif
}

const std::string& message_prefix() { return stored_prefix(); }

void end_ranks([[maybe_unused]] int status) {
#if GLASSFORMER_HAS_MPI
  if (is_joined()) {
    MPI_Abort(kAll, status);
  }
#endif
}

}  // namespace glassformer
