#pragma once

namespace glassformer {

/// \throws UserError: OMP_NUM_THREADS asks for more threads than any machine can usefully run. (The system would
///         refuse to start them, and OpenMP would end the program.)
void check_thread_count();

/// Divides this machine's processors among `processes` processes, unless the user has set OMP_NUM_THREADS.
void share_processors(int processes);

}  // namespace glassformer
