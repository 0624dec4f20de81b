#include "core/graph/onnx_operator.hpp"
#include "core/graph/onnx_tensor.hpp"

#include <onnx/onnx.pb.h>

#include <fstream>

namespace aicf {
namespace {

OnnxNode::Attribute attribute(const onnx::AttributeProto& proto) {
  OnnxNode::Attribute a;
  a.name = proto.name();
  if (proto.type() == onnx::AttributeProto::FLOAT) a.floats = {static_cast<double>(proto.f())};
  for (float f : proto.floats()) a.floats.push_back(static_cast<double>(f));
  if (proto.type() == onnx::AttributeProto::INT) a.ints = {proto.i()};
  for (std::int64_t i : proto.ints()) a.ints.push_back(i);
  a.text = proto.s();
  return a;
}

/// A graph input whose extents are all numbers, as zeros; scalars have no extent.
std::optional<HostTensor> declared(const onnx::ValueInfoProto& info) {
  if (!info.type().has_tensor_type() || !info.type().tensor_type().has_shape()) return std::nullopt;
  onnx::TensorProto empty;
  empty.set_data_type(info.type().tensor_type().elem_type());
  std::int64_t count = 1;
  for (const auto& dim : info.type().tensor_type().shape().dim()) {
    if (!dim.has_dim_value() || dim.dim_value() < 0 || dim.dim_value() > (1 << 20)) return std::nullopt;
    empty.add_dims(dim.dim_value());
    count *= dim.dim_value();
    if (count > (1 << 26)) return std::nullopt;
  }
  empty.set_raw_data(std::string(static_cast<std::size_t>(count) * 8, '\0'));
  for (std::size_t bytes : {8, 4, 2, 1}) { // the element type's size is tensor_of's to know
    empty.mutable_raw_data()->resize(static_cast<std::size_t>(count) * bytes);
    if (auto tensor = tensor_of(empty, info.name())) return std::move(*tensor);
  }
  return std::nullopt;
}

} // namespace

Result<OnnxNode> read_onnx_node(const std::filesystem::path& file) {
  Span at{file.string(), 0, 0, 0};
  std::ifstream in(file, std::ios::binary);
  if (!in) return error("onnx.file", "cannot be read", at);
  onnx::ModelProto model;
  if (!model.ParseFromIstream(&in) || !model.has_graph()) return error("onnx.model", "is no ONNX model", at);
  if (model.graph().node_size() != 1)
    return error(
        "onnx.graph",
        "is a graph of " + std::to_string(model.graph().node_size()) + " nodes; one operator is taken at a time", at);
  OnnxNode node;
  const onnx::NodeProto& proto = model.graph().node(0);
  node.type = proto.op_type(), node.domain = proto.domain();
  if (node.domain == "ai.onnx") node.domain.clear(); // the same
  for (const auto& set : model.opset_import())
    if ((set.domain() == "ai.onnx" ? "" : set.domain()) == node.domain) node.opset = set.version();
  for (const auto& a : proto.attribute()) node.attributes.push_back(attribute(a));
  node.inputs.assign(proto.input().begin(), proto.input().end());
  node.outputs.assign(proto.output().begin(), proto.output().end());
  for (const auto& t : model.graph().initializer()) {
    auto tensor = tensor_of(t, file.string());
    if (!tensor) return tensor.failure<OnnxNode>();
    node.initializers.emplace_back(t.name(), std::move(*tensor));
  }
  auto note_bf16 = [&](const onnx::ValueInfoProto& info) {
    if (info.type().tensor_type().elem_type() == onnx::TensorProto::BFLOAT16) node.bf16.push_back(info.name());
  };
  for (const auto& info : model.graph().output()) note_bf16(info);
  for (const auto& info : model.graph().input()) note_bf16(info);
  for (const auto& info : model.graph().output()) node.graph_outputs.push_back(info.name());
  for (const auto& info : model.graph().input()) node.graph_inputs.push_back(info.name());
  for (const auto& info : model.graph().input())
    if (auto zeros = declared(info)) node.declared.emplace_back(info.name(), std::move(*zeros));
  return node;
}

} // namespace aicf
