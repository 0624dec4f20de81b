// What a hardware profile says of primitives, as rows and charts: realizations with cost, traffic and drift; where one
// form becomes cheaper than another; which forms are viable at which length; what legal rewritings cost. Pure
// functions.
#pragma once
#include "core/evidence/hardware_profile.hpp"
#include "core/evidence/priors.hpp"
#include "views/charts/chart.hpp"

#include <optional>

namespace aicf::views {

/// A number of a profile with the figure that holds it; NaN where there is none, and then `why` says so.
struct LabNumber {
  double value = notKnown, lo = notKnown, hi = notKnown;
  QString unit, figure, status, method, why, run;
  [[nodiscard]] bool isKnown() const;
};

/// A primitive's probe in one form at one length.
struct Realization {
  QString probe, title, form, name; ///< "online_forms", "Online against …", "resident", "row on chip, 4096 elements"
  double length = notKnown;         ///< elements, where the form's id ends in one
  QStringList primitives, families;
  LabNumber cost, time, traffic, drift;
};
[[nodiscard]] std::vector<Realization> realizationsOf(const HardwareProfile& profile);

enum class Quantity { cost, traffic, drift };
[[nodiscard]] QString quantityText(Quantity quantity);
[[nodiscard]] const LabNumber& numberOf(const Realization& realization, Quantity quantity);

/// A chart with the figure behind each row of its table twin (empty where there is none).
struct LabChart {
  Chart chart;
  QStringList figures;
};
/// A curve a form, a point a length: left is cheaper, lower nearer to the reference. `probe` empty: of all.
[[nodiscard]] LabChart costAgainstDrift(const std::vector<Realization>& all, const QString& probe);
/// A curve a form over lengths.
[[nodiscard]] LabChart byLength(const std::vector<Realization>& all, const QString& probe, Quantity quantity);
/// Forms x lengths: a cell is the form's cost over the cheapest at that length, so that 1 is the best; not measured
/// stays not known.
[[nodiscard]] LabChart viabilityGrid(const std::vector<Realization>& all, const QString& probe, Quantity quantity);

/// Of two forms over the lengths that both were probed at.
struct BreakEven {
  QString below, above;                  ///< cheaper below, above; equal when one is cheaper throughout
  QString other;                         ///< the dearer one when there is no break-even
  double from = notKnown, to = notKnown; ///< lengths between which it lies; all of them when there is none
  double at = notKnown;                  ///< where both cost the same, by a straight line between logarithms
  bool noise = false;                    ///< at one of the two ends the spreads meet: the order there may be chance
  [[nodiscard]] bool crosses() const { return below != above; }
};
/// Every pair of forms of a probe, each change of order; pairs with fewer than two common lengths say nothing.
[[nodiscard]] std::vector<BreakEven> breakEvens(const std::vector<Realization>& all, const QString& probe,
                                                Quantity quantity);

/// A legal rewriting with its price.
struct RewritingCost {
  QString transformation, preservationClass, quantity, source;
  double ratio = notKnown, lo = notKnown, hi = notKnown;
  LabNumber with, without;
};
[[nodiscard]] std::vector<RewritingCost> rewritingCosts(const HardwareProfile& profile);

struct FamilyRow {
  QString family, verdict, reason;
  QStringList primitives, figures;
};
[[nodiscard]] std::vector<FamilyRow> familyRows(const HardwareProfile& profile);

} // namespace aicf::views
