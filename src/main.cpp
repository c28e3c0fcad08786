#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>

#include "glassformer/commands/command_line.hpp"
#include "glassformer/commands/commands.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/files/utf8.hpp"
#include "glassformer/machine/memory.hpp"
#include "glassformer/machine/mpi.hpp"
#include "glassformer/machine/program.hpp"
#include "glassformer/machine/threads.hpp"
#include "glassformer/numerics/gemm.hpp"
#include "glassformer/report/log.hpp"
#include "glassformer/verification/self_test.hpp"

namespace glassformer {
namespace {

/// If the caller has closed a standard descriptor, opens /dev/null in its place, so that no file that we open later
/// takes its place and receives the log. The mode is deliberately wrong, so using the descriptor still fails. Also
/// ignores SIGXFSZ: a write that exceeds the file-size limit then fails instead of killing the process.
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

int run(int argc, char** argv) {
  log_to_standard_error();
  choose_instructions(argv);
  check_thread_count();  // before --version, whose self-test starts threads
  CLI::App program{
      "Glassformer: a transparent encoder-decoder transformer.\n\n"
      "Results go to standard output, the log to standard error. The exit status is\n"
      "0 on success; 2 for a mistake in the input; 130, 143 or 129 after Ctrl-C,\n"
      "SIGTERM or SIGHUP; 1 for any other error. Use COMMAND --help to see its options.\n",
      "glassformer"};
  program.set_version_flag("--version", [] {
    return fmt::format("glassformer {}\ninstructions {}\narithmetic   {:016x}", GLASSFORMER_VERSION, instructions(),
                       arithmetic_digest());
  });
  program.require_subcommand(1);
  int status = 0;
  for (const auto add :
       {add_train, add_evaluate, add_translate, add_score, add_explain, add_live, add_gradcheck, add_benchmark}) {
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
