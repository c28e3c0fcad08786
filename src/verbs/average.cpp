#include <spdlog/spdlog.h>

#include <algorithm>

#include "files/user_error.hpp"
#include "verbs/verbs.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

struct AverageOptions {
  std::vector<fs::path> checkpoints;
  fs::path output;
};

/// Averaging weights makes sense only for checkpoints of the same run, which started from the same weights.
void require_same_run(const LoadedModel& first, const fs::path& checkpoint) {
  const std::string pair = first.checkpoint.string() + " and " + checkpoint.string();
  const Config config = read_config_of_model(checkpoint);
  for (const ChangedKey& key : changed_keys(first.config, config))
    if (key.changes_training)
      throw UserError(pair + ": expected checkpoints of the same run, found " + key.name + " " + key.before + " and " +
                      key.after + "; average only checkpoints of the same run.");
  const TokenizerPair tokenizers = load_tokenizers(config.tokenizer, checkpoint);
  if (tokenizers.source->vocabulary() != first.tokenizers.source->vocabulary() ||
      tokenizers.target->vocabulary() != first.tokenizers.target->vocabulary())
    throw UserError(pair + ": expected one vocabulary, found two; average only checkpoints of the same run.");
}

int average(const AverageOptions& options) {
  std::error_code reason;
  if (fs::exists(fs::symlink_status(options.output, reason)))
    throw UserError(options.output.string() + ": expected a path that does not exist yet, found something there; " +
                    "choose another --output or remove it.");
  if (options.checkpoints.size() < 2)
    throw UserError("average: expected at least two checkpoints, found only " + options.checkpoints.front().string() +
                    "; give several of the same run, for example runs/toy/step-*");
  std::vector<fs::path> checkpoints;
  for (const fs::path& path : options.checkpoints) {
    const fs::path checkpoint = fs::canonical(resolve_checkpoint(path));
    if (std::ranges::find(checkpoints, checkpoint) != checkpoints.end())
      throw UserError(path.string() + ": expected each checkpoint once, found " + checkpoint.string() + " twice.");
    checkpoints.push_back(checkpoint);
  }
  const LoadedModel first(checkpoints.front());
  for (std::size_t i = 1; i < checkpoints.size(); ++i) require_same_run(first, checkpoints[i]);

  Arena<float> mean(first.model.weights.tensors());
  average_parameters(checkpoints, mean.tensors(), mean.values().data());
  const fs::path parent = (options.output / "").parent_path().parent_path();  // also with a trailing slash
  fs::create_directories(parent, reason);
  if (reason && !parent.empty()) throw_disk_error("cannot be created", parent, reason);
  save_checkpoint(options.output, describe_model(first.config, first.tokenizers), mean);
  spdlog::info("wrote the mean of {} checkpoints to {}", checkpoints.size(), options.output.string());
  return 0;
}

}  // namespace

void add_average(CLI::App& program, int& status) {
  const auto [verb, options] =
      add_verb(program, status, "average", "Average the weights of several checkpoints of a run", average);
  verb.add_option("checkpoints", options.checkpoints, "checkpoint directories, for example runs/toy/step-*")
      ->required()
      ->type_name("");
  verb.add_option("--output", options.output, "directory for the mean, saved as a checkpoint;\nit must not exist yet")
      ->required()
      ->type_name("DIR");
}

}  // namespace glassformer
