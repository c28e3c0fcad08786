#pragma once

#include <mpi.h>

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "numerics/matrix.hpp"

namespace glassformer {

/// One sum in the order of ranks, see Communicator::sum_in_order. Segment by segment, the rank adds its own to the sum
/// of the ranks below and sends it up; what has come back meanwhile, finished, it passes down.
class Chain {
 public:
  Chain(int rank, int size, std::span<float> values, const std::function<void(Index, Index)>& add)
      : rank_(rank), is_last_(rank == size - 1), values_(values), add_(add),
        segments_((std::ssize(values) + kSegment - 1) / kSegment),
        from_below_(segments()), to_above_(segments()), from_above_(segments()), to_below_(segments()) {}

  void run() {
    for (Index s = 0; s < std::min(kAhead, segments_); ++s) expect_from_below(s);
    Index expected = 0, passed = 0;
    for (Index s = 0; s < segments_; ++s) {
      add_own(s);
      while (expected <= s && (s - expected >= kAhead || at(to_above_, expected).has_ended())) {
        expect_from_above(expected++);
      }
      while (passed < expected && at(from_above_, passed).has_ended()) pass_down(passed++);
    }
    while (expected < segments_) expect_from_above(expected++);
    while (passed < segments_) pass_down(passed++);
    for (Request& request : to_below_) request.wait();
  }

 private:
  /// Numbers: long against the time that a message takes at least, short against a gradient.
  static constexpr Index kSegment = Index{1} << 16;
  /// Segments under way at a time: who is late for once keeps nobody waiting.
  static constexpr Index kAhead = 8;

  struct Request {
    MPI_Request request = MPI_REQUEST_NULL;
    void wait() { MPI_Wait(&request, MPI_STATUS_IGNORE); }
    bool has_ended() {
      int ended = 0;
      MPI_Test(&request, &ended, MPI_STATUS_IGNORE);
      return ended != 0;
    }
  };
  std::size_t segments() const { return static_cast<std::size_t>(segments_); }
  std::span<float> segment(Index s) const {
    const Index begin = s * kSegment;
    return values_.subspan(static_cast<std::size_t>(begin),
                           static_cast<std::size_t>(std::min(kSegment, std::ssize(values_) - begin)));
  }
  static void send(std::span<const float> numbers, int to, Request& request) {
    MPI_Isend(numbers.data(), static_cast<int>(numbers.size()), MPI_FLOAT, to, 0, MPI_COMM_WORLD, &request.request);
  }
  static void receive(std::span<float> numbers, int from, Request& request) {
    MPI_Irecv(numbers.data(), static_cast<int>(numbers.size()), MPI_FLOAT, from, 0, MPI_COMM_WORLD, &request.request);
  }
  static Request& at(std::vector<Request>& requests, Index s) { return requests[static_cast<std::size_t>(s)]; }

  /// A segment of the sum over the ranks below.
  std::span<float> sum_below(Index s) {
    return std::span(rooms_).subspan(static_cast<std::size_t>(s % kAhead * kSegment), segment(s).size());
  }
  void expect_from_below(Index s) {
    if (rank_ > 0) receive(sum_below(s), rank_ - 1, at(from_below_, s));
  }
  void add_own(Index s) {
    const std::span<float> sum = segment(s);
    if (rank_ > 0) {
      at(from_below_, s).wait();
      const std::span<const float> below = sum_below(s);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = below[i] + sum[i];
      if (s + kAhead < segments_) expect_from_below(s + kAhead);
    }
    add_(s * kSegment, s * kSegment + std::ssize(sum));
    if (!is_last_) send(sum, rank_ + 1, at(to_above_, s));
  }
  /// The finished segment comes to where the unfinished one was, once that has left.
  void expect_from_above(Index s) {
    if (is_last_) return;
    at(to_above_, s).wait();
    receive(segment(s), rank_ + 1, at(from_above_, s));
  }
  void pass_down(Index s) {
    at(from_above_, s).wait();
    if (rank_ > 0) send(segment(s), rank_ - 1, at(to_below_, s));
  }

  const int rank_;
  const bool is_last_;
  const std::span<float> values_;
  const std::function<void(Index, Index)>& add_;
  const Index segments_;
  std::vector<float> rooms_ = std::vector<float>(static_cast<std::size_t>(kAhead * kSegment));
  std::vector<Request> from_below_, to_above_, from_above_, to_below_;
};

}  // namespace glassformer
