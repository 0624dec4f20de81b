// One ONNX operator as the text of a definition in the operator language: from there it goes the way of any other. The
// formulas are those of the ONNX operator specification (github.com/onnx/onnx, docs/Operators.md).
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/base/tensor.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace aicf {

/// A tensor of the definition and the tensor of the node that it stands for. Axes that the operator treats alike are
/// one axis of the definition, so the shapes may differ; the elements are the same, in row-major order.
struct OnnxArgument {
  std::size_t position = 0; ///< among the node's inputs or outputs
  std::string name;         ///< in the definition
  std::vector<std::int64_t> shape, onnx_shape;
};

struct OnnxOperator {
  std::string type, text;
  std::vector<OnnxArgument> inputs, outputs;
  DType float_type = DType::f32; ///< what `float` of the text is
};

/// A model that is one node: its operator, and the opset it belongs to.
struct OnnxNode {
  std::string type, domain;
  std::int64_t opset = 0;
  struct Attribute {
    std::string name;
    std::vector<double> floats; ///< of float and floats
    std::vector<std::int64_t> ints;
    std::string text;
  };
  std::vector<Attribute> attributes;
  std::vector<std::string> inputs, outputs;             ///< names; empty: absent
  std::vector<std::string> graph_inputs, graph_outputs; ///< in the order that numbers the files of a data set
  std::vector<std::pair<std::string, HostTensor>> initializers;
  std::vector<std::string>
      bf16;          ///< graph inputs and outputs of that type: data sets hold their bits as 16-bit integers
  int wrap_bits = 0; ///< the integers are unsigned, of so many bits, and wrap; 0: they are not
  std::vector<std::pair<std::string, HostTensor>> declared; ///< graph inputs of static shape, zeros
};

/// Reads a .onnx file. A file that is none, and a graph of several nodes, are diagnostics.
[[nodiscard]] Result<OnnxNode> read_onnx_node(const std::filesystem::path& file);

/// `inputs`: the node's inputs in order, nullptr where absent; their values matter only where the specification makes
/// them parameters (axes, bounds). What the language cannot say, or has no element type for, is a diagnostic with the
/// code "onnx.unsupported".
[[nodiscard]] Result<OnnxOperator> operator_of(const OnnxNode& node, std::span<const HostTensor* const> inputs);

} // namespace aicf
