#include "glassformer/schema/model.hpp"

namespace glassformer {

std::optional<BrokenRule> broken_rule(const TransformerSettings& model) {
  const std::string width = std::to_string(model.d_model);
  if (model.d_model % 2 != 0) {
    return BrokenRule{
        {"d_model"}, "expected an even number, found " + width + "; positions are encoded as half sines, half cosines"};
  }
  Index divisor = model.heads;
  while (model.d_model % divisor != 0) {
    --divisor;
  }
  if (divisor != model.heads) {
    return BrokenRule{{"heads", "d_model"},
                      "heads must divide d_model, but " + std::to_string(model.heads) + " does not divide " + width +
                          "; choose, for example, " + std::to_string(divisor) + " heads"};
  }
  return std::nullopt;
}

}  // namespace glassformer
