// The writer behind print.hpp: expressions to text by an explicit stack of pieces.
#pragma once
#include "core/expr/print.hpp"

namespace aicf {

/// A literal of the language that reads back as this value and kind.
[[nodiscard]] std::string print_number(double value, Kind kind);

/// How a reduction's variable is written: `j` alone (both empty), `j <= bound` (a sign), or with its range (a bound
/// without a sign).
struct Binder {
  std::string sign;
  ExprId bound = no_expr;
};

class Binders {
 public:
  virtual ~Binders() = default;
  virtual Binder shown(VarId var, ExprId lo, ExprId hi) = 0;
};

class Printer {
 public:
  Printer(const Arena& arena, const Names& names, std::string& out)
      : arena_(&arena), names_(&names), out_(out), start_(out.size()) {}

  /// For people: differences, quotients and roots as such, no exact return to the same nodes.
  void pretty(std::size_t limit) {
    pretty_ = true;
    limit_ = limit;
  }
  void binders(Binders& binders) { binders_ = &binders; }

  /// Appends the expression, in brackets where it is weaker than `strength`.
  void run(ExprId root, int strength);

 private:
  struct Piece {
    ExprId id = no_expr; ///< no_expr: text
    int strength = 0;
    std::string text;
  };

  void put(std::string text) { batch_.push_back({no_expr, 0, std::move(text)}); }
  void put(ExprId id, int strength) { batch_.push_back({id, strength, {}}); }
  void expr(ExprId id, int strength) { pieces_.push_back({id, strength, {}}); }
  [[nodiscard]] bool full() const { return limit_ > 0 && out_.size() - start_ > limit_; }

  int node(ExprId id);
  void access(TensorId tensor, std::span<const ExprId> indices);
  void list(std::span<const ExprId> ids);
  void call(std::string_view function, std::span<const ExprId> operands);
  int infix(ExprId id, std::string_view sign, int own, int left, int right);
  int addition(std::span<const ExprId> operands);
  int multiplication(std::span<const ExprId> operands);
  int quotient(std::span<const ExprId> factors, bool negate = false);
  [[nodiscard]] std::string literal(double value, Kind kind) const;
  [[nodiscard]] bool symbolic_power(ExprId id) const;
  void reduction(ExprId id);

  const Arena* arena_;
  const Names* names_;
  std::string& out_;
  std::size_t start_ = 0, limit_ = 0;
  bool pretty_ = false;
  Binders* binders_ = nullptr;
  ExprId root_ = no_expr;
  std::vector<Piece> pieces_, batch_;
};

} // namespace aicf
