#include <algorithm>
#include <iostream>
#include <memory>

#include "config/config.hpp"
#include "verbs/command_line.hpp"
#include "verbs/verbs.hpp"

namespace glassformer {
namespace {

/// What a shell offers for an argument. It follows from what --help calls it.
enum class Kind { nothing, words, file, directory, config, key };

Kind kind_of(const Argument& argument) {
  const std::string& what = argument.positional ? argument.name : argument.value;
  if (!argument.words.empty()) return Kind::words;
  if (what == "FILE") return Kind::file;
  if (what == "DIR" || what.starts_with("checkpoint")) return Kind::directory;
  if (what == "config") return Kind::config;
  if (what == "KEY=VALUE") return Kind::key;
  return Kind::nothing;
}

std::string joined(const std::vector<std::string>& words) { return CLI::detail::join(words, " "); }

template <class Named>
std::vector<std::string> names(const std::vector<Named>& all) {
  std::vector<std::string> result;
  for (const Named& one : all) result.push_back(one.name);
  return result;
}

/// The first line of a help text, or as much of it as comes before a semicolon; without what ends a text in quotes.
std::string brief_help(const std::string& help) {
  std::string text = help.substr(0, help.find_first_of("\n;"));
  while (!text.empty() && (text.back() == ',' || text.back() == ' ')) text.pop_back();
  std::erase_if(text, [](char letter) { return letter == '\''; });
  return text;
}

// --- bash -------------------------------------------------------------------------------------------------------

constexpr const char* kBash = R"(
_glassformer_offer() {  # _glassformer_offer WORD 'what it may be' [options of compgen]
  mapfile -t COMPREPLY < <(compgen "${@:3}" -W "$2" -- "$1")
}

# The kinds of arguments. What bash offers by itself, it does where nothing else has been found.
_glassformer_words() { _glassformer_offer "$1" "$2"; }
_glassformer_file() { compopt -o default; }
_glassformer_directory() { compopt -o dirnames; }
_glassformer_config() {
  compopt -o filenames -o plusdirs
  mapfile -t COMPREPLY < <(compgen -f -X '!*.y*ml' -- "$1")
}
_glassformer_key() {
  compopt -o nospace
  _glassformer_offer "$1" "$2" -S =
}

_glassformer() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb= other
  for other in "${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
    [[ -z $verb && " $_glassformer_verbs " == *" $other "* ]] && verb=$other
  done
  # To bash, --set=model.norm=pre is five words.
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  COMPREPLY=()
)";

/// The call of bash that offers an argument; `word` is what has been typed of it.
std::string bash_offer(const Argument& argument) {
  switch (kind_of(argument)) {
    case Kind::words: return "_glassformer_words \"$word\" '" + joined(argument.words) + "'";
    case Kind::file: return "_glassformer_file";
    case Kind::directory: return "_glassformer_directory";
    case Kind::config: return "_glassformer_config \"$word\"";
    case Kind::key: return "_glassformer_key \"$word\" '" + joined(names(offered_keys())) + "'";
    case Kind::nothing: break;
  }
  return ":";
}

/// After which word stands what; then the options of a verb; and what stands without a name.
void write_bash(const std::vector<Verb>& verbs, const std::vector<Argument>& options) {
  std::cout << "# Completion for bash, made by: glassformer completion bash\n\n_glassformer_verbs='"
            << joined(names(verbs)) << "'\n" << kBash << "  case \"$verb $before\" in\n";
  for (const Argument& option : options) {
    if (!option.words.empty()) std::cout << "    *' " << option.name << "') " << bash_offer(option) << "; return ;;\n";
  }
  for (const Verb& verb : verbs) {
    for (const Argument& argument : verb.arguments) {
      if (argument.value.empty()) continue;
      std::cout << "    '" << verb.name << ' ' << argument.name << "') " << bash_offer(argument) << "; return ;;\n";
    }
  }
  std::cout << "  esac\n  case $before in\n";
  for (const OfferedKey& key : offered_keys()) {
    if (key.words.empty()) continue;
    std::cout << "    " << key.name << ") _glassformer_words \"$word\" '" << joined(key.words) << "'; return ;;\n";
  }
  std::cout << "  esac\n  case \"$verb ${word:0:1}\" in\n    ' '*) "
            << "_glassformer_words \"$word\" '" << joined(names(verbs)) << ' ' << joined(names(options)) << "' ;;\n";
  for (const Verb& verb : verbs) {
    std::vector<std::string> named;
    std::string unnamed = ":";
    for (const Argument& argument : verb.arguments) {
      if (argument.positional) unnamed = bash_offer(argument);
      else named.push_back(argument.name);
    }
    named.emplace_back("--help");
    std::cout << "    '" << verb.name << " -') _glassformer_words \"$word\" '" << joined(named) << "' ;;\n"
              << "    '" << verb.name << " '*) " << unnamed << " ;;\n";
  }
  std::cout << "  esac\n}\n\ncomplete -F _glassformer glassformer\n";
}

// --- zsh --------------------------------------------------------------------------------------------------------

constexpr const char* kZsh = R"(
_glassformer_key() {  # the keys; and behind =, the words that a key takes
  if ! compset -P '*='; then
    compadd -S = -- $(_glassformer_keys)
    return
  fi
  case $IPREFIX in
)";

std::string zsh_offer(const Argument& argument) {
  switch (kind_of(argument)) {
    case Kind::words: return "(" + joined(argument.words) + ")";
    case Kind::file: return "_files";
    case Kind::directory: return "_files -/";
    case Kind::config: return "_files -g \"*.y(a|)ml\"";
    case Kind::key: return "_glassformer_key";
    case Kind::nothing: break;
  }
  return " ";
}

/// An argument as _arguments takes it: '--beam=[hypotheses kept]:N: ', '1:config:_files'.
std::string zsh_argument(const Argument& argument) {
  std::string help = brief_help(argument.help), result;
  for (const char special : {'[', ']', ':'}) {
    for (std::size_t at = help.find(special); at != std::string::npos; at = help.find(special, at + 2)) {
      help.insert(at, 1, '\\');
    }
  }
  if (argument.positional) {
    return std::string(argument.repeated ? "'*" : "'1") + ":" + argument.name + ":" + zsh_offer(argument) + "'";
  }
  result = (argument.repeated ? "'*" : "'") + argument.name;
  if (argument.value.empty()) return result + "[" + help + "]'";
  return result + "=[" + help + "]:" + argument.value + ":" + zsh_offer(argument) + "'";
}

void write_zsh(const std::vector<Verb>& verbs, const std::vector<Argument>& options) {
  std::cout << "#compdef glassformer\n# Completion for zsh, made by: glassformer completion zsh\n\n"
            << "_glassformer_keys() { print -l " << joined(names(offered_keys())) << "; }\n" << kZsh;
  for (const OfferedKey& key : offered_keys()) {
    if (!key.words.empty()) std::cout << "    *" << key.name << "=) compadd -- " << joined(key.words) << " ;;\n";
  }
  std::cout << "  esac\n}\n\n_glassformer() {\n  local curcontext=$curcontext state line\n  local -a verbs=(\n";
  for (const Verb& verb : verbs) std::cout << "    '" << verb.name << ':' << brief_help(verb.help) << "'\n";
  std::cout << "  )\n  _arguments -C";
  for (const Argument& option : options) std::cout << ' ' << zsh_argument(option);
  std::cout << " '1:verb:->verb' '*::argument:->argument' && return\n  case $state:$words[1] in\n"
            << "    verb:*) _describe verb verbs ;;\n";
  for (const Verb& verb : verbs) {
    std::cout << "    argument:" << verb.name << ") _arguments '--help[help]'";
    for (const Argument& argument : verb.arguments) std::cout << " \\\n      " << zsh_argument(argument);
    std::cout << " ;;\n";
  }
  std::cout << R"(  esac
}

# On the path of functions, zsh knows it by its first line, and calls it; sourced, it registers itself.
if [[ $funcstack[1] == _glassformer ]]; then _glassformer "$@"; else compdef _glassformer glassformer; fi
)";
}

