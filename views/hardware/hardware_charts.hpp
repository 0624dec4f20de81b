// Charts of a hardware profile (aicf.hardware/1): sensitivity maps, curves, the roofline; and figures of two profiles
// side by side. Pure functions.
#pragma once
#include "core/evidence/hardware_profile.hpp"
#include "views/charts/chart.hpp"

#include <optional>

namespace aicf::views {

[[nodiscard]] Chart chartOf(const SensitivityMap& map);
/// `other` (of a second profile, under the same id) may be null; both are drawn with their bands.
[[nodiscard]] Chart chartOf(const HardwareCurve& curve, const QString& name, const HardwareCurve* other,
                            const QString& otherName);
[[nodiscard]] Chart rooflineOf(const HardwareProfile& profile);
/// Cost against drift: a point a realization whose figures have both, a mark a primitive.
[[nodiscard]] Chart costAgainstDrift(const HardwareProfile& profile);
/// By id of a map or curve, "roofline" or "cost-drift".
[[nodiscard]] std::optional<Chart> chartOf(const HardwareProfile& profile, const QString& id);
[[nodiscard]] QStringList chartIds(const HardwareProfile& profile);

/// One line of a profile, beside that of a second one where it has it.
struct HardwareItem {
  enum class Kind { roofline, map, curve, figure, limit } kind = Kind::figure;
  QString id, name, probe, unit, status, reason, method, source, run, clock, inputs, control;
  double value = notKnown, lo = notKnown, hi = notKnown;
  double other = notKnown, otherLo = notKnown, otherHi = notKnown;
  /// Other over this, minus one; NaN where either is not known or this is zero.
  [[nodiscard]] double difference() const;
  /// Whether the two spreads meet: the difference may be noise.
  [[nodiscard]] bool withinNoise() const;
};
[[nodiscard]] QString kindText(HardwareItem::Kind kind);
/// Roofline, maps, curves, figures, limits, in this order. `other` may be null.
[[nodiscard]] std::vector<HardwareItem> itemsOf(const HardwareProfile& profile, const HardwareProfile* other);
/// The command that would fill a gap.
[[nodiscard]] QString whatToRun(const QString& probe);

} // namespace aicf::views
