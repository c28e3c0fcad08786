#include "export/onnx_layers.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "layers/layer_norm.hpp"

namespace glassformer::onnx_graph {
namespace {

Value zero(const Part& part) { return part.graph().scalar("zero", 0); }

/// position[t, j] = sin(t * frequency[j] + phase[j]): [T, D]. A cosine is the sine of a quarter turn more. In double
/// precision, for the angles grow with t, and so do their errors; there is no longest sentence.
Value positions(const Part& part, const Value& places, Index width) {
  std::vector<double> frequencies, phases;
  for (Index j = 0; j < width; ++j) {
    const Index i = j % (width / 2);
    frequencies.push_back(std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(width)));
    phases.push_back(j < width / 2 ? 0 : std::numbers::pi / 2);
  }
  const Value row = part.node("places", "Cast", {places}, {{"to", onnx::TensorProto::DOUBLE}});
  const Value t = part.node("t", "Unsqueeze", {row, part.graph().integers("axis_1", {1})});                 // [T, 1]
  const Value turned = part.node("turned", "Mul", {t, part.graph().constant("frequency", {width}, frequencies)});
  const Value angles = part.node("angles", "Add", {turned, part.graph().constant("phase", {width}, phases)});
  const Value sines = part.node("sines", "Sin", {angles});                                                  // [T, D]
  return part.node("positions", "Cast", {sines}, {{"to", onnx::TensorProto::FLOAT}});
}

/// Rows [N, D] become [B, length, H, d_head], and then in another order.
Value split_heads(const Part& part, const std::string& name, const Value& rows, const Value& shape,
                  const std::vector<std::int64_t>& order) {
  const Value split = part.node(name + "_split", "Reshape", {rows, shape});
  return part.node(name + "_heads", "Transpose", {split}, {{"perm", order}});
}

/// scores [B, H, T, S] give weights, 0 exactly where blocked.
Value masked_softmax(const Part& part, const Value& scores, const MaskValue& blocked) {
  if (!blocked) return part.node("weights", "Softmax", {scores}, {{"axis", -1}});
  const Value lowest = part.graph().scalar("minus_infinity", -std::numeric_limits<float>::infinity());
  const Value visible = part.node("visible_scores", "Where", {*blocked, lowest, scores});
  const Value weights = part.node("softmax", "Softmax", {visible}, {{"axis", -1}});
  // Where nothing is visible, that is NaN; and what computes it may take something tiny for exp(-infinity).
  return part.node("weights", "Where", {*blocked, zero(part), weights});
}

Value scaled_dot_product_attention(const Part& part, const Heads& heads, const Value& q, const Value& k,
                                   const Value& v, const MaskValue& blocked) {
  const Value q_heads = split_heads(part, "q", q, heads.queries, {0, 2, 1, 3});                    // [B, H, T, d_head]
  const Value k_heads = split_heads(part, "k", k, heads.keys, {0, 2, 3, 1});                       // [B, H, d_head, S]
  const Value v_heads = split_heads(part, "v", v, heads.keys, {0, 2, 1, 3});                       // [B, H, S, d_head]
  const Index d_head = heads.d_model / heads.heads;
  const float scale = 1 / std::sqrt(static_cast<float>(d_head));

  const Value products = part.node("products", "MatMul", {q_heads, k_heads});                      // [B, H, T, S]
  const Value scores = part.node("scores", "Mul", {products, part.graph().scalar("one_over_sqrt_d_head", scale)});
  const Value weights = masked_softmax(part, scores, blocked);                                     // [B, H, T, S]
  const Value context = part.node("context", "MatMul", {weights, v_heads});                        // [B, H, T, d_head]
  const Value merged = part.node("merged", "Transpose", {context}, {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}});
  return as_rows(part, "context_rows", merged, heads.d_model);                                     // [N, D]
}

}  // namespace

Value as_rows(const Part& part, const std::string& name, const Value& x, Index width) {
  return part.node(name, "Reshape", {x, part.graph().integers("rows_shape", {-1, width})});
}

Value linear(const Part& part, const Value& x) {
  return linear(part, x, part.parameter("weight"), part.parameter("bias"));
}

Value linear(const Part& part, const Value& x, const Value& weight, const Value& bias) {
  return part.node("y", "Gemm", {x, weight, bias}, {{"transB", 1}});  // the weight is used transposed, as it lies
}

