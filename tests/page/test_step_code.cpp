#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "catch.hpp"
#include "glassformer/page/embedded_files.hpp"
#include "glassformer/page/step_code.hpp"
#include "page/recorded_runs.hpp"

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

std::string_view file_of(const RecordedStep& step) { return embedded_files().at(path_in_project(step.file)); }

StepCode found(const RecordedStep& step) { return code_of_record(file_of(step), step.line); }

/// The lines that the page shows.
std::string lines_of(const RecordedStep& step, const StepCode& code) {
  std::string lines;
  int line = 1;
  for (const char letter : file_of(step)) {
    if (code.first_line <= line && line <= code.last_line) {
      lines += letter;
    }
    line += letter == '\n' ? 1 : 0;
  }
  return lines;
}

/// What the code of a step must contain, by their function and the name of the tensor they compute.
const std::map<std::pair<std::string, std::string>, std::string> kExpectedCode{
    {{"Embedding::forward", "embedded"}, "embed(ids(b, t), t, x);"},
    {{"Dropout::forward", "y"}, "keep_rows(x, y_);"},
    {{"Dropout::forward_in_place", "y"}, "keep_rows(x, y);"},
    {{"Linear::forward", "y"}, "multiply_transposed_right(x, weight.value(), bias.value(), y_);"},
    {{"SelfAttention::forward", "q"}, "q = query_key_value.view().middle_cols(0, D);"},
    {{"SelfAttention::forward", "k"}, "k = query_key_value.view().middle_cols(D, D);"},
    {{"SelfAttention::forward", "v"}, "v = query_key_value.view().middle_cols(2 * D, D);"},
    {{"CrossAttention::forward", "k"}, "k = key_value.view().middle_cols(0, D);"},
    {{"CrossAttention::forward", "v"}, "v = key_value.view().middle_cols(D, D);"},
    {{"ScaledDotProductAttention::forward", "products"}, "multiply_transposed_right(head_block(q, i)"},
    {{"ScaledDotProductAttention::forward", "scores"}, "weights_.eigen() *= 1 / std::sqrt("},
    {{"ScaledDotProductAttention::forward", "context"}, "multiply_visible(weight_block(used.view(), i)"},
    {{"MaskedSoftmax::forward_in_place", "weights"}, "exponentials(row, largest(row))"},
    {{"ResidualConnection::leave_in_place", "sum"}, "sum.eigen() += x.eigen();"},
    {{"LayerNorm::forward", "inv_std"}, "inv_std = 1 / std::sqrt("},
    {{"LayerNorm::forward", "x_hat"}, "scale(x_hat, inv_std);"},
    {{"LayerNorm::forward", "y"}, "y[j] = g[j] * x_hat[j] + b[j];"},
    {{"ActivationLayer::forward", "activated"}, "y = std::max(from, Scalar{0});"},
    {{"CrossEntropy::forward_in_place", "p"}, "forward_row(logits.row(n)"},
    {{"CrossEntropy::forward_in_place", "losses"}, "losses_(n, 0) ="},
    {{"CrossEntropy::backward_in_place", "d_logits"}, "row[v] = d_loss *"},
    {{"Linear::backward", "d_bias"}, "add(d_y.row(n), d_bias);"},
    {{"Linear::backward", "d_weight"}, "multiply_transposed_left(d_y, x, d_weight"},
    {{"Linear::backward", "d_x"}, "multiply(d_y, weight.value(), d_x_"},
    {{"LayerNorm::backward", "d_gain"}, "d_gain[j] += dy[j] * x_hat[j];"},
    {{"LayerNorm::backward", "d_bias"}, "d_bias[j] += dy[j];"},
    {{"LayerNorm::backward", "d_x"}, "d_x[j] = inv_std_(n, 0) *"},
    {{"Dropout::backward", "d_x"}, "keep_rows(d_y, d_x_);"},
    {{"Dropout::backward_in_place", "d_x"}, "keep_rows(d_y, d_x);"},
    {{"ActivationLayer::backward_in_place", "d_expanded"}, "d = from > 0 ? d : 0;"},
    {{"ScaledDotProductAttention::backward_context", "d_v"}, "head_block(d_v, i)"},
    {{"ScaledDotProductAttention::backward_context", "d_weights"}, "weight_block(d_weights_.view(), i)"},
    {{"MaskedSoftmax::backward_in_place", "d_scores"}, "d[j] = w[j] * (d[j] - weighted_sum);"},
    {{"ScaledDotProductAttention::backward_scores", "d_products"}, "d_scores.eigen() *= 1 / std::sqrt("},
    {{"ScaledDotProductAttention::backward_scores", "d_q"}, "head_block(d_q, i)"},
    {{"ScaledDotProductAttention::backward_scores", "d_k"}, "head_block(d_k, i)"},
    {{"SelfAttention::backward", "d_query_key_value"}, "attention.backward(pass, d_context, d_q, d_k, d_v);"},
    {{"CrossAttention::backward", "d_key_value"}, "attention.backward(pass, d_context, d_q_, d_k, d_v);"},
    {{"ResidualConnection::enter_backward_in_place", "d_x"}, "d_x.eigen() += d_sum_->eigen();"},
    {{"Transformer::backward_decoder", "d_memory"}, "d_memory_.eigen() += d_memory.eigen();"},
    {{"Embedding::backward", "d_table"}, ".eigen() += scale_ * d_embedded.row("}};

}  // namespace

