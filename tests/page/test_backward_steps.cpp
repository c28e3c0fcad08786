#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "glassformer/page/backward_steps.hpp"
#include "page/recorded_runs.hpp"

using namespace glassformer;

TEST_CASE("Each backward step differentiates a forward step of its part; each sum, the same step as its summand",
          "[page]") {
  const std::set<std::string> sums{"d_memory"};  // over the decoder's layers
  for (const auto& run : example::all_steps()) {
    const std::vector<RecordedStep>& steps = run->recording.steps();
    const auto differentiated = differentiated_steps(run->recording);
    REQUIRE(differentiated.size() == steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::string& name = run->output(steps[i]).name;
      CAPTURE(steps[i].part, name);
      const bool is_backward = steps[i].direction == Direction::backward;
      CHECK(is_backward == name.starts_with("d_"));
      REQUIRE(differentiated[i].has_value() == is_backward);
      if (!differentiated[i]) {
        continue;
      }
      const RecordedStep& forward = steps[*differentiated[i]];
      CHECK(forward.direction == Direction::forward);
      if (sums.contains(name)) {
        CHECK(forward.part.ends_with("encoder_attn.kv_proj"));
        continue;
      }
      CHECK(forward.part == steps[i].part);
      const auto is_it = [&](const RecordedStep::Input& input) { return "d_" + input.name == name; };
      CHECK(std::ranges::any_of(forward.inputs, is_it));
    }
  }
}

TEST_CASE("The step that computes d_x differentiates the last step that reads x", "[page]") {
  const std::map<std::pair<std::string, std::string>, std::string> expected{
      {{"encoder.layers.0.self_attn", "d_scores"}, "weights"},
      {{"encoder.layers.0.self_attn", "d_products"}, "scores"},
      {{"encoder.layers.0.self_attn", "d_q"}, "products"},
      {{"encoder.layers.0.self_attn", "d_v"}, "context"},
      {{"decoder.layers.1.encoder_attn", "d_key_value"}, "v"},
      {{"decoder.layers.1.encoder_attn.kv_proj", "d_x"}, "y"},
      {{"decoder.layers.1.final_layer_norm", "d_x"}, "x_hat"},
      {{"decoder.layers.1.final_layer_norm.residual", "d_x"}, "sum"},
      {{"decoder.layers.1.feed_forward", "d_expanded"}, "activated"},
      {{"decoder.output", "d_weight"}, "y"},
      {{"loss", "d_logits"}, "p"},
      {{"encoder.embed_tokens", "d_table"}, "embedded"}};
  for (const auto& run : example::all_steps()) {
    const auto differentiated = differentiated_steps(run->recording);
    std::size_t seen = 0;
    for (std::size_t i = 0; i < differentiated.size(); ++i) {
      const RecordedStep& step = run->recording.steps()[i];
      const auto known = expected.find({step.part, run->output(step).name});
      if (known == expected.end()) {
        continue;
      }
      ++seen;
      CAPTURE(step.part, known->first.second);
      REQUIRE(differentiated[i]);
      CHECK(run->output(run->recording.steps()[*differentiated[i]]).name == known->second);
    }
    CHECK(seen == expected.size());
  }
}
