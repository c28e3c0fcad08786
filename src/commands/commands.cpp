#include "glassformer/commands/commands.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <new>

#include "glassformer/checkpoint/checkpoint.hpp"
#include "glassformer/checkpoint/run_names.hpp"
#include "glassformer/files/fingerprint.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/machine/memory.hpp"
#include "glassformer/machine/mpi.hpp"
#include "glassformer/report/log.hpp"
#include "glassformer/run/memory_forecast.hpp"
#include "glassformer/run/rank_setup.hpp"
#include "glassformer/setup/read_config.hpp"

namespace glassformer {

void check_process_count(const std::string& command) {
  if (announced_processes() == 1 || command == "train" || command == "benchmark") {
    return;
  }
  throw UserError(
      fmt::format("{}: expected one process, found {} started by mpirun or srun; only train and benchmark "
                  "can run as several processes. Start it without mpirun or srun.",
                  command, announced_processes()));
}

void ConfigOptions::add_to(CLI::App& app, const std::string& example) {
  command = app.get_name();
  app.add_option("config", config, "a YAML file, for example " + example)->required()->type_name("");
  app.add_option("--set", overrides,
                 "set a config key, for example --set model.dropout=0.2\n(may be repeated; default: as in the file;\n"
                 "paths are relative to the current directory)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

Config ConfigOptions::read(const Processes& ranks,
                           const std::function<std::optional<std::filesystem::path>()>& resumed) const {
  if (!ranks.is_first()) {
    disable_log();
  }
  Config result;
  ranks.together([&] {
    const auto run = resumed ? resumed() : std::optional<std::filesystem::path>();
    result = read_config(config, overrides, run);
  });
  Config compared = result;  // without paths, which may differ
  compared.data.directory = compared.tokenizer.source_model = compared.tokenizer.target_model = "";
  compared.model_from = "";  // other keys give the model's shape, its tokens are compared, and rank 0 sends its weights
  set_up_ranks(
      ranks, [&] { return Fingerprint().mix(command + write_config(compared)).value(); }, result.training.shards);
  return result;
}

CLI::Option* SearchOptions::add_set(CLI::App& app) {
  command = app.get_name();
  return app
      .add_option(
          "--set", overrides,
          "set a key of decoding or evaluation, for example\n--set decoding.max_length_ratio=3 (may be repeated;\n"
          "default: as in the checkpoint's config)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void SearchOptions::add_to(CLI::App& app) {
  add_set(app);
  check_range(app.add_option("--beam", beam, "hypotheses kept; 1 is greedy\n(default: decoding.beam of the config)"), 1,
              1000);
  check_range(app.add_option("--length-penalty", length_penalty,
                             "score = log p / length^N\n(default: decoding.length_penalty of the config)"),
              0, 1000);
}

void SearchOptions::apply_to(Config& config, std::initializer_list<std::string_view> used) const {
  const std::vector<std::string> keys = set_use_of_model(config, overrides);
  for (const std::string& key : keys) {
    if (std::ranges::none_of(used, [&](std::string_view section) { return key.starts_with(section); })) {
      spdlog::warn("--set {}: {} does not use this key, so it makes no difference", key, command);
    }
  }
  const auto set = [&](const std::string& option, const std::string& key, auto& field, const auto& value) {
    if (!value) {
      return;
    }
    if (std::ranges::find(keys, key) != keys.end() && field != *value) {
      throw UserError(
          fmt::format("{} is {}, but --set {} is {}; give only one of these options", option, *value, key, field));
    }
    field = *value;
  };
  DecodingSettings& decoding = config.decoding;
  set("--beam", "decoding.beam", decoding.beam, beam);
  set("--length-penalty", "decoding.length_penalty", decoding.length_penalty, length_penalty);
  set("--early-stopping", "decoding.early_stopping", decoding.early_stopping, early_stopping);
  set("--batch", "decoding.batch", decoding.batch, batch);
}

void SearchOptions::warn_if_greedy(const DecodingSettings& decoding, bool shows_scores) const {
  if (decoding.beam > 1) {
    return;
  }
  const auto is_given = [&](bool as_option, const std::string& key) {
    return as_option || std::ranges::any_of(overrides, [&](const auto& text) { return text.starts_with(key + "="); });
  };
  for (const auto& [given, name] :
       {std::pair(is_given(length_penalty.has_value(), "decoding.length_penalty") && !shows_scores, "length penalty"),
        {is_given(early_stopping.has_value(), "decoding.early_stopping"), "early stopping"}}) {
    if (given) {
      spdlog::warn("the {} makes no difference to greedy search (beam 1); give --beam N", name);
    }
  }
}

void check_memory(const LoadedModel& loaded, Index S, Index T) {
  const Model<float>& model = loaded.model;
  const auto bytes = static_cast<std::int64_t>(sizeof(float)) *
                     activation_count(model.settings, model.vocabulary, {S, T, S, T}, false);
  const MemoryLeft left = memory_left();
  if (left.bytes > 0 && bytes > left.bytes) {
    throw std::bad_alloc();
  }
}

void check_output(const std::string& option, const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path absolute = fs::absolute(file, error);
  const fs::path place = error ? absolute : fs::weakly_canonical(absolute, error);  // where links lead
  if (error) {
    return;  // then the file cannot be opened, either, and that message is better
  }
  const fs::path directory = place.parent_path();
  const bool is_of_checkpoint = is_checkpoint(directory);
  if (is_of_checkpoint || (belongs_to_run(place.filename()) && is_run(directory))) {
    throw UserError(fmt::format("{}: this would overwrite {}, which belongs to the {} {}; choose another file", option,
                                file.string(), is_of_checkpoint ? "checkpoint" : "run", directory.string()));
  }
}

void check_two_files(const std::optional<std::filesystem::path>& html,
                     const std::optional<std::filesystem::path>& json) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!html || !json || (fs::exists(*html, error) && !fs::is_regular_file(*html, error))) {
    return;
  }
  const auto place = [&](const fs::path& file) { return fs::weakly_canonical(fs::absolute(file, error), error); };
  if (const fs::path of_page = place(*html); !of_page.empty() && of_page == place(*json)) {
    throw UserError("--html and --json are the same file, " + html->string() + "; choose a different one for each.");
  }
}

void check_range(CLI::Option* option, double lowest, double highest) {
  const auto check = [=](const std::string& text) -> std::string {
    double number = 0;
    if (CLI::detail::lexical_cast(text, number) && number >= lowest && number <= highest) {
      return "";
    }
    return fmt::format("expected a number from {:g} to {:g}, found {}", lowest, highest, text);
  };
  option->check(check)->type_name("N");
}

}  // namespace glassformer
