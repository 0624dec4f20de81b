#include "core/validate/bounded.hpp"

#include "core/semantics/accumulation.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace aicf {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double judge_slack = 8 * 0x1p-53; // the judge's own f64 functions, relative

bool representable(const ErrorModel& model, double value) {
  if (!std::isfinite(value) || value == 0) return true;
  if (std::fabs(value) > model.max || std::fabs(value) < model.tiny) return false;
  // every f64 looks representable to an f64 judge, which has rounded it itself: integers alone are known to be exact
  if (model.precision >= 53) return std::fabs(value) < 0x1p53 && value == std::nearbyint(value);
  int exponent = std::ilogb(value);
  return std::ldexp(value, model.precision - 1 - exponent) ==
         std::nearbyint(std::ldexp(value, model.precision - 1 - exponent));
}

/// A special value stands for itself: the device must have it too, unless an operand was uncertain.
Bounded special(double value, bool certain) { return {value, certain ? 0 : infinite}; }

/// f at the ends of the operand's interval: for monotone f the widest it can differ from f(value).
template <class F> double spread(F f, const Bounded& x) {
  if (x.error == 0) return 0;
  double at = f(x.value), low = std::fabs(f(x.value - x.error) - at), high = std::fabs(f(x.value + x.error) - at);
  return std::isnan(low) || std::isnan(high) ? infinite : std::max(low, high);
}

/// A named function: propagated spread, the library's relative error, and exactness where the function is exact.
template <class F>
Bounded function(const ErrorModel& model, F f, const Bounded& x, double relative, bool exact_result = false) {
  double value = f(x.value);
  if (std::isinf(x.error)) return {value, infinite}; // it may have overflowed to an infinity or a NaN
  if (!std::isfinite(value)) return special(value, x.error == 0);
  double propagated = spread(f, x);
  if (exact_result && x.error == 0) return {value, 0};
  return rounded(model, value,
                 propagated + (relative + judge_slack) * (std::fabs(value) + propagated) +
                     model.tiny * (value == 0     ? 0
                                   : relative > 0 ? 1
                                                  : 0),
                 false);
}

double round_half_even(double x) { return std::nearbyint(x); }

Bounded add(const ErrorModel& model, const Bounded& a, const Bounded& b, double sign) {
  double value = a.value + sign * b.value;
  if (!std::isfinite(value))
    return special(value, (a.error == 0 || std::isinf(b.value)) && (b.error == 0 || std::isinf(a.value)) &&
                              a.error < infinite && b.error < infinite);
  // what f64 itself loses here (1e38 + 200) the device may keep, in another order of summation
  double back = value - a.value, lost = (a.value - (value - back)) + (sign * b.value - back);
  return rounded(model, value, a.error + b.error + std::fabs(lost), a.error == 0 && b.error == 0 && lost == 0);
}

Bounded multiply(const ErrorModel& model, const Bounded& a, const Bounded& b) {
  double value = a.value * b.value;
  if (!std::isfinite(value)) return special(value, a.error == 0 && b.error == 0);
  if ((a.error == 0 && a.value == 0 && std::isfinite(b.error)) ||
      (b.error == 0 && b.value == 0 && std::isfinite(a.error)))
    return {value, 0};
  double error = std::fabs(a.value) * b.error + std::fabs(b.value) * a.error + a.error * b.error;
  return rounded(model, value, std::isnan(error) ? infinite : error, a.error == 0 && b.error == 0);
}

/// The device may combine several operands in another order: does none of the orders overflow or flush on the way?
bool any_order(const ErrorModel& model, Op op, std::span<const Bounded> x) {
  double sum = 0, growth = 1, decay = 1;
  bool zero = false, infinity = false;
  for (const Bounded& v : x) {
    double magnitude = std::fabs(v.value) + v.error;
    if (std::isnan(magnitude) || std::isinf(v.error)) return true; // whatever the order
    infinity = infinity || std::isinf(magnitude);
    if (std::isinf(magnitude)) continue; // it wins, unless what the others come to undoes it: inf - inf, inf * 0
    sum += magnitude;
    growth *= std::max(1.0, magnitude);
    zero = zero || v.value == 0;
    if (v.value != 0) decay *= std::min(1.0, std::fabs(v.value));
  }
  if (op == Op::add) return sum <= model.max;
  return growth <= model.max && (zero || decay >= model.tiny || (growth == 1 && !infinity));
}

