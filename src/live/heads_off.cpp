#include "glassformer/live/heads_off.hpp"

#include <algorithm>
#include <cstdlib>

#include "glassformer/session/checks.hpp"

namespace glassformer {

HeadsOff::HeadsOff(Session& session, std::span<const std::string> heads) {
  const Index width = session.settings().model.d_model;
  const Index head_width = width / session.settings().model.heads;
  for (const std::string& name : heads) {
    const auto space = name.rfind(' ');
    const Index head = std::atoi(name.c_str() + space + 1);  // NOLINT(cert-err34-c): check_heads has read it
    const auto weight = session.weight("model." + name.substr(0, space) + ".out_proj.weight");
    kept_.emplace_back(weight, std::vector<float>(weight.values.begin(), weight.values.end()));
    for (Index row = 0; row < width; ++row) {
      std::ranges::fill(weight.values.subspan(static_cast<std::size_t>(row * width + head * head_width),
                                              static_cast<std::size_t>(head_width)),
                        0.0F);
    }
  }
}

HeadsOff::~HeadsOff() {
  // NOLINTNEXTLINE(modernize-loop-convert): a view in reverse does not compile with Clang 14
  for (auto kept = kept_.rbegin(); kept != kept_.rend(); ++kept) {
    std::ranges::copy(kept->second, kept->first.values.begin());
  }
}

void check_heads(const TransformerSettings& model, std::span<const std::string> heads) {
  std::vector<std::string> known;
  const auto add = [&](const std::string& side, Index layers, const std::string& attention) {
    for (Index layer = 0; layer < layers; ++layer) {
      for (Index head = 0; head < model.heads; ++head) {
        std::string name = side;
        name.append(".layers.").append(std::to_string(layer)).append(".").append(attention);
        known.push_back(name.append(" ").append(std::to_string(head)));
      }
    }
  };
  add("encoder", model.encoder_layers, "self_attn");
  add("decoder", model.decoder_layers, "self_attn");
  add("decoder", model.decoder_layers, "encoder_attn");
  for (const std::string& head : heads) {
    if (std::ranges::find(known, head) == known.end()) {
      refuse("heads: there is no head \"" + head + "\"");
    }
  }
}

}  // namespace glassformer
