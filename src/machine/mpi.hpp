#pragma once

#include <memory>
#include <string>

#include "numerics/ranks.hpp"

/// The only interface to MPI. A program that was not started by mpirun or srun never initialises it.
namespace glassformer {

/// Joins the processes that mpirun or srun has started together with this one; alone if there are none. Call the ranks'
/// functions from this thread only. MPI ends with the ranks.
/// \throws UserError: this program was built without MPI, or with another MPI than mpirun's
std::unique_ptr<const Ranks> join_ranks();

/// "rank 3 on HOST: ", to begin a message; empty on the first rank, and alone.
std::string speaker();

/// To be called at the end of main: if an exception has made this process leave the other ranks, ends them too.
void end_ranks(int status);

}  // namespace glassformer
