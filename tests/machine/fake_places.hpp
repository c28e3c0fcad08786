#pragma once

#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include "fake_ranks.hpp"
#include "glassformer/machine/system.hpp"

/// Where the other ranks of FakeRanks run.
namespace glassformer::test {

constexpr std::size_t kHostBytes = 256;  // an item begins with the name of the host

inline std::string host_in(std::span<const std::byte> item) {
  std::string host(kHostBytes, '\0');
  std::memcpy(host.data(), item.data(), kHostBytes);
  return host.substr(0, host.find('\0'));
}

/// Puts ranks from this one on onto another machine.
inline FakeRanks::Change on_another_machine(int from) {
  return [from](int rank, std::span<std::byte> item) {
    if (rank >= from) {
      std::memcpy(item.data(), "elsewhere", 10);
    }
  };
}

/// Binds the ranks to processors; `choose` is given the rank, and the processors of this one.
inline FakeRanks::Change bound_to(std::function<Processors(int rank, Processors mine)> choose) {
  return [choose = std::move(choose)](int rank, std::span<std::byte> item) {
    if (item.size() != kHostBytes + sizeof(Processors)) {
      return;  // another item, such as a fingerprint
    }
    Processors processors;
    std::memcpy(&processors, item.data() + kHostBytes, sizeof(processors));
    processors = choose(rank, processors);
    std::memcpy(item.data() + kHostBytes, &processors, sizeof(processors));
  };
}

/// A processor that this machine hardly has, another one for each rank.
inline Processors distant_processor(int rank) {
  Processors processors;
  return processors.set(processors.size() - 1 - static_cast<std::size_t>(rank));
}

/// Binds each rank from this one on to a processor of its own.
inline FakeRanks::Change on_other_processors(int from) {
  return bound_to([from](int rank, Processors mine) { return rank < from ? mine : distant_processor(rank); });
}

}  // namespace glassformer::test
