#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>

/// The verbs of the program. Each adds itself to the command line, and when it is called puts the exit status into
/// `status`. Results go to standard output, the log goes to standard error.
namespace glassformer {

void add_train(CLI::App& program, int& status);
void add_evaluate(CLI::App& program, int& status);
void add_translate(CLI::App& program, int& status);
void add_score(CLI::App& program, int& status);
void add_explain(CLI::App& program, int& status);
void add_average(CLI::App& program, int& status);
void add_export(CLI::App& program, int& status);
void add_gradcheck(CLI::App& program, int& status);
void add_benchmark(CLI::App& program, int& status);
void add_manual(CLI::App& program, int& status);
void add_completion(CLI::App& program, int& status);

/// What the verbs that use a trained model say of their first argument.
inline constexpr const char* kCheckpointHelp =
    "a checkpoint directory, or a run directory\n(then its best checkpoint)";

/// \throws UserError: something stands where --output is to be written
void refuse_existing(const std::filesystem::path& output);

/// Accepts numbers from lowest to highest.
CLI::Validator number_from(double lowest, double highest);

}  // namespace glassformer
