// Runs the cases of a lab and prints, for scripts/course/check.py, one line for each thing: a case begins; it has an
// input or an output; it ended, or threw an exception. Numbers have all their digits.
#include <cstdio>
#include <exception>

#include "cases.hpp"
#include "not_written.hpp"

namespace glassformer::labs {
namespace {

template <class Number>
void print(const char* kind, const std::string& name, MatrixView<Number> numbers) {
  std::printf("%s\t%s\t%ld\t%ld\t", kind, name.c_str(), static_cast<long>(numbers.rows()),
              static_cast<long>(numbers.cols()));
  for (Index i = 0; i < numbers.rows(); ++i) {
    for (Index j = 0; j < numbers.cols(); ++j) {
      std::printf(" %.17g", static_cast<double>(numbers(i, j)));
    }
  }
  std::printf("\n");
}

void print(const char* kind, const std::string& name, const Mask& mask) {
  const std::string shape = " (sentences " + std::to_string(mask.sentences) + ", queries " +
                            std::to_string(mask.queries) + ", keys " + std::to_string(mask.keys()) + ")";
  print(kind, name + shape, mask.blocked.view());
}

void run(const Case& test) {
  std::printf("case\t%s\t%s\n", test.name.c_str(), test.law.c_str());
  std::fflush(stdout);
  try {
    test.run();
    std::printf("end\n");
  } catch (const NotWritten& function) {
    std::printf("not written\t%s\n", function.what());
  } catch (const std::exception& error) {
    std::printf("threw\t%s\n", error.what());
  }
  std::fflush(stdout);
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

int main() {
  for (const glassformer::labs::Case& test : glassformer::labs::cases) {
    glassformer::labs::run(test);
  }
}
