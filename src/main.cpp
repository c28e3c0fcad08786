#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/suggestion.hpp"
#include "numerics/communicator.hpp"
#include "report/log.hpp"
#include "user_error.hpp"
#include "verbs/verbs.hpp"

namespace glassformer {
namespace {

std::vector<std::string> names_of(const std::vector<const CLI::App*>& verbs) {
  std::vector<std::string> names;
  for (const CLI::App* verb : verbs) names.push_back(verb->get_name());
  return names;
}

std::vector<std::string> names_of(const std::vector<const CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  if (const auto meant = nearest(word, known)) return "; did you mean " + *meant + "?";
  std::string all;
  for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
  return "; there are " + all;
}

/// What CLI11 would say of an unknown verb or option, with what was meant.
void refuse_unknown_words(const CLI::App& program, const std::vector<std::string>& words) {
  if (words.empty() || words[0].starts_with("-")) return;
  const std::string& name_of_verb = words[0];
  const std::vector<std::string> verbs = names_of(program.get_subcommands({}));
  if (std::ranges::find(verbs, name_of_verb) == verbs.end()) {
    throw UserError("unknown verb " + name_of_verb + did_you_mean(name_of_verb, verbs));
  }
  const CLI::App& verb = *program.get_subcommand(name_of_verb);
  const std::vector<std::string> options = names_of(verb.get_options());
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (name.size() > 2 && name.starts_with("--") && std::ranges::find(options, name) == options.end()) {
      throw UserError(fmt::format("unknown option {} of {}{}", name, name_of_verb, did_you_mean(name, options)));
    }
  }
}

/// Descriptors that the caller has closed are opened, so that no file of ours gets their numbers, and with them the log;
/// to read from them or to write to them is an error all the same. And a limit on the size of files is an error of the
/// call that writes, not the end of the process.
void prepare_process() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) != -1) continue;
    const int opened = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);  // gets the lowest number
    static_cast<void>(opened);
  }
  std::signal(SIGXFSZ, SIG_IGN);
}

int run(int argc, char** argv, const std::vector<std::string>& words) {
  CLI::App program{"Glassformer: a see-through encoder-decoder transformer.\n"
                   "Results go to standard output, the log to standard error. Exit status:\n"
                   "0, 2 for a mistake in what was given, 1 for anything else, 130 or 143\n"
                   "after an interrupt."};
  program.set_version_flag("--version", "glassformer " GLASSFORMER_VERSION);
  program.require_subcommand(1);
  int status = 0;
  add_train(program, status);
  add_evaluate(program, status);
  add_translate(program, status);
  add_score(program, status);
  add_explain(program, status);
  add_average(program, status);
  add_export(program, status);
  add_gradcheck(program, status);
  add_benchmark(program, status);
  add_manual(program, status);
  add_completion(program, status);

  refuse_unknown_words(program, words);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& help) {
    program.exit(help);
  } catch (const CLI::ParseError& error) {
    throw UserError(std::string(error.what()) + "; see glassformer --help, or --help after a verb");
  }
  std::fflush(stdout);
  if (!std::cout.flush() || std::ferror(stdout) != 0) {
    throw std::runtime_error("the result cannot be written to standard output (is the disk full?)");
  }
  return status;
}

/// One message for whatever has gone wrong.
int complain(const std::string& message, int status) {
  std::cerr << "glassformer: " + Communicator::speaker() + message + '\n' << std::flush;
  return status;
}

int run_or_complain(int argc, char** argv, const std::vector<std::string>& words) try {
  return run(argc, argv, words);
} catch (const UserError& error) {
  return complain(error.what(), 2);
} catch (const std::bad_alloc&) {
  return complain("there is not enough memory. A smaller model, fewer training.shards (each holds a gradient) or a "
                  "smaller training.max_tokens need less.", 1);
} catch (const std::exception& error) {
  return complain(error.what(), 1);
}

}  // namespace

void refuse_existing(const std::filesystem::path& output) {
  if (!std::filesystem::exists(std::filesystem::symlink_status(output))) return;
  throw UserError(output.string() + ": expected a place where nothing stands, found something; choose another " +
                  "--output, or remove it.");
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

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  glassformer::prepare_process();
  glassformer::log_to_standard_error();
  const int status = glassformer::run_or_complain(argc, argv, words);
  glassformer::Communicator::end(status);
  return status;
}