Bounded divide(const ErrorModel& model, const Bounded& a, const Bounded& b) {
  double value = a.value / b.value;
  if (!std::isfinite(value)) return special(value, a.error == 0 && b.error == 0);
  double divisor = std::fabs(b.value) - b.error;
  double error = a.error == 0 && b.error == 0 ? 0
                 : !(divisor > 0)             ? infinite
                                              : (std::fabs(a.value) * b.error / std::fabs(b.value) + a.error) / divisor;
  if (std::isinf(b.value)) error = a.error < infinite && b.error < infinite ? 0 : infinite;
  bool exact = a.error == 0 && b.error == 0;
  bool by_reciprocal = !representable(model, 1 / b.value); // a*(1/b) rounds twice; a power of two never
  double relative = (model.fast_divide ? 3 : 1) * 2 * model.u * (by_reciprocal || model.fast_divide ? 1 : 0);
  if (model.fast_divide && std::fabs(b.value) > 0x1p126) error += std::fabs(value); // rcp.approx flushes there
  return rounded(model, value, error + relative * (std::fabs(value) + error), exact && relative == 0);
}

Bounded exponential(const ErrorModel& model, const Bounded& x, double base_log, double (*f)(double)) {
  double relative = model.function;
  // ex2.approx: 2 ulp, and the scaled argument is rounded (twice, when the shift was not folded into an fma)
  if (model.fast_exp) relative = 4 * model.u + std::expm1(2 * model.u * std::fabs(x.value * base_log));
  bool exact = (x.value == 0 && !model.shifts) || std::isinf(x.value);
  return function(model, f, x, std::isinf(x.value) ? 0 : relative, exact);
}

Bounded power(const ErrorModel& model, const Bounded& a, const Bounded& b) {
  if (b.error == 0 && b.value == std::floor(b.value) && std::fabs(b.value) <= 64) {
    int count = static_cast<int>(std::fabs(b.value));
    Bounded product{1, 0};
    for (int i = 0; i < count; ++i) product = i == 0 ? a : multiply(model, product, a);
    return b.value < 0 ? divide(model, {1, 0}, product) : product;
  }
  if (b.error == 0 && (b.value == 0.5 || b.value == -0.5)) {
    auto root = [&](double x) { return b.value > 0 ? std::sqrt(x) : 1 / std::sqrt(x); };
    double relative = b.value > 0 ? model.u : 4 * model.u;
    double value = root(a.value);
    return function(model, root, a, relative,
                    a.error == 0 && representable(model, value) &&
                        value * value == (b.value > 0 ? a.value : 1 / a.value));
  }
  double value = std::pow(a.value, b.value);
  if (!std::isfinite(value)) return special(value, a.error == 0 && b.error == 0);
  if (b.error > 0 && a.value - a.error <= 0) return {value, infinite}; // between integers there is no power
  const bool zero = a.error > 0 && a.error >= std::fabs(a.value);      // lies within
  if (zero && b.value < 0) return {value, infinite};
  double widest = zero ? std::fabs(value) : 0;
  for (double x : {a.value - a.error, a.value + a.error})
    for (double y : {b.value - b.error, b.value + b.error}) {
      double off = std::fabs(std::pow(x, y) - value);
      widest = std::isnan(off) ? infinite : std::max(widest, off);
    }
  return rounded(model, value, widest + 4 * model.function * std::fabs(value), false);
}

Bounded truth(bool value, bool certain) { return {value ? 1.0 : 0.0, certain ? 0 : 1.0}; }

Bounded extremum(const Bounded& a, const Bounded& b, bool largest) {
  if (std::isnan(a.value) || std::isnan(b.value)) return special(NAN, a.error == 0 && b.error == 0);
  bool first = largest ? a.value >= b.value : a.value <= b.value;
  return {first ? a.value : b.value, std::max(a.error, b.error) == 0 ? 0
                                     : overlap(a, b)                 ? std::max(a.error, b.error)
                                     : first                         ? a.error
                                                                     : b.error};
}

Bounded chosen(const Bounded& condition, const Bounded& yes, const Bounded& no) {
  const Bounded& taken = condition.value != 0 ? yes : no;
  if (condition.error == 0) return taken;
  const Bounded& other = condition.value != 0 ? no : yes;
  double apart = std::fabs(other.value - taken.value);
  return {taken.value, std::isnan(apart) ? infinite : std::max(taken.error, apart + other.error)};
}

