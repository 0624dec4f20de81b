// What procedures take from the certificates of a profile. Internal to core/structure.
#pragma once
#include "core/structure/properties/probe.hpp"

namespace aicf {

[[nodiscard]] const Certificate* certificate_in(const StructureProfile& profile, const std::string& id);
/// The witness of a certificate as a counterexample; nothing without one.
[[nodiscard]] std::optional<Counterexample> from_witness(const Certificate* certificate);
/// The first reduction of unbounded rank, or nullptr.
[[nodiscard]] const Reduction* unbounded_in(const StructureProfile& profile);
[[nodiscard]] const Reduction* reduction_named(const StructureProfile& profile, const std::string& name);

} // namespace aicf
