#include "glassformer/report/metrics.hpp"

namespace glassformer {

double padding_share(const TokenCount& tokens) {
  const Index padding = tokens.cells - tokens.source - tokens.target;
  return tokens.cells == 0 ? 0 : static_cast<double>(padding) / static_cast<double>(tokens.cells);
}

}  // namespace glassformer