Bounded floored(const ErrorModel& model, const Bounded& a, const Bounded& b, bool remainder) {
  Bounded quotient = divide(model, a, b);
  auto floor_of = [](double x) { return std::floor(x); };
  Bounded whole{std::floor(quotient.value), spread(floor_of, quotient)};
  if (!remainder) return whole;
  return add(model, a, multiply(model, whole, b), -1);
}

} // namespace

ErrorModel ErrorModel::of(DType compute) {
  ErrorModel m;
  if (compute == DType::f64) {
    m.u = 0x1p-53, m.max = std::numeric_limits<double>::max(), m.tiny = 0x1p-1022, m.precision = 53,
    m.function = 4 * 0x1p-53;
  }
  return m;
}

Bounded rounded(const ErrorModel& model, double value, double error, bool operands_exact) {
  if (std::isnan(error)) error = infinite; // infinity times zero: nothing is claimed
  if (std::isnan(value)) return {value, error};
  if (operands_exact && error == 0 && representable(model, value)) return {value, 0};
  double magnitude = std::fabs(value) + error;
  if (magnitude * (1 + model.u) > model.max) return {value, infinite}; // the device may overflow
  double rounding = model.u * magnitude;
  if (magnitude < model.tiny * 2) rounding = std::max(rounding, model.tiny);
  return {value, error + rounding + judge_slack * std::fabs(value)};
}

bool overlap(const Bounded& a, const Bounded& b) {
  if (a.error == 0 && b.error == 0) return false;
  return !(std::fabs(a.value - b.value) > a.error + b.error);
}

