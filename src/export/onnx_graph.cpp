#include "export/onnx_graph.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

#include "user_error.hpp"

#ifndef GLASSFORMER_VERSION  // the build says it
#define GLASSFORMER_VERSION "unknown"
#endif

namespace glassformer::onnx_graph {
namespace {

static_assert(std::endian::native == std::endian::little, "raw data of ONNX is little-endian");

constexpr std::int64_t kIrVersion = 8;      // of the file format,
constexpr std::int64_t kOperatorSet = 17;   // and of the operators: the first that has LayerNormalization

void describe(onnx::ValueInfoProto& value, const Value& name, onnx::TensorProto::DataType type,
              const std::vector<Axis>& axes) {
  value.set_name(name);
  onnx::TypeProto::Tensor& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  for (const Axis& axis : axes) {
    auto& dimension = *tensor.mutable_shape()->add_dim();
    if (const auto* length = std::get_if<std::int64_t>(&axis)) dimension.set_dim_value(*length);
    else dimension.set_dim_param(std::get<std::string>(axis));
  }
}

void describe(onnx::AttributeProto& proto, const Attribute& attribute) {
  proto.set_name(attribute.name);
  if (const auto* integer = std::get_if<std::int64_t>(&attribute.value)) {
    proto.set_type(onnx::AttributeProto::INT);
    proto.set_i(*integer);
  } else if (const auto* number = std::get_if<float>(&attribute.value)) {
    proto.set_type(onnx::AttributeProto::FLOAT);
    proto.set_f(*number);
  } else {
    proto.set_type(onnx::AttributeProto::INTS);
    for (const std::int64_t each : std::get<std::vector<std::int64_t>>(attribute.value)) proto.add_ints(each);
  }
}

}  // namespace

Graph::Graph(const std::string& name, const std::vector<TensorPlace>& tensors, const float* values,
             std::size_t largest)
    : tensors_(tensors), values_(values), largest_(largest) {
  model_.set_ir_version(kIrVersion);
  model_.add_opset_import()->set_version(kOperatorSet);
  model_.set_producer_name("glassformer");
  model_.set_producer_version(GLASSFORMER_VERSION);
  model_.mutable_graph()->set_name(name);
}

Value Graph::input(const Value& name, onnx::TensorProto::DataType type, const std::vector<Axis>& axes) {
  describe(*model_.mutable_graph()->add_input(), name, type, axes);
  return name;
}

void Graph::output(const Value& name, onnx::TensorProto::DataType type, const std::vector<Axis>& axes) {
  describe(*model_.mutable_graph()->add_output(), name, type, axes);
}

Value Graph::node(const Value& name, const char* op, const std::vector<Value>& inputs,
                  const std::vector<Attribute>& attributes) {
  onnx::NodeProto& node = *model_.mutable_graph()->add_node();
  node.set_name(name);
  node.set_op_type(op);
  for (const Value& each : inputs) node.add_input(each);
  node.add_output(name);
  for (const Attribute& attribute : attributes) describe(*node.add_attribute(), attribute);
  return name;
}

Value Graph::parameter(const std::string& name) {
  const auto found = std::ranges::find(tensors_, name, &TensorPlace::name);
  assert(found != tensors_.end());
  const std::span<const float> numbers(values_ + found->offset, static_cast<std::size_t>(found->size));
  return initializer(name, onnx::TensorProto::FLOAT, found->shape, std::as_bytes(numbers));
}

Value Graph::parameter(const float* numbers) {
  const auto found = std::ranges::find(tensors_, numbers - values_, &TensorPlace::offset);
  assert(found != tensors_.end());
  return parameter(found->name);
}

Value Graph::constant(const Value& name, const std::vector<Index>& shape, std::span<const float> numbers) {
  return initializer(name, onnx::TensorProto::FLOAT, shape, std::as_bytes(numbers));
}

Value Graph::constant(const Value& name, const std::vector<Index>& shape, std::span<const double> numbers) {
  return initializer(name, onnx::TensorProto::DOUBLE, shape, std::as_bytes(numbers));
}

Value Graph::constant(const Value& name, const std::vector<Index>& shape, std::span<const std::int64_t> numbers) {
  return initializer(name, onnx::TensorProto::INT64, shape, std::as_bytes(numbers));
}

Value Graph::initializer(const Value& name, onnx::TensorProto::DataType type, const std::vector<Index>& shape,
                         std::span<const std::byte> numbers) {
  if (!initializers_.insert(name).second) return name;
  in_initializers_ += numbers.size();
  require_room_for(in_initializers_);  // before there is a second copy of a model that is too large anyway
  onnx::TensorProto& tensor = *model_.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (const Index size : shape) tensor.add_dims(size);
  tensor.set_raw_data(numbers.data(), numbers.size());
  return name;
}

void Graph::require_room_for(std::size_t bytes) const {
  if (bytes <= largest_) return;
  throw UserError("an ONNX file has at most " + std::to_string(largest_) + " bytes, but the " + model_.graph().name() +
                  " of this model takes " + std::to_string(bytes) + " at least; export a smaller model, or let the " +
                  "other program read the checkpoint's model.safetensors.");
}

std::string Graph::bytes() const {
  require_room_for(model_.ByteSizeLong());
  return model_.SerializeAsString();
}

}  // namespace glassformer::onnx_graph
