// Prints the digest of the core's arithmetic, and one of what this program computes with inline functions of the core's
// headers.
#include <bit>
#include <cstdint>
#include <cstdio>

#include "glassformer/numerics/buffer.hpp"
#include "glassformer/numerics/functions.hpp"
#include "glassformer/numerics/row_operations.hpp"
#include "glassformer/verification/self_test.hpp"

namespace gf = glassformer;

int main() {
  gf::Buffer<float> x(1, 1000);
  gf::Buffer<float> y(1, 1000);
  for (gf::Index j = 0; j < x.cols(); ++j) {
    x(0, j) = 0.01F * static_cast<float>(j - 500);
    y(0, j) = gf::exp(x(0, j));
  }
  for (int repetition = 0; repetition < 3; ++repetition) {
    gf::scale(y.row(0), 0.3F);
    gf::add(x.row(0), y.row(0));
    for (float& number : y.row(0)) {
      number = gf::erfc(number - 5);
    }
  }
  std::uint64_t digest = 14695981039346656037U;
  for (const float number : y.row(0)) {
    digest = (digest ^ std::bit_cast<std::uint32_t>(number)) * 1099511628211U;
  }
  std::printf("arithmetic %016llx, inline functions %016llx\n",
              static_cast<unsigned long long>(gf::arithmetic_digest()), static_cast<unsigned long long>(digest));
}
