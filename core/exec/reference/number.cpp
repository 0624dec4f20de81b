#include "core/exec/reference/number.hpp"

#include <stdexcept>

namespace aicf::reference {

void F64::function(Op op, double& out, double a) {
  switch (op) {
  case Op::neg: out = -a; return;
  case Op::exp: out = std::exp(a); return;
  case Op::exp2: out = std::exp2(a); return;
  case Op::expm1: out = std::expm1(a); return;
  case Op::log: out = std::log(a); return;
  case Op::log2: out = std::log2(a); return;
  case Op::log1p: out = std::log1p(a); return;
  case Op::sqrt: out = std::sqrt(a); return;
  case Op::rsqrt: out = 1 / std::sqrt(a); return;
  case Op::tanh: out = std::tanh(a); return;
  case Op::erf: out = std::erf(a); return;
  case Op::sigmoid: { // of -|x|, so that nothing overflows
    double e = std::exp(-std::fabs(a));
    out = (a < 0 ? e : 1) / (1 + e);
    return;
  }
  case Op::sin: out = std::sin(a); return;
  case Op::cos: out = std::cos(a); return;
  case Op::atan: out = std::atan(a); return;
  case Op::abs: out = std::fabs(a); return;
  case Op::sign: out = a > 0 ? 1 : a < 0 ? -1 : a; return;
  case Op::floor: out = std::floor(a); return;
  case Op::ceil: out = std::ceil(a); return;
  case Op::round: out = std::nearbyint(a); return;
  default: throw std::logic_error("no function of one number");
  }
}

static_assert(NumberField<F64>);

} // namespace aicf::reference