// --- fish -------------------------------------------------------------------------------------------------------

std::string fish_offer(const Argument& argument) {
  switch (kind_of(argument)) {
    case Kind::words: return "-x -a '" + joined(argument.words) + "'";
    case Kind::file: return "-r -F";
    case Kind::directory: return "-x -a '(__fish_complete_directories)'";
    case Kind::config: return "-x -a '(__fish_complete_suffix .yaml)'";
    case Kind::key: return "-x -a \"$glassformer_keys\"";
    case Kind::nothing: break;
  }
  return argument.value.empty() ? "" : "-x";
}

void write_fish(const std::vector<Verb>& verbs, const std::vector<Argument>& options) {
  std::cout << "# Completion for fish, made by: glassformer completion fish\n\nset -l glassformer_keys";
  for (const OfferedKey& key : offered_keys()) {
    if (key.words.empty()) std::cout << ' ' << key.name << '=';
    for (const std::string& word : key.words) std::cout << ' ' << key.name << '=' << word;
  }
  std::cout << "\ncomplete -c glassformer -f\n";
  for (const Argument& option : options) {
    std::cout << "complete -c glassformer -n __fish_use_subcommand -l " << option.name.substr(2) << " -d '"
              << brief_help(option.help) << "'\n";
  }
  for (const Verb& verb : verbs) {
    std::cout << "complete -c glassformer -n __fish_use_subcommand -a " << verb.name << " -d '" << brief_help(verb.help)
              << "'\n";
    for (const Argument& argument : verb.arguments) {
      const std::string option = argument.positional ? "" : " -l " + argument.name.substr(2);
      std::cout << "complete -c glassformer -n '__fish_seen_subcommand_from " << verb.name << "'" << option << ' '
                << fish_offer(argument) << " -d '" << brief_help(argument.help) << "'\n";
    }
  }
}

}  // namespace

void add_completion(CLI::App& program, int& status) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* const verb = program.add_subcommand(
      "completion",
      "Print what makes a shell complete verbs, options and keys\n(source <(glassformer completion bash))");
  verb->add_option("shell", *shell, "bash, zsh or fish")
      ->required()->check(CLI::IsMember({"bash", "zsh", "fish"}))->type_name("")->option_text("REQUIRED");
  verb->callback([&program, shell, &status] {
    const std::vector<Verb> verbs = verbs_of(program);
    const auto write = *shell == "bash" ? write_bash : *shell == "zsh" ? write_zsh : write_fish;
    write(verbs, options_of(program));
    status = 0;
  });
}

}  // namespace glassformer
