#include "glassformer/commands/command_line.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "glassformer/files/suggestion.hpp"
#include "glassformer/files/utf8.hpp"

namespace glassformer {
namespace {

/// The message for --set KEY, where VALUE is missing because there is a space before it: `word` is what follows.
std::optional<std::string> spaces_in_set(const CLI::App& app, const std::string& word) {
  const CLI::Option* const set = app.get_option_no_throw("--set");
  for (const std::string& text : set != nullptr ? set->results() : std::vector<std::string>()) {
    if (text.find('=') != std::string::npos) {
      continue;
    }
    const std::string value = word.substr(std::min(word.find_first_not_of('='), word.size()));
    return "--set " + visible(text) + ": expected KEY=VALUE without spaces, for example --set " + visible(text) + "=" +
           (value.empty() ? "VALUE" : visible(value));
  }
  return std::nullopt;
}

/// The option that was probably meant by an argument that a command does not take, or other advice; "" if there is
/// none.
std::string hint_for(const CLI::App& app, const std::string& word) {
  const std::string& command = app.get_name();
  const std::string quoted = "\"" + visible(word) + "\"";
  static const std::map<std::string, std::string> meant = {
      {"train", "--output"}, {"translate", "--input"}, {"explain", "--source"}};
  const auto option = meant.find(command);
  std::error_code ignored;
  if (app.get_option_no_throw("--" + word) != nullptr) {
    return "; did you mean --" + visible(word) + "?";
  }
  if (command == "evaluate") {
    return "; test texts are given with --source FILE --reference FILE.";
  }
  if (command == "score") {
    return "; texts are given with --source FILE --target FILE.";
  }
  if (command == "translate" && word.find(' ') != std::string::npos) {
    return "; sentences come from a file (--input) or from standard input: echo " + quoted +
           " | glassformer translate ...";
  }
  if (command == "train" && std::filesystem::is_regular_file(word, ignored)) {
    return "; one config is enough, and a config can name another as its base.";
  }
  return option != meant.end() ? "; did you mean " + option->second + " " + quoted + "?" : "";
}

/// The message for an argument that a command does not take.
std::string unexpected_argument(const CLI::App& app, const std::string& word) {
  if (const auto message = spaces_in_set(app, word)) {
    return *message;
  }
  const std::string hint = hint_for(app, word);
  return "unexpected argument \"" + visible(word) + "\"" + (hint.empty() ? "; see" : hint + " See") + " glassformer " +
         app.get_name() + " --help";
}

std::vector<std::string> known_options(const CLI::App& app) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      known.push_back("--" + name);
    }
  }
  return known;
}

std::vector<std::string> known_commands(const CLI::App& program) {
  std::vector<std::string> known;
  for (const CLI::App* command : program.get_subcommands({})) {
    known.push_back(command->get_name());
  }
  return known;
}

/// The message for an option or command that is not one of `known`.
std::string unknown_word(const std::string& what, const std::string& word, const std::vector<std::string>& known) {
  const std::string name = word.substr(0, word.find('='));
  const auto suggestion = nearest(name, known);
  return "unknown " + what + " " + name +
         (suggestion ? "; did you mean " + *suggestion + "?" : "; expected one of " + CLI::detail::join(known, ", "));
}

}  // namespace

std::string parse_error_message(const CLI::App& program, const CLI::ParseError& error) {
  const auto chosen = program.get_subcommands();
  for (const std::string& word : program.remaining(true)) {
    if (word.size() > 2 && word.starts_with("--")) {
      const std::vector<std::string> known = known_options(chosen.empty() ? program : *chosen.front());
      if (!known.empty()) {
        return unknown_word("option", word, known);
      }
    } else if (!word.starts_with("-")) {
      return chosen.empty() ? unknown_word("command", word, known_commands(program))
                            : unexpected_argument(*chosen.front(), word);
    }
  }
  if (chosen.empty()) {
    return "expected a command (" + listed(known_commands(program)) + "); see glassformer --help";
  }
  const std::string& command = chosen.front()->get_name();
  return command + ": " + error.what() + "; see glassformer " + command + " --help";
}

}  // namespace glassformer