TEST_CASE("The code of a step is above its record, in the same function, and contains its computation", "[page]") {
  std::set<std::pair<std::string, std::string>> used;
  for_each_step([&](const RecordedRun& run, const RecordedStep& step) {
    const StepCode code = found(step);
    CAPTURE(step.file, code.function, code.first_line, code.last_line);
    REQUIRE((1 < code.first_line && code.first_line <= code.last_line && code.last_line < step.line));
    CHECK(lines_of(step, code).find(code.statements) != std::string::npos);
    CHECK(code.statements.find("\n}") == std::string::npos);  // inside a function
    CHECK(code.statements.find(".record(") == std::string::npos);
    CHECK(std::ranges::count(code.statements, '{') == std::ranges::count(code.statements, '}'));  // whole statements
    CHECK(code.function.ends_with("::" + step.function));

    const std::pair key(code.function, run.output(step).name);
    REQUIRE(kExpectedCode.contains(key));
    used.insert(key);
    CHECK(code.statements.find(kExpectedCode.at(key)) != std::string::npos);
  });
  for (const auto& [key, text] : kExpectedCode) {
    CAPTURE(key.first, key.second);
    CHECK(used.contains(key));
  }
}

TEST_CASE("Steps that are recorded together have the same code; others have different code", "[page]") {
  std::map<std::pair<std::string, std::string>, std::pair<int, int>> lines;
  for_each_step([&](const RecordedRun& run, const RecordedStep& step) {
    const StepCode code = found(step);
    lines[{code.function, run.output(step).name}] = {code.first_line, code.last_line};
  });
  const auto of = [&](const std::string& function, const std::string& name) { return lines.at({function, name}); };
  const std::string forward = "ScaledDotProductAttention::forward";
  const std::string backward = "ScaledDotProductAttention::backward_context";
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
  CHECK(of("LayerNorm::backward", "d_x") == of("LayerNorm::backward", "d_gain"));
}

TEST_CASE("A record keeps what its block computed since the previous record, or since its beginning", "[page]") {
  const std::string text = R"(template <class Scalar>
void Layer<Scalar>::forward(const Pass& pass,
                            Index n) {
  first();
  pass.record(name_, "a [N] = {b}",
              a, b);

  // A comment.
  for (Index i = 0; i < n; ++i) {
    for (const auto& x : {a, b}) {
      second();

    }
  }

  also_second();  // the last
  pass.record(name_, "c [N] = "
                     "{d}", c, d);
  pass.record(name_, "e [N] = {f}", e, f);

  if (n > 0) {
    third();
    pass.record(name_, "g [N] = {h}", g, h);
  } else {
    fourth();
    pass.record(name_, "g [N] = {h}", g, h);  // the first of two in this block
    fifth(Range{g, h}); sixth();
    pass.record(name_, "g [N] = {h}", g, h);
  }
  seventh([&] { return n; });
  pass.record(name_, "i [N] = {j}", i, j);
  for (Index i = 0; i < n; ++i) {
    pass.record(name_, "k [N] = {l}", k, l);
  }
  pass.record(name_, "m [N] = {n}", m, n);
}
)";
  struct Expected {
    int first_record, last_record, first, last;
    const char* begins;
    const char* ends;
  };
  for (const Expected& expected : {Expected{5, 6, 4, 4, "first();", "first();"},
                                   {17, 18, 8, 16, "// A comment.", "// the last"},
                                   {19, 19, 8, 16, "// A comment.", "// the last"},
                                   {23, 23, 22, 22, "third();", "third();"},
                                   {28, 28, 27, 27, "fifth(", "sixth();"},
                                   {31, 31, 30, 30, "seventh(", "});"},
                                   {33, 33, 30, 30, "seventh(", "});"},            // before the loop
                                   {35, 35, 32, 34, "for (Index", "l);\n  }"}}) {  // the loop
    for (int line = expected.first_record; line <= expected.last_record; ++line) {
      CAPTURE(line);
      const StepCode code = code_of_record(text, line);
      CHECK(code.first_line == expected.first);
      CHECK(code.last_line == expected.last);
      CHECK(code.statements.starts_with(expected.begins));
      CHECK(code.statements.ends_with(expected.ends));
      CHECK(code.function == "Layer::forward");
    }
  }
  CHECK_THROWS_AS(code_of_record(text, 4), std::logic_error);
  CHECK_THROWS_AS(code_of_record(text, 1000), std::logic_error);
}

TEST_CASE("A record directly after an inner block with a record keeps what that block computed", "[page]") {
  const std::string loop = "for (;;) {\n    pass.record(\"\", \"k [N] = {l}\", k, l);\n  }";
  const std::string text = "void f() {\n  " + loop + "\n  pass.record(\"\", \"m [N] = {n}\", m, n);\n}\n";
  CHECK(code_of_record(text, 5).statements == loop);
}

TEST_CASE("A function that only records has its record as code", "[page]") {
  const StepCode code =
      code_of_record("void f() {\n  if (a) {\n    pass.record(\"\", \"a [N] = {b}\", a, b);\n  }\n}\n", 3);
  CHECK(code.function == "f");
  CHECK(code.statements == "pass.record(\"\", \"a [N] = {b}\", a, b);");
}

TEST_CASE("The compiler's path is made relative to the project", "[page]") {
  CHECK(path_in_project("/somebody/src/at/work/src/layers/layer.cpp") == "src/layers/layer.cpp");
  CHECK(path_in_project("src/layers/layer.cpp") == "src/layers/layer.cpp");
}
