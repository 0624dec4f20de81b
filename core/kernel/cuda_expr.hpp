// Values of kernel IR as CUDA C++ expressions, with as few parentheses as C++ needs.
#pragma once
#include "core/kernel/cuda_preamble.hpp"
#include "core/kernel/ir.hpp"

#include <span>
#include <string>

namespace aicf::ir {

/// How tightly a text binds, C++ operators from loose to tight.
enum class Binds : std::uint8_t { ternary, either, both, equality, relation, shift, sum, product, unary, primary };

struct CudaExpr {
  std::string text;
  Binds binds = Binds::primary;
};

class CudaExpressions {
 public:
  CudaExpressions(const Kernel& kernel, CudaPreamble& preamble) : k(kernel), p(preamble) {}

  /// By name when it has one. `full`: its definition even then.
  [[nodiscard]] CudaExpr value(NodeId id, bool full = false);
  [[nodiscard]] std::string text(NodeId id, Binds at_least = Binds::ternary);
  /// The storage of an element as an lvalue, for buffers that are not packed words.
  [[nodiscard]] std::string element(BufferId buffer, std::span<const NodeId> indices);
  /// A pointer to an element in memory.
  [[nodiscard]] std::string pointer(BufferId buffer, std::span<const NodeId> indices);
  /// The group of packed words in registers that holds an element, and the element's place in it.
  [[nodiscard]] std::string group(BufferId buffer, std::span<const NodeId> indices);
  /// A value as the buffer stores it.
  [[nodiscard]] std::string stored(const Buffer& buffer, const CudaExpr& value, Type type);

  [[nodiscard]] static std::string type_name(Type type);
  [[nodiscard]] static std::string element_type(const Buffer& buffer); ///< of its storage
  [[nodiscard]] static std::string wrapped(const CudaExpr& e, Binds at_least);

 private:
  const Kernel& k;
  CudaPreamble& p;

  CudaExpr constant(Type type, double value);
  CudaExpr apply(const Node& n);
  CudaExpr call(const std::string& function, const Node& n);
  CudaExpr binary(const char* op, Binds binds, const Node& n);
  CudaExpr convert(const Node& n);
  CudaExpr loaded(const Buffer& buffer, std::string element);
  CudaExpr load(const Node& n);
  CudaExpr rounded(const Node& n);
  std::string offset(const Buffer& buffer, std::span<const NodeId> indices);
};

} // namespace aicf::ir
