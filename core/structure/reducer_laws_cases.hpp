// Expressions evaluated to exponential polynomials, case by case: each max, min, absolute value and condition asks
// which side its arguments are on, and every consistent set of answers is one case. A value may also be an infinity,
// the formal identity of a reducer. Internal to core/structure.
#pragma once
#include "core/structure/algebra.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace aicf {

/// A real value in normal form, or an infinity, or nothing (inf - inf, 0/0, a form that grew too large).
struct Extended {
  enum class Kind { finite, minus, plus, undefined } kind = Kind::undefined;
  Form form;
  [[nodiscard]] bool finite() const { return kind == Kind::finite; }
  bool operator==(const Extended& o) const { return kind == o.kind && (!finite() || form == o.form); }
};

class Cases {
 public:
  Cases();
  /// A free real variable.
  Extended variable(std::uint32_t symbol);
  [[nodiscard]] static Extended number(double v);
  /// `root` of `arena` with symbols 0 and 1 replaced.
  Extended evaluate(const Arena& arena, ExprId root, const Extended& a, const Extended& b);
  /// `root` with its leaves (symbols, loads, dims, reductions …) as `leaf` says.
  Extended evaluate(const Arena& arena, ExprId root, const std::function<Extended(ExprId)>& leaf);

  struct Outcome {
    enum class Kind { proven, probably, unknown } kind = Kind::unknown;
    int cases = 0, trials = 0;
    double bound = 0;
    std::string why; ///< of unknown
  };
  /// Whether both sides agree in every case. `sides` evaluates them through this object; it runs once a case.
  Outcome agree(const std::function<std::pair<Extended, Extended>()>& sides, std::uint64_t seed);
  /// Whether a property of one side's form holds in every case.
  Outcome every(const std::function<Extended()>& side, const std::function<bool(const Form&)>& holds);
  /// Certainly increasing (strictly) in the variable, term by term; looked for through exp as well.
  bool increasing(const Form& form, std::uint32_t symbol);

 private:
  struct Answer {
    Form above; ///< the question was: is it > 0
    bool yes = false;
  };
  Extended apply(Op op, std::uint32_t payload, const std::vector<Extended>& args);
  Extended infinite(Op op, const std::vector<Extended>& args);
  Extended finite(Op op, std::uint32_t payload, const std::vector<Extended>& args);
  Form log(const Form& form);
  bool positive(const Form& form);
  [[nodiscard]] bool feasible(const std::vector<Answer>& answers) const;
  /// Runs `body` once a case; false when there are too many or `body` says stop.
  bool each_case(const std::function<bool()>& body, int& count);
  [[nodiscard]] Form settled(Form form);

  Arena arena_;
  Algebra algebra_;
  std::vector<Answer> answers_;
  std::vector<bool> plan_; ///< answers to repeat
  std::size_t next_ = 0;   ///< of them
  bool impossible_ = false;
};

} // namespace aicf
