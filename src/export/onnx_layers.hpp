#pragma once

#include <optional>

#include "export/onnx_graph.hpp"
#include "layers/activation.hpp"
#include "layers/add_and_norm.hpp"

/// The layers of src/layers, as ONNX has them: a function for each, which adds the layer's nodes to the graph and gives
/// the tensor that comes out. Two things are said in other words there. Numbers have no names of their own: what the
/// code does by loops over sentences and heads, a node does for a tensor of more dimensions. And nothing is known of a
/// batch but how many dimensions it has, so that even its lengths are computed in the graph.
///
/// B sentences, T queries (target tokens), S keys (source tokens), N = B * T rows, D = model width, H heads,
/// V = vocabulary. As in src/layers, a token is a row: only attention sees sentences.
namespace glassformer::onnx_graph {

/// Any x whose last dimension is the model's width, as rows: [N, D].
Value as_rows(const Part& part, const std::string& name, const Value& x, Index width);

/// y [N, out] = x [N, in] W^T + b
Value linear(const Part& part, const Value& x);

/// The same with parameters that are named elsewhere: the model's output, whose weight may be tied.
Value linear(const Part& part, const Value& x, const Value& weight, const Value& bias);

/// Of each row: [N, D].
Value layer_norm(const Part& part, const Value& x);

/// Of each number: [N, F].
Value activate(const Part& part, Activation activation, const Value& x);

/// x [N, D] gives [N, D]. The part is a layer of the model.
Value feed_forward(const Part& part, Activation activation, const Value& x);

/// 0, 1, ... as long as the sentences of ids [B, T] are: int64 [T].
Value places(const Part& part, const Value& ids);

/// ids [B, T] and places [T] give x [N, D]: the rows of the table [V, D] times `scale`, plus their positions; 0 where
/// an id is `padding` [1].
Value embedding(const Part& part, const Value& table, float scale, Index width, const Value& ids, const Value& places,
                const Value& padding);

/// Which keys are not seen: bool, true = blocked, of a shape that broadcasts to [B, H, T, S]. Nothing: all are seen.
using MaskValue = std::optional<Value>;

/// Keys that are `padding` [1] in ids [B, S]: [B, 1, 1, S]. With 0 as padding, the ids may be an attention mask as
/// others have it, in which 1 means visible.
MaskValue padding_mask(const Part& part, const Value& ids, const Value& padding);

/// Keys that lie in the future of the query, places [T]: [T, T].
MaskValue look_ahead_mask(const Part& part, const Value& places);

/// Blocked where either is.
MaskValue combined_mask(const Part& part, const MaskValue& a, const MaskValue& b);

/// How rows are cut into sentences and heads: int64 [4], which holds B, the sentences' length, H, d_head.
struct Heads {
  Value queries, keys;
  Index d_model = 0, heads = 0;
};

/// The shape of the heads of sentences whose shape, int64 [2], holds B and their length.
Value heads_shape(const Part& part, const Value& sentences, Index d_model, Index heads);

/// Queries from x [N, D], keys and values from memory [M, D]; self-attention takes x for both. Gives [N, D].
Value attention(const Part& part, const Heads& heads, const Value& x, const Value& memory, const MaskValue& blocked);

/// x [N, D] and what sublayer(x) gives, joined: [N, D].
template <class Sublayer>
Value add_and_norm(const Part& part, Norm norm, const Value& x, const Sublayer& sublayer) {
  const Value output = sublayer(norm == Norm::post ? x : layer_norm(part, x));
  const Value sum = part.node("sum", "Add", {x, output});
  return norm == Norm::post ? layer_norm(part, sum) : sum;
}

}  // namespace glassformer::onnx_graph
