#include "verbs/command_line.hpp"

#include <algorithm>

namespace glassformer {
namespace {

/// The words of "SHELL:{bash,zsh}", as CLI11 names an option that takes only these.
std::vector<std::string> words_of(const std::string& type) {
  const std::size_t open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

Argument argument_of(const CLI::Option& option) {
  Argument argument;
  const std::string type = option.get_type_name();
  argument.positional = option.get_positional();
  argument.name = argument.positional ? option.get_single_name() : "--" + option.get_lnames().front();
  argument.help = option.get_description();
  argument.required = option.get_required();
  argument.repeated = option.get_expected_max() == CLI::detail::expected_max_vector_size ||
                      option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  if (option.get_type_size() == 0) return argument;  // a flag
  argument.words = words_of(type);
  if (!argument.positional) argument.value = type.substr(0, type.find(':'));
  return argument;
}

}  // namespace

std::vector<Argument> options_of(const CLI::App& program) {
  std::vector<Argument> arguments;
  for (const CLI::Option* option : program.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    arguments.push_back(argument_of(*option));
  }
  std::stable_partition(arguments.begin(), arguments.end(), [](const auto& argument) { return argument.positional; });
  return arguments;
}

std::vector<Verb> verbs_of(const CLI::App& program) {
  std::vector<Verb> verbs;
  for (const CLI::App* app : program.get_subcommands({})) {
    if (app->get_group().empty()) continue;
    verbs.push_back({app->get_name(), app->get_description(), options_of(*app)});
    std::erase_if(verbs.back().arguments, [](const Argument& argument) { return argument.name == "--help"; });
  }
  return verbs;
}

}  // namespace glassformer
