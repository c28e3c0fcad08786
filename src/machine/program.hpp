#pragma once

#include <filesystem>

/// The running program: its file and its instructions.
namespace glassformer {

/// Restarts the program if the variable GLASSFORMER_INSTRUCTIONS asks for slower instructions than the core uses, such
/// as avx2 on a processor with AVX-512. `arguments` are those of main. \throws UserError: it asks for anything else
void choose_instructions(char** arguments);

std::filesystem::path program_file();  ///< the running program's; empty if unknown

}  // namespace glassformer
