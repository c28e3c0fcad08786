#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "numerics/arena.hpp"
#include "onnx.pb.h"

/// How a graph of ONNX (https://github.com/onnx/onnx/blob/main/docs/IR.md) is written down. It is a list of nodes: an
/// operator, the names of the tensors that it reads, the name of the one that it gives. Tensors that are there from the
/// beginning, parameters and constants, are its initializers.
namespace glassformer::onnx_graph {

/// A tensor of the graph: its name.
using Value = std::string;

/// What is fixed about an operator when the graph is made.
struct Attribute {
  const char* name;
  std::variant<std::int64_t, std::vector<std::int64_t>, float> value;
};

/// How long a tensor is in one direction; or, where that is known only later, what the length is called.
using Axis = std::variant<std::int64_t, std::string>;

/// A graph in the making. Every tensor is called like the node that gives it, and a parameter as in a checkpoint.
class Graph {
 public:
  /// tensors, values: the arena of the parameters, which must live as long.
  /// largest: bytes that a file may have.
  Graph(const std::string& name, const std::vector<TensorPlace>& tensors, const float* values,
        std::size_t largest);

  Value input(const Value& name, onnx::TensorProto::DataType type, const std::vector<Axis>& axes);
  void output(const Value& name, onnx::TensorProto::DataType type, const std::vector<Axis>& axes);
  Value node(const Value& name, const char* op, const std::vector<Value>& inputs,
             const std::vector<Attribute>& attributes = {});

  /// A parameter by its name. \pre the model has it
  Value parameter(const std::string& name);
  /// The parameter that lies here, whatever it is called: of tied matrices there is one. \pre a tensor begins here
  Value parameter(const float* numbers);

  /// The same everywhere in the graph: one name, one constant.
  Value constant(const Value& name, const std::vector<Index>& shape, std::span<const float> numbers);
  Value constant(const Value& name, const std::vector<Index>& shape, std::span<const double> numbers);
  Value constant(const Value& name, const std::vector<Index>& shape, std::span<const std::int64_t> numbers);
  Value scalar(const Value& name, float number) { return constant(name, {}, {&number, 1}); }
  Value integers(const Value& name, const std::vector<std::int64_t>& numbers) {
    return constant(name, {static_cast<Index>(numbers.size())}, numbers);
  }

  /// The bytes of an ONNX file with this graph. \throws UserError: more of them than a file may have
  std::string bytes() const;

 private:
  Value initializer(const Value& name, onnx::TensorProto::DataType type, const std::vector<Index>& shape,
                    std::span<const std::byte> numbers);
  void require_room_for(std::size_t bytes) const;

  onnx::ModelProto model_;
  const std::vector<TensorPlace>& tensors_;
  const float* values_;
  std::size_t largest_, in_initializers_ = 0;
  std::unordered_set<Value> initializers_;
};

/// A part of the model, and the graph to which what it makes is added, under names that begin with the part's own, which
/// is that of a checkpoint.
class Part {
 public:
  Part(Graph& graph, std::string name) : graph_(graph), name_(std::move(name)) {}

  Part at(const std::string& part) const { return {graph_, name_ + "." + part}; }
  Part at(const std::string& part, Index number) const { return at(part + "." + std::to_string(number)); }

  Value node(const std::string& name, const char* op, const std::vector<Value>& inputs,
             const std::vector<Attribute>& attributes = {}) const {
    return graph_.node(name_ + "." + name, op, inputs, attributes);
  }
  Value parameter(const std::string& name) const { return graph_.parameter(name_ + "." + name); }
  Graph& graph() const { return graph_; }

 private:
  Graph& graph_;
  std::string name_;
};

}  // namespace glassformer::onnx_graph
