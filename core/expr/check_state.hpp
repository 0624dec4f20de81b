// What the passes of the checker share: the operator under way, its names, and one record per statement of the text.
#pragma once
#include "core/expr/check_extent.hpp"
#include "core/expr/definition.hpp"
#include "core/lang/ast.hpp"

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace aicf::check {

inline constexpr TensorId no_tensor = 0xffffffff;

/// What the operators of a file share.
struct FileScope {
  const lang::File* file = nullptr;
  const lang::Source* source = nullptr;
  lang::Problems* problems = nullptr;
  std::unordered_map<lang::NameId, std::uint32_t> ops, reducers; ///< positions in the file
  std::unordered_set<lang::NameId> wrong_reducers;
  std::vector<std::shared_ptr<Definition>> checked; ///< by operator; null: wrong
  unsigned suggestions = 0;                         ///< searches for a nearest name, which are costly
  std::size_t statements = 0;                       ///< made so far by inlining
};

struct Symbol {
  enum class Kind : std::uint8_t { dim, scalar, tensor, index, parameter } kind = Kind::dim;
  std::uint32_t id = 0; ///< position among its kind; of an index the VarId, of a reducer's parameter the symbol
  lang::Place at;
};

struct TensorState {          // parallel to Definition::tensors
  std::vector<ExprId> lo, hi; ///< no_expr: not known (yet)
  bool poison = false;        ///< an error was reported: whatever reads it says nothing more
  bool shapeless = false;     ///< poison, and not even its rank is known
  bool used = false;
  lang::Place at;
};

/// Where an index is bound, in the order of the text: a statement's own, then those of its reductions.
struct Binding {
  lang::NameId name = lang::no_name;
  lang::Place at;
  ExprId lo = no_expr, hi = no_expr;
  bool given = false; ///< `in …`
  bool poison = false;
  bool local = false; ///< of a reduction
};

/// tensor[…, index, …]: the binding ranges over that axis.
struct Use {
  std::uint32_t binding = 0;
  TensorId tensor = 0;
  std::uint32_t axis = 0;
  lang::Place at;
};

/// A statement of the text on its way to a Statement.
struct Work {
  const lang::StatementNode* node = nullptr;
  TensorId target = no_tensor;
  bool broken = false, result = false;
  std::vector<std::uint32_t> reads; ///< works whose values it reads, ascending
  std::vector<Binding> bindings;
  std::vector<Use> uses;
  Statement built;
};

/// A read of a tensor by a statement of its own group.
struct GroupRead {
  std::uint32_t reader = 0;
  TensorId tensor = 0;
  std::vector<ExprId> indices;
  bool padded = false;
  lang::Place at;
};

struct State {
  State(FileScope& file_scope, const lang::OpNode& node) : scope(&file_scope), op(&node), extents(d.arena) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  FileScope* scope;
  const lang::OpNode* op;
  Definition d;
  Extents extents;
  std::vector<TensorState> tensors;
  std::vector<Work> works;
  std::vector<bool> scalar_used;
  std::unordered_map<lang::NameId, Symbol> names; ///< dims, scalars, tensors
  std::unordered_map<TensorId, std::uint32_t> work_of;
  std::unordered_map<std::uint32_t, TensorId> calls; ///< result of the call that ends at an item
  std::unordered_map<lang::NameId, ReducerId> reducers;
  std::unordered_set<std::string> taken; ///< words that no made name may take
  std::uint32_t groups = 0;

  void error(std::string code, lang::Place at, std::string message, std::string hint = {});
  [[nodiscard]] std::string text(lang::NameId name) const { return std::string(scope->file->names[name]); }
  [[nodiscard]] std::string where(lang::Place at) const { return scope->source->where(at); }
  [[nodiscard]] std::string show(ExprId e) const;                   ///< for messages, of bounded length
  [[nodiscard]] std::string show_range(ExprId lo, ExprId hi) const; ///< "N" or "1 .. N"
  /// "did you mean …?" among the names in sight (tensors only, if so wished), or empty.
  [[nodiscard]] std::string nearest(lang::NameId name, bool tensors_only,
                                    const std::unordered_map<lang::NameId, Symbol>* more = nullptr);
  /// False, and reported, where the name is taken.
  bool declare(lang::NameId name, Symbol symbol);
  TensorId add_tensor(std::string name, lang::Place at, ElementType type, Kind kind, std::size_t rank);
  VarId add_var(std::string name);
};

[[nodiscard]] std::string_view name_of(Symbol::Kind kind);
[[nodiscard]] Kind kind_of(const ElementType& type);
[[nodiscard]] std::string_view name_of(Kind kind); ///< "a real number", "an integer", "a condition"

} // namespace aicf::check
