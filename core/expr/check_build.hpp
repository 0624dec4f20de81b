// Items of the parser to expressions: names, kinds, ranks and bounds are checked on the way. A value that is wrong is
// reported once and carried on as `no_expr`, about which nothing more is said.
#pragma once
#include "core/expr/check_state.hpp"

namespace aicf::check {

class Builder {
 public:
  explicit Builder(State& state) : s_(&state) {}

  /// A shape or a bound: + - * // over numbers, dims and integer scalars. no_expr: reported.
  ExprId dim_expression(const lang::Expression& e);

  /// Fills `built` of the work, whose bindings have their ranges. False: reported. Reads of tensors whose statement is
  /// `in_group` are added to `reads`.
  bool statement(std::uint32_t work, const std::vector<bool>& in_group, std::vector<GroupRead>& reads);

  /// The reducer of the text as one of the definition.
  std::optional<ReducerId> reducer(lang::NameId name);

 private:
  struct Value {
    ExprId id = no_expr;
    lang::Place at;
  };
  struct Reduction {
    Reduce what;
    std::vector<ExprId> bounds;
    std::vector<lang::NameId> names; ///< in scope because of it
    ExprId predicate = no_expr;
    lang::Place at;
    bool poison = false, guards = false;
  };
  struct Access {
    TensorId tensor = no_tensor;
    std::size_t base = 0; ///< values before its indices
    bool padded = false;
    lang::Place at;
  };
  /// An index to be held against its axis once the statement is read.
  struct Check {
    std::uint32_t item = 0;
    ExprId index = no_expr;
    TensorId tensor = 0;
    std::uint32_t axis = 0;
    bool guarded = false;
    lang::Place at;
  };

  ExprId expression(const lang::Expression& e);
  void item(std::uint32_t position);
  void word(const lang::Item& item);
  void access_begin(const lang::Item& item, std::uint32_t position);
  void access_end(const lang::Item& item, std::uint32_t position);
  void operation(const lang::Item& item);
  void logic(lang::Operator op, const std::vector<Value>& operands, lang::Place at);
  void comparison(lang::Operator op, Value a, Value b, lang::Place at);
  void function(const lang::Item& item, std::uint32_t position);
  void pad(const std::vector<Value>& operands, lang::Place at);
  void select(const std::vector<Value>& operands, std::uint32_t begin, std::uint32_t end, lang::Place at);
  void reduce_begin(const lang::Item& item);
  void binder(const lang::Item& item);
  void reduce_end();
  bool initial(Work& work);
  void check_indices();
  bool finish_kind(Work& work, ExprId body);

  [[nodiscard]] Kind power_kind(ExprId base, ExprId exponent) const;
  bool numbers(const std::vector<Value>& operands);
  bool condition(const Value& v);
  bool integer(const Value& v, std::string_view what);
  ExprId plus_one(ExprId e);
  std::vector<Value> pop(std::size_t count);
  void push(ExprId id, lang::Place at) { values_.push_back({id, at}); }
  void unknown(const lang::Item& item);
  [[nodiscard]] std::string describe(TensorId tensor) const;
  [[nodiscard]] Kind kind(ExprId id) const { return s_->d.arena[id].kind; }

  State* s_;
  std::vector<Value> values_;
  std::vector<Reduction> reductions_;
  std::vector<Access> accesses_;
  std::vector<Check> checks_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> lazy_; ///< items inside a `where(…)`
  std::unordered_map<lang::NameId, Symbol> indices_;          ///< in scope
  unsigned guards_ = 0;                                       ///< open reductions that guard their bodies
  Work* work_ = nullptr;
  std::uint32_t position_ = 0; ///< of work_
  std::uint32_t next_binding_ = 0;
  const std::vector<bool>* in_group_ = nullptr;
  std::vector<GroupRead>* reads_ = nullptr;
};

} // namespace aicf::check
