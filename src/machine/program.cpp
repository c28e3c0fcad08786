#include "glassformer/machine/program.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

#include "glassformer/files/user_error.hpp"
#include "glassformer/files/utf8.hpp"
#include "glassformer/machine/system.hpp"
#include "glassformer/numerics/gemm.hpp"

namespace glassformer {

void choose_instructions(char** arguments) {
  const char* const wanted = std::getenv("GLASSFORMER_INSTRUCTIONS");
  if (wanted == nullptr || *wanted == 0 || wanted == instructions()) {
    return;
  }
  const bool avx2_instead = wanted == std::string_view("avx2") && instructions() == "avx512";
  if (avx2_instead) {
    restart_without_avx512(arguments);
  }
  throw UserError("GLASSFORMER_INSTRUCTIONS: expected " + instructions() +
                  (instructions() == "avx512" && !avx2_instead ? " or avx2" : "") +
                  " (what this build supports on this processor), found " + visible(wanted) + "; unset it");
}

}  // namespace glassformer
