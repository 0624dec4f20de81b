// A checked operator definition: the mathematical form, statement by statement, and nothing about execution.
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/expr/expr.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace aicf {

/// `float` in the text is generic: bound to f32, f16, bf16 or f64 when the operator is used.
struct ElementType {
  bool generic = true;
  DType fixed = DType::f32; ///< meaningless when generic
  [[nodiscard]] DType bind(DType float_type) const { return generic ? float_type : fixed; }
  bool operator==(const ElementType&) const = default;
};

/// Inputs first, in the order of the text, then the values of the statements.
struct TensorDecl {
  std::string name;
  ElementType type; ///< of an input or a result; a value between is unrounded (generic, unused)
  Kind kind = Kind::real;
  std::vector<ExprId> shape; ///< integer expressions over dims, numbers and integer scalars
  Span at;
};

struct ScalarDecl {
  std::string name;
  ElementType type;
  double value = 0; ///< the default
  Span at;
};

/// One initial value of a recurrence: `from h[-1, d] = 0`. Indices may use the statement's own variables.
struct Initial {
  std::vector<ExprId> indices;
  ExprId value = no_expr;
};

/// target[vars] = body for every lo <= var < hi. A recurrence is a group of statements that read one another, along one
/// axis of each: `step` is 1 if they read what came before (t - 1), -1 if what comes after, 0 outside a recurrence.
/// Those that are read at another step have `initial` values; a gate, read only at its own step, has none.
struct Statement {
  TensorId target = 0;
  std::vector<VarId> vars;
  std::vector<ExprId> lo, hi;
  ExprId body = no_expr;
  std::vector<Initial> initial;
  std::uint32_t group = 0; ///< statements of one recurrence (mutually recursive ones) share a group and are adjacent,
                           ///< in the order of their values within a step
  std::uint32_t axis = 0;  ///< position of the variable along which a recurrence runs
  int step = 0;
  Span at;
};

/// combine is over the symbols 0 (a) and 1 (b).
struct UserReducer {
  std::string name, first, second;
  ExprId combine = no_expr, identity = no_expr;
  Span at;
};

struct Definition {
  std::string name, file, text; ///< text: the source it was read from
  Arena arena;
  std::vector<std::string> dims; ///< in order of first appearance in the inputs
  std::vector<std::string> vars; ///< name of each VarId
  std::vector<TensorDecl> tensors;
  std::size_t inputs = 0; ///< tensors[0 … inputs)
  std::vector<ScalarDecl> scalars;
  std::vector<UserReducer> reducers;
  std::vector<Statement> statements; ///< operands first; calls are inlined
  std::vector<TensorId> outputs;     ///< in the order of the signature
};

[[nodiscard]] std::string reducer_name(const Definition& definition, ReducerId reducer);
/// The statement that defines `tensor`, or nullptr for an input.
[[nodiscard]] const Statement* statement_of(const Definition& definition, TensorId tensor);

} // namespace aicf
