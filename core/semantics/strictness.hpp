// Which transformations of an operator survive each point of order x arithmetic (DESIGN.md, section 6), and why one
// that survives a looser point does not survive the next stricter one. Pure; any thread may call it.
#pragma once
#include "core/semantics/legality.hpp"

namespace aicf {

struct StrictnessPoint {
  Order order = Order::any;
  Arithmetic arithmetic = Arithmetic::bitwise;
  std::vector<std::string> legal; ///< transformations, by id
};

/// One step along one axis that loses a transformation, whatever the other axis says where `elsewhere` holds all of it.
struct StrictnessLoss {
  std::string transformation;
  std::string axis, from, to;         ///< "order", "any", "run_to_run": stricter by one
  std::vector<std::string> elsewhere; ///< on the other axis, where the step loses it
  std::string reason;                 ///< the ledger's, at the stricter point
};

struct StrictnessMatrix {
  std::vector<StrictnessPoint> points; ///< 16: orders from any, and of each, arithmetic from bitwise
  std::vector<StrictnessLoss> losses;  ///< every difference between neighbours, by axis, step and transformation
};

/// `rules` gives all else that a profile says: epsilon, ticks, policies.
[[nodiscard]] StrictnessMatrix strictness_matrix(const StructureProfile& profile, CompilerProfile rules);
[[nodiscard]] nlohmann::json to_json(const StrictnessMatrix& matrix);

} // namespace aicf
