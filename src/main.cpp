#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <new>
#include <stdexcept>

#include "files/suggestion.hpp"
#include "files/user_error.hpp"
#include "files/utf8.hpp"
#include "machine/machine.hpp"
#include "numerics/gemm.hpp"
#include "report/log.hpp"
#include "training/self_test.hpp"
#include "verbs/verbs.hpp"

namespace glassformer {
namespace {

/// If the caller has closed a standard descriptor, opens /dev/null in its place, so that no other file gets its number
/// and receives the log. The mode is deliberately wrong, so using the descriptor still fails. Also ignores SIGXFSZ: a
/// write that exceeds the file-size limit then fails instead of killing the process.
void prepare_process() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) != -1) {
      continue;
    }
    static_cast<void>(open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));  // lowest free number
  }
  std::signal(SIGXFSZ, SIG_IGN);
  use_huge_pages();
}

/// The message for an argument that a verb does not take. Names the option that was probably meant.
std::string unexpected_argument(const CLI::App& app, const std::string& word) {
  const std::string& verb = app.get_name();
  const CLI::Option* const set = app.get_option_no_throw("--set");
  for (const std::string& text : set != nullptr ? set->results() : std::vector<std::string>()) {
    if (text.find('=') != std::string::npos) {
      continue;
    }
    const std::string value = word.substr(std::min(word.find_first_not_of('='), word.size()));
    return "--set " + visible(text) + ": expected KEY=VALUE without spaces, for example --set " + visible(text) + "=" +
           (value.empty() ? "VALUE" : visible(value));
  }
  const std::string quoted = "\"" + visible(word) + "\"";
  static const std::map<std::string, std::string> meant = {
      {"train", "--output"}, {"translate", "--input"}, {"explain", "--source"}};
  const auto option = meant.find(verb);
  std::error_code ignored;
  std::string hint;
  if (app.get_option_no_throw("--" + word) != nullptr) {
    hint = "; did you mean --" + visible(word) + "?";
  } else if (verb == "evaluate") {
    hint = "; test texts are given with --source FILE --reference FILE.";
  } else if (verb == "score") {
    hint = "; texts are given with --source FILE --target FILE.";
  } else if (verb == "translate" && word.find(' ') != std::string::npos) {
    hint = "; sentences come from a file (--input) or from standard input: echo " + quoted +
           " | glassformer translate ...";
  } else if (verb == "train" && std::filesystem::is_regular_file(word, ignored)) {
    hint = "; one config is enough, and a config can name another as its base.";
  } else if (option != meant.end()) {
    hint = "; did you mean " + option->second + " " + quoted + "?";
  }
  return "expected no further argument, found " + quoted + (hint.empty() ? ";" : hint) +
         (hint.empty() ? " see" : " See") + " glassformer " + verb + " --help";
}

/// The message for a command line that CLI11 rejects, with a suggestion if a verb or an option is unknown.
std::string parse_error_message(const CLI::App& program, const CLI::ParseError& error) {
  const auto chosen = program.get_subcommands();
  for (const std::string& word : program.remaining(true)) {
    const bool is_option = word.size() > 2 && word.starts_with("--");
    std::vector<std::string> known;
    if (is_option) {
      for (const CLI::Option* option : (chosen.empty() ? program : *chosen.front()).get_options()) {
        for (const std::string& name : option->get_lnames()) {
          known.push_back("--" + name);
        }
      }
    } else if (chosen.empty() && !word.starts_with("-")) {
      for (const CLI::App* verb : program.get_subcommands({})) {
        known.push_back(verb->get_name());
      }
    }
    if (known.empty() && !chosen.empty() && !word.starts_with("-")) {
      return unexpected_argument(*chosen.front(), word);
    }
    if (known.empty()) {
      continue;
    }
    const std::string name = word.substr(0, word.find('='));
    const auto suggestion = nearest(name, known);
    return (is_option ? "unknown option " : "unknown verb ") + name +
           (suggestion ? "; did you mean " + *suggestion + "?" : "; expected one of " + CLI::detail::join(known, ", "));
  }
  return std::string(error.what()) + "; see glassformer --help or glassformer VERB --help";
}

int run(int argc, char** argv) {
  log_to_standard_error();
  choose_instructions(argv);
  check_thread_count();  // before --version, whose self-test starts threads
  CLI::App program{
      "Glassformer: a transparent encoder-decoder transformer.\n\n"
      "Results go to standard output, the log to standard error. The exit status is\n"
      "0 on success; 2 for a mistake in the input; 130, 143 or 129 after Ctrl-C,\n"
      "SIGTERM or SIGHUP; 1 for any other error. Use VERB --help to see its options.\n",
      "glassformer"};
  program.set_version_flag("--version", [] {
    return fmt::format("glassformer {}\ninstructions {}\narithmetic   {:016x}", GLASSFORMER_VERSION, instructions(),
                       arithmetic_digest());
  });
  program.require_subcommand(1);
  int status = 0;
  for (const auto add :
       {add_train, add_evaluate, add_translate, add_score, add_explain, add_gradcheck, add_benchmark}) {
    add(program, status);
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& help) {
    status = program.exit(help) + (announced_processes() > 1 ? 2 : 0);  // so that mpirun ends the waiting ranks
  } catch (const CLI::ParseError& error) {
    throw UserError(parse_error_message(program, error));
  }
  if (!std::cout.flush() || std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw std::runtime_error("the result cannot be written to standard output (is the disk full?)");
  }
  return status;
}

/// Reports the exception being handled; if memory has run out, without allocating any. Returns the exit status.
int fail() try { throw; } catch (const std::bad_alloc&) {
  std::fprintf(stderr,
               "glassformer: %snot enough memory; use a smaller model, fewer training.shards (each holds a "
               "gradient), a smaller training.max_tokens or shorter lines\n",
               message_prefix().c_str());
  return 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "glassformer: %s%s\n", message_prefix().c_str(),
               visible(error.what(), /*keep_lists=*/true).c_str());
  return dynamic_cast<const UserError*>(&error) != nullptr ? 2 : 1;
}

int run_or_fail(int argc, char** argv) try { return run(argc, argv); } catch (...) {
  return fail();
}

}  // namespace
}  // namespace glassformer

int main(int argc, char** argv) {
#ifdef __x86_64__
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi2")) {
    std::fputs("glassformer: this processor lacks AVX2, FMA or BMI2; use another (most since 2013 have them)\n",
               stderr);
    return 1;
  }
#endif
  glassformer::prepare_process();
  std::set_terminate([] {  // memory ran out where nothing may be thrown, such as in nlohmann::json's destructor
    const bool is_known = std::current_exception() != nullptr;
    if (!is_known) {
      std::fputs("glassformer: stopped inside a library, probably for lack of memory\n", stderr);
    }
    glassformer::end_ranks(is_known ? glassformer::fail() : 1);
    std::_Exit(1);
  });
  const int status = glassformer::run_or_fail(argc, argv);
  glassformer::end_ranks(status);
  return status;
}
