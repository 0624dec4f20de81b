// Verdicts kept from run to run. The key is the definition (its structure hash, and the names and defaults that texts
// and counterexamples speak of), the version of every procedure, and the program itself: whatever changes, no stale
// answer is met.
#pragma once
#include "core/structure/properties/property.hpp"

#include <filesystem>
#include <stop_token>

namespace aicf {

/// Hex digits that name the verdicts of a definition under the procedures of this program.
[[nodiscard]] std::string property_key(const Canonical& canonical);

/// From `folder`, or decided now and kept there; a folder that cannot be written only costs time. `profile` is asked
/// for the analysis when verdicts must be decided. `fresh`, when given, says whether they were. Verdicts of a stopped
/// call are not kept. Threads may share a folder.
[[nodiscard]] std::vector<PropertyVerdict> kept_properties(const std::filesystem::path& folder,
                                                           const Canonical& canonical,
                                                           const std::function<StructureProfile()>& profile,
                                                           bool* fresh = nullptr, const std::stop_token& stop = {});

} // namespace aicf
