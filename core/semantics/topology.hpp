// Which orders a reduction topology keeps, derived from what decides the shape of its tree.
#pragma once
#include "core/semantics/claims.hpp"
#include "core/semantics/facts.hpp"

namespace aicf {

/// What the brackets of a combination depend on.
struct Topology {
  bool arrival = false;   ///< parts combine as they finish: atomics
  bool batch = false;     ///< the number of parts follows how many rows there are
  bool device = false;    ///< it follows the number of multiprocessors, or of resident blocks
  bool functions = false; ///< an operation has another result on another device
  std::string shape;      ///< what the shape follows otherwise: "the length of the row"
};

/// Fills the three order verdicts, the strictest order kept, and the assumptions. Where every reducer in use selects
/// one of its operands in any order, brackets do not matter and every order is kept.
void derive_order(Claim& claim, const OperatorFacts& facts, const Topology& topology);

/// Two ways to compute one thing from elements x and a number c, run on NaN, infinities, nothing, and sums that
/// overflow.
struct TwoSides {
  std::function<double(const std::vector<double>&x, double c)> before, after;
};
/// Fills the special verdict from the kinds of value on which the sides differ, with a witness.
void run_special(Claim& claim, const TwoSides& sides);

} // namespace aicf
