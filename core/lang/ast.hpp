// A parsed file: its declarations, whose expressions are ranges of `items`.
#pragma once
#include "core/base/dtype.hpp"
#include "core/lang/items.hpp"

#include <string_view>
#include <vector>

namespace aicf::lang {

struct TypeName {
  bool generic = true;
  DType fixed = DType::f32;
};

struct TensorNode {
  NameId name = no_name;
  Place at;
  TypeName type;
  std::vector<Expression> shape;
};

struct ScalarNode {
  NameId name = no_name;
  Place at, value_at;
  TypeName type;
  double value = 0;
  bool integer = false; ///< the literal has no point and no exponent
};

struct BinderNode {
  NameId name = no_name;
  Place at;
  Expression lo, hi; ///< empty: not given
};

struct InitialNode {
  NameId name = no_name;
  Place at;
  std::vector<Expression> indices;
  Expression value;
};

struct StatementNode {
  NameId name = no_name;
  Place at; ///< of the name
  std::vector<BinderNode> binders;
  Expression body;
  std::vector<InitialNode> initial;
  bool broken = false; ///< a syntax error was reported: only the name counts, and the binders where they were read
};

struct ReducerNode {
  NameId name = no_name;
  Place at;
  NameId first = no_name, second = no_name;
  Expression combine, identity;
  bool broken = false;
};

struct OpNode {
  NameId name = no_name;
  Place at;
  std::vector<TensorNode> inputs, results;
  std::vector<ScalarNode> scalars;
  std::vector<StatementNode> statements;
  bool broken = false; ///< its header has a syntax error
};

struct File {
  std::vector<std::string_view> names; ///< parts of the text
  std::vector<double> numbers;
  std::vector<Item> items;
  std::vector<ReducerNode> reducers;
  std::vector<OpNode> ops;
};

} // namespace aicf::lang