Value layer_norm(const Part& part, const Value& x) {
  return part.node("y", "LayerNormalization", {x, part.parameter("weight"), part.parameter("bias")},
                   {{"axis", -1}, {"epsilon", LayerNorm<float>::kEpsilon}});
}

Value activate(const Part& part, Activation activation, const Value& x) {
  switch (activation) {
    case Activation::relu:
      return part.node("activated", "Relu", {x});
    case Activation::gelu: {  // x (1 + erf(x / sqrt(2))) / 2
      const Value root = part.graph().scalar("sqrt_2", std::numbers::sqrt2_v<float>);
      const Value erf = part.node("erf", "Erf", {part.node("x_over_sqrt_2", "Div", {x, root})});
      const Value twice_cdf = part.node("twice_cdf", "Add", {erf, part.graph().scalar("one", 1)});
      const Value normal_cdf = part.node("normal_cdf", "Mul", {twice_cdf, part.graph().scalar("half", 0.5F)});
      return part.node("activated", "Mul", {x, normal_cdf});
    }
    case Activation::swish:
      return part.node("activated", "Mul", {x, part.node("sigmoid", "Sigmoid", {x})});
  }
  return x;
}

Value feed_forward(const Part& part, Activation activation, const Value& x) {
  const Value expanded = linear(part.at("fc1"), x);                                       // [N, F]
  return linear(part.at("fc2"), activate(part.at("feed_forward"), activation, expanded));  // [N, D]
}

Value places(const Part& part, const Value& ids) {
  const Value shape = part.node("ids_shape", "Shape", {ids}, {{"start", 1}});
  const Value length = part.node("length", "Squeeze", {shape});  // [1] becomes a single number
  const std::int64_t from = 0, step = 1;
  return part.node("places", "Range", {part.graph().constant("from_0", {}, {&from, 1}), length,
                                       part.graph().constant("step_1", {}, {&step, 1})});
}

Value embedding(const Part& part, const Value& table, float scale, Index width, const Value& ids, const Value& places,
                const Value& padding) {
  const Value embedded = part.node("embedded", "Gather", {table, ids});                                // [B, T, D]
  const Value scaled = part.node("scaled", "Mul", {embedded, part.graph().scalar("embedding_scale", scale)});
  const Value placed = part.node("placed", "Add", {scaled, positions(part, places, width)});           // [B, T, D]
  const Value is_padding = part.node("is_padding", "Equal", {ids, padding});                           // [B, T]
  const Value blank = part.node("blank", "Unsqueeze", {is_padding, part.graph().integers("axis_2", {2})});
  return as_rows(part, "x", part.node("embedding", "Where", {blank, zero(part), placed}), width);      // [N, D]
}

MaskValue padding_mask(const Part& part, const Value& ids, const Value& padding) {
  const Value blocked = part.node("blocked", "Equal", {ids, padding});                                 // [B, S]
  return part.node("padding_mask", "Unsqueeze", {blocked, part.graph().integers("axes_1_2", {1, 2})});
}

MaskValue look_ahead_mask(const Part& part, const Value& places) {
  const Value queries = part.node("queries", "Unsqueeze", {places, part.graph().integers("axis_1", {1})});  // [T, 1]
  return part.node("look_ahead_mask", "Greater", {places, queries});                                        // [T, T]
}

MaskValue combined_mask(const Part& part, const MaskValue& a, const MaskValue& b) {
  if (!a || !b) return a ? a : b;
  return part.node("combined_mask", "Or", {*a, *b});
}

Value heads_shape(const Part& part, const Value& sentences, Index d_model, Index heads) {
  const Value of_each = part.graph().integers("heads_and_d_head", {heads, d_model / heads});
  return part.node("heads_shape", "Concat", {sentences, of_each}, {{"axis", 0}});
}

Value attention(const Part& part, const Heads& heads, const Value& x, const Value& memory, const MaskValue& blocked) {
  const Value q = linear(part.at("q_proj"), x);                                                      // [N, D]
  const Value k = linear(part.at("k_proj"), memory);                                                 // [M, D]
  const Value v = linear(part.at("v_proj"), memory);                                                 // [M, D]
  return linear(part.at("out_proj"), scaled_dot_product_attention(part, heads, q, k, v, blocked));   // [N, D]
}

}  // namespace glassformer::onnx_graph
