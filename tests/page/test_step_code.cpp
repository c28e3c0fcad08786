#include <map>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "page/embedded_files.hpp"
#include "page/recorded_runs.hpp"
#include "page/step_code.hpp"

using namespace glassformer;
using example::RecordedRun;

namespace {

void for_each_step(const auto& action) {
  for (const auto& run : example::all_steps()) {
    for (const RecordedStep& step : run->recording.steps()) {
      CAPTURE(step.part, example::equation(run->recording, step), step.line);
      action(*run, step);
    }
  }
}

std::vector<std::string> code_lines_of(std::string_view text) {
  std::vector<std::string> lines(1);
  for (const char letter : text) {
    if (letter == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += letter;
    }
  }
  return lines;
}

CodeLines found(const RecordedStep& step) {
  return lines_that_computed(step, embedded_files().at(path_in_project(step.file)));
}

std::string code_of(const CodeLines& found) {
  const std::vector<std::string> lines = code_lines_of(embedded_files().at(found.file));
  std::string code;
  for (int line = found.first; line <= found.last; ++line) {
    code += lines[static_cast<std::size_t>(line - 1)] + '\n';
  }
  return code;
}

/// What the lines of a step must contain, by their function and the name of the tensor they compute.
const std::map<std::pair<std::string, std::string>, std::string> kExpectedCode{
    {{"Embedding::forward", "embedded"}, "embed(ids(b, t), t, x);"},
    {{"Dropout::forward", "y"}, "keep(x.row(n), kept_.row(n), factor, y.row(n));"},
    {{"Linear::forward", "y"}, "multiply_transposed_right(x, weight.value(), bias.value(), y_);"},
    {{"SelfAttention::forward", "q"}, "q = query_key_value.view().middle_cols(0, D);"},
    {{"SelfAttention::forward", "k"}, "k = query_key_value.view().middle_cols(D, D);"},
    {{"SelfAttention::forward", "v"}, "v = query_key_value.view().middle_cols(2 * D, D);"},
    {{"CrossAttention::forward", "k"}, "k = key_value.view().middle_cols(0, D);"},
    {{"CrossAttention::forward", "v"}, "v = key_value.view().middle_cols(D, D);"},
    {{"ScaledDotProductAttention::forward", "products"}, "multiply_transposed_right(query_block(q, i)"},
    {{"ScaledDotProductAttention::forward", "scores"}, "scale(weights_.view(),"},
    {{"ScaledDotProductAttention::forward", "context"}, "multiply_visible(weight_block(used.view(), i)"},
    {{"MaskedSoftmax::forward", "weights"}, "exponentials(row, largest(row))"},
    {{"ResidualConnection::leave", "sum"}, "add(x, sum_.view());"},
    {{"LayerNorm::forward", "inv_std"}, "inv_std = 1 / std::sqrt("},
    {{"LayerNorm::forward", "x_hat"}, "scale(x_hat, inv_std);"},
    {{"LayerNorm::forward", "y"}, "y[j] = g[j] * x_hat[j] + b[j];"},
    {{"ActivationLayer::forward", "activated"}, "y[j] = std::max(from[j], Scalar{0});"},
    {{"CrossEntropy::forward", "p"}, "exponentials(row, largest_logit)"},
    {{"CrossEntropy::forward", "losses"}, "losses_(n, 0) ="},
    {{"CrossEntropy::backward", "d_logits"}, "row[v] = d_loss *"},
    {{"Linear::backward", "d_bias"}, "add(d_y.row(n), d_bias);"},
    {{"Linear::backward", "d_weight"}, "multiply_transposed_left(d_y, x, d_weight"},
    {{"Linear::backward", "d_x"}, "multiply(d_y, weight.value(), d_x_"},
    {{"LayerNorm::backward", "d_gain"}, "add_product(dy, x_hat, d_gain);"},
    {{"LayerNorm::backward", "d_bias"}, "add(dy, d_bias);"},
    {{"LayerNorm::backward", "d_x"}, "d_x[j] = inv_std_(n, 0) *"},
    {{"Dropout::backward", "d_x"}, "keep(d_y.row(n), kept_.row(n), factor, d_x.row(n));"},
    {{"ActivationLayer::backward", "d_expanded"}, "d[j] = from[j] > 0 ? d[j] : 0;"},
    {{"ScaledDotProductAttention::backward", "d_v"}, "key_block(d_v, i)"},
    {{"ScaledDotProductAttention::backward", "d_weights"}, "weight_block(d_weights_.view(), i)"},
    {{"MaskedSoftmax::backward", "d_scores"}, "d[j] = w[j] * (d[j] - weighted_sum);"},
    {{"ScaledDotProductAttention::backward_scores", "d_products"}, "scale(d_scores.view(),"},
    {{"ScaledDotProductAttention::backward_scores", "d_q"}, "query_block(d_q, i)"},
    {{"ScaledDotProductAttention::backward_scores", "d_k"}, "key_block(d_k, i)"},
    {{"SelfAttention::backward", "d_query_key_value"}, "attention.backward(pass, d_context, d_q, d_k, d_v);"},
    {{"CrossAttention::backward", "d_key_value"}, "attention.backward(pass, d_context, d_q_, d_k, d_v);"},
    {{"ResidualConnection::enter_backward", "d_x"}, "add(*d_sum_,"},
    {{"Transformer::backward_decoder", "d_memory"}, "add(layer->d_memory(), d_memory_.view());"},
    {{"Embedding::backward", "d_table"}, "add_scaled(scale_, d_embedded_.row("}};

}  // namespace

