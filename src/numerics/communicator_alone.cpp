// Communicator where there is no MPI; communicator.cpp is the other one. CMake takes one of the two.
#include <string>

#include "numerics/communicator.hpp"
#include "numerics/parallel.hpp"
#include "user_error.hpp"

namespace glassformer {

class Communicator::Group {};

Communicator Communicator::join() {
  if (const int announced = announced_processes(); announced > 1) {
    throw UserError("expected one process, for this program was built without MPI; found that mpirun or srun has " +
                    ("started " + std::to_string(announced)) + ". Install MPI (on Debian libopenmpi-dev), and run cmake " +
                    "again; its summary says what it has found.");
  }
  return {};
}

// In communicator.cpp these use the object. NOLINTBEGIN(readability-convert-member-functions-to-static)
int Communicator::machines() const { return 1; }
int Communicator::ranks_here() const { return 1; }
int Communicator::ranks_sharing() const { return 1; }
int Communicator::processors_here() const { return processor_count(); }
void Communicator::once(const std::function<void()>& action) const { action(); }
void Communicator::together(const std::function<void()>& action) const { action(); }
void Communicator::largest(std::span<double>) const {}
void Communicator::require_same(const std::string&, const std::function<std::uint64_t()>&, const std::string&) const {}
void Communicator::broadcast_bytes(std::span<std::byte>) const {}
void Communicator::gather_bytes(std::span<std::byte>, std::size_t) const {}
void Communicator::sum_in_order(std::span<float> values, const std::function<void(Index, Index)>& add) const {
  add(0, std::ssize(values));
}
void Communicator::sum_in_any_order(std::span<float>) const {}
// NOLINTEND(readability-convert-member-functions-to-static)
std::string Communicator::speaker() { return ""; }
void Communicator::end(int) {}

}  // namespace glassformer
