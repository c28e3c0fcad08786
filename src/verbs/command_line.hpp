#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

/// The command line as data: what the manual page and the completion of a shell are made from. It is read off the very
/// objects that parse the command line and print --help, so that none of these can be out of date.
namespace glassformer {

/// An option, or an argument that stands without a name.
struct Argument {
  std::string name;                ///< --beam; or checkpoint, which stands for itself
  std::string value;               ///< what follows an option: N, FILE, KEY=VALUE; empty: nothing
  std::string help;                ///< one line or several, as --help shows them
  std::vector<std::string> words;  ///< all that it can be, where it can be only certain words
  bool positional = false;         ///< stands without a name
  bool required = false;           ///< must be given
  bool repeated = false;           ///< may be given several times
};

/// A verb and what it takes; --help, which all of them take, is left out.
struct Verb {
  std::string name, help;
  std::vector<Argument> arguments;  ///< those without a name come first
};

/// The verbs, in the order of --help.
std::vector<Verb> verbs_of(const CLI::App& program);

/// The options that stand before a verb.
std::vector<Argument> options_of(const CLI::App& program);

}  // namespace glassformer
