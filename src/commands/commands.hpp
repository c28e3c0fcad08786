#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "glassformer/config/config.hpp"
#include "glassformer/machine/processes.hpp"
#include "glassformer/setup/loaded_model.hpp"

/// The program's commands. When the user calls one, it stores its exit status in `status`. Results go to standard
/// output, the log to standard error.
namespace glassformer {

void add_train(CLI::App& program, int& status);
void add_evaluate(CLI::App& program, int& status);
void add_translate(CLI::App& program, int& status);
void add_score(CLI::App& program, int& status);
void add_explain(CLI::App& program, int& status);
void add_live(CLI::App& program, int& status);
void add_gradcheck(CLI::App& program, int& status);
void add_benchmark(CLI::App& program, int& status);

inline constexpr const char* kCheckpointHelp = "a checkpoint directory, or a run directory\n(for its best checkpoint)";

/// \throws UserError: mpirun or srun started several processes, but the command is not train or benchmark, which share
///         their work. (If one rank ran another command, the others would wait for it forever.)
void check_process_count(const std::string& command);

/// Adds a command. `run` gets the parsed options and returns the exit status.
template <class Options>
std::pair<CLI::App&, Options&> add_command(CLI::App& program, int& status, const std::string& name,
                                           const std::string& help, int (*run)(const Options&)) {
  const auto options = std::make_shared<Options>();
  CLI::App* const app = program.add_subcommand(name, help);
  app->callback([options, run, &status, name] {
    check_process_count(name);
    status = run(*options);
  });
  return {*app, *options};
}

/// The arguments of a command that reads a config.
struct ConfigOptions {
  std::filesystem::path config;
  std::vector<std::string> overrides;
  std::string command;  // all ranks must run the same one
  void add_to(CLI::App& app, const std::string& example);
  /// Reads the config. Every rank must call this: it divides the processors among ranks and silences all but the first.
  /// `resumed` returns what read_config takes under that name. (It is called together with read_config, so that all
  /// commands begin with the same exchange between the ranks.)
  Config read(const Processes& ranks, const std::function<std::optional<std::filesystem::path>()>& resumed = {}) const;
};

/// How to use a trained model: --set, for the keys of decoding and evaluation, and short forms of some keys. Other keys
/// keep their values from the checkpoint's config.
struct SearchOptions {
  std::vector<std::string> overrides;
  std::optional<Index> beam, batch;
  std::optional<double> length_penalty;
  std::optional<bool> early_stopping;
  std::string command;

  CLI::Option* add_set(CLI::App& app);  ///< --set alone
  void add_to(CLI::App& app);           ///< --set, --beam and --length-penalty
  /// Changes the config. Warns about keys of sections that the command does not use: `used` are those that it uses.
  /// \throws UserError as set_use_of_model does; --set and the short form of a key disagree
  void apply_to(Config& config, std::initializer_list<std::string_view> used) const;
  /// Warns about given options that make no difference to greedy search. `shows_scores`: as with --n-best
  void warn_if_greedy(const DecodingSettings& decoding, bool shows_scores) const;
};

/// Refuses a pair of lines that is expected to need more memory than there is, before the system kills the program.
/// S, T: tokens of both sides, eos included. \throws std::bad_alloc
void check_memory(const LoadedModel& loaded, Index S, Index T);

/// \throws UserError that begins with `option`: writing to this file would replace a file of a checkpoint or a run
void check_output(const std::string& option, const std::filesystem::path& file);

/// For --html and --json. \throws UserError: both are the same file (unless it is a device, such as /dev/null)
void check_two_files(const std::optional<std::filesystem::path>& html,
                     const std::optional<std::filesystem::path>& json);

void check_range(CLI::Option* option, double lowest, double highest);

}  // namespace glassformer