TEST_CASE("The lines of a step are above its record, in the same function, and contain its computation", "[page]") {
  std::set<std::pair<std::string, std::string>> used;
  for_each_step([&](const RecordedRun& run, const RecordedStep& step) {
    const CodeLines lines = found(step);
    CAPTURE(lines.file, lines.function, lines.first, lines.last);
    REQUIRE((1 < lines.first && lines.first <= lines.last && lines.last < step.line));
    CHECK((lines.file.starts_with("src/layers/") || lines.file.starts_with("src/model/")));
    const std::string code = code_of(lines);
    CHECK(code.front() == ' ');  // inside a function: not its head, and nothing between functions
    CHECK(code.find("\n}") == std::string::npos);
    CHECK(code.find(".record(") == std::string::npos);
    const std::string outer_indent(code.find_first_not_of(' ') - 2, ' ');
    CHECK(code.find("\n" + outer_indent + "} else {") == std::string::npos);  // all in the same branch
    CHECK(lines.function.ends_with("::" + step.function));

    const std::pair key(lines.function, run.output(step).name);
    REQUIRE(kExpectedCode.contains(key));
    used.insert(key);
    CHECK(code.find(kExpectedCode.at(key)) != std::string::npos);
  });
  for (const auto& [key, text] : kExpectedCode) {
    CAPTURE(key.first, key.second);
    CHECK(used.contains(key));
  }
}

TEST_CASE("Steps of different paragraphs have different lines; steps of one loop have the same lines", "[page]") {
  std::map<std::pair<std::string, std::string>, std::pair<int, int>> lines;
  for_each_step([&](const RecordedRun& run, const RecordedStep& step) {
    const CodeLines code = found(step);
    lines[{code.function, run.output(step).name}] = {code.first, code.last};
  });
  const auto of = [&](const std::string& function, const std::string& name) { return lines.at({function, name}); };
  const std::string forward = "ScaledDotProductAttention::forward";
  const std::string backward = "ScaledDotProductAttention::backward";
  const std::string scores = "ScaledDotProductAttention::backward_scores";
  CHECK(of(forward, "scores").first == of(forward, "scores").second);
  CHECK(of(forward, "products").second < of(forward, "scores").first);
  CHECK(of(forward, "scores").second < of(forward, "context").first);
  CHECK(of(backward, "d_v") == of(backward, "d_weights"));
  CHECK(of(scores, "d_q") == of(scores, "d_k"));
  CHECK(of(scores, "d_products").second < of(scores, "d_q").first);
  CHECK(of("Linear::backward", "d_bias").second < of("Linear::backward", "d_weight").first);
  CHECK(of("Linear::backward", "d_weight").second < of("Linear::backward", "d_x").first);
  for (const char* name : {"x_hat", "y"}) {
    CHECK(of("LayerNorm::forward", name) == of("LayerNorm::forward", "inv_std"));
  }
  // A blank line inside a loop does not end the paragraph.
  CHECK(of("LayerNorm::backward", "d_x") == of("LayerNorm::backward", "d_gain"));
}

TEST_CASE("A paragraph starts after a blank line, after an earlier record, or where its block begins", "[page]") {
  const std::string text =
      "template <class Scalar>\n"                         // 1
      "void Layer<Scalar>::forward(const Pass& pass,\n"   // 2
      "                            Index n) {\n"          // 3
      "  first();\n"                                      // 4
      "  pass.record(name_, \"a [N] = {b}\",\n"           // 5
      "              a, b);\n"                            // 6
      "  for (Index i = 0; i < n; ++i) {\n"               // 7
      "    for (const auto& x : {a, b}) {\n"              // 8
      "      second();\n"                                 // 9
      "\n"                                                // 10
      "    }\n"                                           // 11
      "  }\n"                                             // 12
      "  pass.record(name_, \"c [N] = \"\n"               // 13
      "                     \"{d}\", c, d);\n"            // 14
      "  pass.record(name_, \"e [N] = {f}\", e, f);\n"    // 15
      "\n"                                                // 16
      "  if (n > 0) {\n"                                  // 17
      "    third();\n"                                    // 18
      "    pass.record(name_, \"g [N] = {h}\", g, h);\n"  // 19
      "  } else {\n"                                      // 20
      "    fourth();\n"                                   // 21
      "    pass.record_copy(g, h);\n"                     // 22
      "    fifth();\n"                                    // 23
      "    pass.record(name_, \"g [N] = {h}\", g, h);\n"  // 24
      "  }\n"                                             // 25
      "}\n";                                              // 26
  struct Expected {
    int record, first, last;
  };
  for (const Expected& expected :
       {Expected{5, 4, 4}, {6, 4, 4}, {13, 7, 12}, {14, 7, 12}, {15, 7, 12}, {19, 18, 18}, {24, 23, 23}}) {
    RecordedStep step;
    step.file = "/somebody/src/at/work/src/layers/layer.cpp";
    step.line = expected.record;
    const CodeLines lines = lines_that_computed(step, text);
    CAPTURE(expected.record);
    CHECK(lines.first == expected.first);
    CHECK(lines.last == expected.last);
    CHECK(lines.function == "Layer::forward");
    CHECK(lines.file == "src/layers/layer.cpp");
  }
}
