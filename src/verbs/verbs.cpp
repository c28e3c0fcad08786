#include "verbs/verbs.hpp"

#include <spdlog/fmt/fmt.h>

#include "files/user_error.hpp"
#include "machine/machine.hpp"
#include "report/log.hpp"
#include "run/rank_setup.hpp"

namespace glassformer {

void check_process_count(const std::string& verb) {
  if (announced_processes() == 1 || verb == "train" || verb == "benchmark") return;
  throw UserError(
      fmt::format("{}: expected one process, found {} started by mpirun or srun; only train and benchmark "
                  "can run as several processes. Start it without mpirun or srun.",
                  verb, announced_processes()));
}

void ConfigOptions::add_to(CLI::App& app, const std::string& example) {
  verb = app.get_name();
  app.add_option("config", config, "a YAML file, for example " + example)->required()->type_name("");
  app.add_option("--set", overrides,
                 "set a config key, for example --set model.dropout=0.2\n(may be repeated; default: as in the file;\n"
                 "paths are relative to the current directory)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

Config ConfigOptions::read(const Ranks& ranks, const std::optional<std::filesystem::path>& resumed) const {
  if (!ranks.is_first()) disable_log();
  Config result;
  ranks.together([&] { result = read_config(config, overrides, resumed); });
  Config compared = result;  // without paths, which may differ
  compared.data.directory = compared.tokenizer.source_model = compared.tokenizer.target_model = "";
  compared.model_from = "";  // other keys give the model's shape, its tokens are compared, and rank 0 sends its weights
  set_up_ranks(ranks, verb + write_config(compared), result.training.shards);
  return result;
}

void SearchOptions::add_to(CLI::App& verb) {
  check_range(verb.add_option("--beam", beam, "hypotheses kept; 1 is greedy\n(default: decoding.beam of the config)"),
              1, 1000);
  check_range(verb.add_option("--length-penalty", length_penalty,
                              "score = log p / length^N\n(default: decoding.length_penalty of the config)"),
              0, 1000);
}

DecodingSettings SearchOptions::applied_to(DecodingSettings settings) const {
  if (beam) settings.beam = *beam;
  if (length_penalty) settings.length_penalty = *length_penalty;
  return settings;
}

void check_range(CLI::Option* option, double lowest, double highest) {
  const auto check = [=](const std::string& text) -> std::string {
    double number = 0;
    if (CLI::detail::lexical_cast(text, number) && number >= lowest && number <= highest) return "";
    return fmt::format("expected a number from {:g} to {:g}, found {}", lowest, highest, text);
  };
  option->check(check)->type_name("N");
}

}  // namespace glassformer
