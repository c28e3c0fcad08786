// Runs the cases of a lab. It writes one line for each thing to a file of its own (what you print goes to your terminal
// as usual): a case begins; it has an input or an output; it ended, or threw an exception; a signal ended the program.
// Numbers have all their digits. scripts/course/results.py reads these lines.
//
//   program check|grade DESCRIPTOR     the numbers of `check`, or those of `grade`; where to write
#include <execinfo.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "cases.hpp"
#include "not_written.hpp"

namespace glassformer::labs {

bool grading = false;

namespace {

std::FILE* results = nullptr;

// --- Crashes ----------------------------------------------------------------------------------------------------

const char* top_of_stack = nullptr;

/// Did the program run out of stack, as it does if a function calls itself forever?
bool at_end_of_stack(const void* address) {
  rlimit limit{};
  getrlimit(RLIMIT_STACK, &limit);
  const auto used = static_cast<double>(top_of_stack - static_cast<const char*>(address));
  return used > static_cast<double>(limit.rlim_cur) - 256e3 && used < static_cast<double>(limit.rlim_cur) + 256e3;
}

/// Writes the signal and the addresses of the functions that were running. Allocates nothing.
void report_signal(int number, siginfo_t* info, void*) {
  const bool overflow = number == SIGSEGV && at_end_of_stack(info->si_addr);
  std::array<void*, 40> addresses{};
  const int count = backtrace(addresses.data(), static_cast<int>(addresses.size()));
  std::array<char, 1200> line{};
  int length = std::snprintf(line.data(), line.size(), "\nsignal\t%s\t", overflow ? "stack" : "other");
  for (int i = 0; i < count && length + 24 < std::ssize(line); ++i) {
    length += std::snprintf(line.data() + length, 24, "%p ", addresses[static_cast<std::size_t>(i)]);
  }
  line[static_cast<std::size_t>(length++)] = '\n';
  static_cast<void>(!write(fileno(results), line.data(), static_cast<std::size_t>(length)));
  signal(number, SIG_DFL);
  raise(number);
}

void watch_signals() {
  static std::array<char, 65536> stack;  // the usual one may be used up
  stack_t other{};
  other.ss_sp = stack.data();
  other.ss_size = stack.size();
  sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_sigaction = report_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU}) {
    sigaction(number, &action, nullptr);
  }
  std::array<void*, 1> first{};
  backtrace(first.data(), 1);  // loads a library, which a signal handler may not do
}

// --- Lines ------------------------------------------------------------------------------------------------------

template <class Number>
void print(const char* kind, const std::string& name, MatrixView<Number> numbers) {
  std::fprintf(results, "%s\t%s\t%ld\t%ld\t", kind, name.c_str(), static_cast<long>(numbers.rows()),
               static_cast<long>(numbers.cols()));
  for (Index i = 0; i < numbers.rows(); ++i) {
    for (Index j = 0; j < numbers.cols(); ++j) {
      std::fprintf(results, " %.17g", static_cast<double>(numbers(i, j)));
    }
  }
  std::fprintf(results, "\n");
  std::fflush(results);
}

void print(const char* kind, const std::string& name, const Mask& mask) {
  const std::string shape = " (sentences " + std::to_string(mask.sentences) + ", queries " +
                            std::to_string(mask.queries) + ", keys " + std::to_string(mask.keys()) + ")";
  print(kind, name + shape, mask.blocked.view());
}

void run(const Case& test) {
  std::fprintf(results, "case\t%s\t%s\n", test.name.c_str(), test.law.c_str());
  std::fflush(results);
  try {
    test.run();
    std::fprintf(results, "end\n");
  } catch (const NotWritten& function) {
    std::fprintf(results, "not written\t%s\n", function.what());
  } catch (const std::exception& error) {
    std::fprintf(results, "threw\t%s\n", error.what());
  } catch (...) {
    std::fprintf(results, "threw\tsomething that is not a std::exception\n");
  }
  std::fflush(results);
}

}  // namespace

void input(const std::string& name, MatrixView<const double> numbers) { print("input", name, numbers); }
void input(const std::string& name, const IdMatrix& ids) { print("input", name, ids.view()); }
void input(const std::string& name, const Mask& mask) { print("input", name, mask); }
void input(const std::string& name, double number) { input(name, MatrixView<const double>(&number, 1, 1)); }
void output(const std::string& name, MatrixView<const double> numbers) { print("output", name, numbers); }
void output(const std::string& name, const IdMatrix& ids) { print("output", name, ids.view()); }
void output(const std::string& name, const Mask& mask) { print("output", name, mask); }
void output(const std::string& name, double number) { output(name, MatrixView<const double>(&number, 1, 1)); }

}  // namespace glassformer::labs

int main(int count, char** arguments) {
  using namespace glassformer::labs;
  if (count != 3 || (results = fdopen(std::atoi(arguments[2]), "w")) == nullptr) {
    std::fprintf(stderr, "usage: program check|grade DESCRIPTOR\n");
    return 2;
  }
  grading = std::strcmp(arguments[1], "grade") == 0;
  top_of_stack = reinterpret_cast<const char*>(&count);
  watch_signals();
  std::setvbuf(stdout, nullptr, _IONBF, 0);  // so that a crash loses nothing that you printed
  for (const Case& test : cases) {
    run(test);
  }
}