Bounded apply(const ErrorModel& model, Op op, std::uint32_t payload, std::span<const Bounded> x) {
  auto sharp = [&](auto f) {
    return Bounded{f(x[0].value), std::isnan(x[0].value) || std::isinf(x[0].error) ? x[0].error : spread(f, x[0])};
  };
  // Functions with values in [-1, 1]: exact in special values and, for the fast ones, an absolute error.
  auto saturating = [&](auto f, double fast_error) {
    Bounded r = function(model, f, x[0], model.function, x[0].value == 0 && fast_error == 0);
    if (fast_error > 0 && std::isfinite(x[0].value)) r.error += fast_error;
    return r;
  };
  auto library = [&](auto f) { return function(model, f, x[0], model.function, x[0].value == 0 && f(0.0) == 0); };
  switch (op) {
  case Op::neg: return {-x[0].value, x[0].error};
  case Op::add:
  case Op::mul: {
    Bounded total = x[0];
    for (const Bounded& next : x.subspan(1))
      total = op == Op::add ? add(model, total, next, 1) : multiply(model, total, next);
    if (x.size() > 2 && !any_order(model, op, x)) total.error = infinite;
    return total;
  }
  case Op::sub: return add(model, x[0], x[1], -1);
  case Op::div: return divide(model, x[0], x[1]);
  case Op::floordiv: return floored(model, x[0], x[1], false);
  case Op::mod: return floored(model, x[0], x[1], true);
  case Op::pow: return power(model, x[0], x[1]);
  case Op::exp: return exponential(model, x[0], 1.4426950408889634, [](double v) { return std::exp(v); });
  case Op::exp2: return exponential(model, x[0], 1, [](double v) { return std::exp2(v); });
  case Op::expm1: return library([](double v) { return std::expm1(v); });
  case Op::log:
  case Op::log2: {
    auto f = [&](double v) { return op == Op::log ? std::log(v) : std::log2(v); };
    Bounded r = function(model, f, x[0], model.function, x[0].value == 1);
    if (model.fast_log && std::isfinite(r.value)) r.error += 0x1p-21 * (1 + std::fabs(r.value) * 0x1p-1);
    return r;
  }
  case Op::log1p: return library([](double v) { return std::log1p(v); });
  case Op::sqrt: {
    std::array<Bounded, 2> root{x[0], Bounded{0.5, 0}};
    return power(model, root[0], root[1]);
  }
  case Op::rsqrt: return power(model, x[0], {-0.5, 0});
  case Op::tanh: return saturating([](double v) { return std::tanh(v); }, model.fast_tanh ? 0x1p-20 : 0);
  case Op::erf: return saturating([](double v) { return std::erf(v); }, model.fast_erf ? 0x1p-21 : 0);
  case Op::atan: return library([](double v) { return std::atan(v); });
  case Op::sigmoid: { // 1/(1 + exp(-v)): the exponential, a sum and a quotient
    auto f = [](double v) { return 1 / (1 + std::exp(-v)); };
    double relative = 3 * model.function + (model.fast_exp ? 2 * model.u * (4 + std::fabs(x[0].value)) : 0) +
                      (model.fast_divide ? 6 * model.u : 0);
    return function(model, f, x[0], relative);
  }
  case Op::sin:
  case Op::cos: {
    double v = op == Op::sin ? std::sin(x[0].value) : std::cos(x[0].value);
    if (!std::isfinite(v)) return special(v, x[0].error == 0);
    if (std::isinf(x[0].error)) return {v, infinite};
    return rounded(model, v, std::min(x[0].error, 2.0) + model.function, x[0].value == 0 && x[0].error == 0);
  }
  case Op::abs: return {std::fabs(x[0].value), x[0].error};
  case Op::sign: return sharp([](double v) { return v > 0 ? 1.0 : v < 0 ? -1.0 : v; });
  case Op::floor: return sharp([](double v) { return std::floor(v); });
  case Op::ceil: return sharp([](double v) { return std::ceil(v); });
  case Op::round: return sharp(round_half_even);
  case Op::isnan: return truth(std::isnan(x[0].value), x[0].error == 0 || !std::isnan(x[0].value));
  case Op::min: return extremum(x[0], x[1], false);
  case Op::max: return extremum(x[0], x[1], true);
  case Op::lt: return truth(x[0].value < x[1].value, !overlap(x[0], x[1]));
  case Op::le: return truth(x[0].value <= x[1].value, !overlap(x[0], x[1]));
  case Op::eq: return truth(x[0].value == x[1].value, !overlap(x[0], x[1]));
  case Op::ne: return truth(x[0].value != x[1].value, !overlap(x[0], x[1]));
  case Op::and_:
    return truth(x[0].value != 0 && x[1].value != 0, (x[0].error == 0 && x[1].error == 0) ||
                                                         (x[0].error == 0 && x[0].value == 0) ||
                                                         (x[1].error == 0 && x[1].value == 0));
  case Op::or_:
    return truth(x[0].value != 0 || x[1].value != 0, (x[0].error == 0 && x[1].error == 0) ||
                                                         (x[0].error == 0 && x[0].value != 0) ||
                                                         (x[1].error == 0 && x[1].value != 0));
  case Op::not_: return truth(x[0].value == 0, x[0].error == 0);
  case Op::select: return chosen(x[0], x[1], x[2]);
  case Op::round_to: return stored(static_cast<DType>(payload), x[0]);
  default: throw std::logic_error("not an operation on numbers");
  }
}

Bounded stored(DType type, const Bounded& x) {
  auto round = [&](double v) { return round_to(type, v); };
  if (std::isnan(x.value)) return {round(x.value), x.error, x.lost_nan};
  double value = round(x.value);
  if (x.error == 0) return {value, 0, x.lost_nan};
  double widest = spread(round, x);
  return {value, std::isnan(widest) ? infinite : widest, x.lost_nan};
}

BoundedFold::BoundedFold(const ErrorModel& model, Builtin reducer, double depth)
    : model_(&model), reducer_(reducer), depth_(depth) {
  switch (reducer) {
  case Builtin::prod:
  case Builtin::all: value_ = 1; break;
  case Builtin::max:
  case Builtin::argmax: value_ = -infinite; break;
  case Builtin::min:
  case Builtin::argmin: value_ = infinite; break;
  default: value_ = 0;
  }
}

