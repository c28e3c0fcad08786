#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>

#include "report/log.hpp"
#include "user_error.hpp"
#include "verbs/verbs.hpp"

namespace {

int run(int argc, char** argv) {
  using namespace glassformer;
  CLI::App program{"Glassformer: a see-through encoder-decoder transformer.\n"
                   "Results go to standard output, the log to standard error. Exit status: 0, 2 for a mistake in what "
                   "was given, 1 for anything else, 130 or 143 after an interrupt."};
  program.set_version_flag("--version", "glassformer " GLASSFORMER_VERSION);
  program.require_subcommand(1);
  int status = 0;
  add_train(program, status);
  add_evaluate(program, status);
  add_translate(program, status);
  add_gradcheck(program, status);

  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    status = program.exit(error) == 0 ? 0 : 2;
  }
  if (!std::cout.flush() || std::fflush(stdout) != 0) {
    throw std::runtime_error("the result cannot be written to standard output (is the disk full?)");
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  glassformer::log_to_standard_error();
  try {
    return run(argc, argv);
  } catch (const glassformer::UserError& error) {
    std::cerr << "glassformer: " << error.what() << '\n';
    return 2;
  } catch (const std::bad_alloc&) {
    std::cerr << "glassformer: there is not enough memory. A smaller model, fewer training.shards (each holds a "
                 "gradient) or a smaller training.max_tokens need less.\n";
  } catch (const std::exception& error) {
    std::cerr << "glassformer: " << error.what() << '\n';
  }
  return 1;
}
