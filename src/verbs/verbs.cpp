#include "verbs/verbs.hpp"

#include <sstream>

namespace glassformer {

void ConfigOptions::add_to(CLI::App& verb, const std::string& example) {
  verb.add_option("config", config, "a YAML file, for example " + example)->required()->type_name("");
  verb.add_option("--set", overrides,
                  "set a key of the config, --set model.dropout=0.2\n(may be repeated; default: as the file says;\n"
                  "paths are relative to the current directory)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void SearchOptions::add_to(CLI::App& verb) {
  verb.add_option("--beam", beam, "hypotheses kept, 1 is greedy\n(default: decoding.beam of the config)")
      ->check(number_from(1, 1000))
      ->type_name("N");
  verb.add_option("--length-penalty", length_penalty,
                  "score = log p / length^A\n(default: decoding.length_penalty of the config)")
      ->check(number_from(0, 1000))
      ->type_name("A");
}

DecodingSettings SearchOptions::applied_to(DecodingSettings settings) const {
  if (beam) settings.beam = *beam;
  if (length_penalty) settings.length_penalty = *length_penalty;
  return settings;
}

CLI::Validator number_from(double lowest, double highest) {
  const auto check = [=](const std::string& text) -> std::string {
    double number = 0;
    if (CLI::detail::lexical_cast(text, number) && number >= lowest && number <= highest) return "";
    std::ostringstream message;
    message << "expected a number from " << lowest << " to " << highest << ", found " << text;
    return message.str();
  };
  return {check, ""};
}

}  // namespace glassformer
