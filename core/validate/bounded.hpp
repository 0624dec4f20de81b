// A number together with a bound on how far the device's value of it may lie from the exact one: forward error analysis
// of the plan's own operations on the inputs' own magnitudes (Higham, Accuracy and Stability of Numerical Algorithms,
// 2nd ed., sections 2.2 and 4.2). The tolerance of a validation is this bound; nothing in it is a constant chosen to
// pass.
#pragma once
#include "core/base/dtype.hpp"
#include "core/expr/expr.hpp"

#include <cmath>
#include <span>

namespace aicf {

/// The device computes some c with |c - value| <= error; error is infinite where nothing is claimed. error == 0 means
/// exact. For truth values, error > 0 means that the device may decide either way.
struct Bounded {
  double value = 0, error = 0;
  bool lost_nan = false; ///< the definition has a NaN on the way here that merged states do not have
};

/// How the device rounds: unit roundoff and smallest positive normal of the compute type, and the errors of functions.
struct ErrorModel {
  double u = 0x1p-24;            ///< of the compute type
  double max = 0x1.fffffep127;   ///< beyond it the device has an infinity
  double tiny = 0x1p-126;        ///< absolute error where results are subnormal or flushed
  int precision = 24;            ///< significand bits
  double function = 4 * 0x1p-24; ///< relative error of a library function, at most 2 ulp = 4u
  bool fast_exp = false, fast_log = false, fast_erf = false, fast_tanh = false,
       fast_divide = false; ///< PTX approximations in their place
  bool shifts = false;      ///< exp(0) counts as rounded: in another order a state is rescaled there

  bool compensated = false; ///< sums keep what their rounding has lost

  [[nodiscard]] static ErrorModel of(DType compute);
};

/// value rounded once by the device: exact when it is representable and the operands were exact.
[[nodiscard]] Bounded rounded(const ErrorModel& model, double value, double error, bool operands_exact);

/// One operation of the expression language on one, two or three operands (add and mul: two or more, combined left to
/// right).
[[nodiscard]] Bounded apply(const ErrorModel& model, Op op, std::uint32_t payload, std::span<const Bounded> operands);

/// Comparison of two values of which at least one is inexact: may the device see them in the other order?
[[nodiscard]] bool overlap(const Bounded& a, const Bounded& b);

/// The same number rounded to an output type; error includes the rounding (saturating for integers).
[[nodiscard]] Bounded stored(DType type, const Bounded& number);

/// A running bound for a reduction of up to `depth` combinations on any path from an element to the result.
class BoundedFold {
 public:
  BoundedFold(const ErrorModel& model, Builtin reducer, double depth);
  void add(const Bounded& element, double index);
  [[nodiscard]] Bounded result() const;

 private:
  [[nodiscard]] Bounded folded() const;

  const ErrorModel* model_;
  Builtin reducer_;
  double depth_;
  double value_, magnitude_ = 0, error_ = 0, relative_ = 0; // sums: of finite |x|; products: of relative errors
  double growth_ = 0, decay_ = 0;                           // products: sums of positive and of negative log2 |x|
  double granule_ = INFINITY;                               // all summands are multiples of it
  double index_ = -1, rival_error_ = 0;                     // argmax, argmin
  double compensation_ = 0;                                 // of value_, a sum in twice the precision
  double sure_infinity_ = 0;                                // sums: one that the device has, too
  bool sure_nan_ = false;                                   // sums: so it has a NaN, or both infinities
  bool exact_ = true, ambiguous_ = false, any_ = false, nan_ = false, lost_nan_ = false;
};

} // namespace aicf
