// How a family's plans become kernel IR. Each family's builder registers itself.
#pragma once
#include "core/kernel/ir.hpp"
#include "core/plan/plan.hpp"

#include <functional>
#include <string>
#include <vector>

namespace aicf::ir {

struct FamilyBuilder {
  std::string family;
  /// Kernels in launch order. The plan is one that the family does not refuse for this problem.
  std::function<std::vector<Kernel>(const StructureProfile&, const Plan&, const Problem&)> build;
};
struct RegisterFamilyBuilder {
  explicit RegisterFamilyBuilder(FamilyBuilder builder);
};
[[nodiscard]] const FamilyBuilder* family_builder(const std::string& family); ///< nullptr when there is none

} // namespace aicf::ir
