#pragma once

#include <memory>
#include <string>

#include "glassformer/machine/processes.hpp"

/// The only interface to MPI. A program not started by mpirun or srun never initialises MPI.
namespace glassformer {

int announced_processes();  ///< how many processes mpirun or srun started; 1: only this one

/// Joins the processes that mpirun or srun started together with this one, if any. Call the functions of the returned
/// ranks from this thread only. MPI ends when they are destroyed.
/// \throws UserError: this program was built without MPI, or with an MPI other than mpirun's
std::unique_ptr<const Processes> join_ranks();

/// The prefix of a message, "rank 3 on HOST: "; empty on the first rank, and without MPI. Allocates no memory.
const std::string& message_prefix();

/// Call it at the end of main: if an exception made this process leave the other ranks, ends them too.
void end_ranks(int status);

}  // namespace glassformer