void BoundedFold::add(const Bounded& x, double index) {
  lost_nan_ = lost_nan_ || x.lost_nan;
  switch (reducer_) {
  case Builtin::sum: {
    nan_ = nan_ || std::isnan(x.value);
    if (!std::isfinite(x.value) && x.error < infinite) {
      sure_nan_ = sure_nan_ || std::isnan(x.value) || x.value == -sure_infinity_;
      if (!std::isnan(x.value)) sure_infinity_ = x.value;
    }
    double next = value_ + x.value; // two-sum keeps the judge's own rounding out of the value
    if (std::isfinite(next)) {
      double back = next - value_;
      compensation_ += (value_ - (next - back)) + (x.value - back);
    }
    value_ = next;
    if (std::isfinite(x.value)) magnitude_ += std::fabs(x.value) + x.error;
    error_ += x.error;
    exact_ = exact_ && x.error == 0;
    if (exact_ && std::isfinite(x.value) && x.value != 0) {
      int low = std::ilogb(x.value) - 52;
      auto bits = static_cast<std::uint64_t>(std::fabs(std::ldexp(x.value, -low)));
      granule_ = std::min(granule_, std::ldexp(1.0, low + std::countr_zero(bits)));
    }
    break;
  }
  case Builtin::prod: {
    nan_ = nan_ || std::isnan(x.value);
    if (x.error > 0) relative_ += x.value == 0 ? infinite : x.error / std::fabs(x.value);
    value_ *= x.value;
    if (x.value != 0 && std::isfinite(x.value)) {
      double log = std::log2(std::fabs(x.value) + x.error);
      (log > 0 ? growth_ : decay_) += std::fabs(log);
    }
    exact_ = exact_ && x.error == 0 && representable(*model_, value_);
    break;
  }
  case Builtin::max:
  case Builtin::min: {
    Bounded now = extremum({value_, error_}, x, reducer_ == Builtin::max);
    if (std::isnan(value_)) now = {value_, error_};
    value_ = now.value;
    error_ = any_ ? std::max(now.error, overlap({now.value, now.error}, x) ? x.error : 0) : x.error;
    break;
  }
  case Builtin::argmax:
  case Builtin::argmin: {
    bool better = reducer_ == Builtin::argmax ? x.value > value_ : x.value < value_;
    if (any_ && !std::isnan(value_) && overlap({value_, rival_error_}, x)) ambiguous_ = true;
    if (!any_ || (!std::isnan(value_) && (better || std::isnan(x.value)))) {
      if (any_ && better && !overlap({value_, rival_error_}, x)) ambiguous_ = false;
      value_ = x.value, rival_error_ = x.error, index_ = index;
    }
    break;
  }
  case Builtin::any:
  case Builtin::all: {
    Bounded now =
        apply(*model_, reducer_ == Builtin::any ? Op::or_ : Op::and_, 0, std::array{Bounded{value_, error_}, x});
    value_ = now.value, error_ = now.error;
    break;
  }
  case Builtin::count: throw std::logic_error("not a reducer");
  }
  any_ = true;
}

Bounded BoundedFold::result() const {
  Bounded total = folded();
  total.lost_nan = lost_nan_;
  return total;
}

Bounded BoundedFold::folded() const {
  const double gamma = gamma_of(depth_, model_->u);
  switch (reducer_) {
  case Builtin::sum: {
    double value = std::isfinite(value_) ? value_ + compensation_ : value_;
    // an order may overflow on the way, and meet an infinity there
    if (!nan_ && !(magnitude_ * (1 + gamma) <= model_->max)) return {value, infinite};
    // an infinity that is certain outweighs whatever is finite
    if (!std::isfinite(value_)) return special(value_, sure_nan_ || (std::isinf(value_) && error_ < infinite));
    if (exact_ && (magnitude_ == 0 || magnitude_ / granule_ <= std::ldexp(1.0, model_->precision))) return {value, 0};
    double sum = model_->compensated
                     ? model_->u * (std::fabs(value) + error_) + compensation_error(depth_, model_->u) * magnitude_
                     : gamma * magnitude_;
    double bound = error_ + sum + judge_slack * magnitude_ + model_->tiny;
    return {value, bound};
  }
  case Builtin::prod: {
    // another order may overflow or flush on the way even where the product itself is in range, or is infinite
    if (!nan_ && std::max(growth_, decay_) > -std::log2(model_->tiny)) return {value_, infinite};
    if (!std::isfinite(value_)) return special(value_, relative_ == 0);
    if (exact_) return {value_, 0};
    double bound = std::fabs(value_) * std::expm1(relative_ + depth_ * 2 * model_->u) + model_->tiny * depth_;
    return {value_, std::isnan(bound) ? infinite : bound}; // of a zero that may be none, nothing is claimed
  }
  case Builtin::argmax:
  case Builtin::argmin: return {index_, ambiguous_ ? infinite : 0};
  default: return {value_, error_};
  }
}

} // namespace aicf
