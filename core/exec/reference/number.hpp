// Fields of numbers that a definition can be evaluated over, and the one of f64. The machine is a template of such a
// field: give it a type with the operations of `NumberField` and every definition evaluates over it.
//
// Conventions: results go to the first argument, which may be one of the operands. NaN and infinities follow IEEE 754;
// minimum and maximum return NaN when an operand is NaN, and order -0 before 0. `round` is half to even, `floor_divide`
// and `modulo` floor. A Sum folds the elements of one reduction in index order.
#pragma once
#include "core/expr/expr.hpp"

#include <cmath>
#include <concepts>
#include <limits>

namespace aicf::reference {

template <class F>
concept NumberField = requires(F& f, typename F::Value& out, const typename F::Value& a, typename F::Sum& sum) {
  requires std::default_initializable<typename F::Value> && std::copyable<typename F::Value>;
  f.assign(out, 1.0);             // a double, exactly where the field holds it
  f.assign(out, std::int64_t{1}); // an integer, exactly where the field holds it
  { f.to_double(a) } -> std::same_as<double>;
  { f.is_nan(a) } -> std::same_as<bool>;
  { f.less(a, a) } -> std::same_as<bool>; // false when an operand is NaN, as are the next two
  { f.less_equal(a, a) } -> std::same_as<bool>;
  { f.equal(a, a) } -> std::same_as<bool>;
  f.add(out, a, a);
  f.subtract(out, a, a);
  f.multiply(out, a, a);
  f.divide(out, a, a);
  f.floor_divide(out, a, a);
  f.modulo(out, a, a);
  f.power(out, a, a);
  f.minimum(out, a, a);
  f.maximum(out, a, a);
  f.function(Op::exp, out, a);     // any of the functions of one operand, neg among them
  f.round_to(DType::bf16, out, a); // one rounding, half to even; integers saturate, NaN becomes 0 there
  f.begin(sum);
  f.accumulate(sum, a);
  f.finish(sum, out);
};

struct F64 {
  using Value = double;
  using Sum = double;

  static void assign(double& out, double v) { out = v; }
  static void assign(double& out, std::int64_t v) { out = static_cast<double>(v); }
  static double to_double(double a) { return a; }
  static bool is_nan(double a) { return a != a; }
  static bool less(double a, double b) { return a < b; }
  static bool less_equal(double a, double b) { return a <= b; }
  static bool equal(double a, double b) { return a == b; }
  static void add(double& out, double a, double b) { out = a + b; }
  static void subtract(double& out, double a, double b) { out = a - b; }
  static void multiply(double& out, double a, double b) { out = a * b; }
  static void divide(double& out, double a, double b) { out = a / b; }
  static void modulo(double& out, double a, double b) {
    double r = std::fmod(a, b); // exact
    if (r != 0 && (r < 0) != (b < 0)) r += b;
    out = r == 0 ? std::copysign(0.0, b) : r;
  }
  static void floor_divide(double& out, double a, double b) {
    if (b == 0 || std::isinf(a) || std::isinf(b)) {
      out = std::floor(a / b);
      return;
    }
    double r = 0;
    modulo(r, a, b);
    out = std::nearbyint((a - r) / b); // a - r is a multiple of b up to one rounding
  }
  static void power(double& out, double a, double b) { out = std::pow(a, b); }
  static void minimum(double& out, double a, double b) {
    if (a != a || b != b)
      out = std::numeric_limits<double>::quiet_NaN();
    else
      out = a < b || (a == b && std::signbit(a)) ? a : b;
  }
  static void maximum(double& out, double a, double b) {
    if (a != a || b != b)
      out = std::numeric_limits<double>::quiet_NaN();
    else
      out = a > b || (a == b && !std::signbit(a)) ? a : b;
  }
  static void function(Op op, double& out, double a);
  static void round_to(DType type, double& out, double a) { out = aicf::round_to(type, a); }
  static void begin(double& sum) { sum = 0; }
  static void accumulate(double& sum, double a) { sum += a; }
  static void finish(double sum, double& out) { out = sum; }
};

} // namespace aicf::reference
