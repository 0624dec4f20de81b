#include "views/hardware/hardware_charts.hpp"

#include "views/engine/text.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace aicf::views {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("Hardware", text); }

ChartAxis axisOf(const AxisOf& a) { return {qs(a.name), qs(a.unit), a.log}; }

QString noteOf(const std::string& method, const std::string& source) {
  return source.empty() ? qs(method) : QStringLiteral("%1  ·  %2").arg(qs(method), tr("source: %1").arg(qs(source)));
}

Entity runOf(const std::string& run) { return run.empty() ? Entity() : Entity{QStringLiteral("run"), qs(run)}; }

Curve curveOf(const HardwareCurve& c, const QString& name) {
  Curve out{name, {}, {}, true};
  for (const CurvePoint& p : c.points) out.points.push_back({p.x, p.y, p.lo, p.hi});
  for (const ChangePoint& p : c.changes) out.changes.push_back({p.x, p.before, p.after});
  return out;
}

template <class T> const T* byId(const std::vector<T>& list, const std::string& id) {
  const auto it = std::find_if(list.begin(), list.end(), [&](const T& x) { return x.id == id; });
  return it == list.end() ? nullptr : &*it;
}

HardwareItem itemOf(const HardwareFigure& f) {
  HardwareItem i;
  i.kind = HardwareItem::Kind::figure;
  i.id = qs(f.id), i.name = qs(f.name), i.probe = qs(f.probe), i.unit = qs(f.unit), i.status = qs(f.status);
  i.reason = qs(f.reason), i.method = qs(f.method), i.source = qs(f.source), i.run = qs(f.run);
  i.clock = qs(f.clock), i.inputs = qs(f.inputs);
  i.control = f.control.detail.empty() ? qs(f.control.status)
                                       : QStringLiteral("%1: %2").arg(qs(f.control.status), qs(f.control.detail));
  i.value = f.value, i.lo = f.lo, i.hi = f.hi;
  return i;
}

template <class T> HardwareItem drawnItem(const T& t, HardwareItem::Kind kind, const QString& unit, bool any) {
  HardwareItem i;
  i.kind = kind;
  i.id = qs(t.id), i.name = qs(t.name), i.probe = qs(t.probe), i.method = qs(t.method), i.source = qs(t.source);
  i.run = qs(t.run), i.unit = unit;
  i.status = !any                     ? QStringLiteral("not_measured")
             : t.source == "emulator" ? QStringLiteral("exact")
                                      : QStringLiteral("measured");
  return i;
}

} // namespace

Chart chartOf(const SensitivityMap& m) {
  return {qs(m.id), qs(m.name), noteOf(m.method, m.source),
          HeatMap{axisOf(m.x), axisOf(m.y), axisOf(m.z), m.x_values, m.y_values, m.cells}, runOf(m.run)};
}

Chart chartOf(const HardwareCurve& c, const QString& name, const HardwareCurve* other, const QString& otherName) {
  Curves curves{axisOf(c.x), axisOf(c.y), {curveOf(c, name)}};
  if (other) curves.curves.push_back(curveOf(*other, otherName));
  QString note = noteOf(c.method, c.source);
  if (!c.changes.empty()) note += QStringLiteral("  ·  ") + tr("changes: %1").arg(qs(c.change_method));
  return {qs(c.id), qs(c.name), note, std::move(curves), runOf(c.run)};
}

Chart rooflineOf(const HardwareProfile& p) {
  Roofline r;
  r.unit = QStringLiteral("FLOP/s");
  for (const Ceiling& c : p.envelope) {
    if (c.kind != "bandwidth") r.unit = qs(c.unit);
    r.ceilings.push_back({qs(c.name), qs(c.provenance), c.kind == "bandwidth", c.value, c.lo, c.hi});
  }
  return {QStringLiteral("roofline"),
          tr("Roofline of %1").arg(qs(p.device.name)),
          tr("each ceiling under its own figure; hover for where it is known from"),
          std::move(r),
          {}};
}

Chart costAgainstDrift(const HardwareProfile& p) {
  Curves c{{tr("cost"), {}, true}, {tr("drift"), {}, false}, {}};
  for (const PrimitiveRealization& r : p.realizations) {
    const HardwareFigure* cost = figure_of(p, r.cost_figure);
    const HardwareFigure* drift = figure_of(p, r.drift_figure);
    if (!cost || !drift || !std::isfinite(cost->value) || !std::isfinite(drift->value)) continue;
    if (c.x.unit.isEmpty()) c.x.unit = qs(cost->unit), c.y.unit = qs(drift->unit);
    c.x.log = c.x.log && cost->value > 0;
    c.curves.push_back({QStringLiteral("%1, %2").arg(QString(qs(r.primitive)).replace('_', ' '), qs(r.form)),
                        {{cost->value, drift->value, drift->lo, drift->hi}},
                        {},
                        false});
  }
  return {QStringLiteral("cost-drift"),
          tr("Cost against drift"),
          tr("a point a realization; left is cheaper, lower is nearer to the reference"),
          std::move(c),
          {}};
}

std::optional<Chart> chartOf(const HardwareProfile& p, const QString& id) {
  if (id == QLatin1String("roofline")) return rooflineOf(p);
  if (id == QLatin1String("cost-drift")) return costAgainstDrift(p);
  if (const auto* m = byId(p.maps, id.toStdString())) return chartOf(*m);
  if (const auto* c = byId(p.curves, id.toStdString())) return chartOf(*c, qs(p.device.name), nullptr, {});
  return std::nullopt;
}

QStringList chartIds(const HardwareProfile& p) {
  QStringList ids{QStringLiteral("roofline"), QStringLiteral("cost-drift")};
  for (const auto& m : p.maps) ids << qs(m.id);
  for (const auto& c : p.curves) ids << qs(c.id);
  return ids;
}

double HardwareItem::difference() const {
  return std::isfinite(value) && std::isfinite(other) && value != 0 ? other / value - 1 : notKnown;
}

bool HardwareItem::withinNoise() const {
  const auto low = [](double lo, double v) { return std::isfinite(lo) ? lo : v; };
  return low(lo, value) <= low(otherHi, other) && low(otherLo, other) <= low(hi, value);
}

QString kindText(HardwareItem::Kind kind) {
  switch (kind) {
  case HardwareItem::Kind::roofline: return tr("roofline");
  case HardwareItem::Kind::map: return tr("map");
  case HardwareItem::Kind::curve: return tr("curve");
  case HardwareItem::Kind::figure: return tr("figure");
  case HardwareItem::Kind::limit: return tr("limit");
  }
  return {};
}

std::vector<HardwareItem> itemsOf(const HardwareProfile& p, const HardwareProfile* other) {
  std::vector<HardwareItem> out;
  HardwareItem roof;
  roof.kind = HardwareItem::Kind::roofline;
  roof.id = QStringLiteral("roofline");
  roof.name = tr("Envelope");
  roof.method = tr("ceilings of compute and bandwidth, each read from a figure");
  roof.status = p.envelope.empty() ? QStringLiteral("not_measured") : QStringLiteral("measured");
  roof.source = qs(p.source);
  out.push_back(roof);
  for (const auto& m : p.maps)
    out.push_back(drawnItem(m, HardwareItem::Kind::map, qs(m.z.unit), hasNumbers(chartOf(m))));
  for (const auto& c : p.curves)
    out.push_back(drawnItem(c, HardwareItem::Kind::curve, qs(c.y.unit), hasNumbers(chartOf(c, {}, nullptr, {}))));
  for (const auto& f : p.figures) {
    HardwareItem i = itemOf(f);
    if (const HardwareFigure* o = other ? figure_of(*other, f.id) : nullptr)
      i.other = o->value, i.otherLo = o->lo, i.otherHi = o->hi;
    out.push_back(std::move(i));
  }
  for (const auto& l : p.limits) {
    HardwareItem i;
    i.kind = HardwareItem::Kind::limit;
    i.id = qs(l.id), i.name = qs(l.name), i.unit = qs(l.unit), i.status = qs(l.origin);
    i.method = l.origin == "figure" ? tr("read from the figure %1").arg(qs(l.figure)) : qs(l.source);
    i.value = l.value;
    if (const MeasuredLimit* o = other ? byId(other->limits, l.id) : nullptr) i.other = o->value;
    out.push_back(std::move(i));
  }
  return out;
}

QString whatToRun(const QString& probe) {
  return probe.isEmpty() ? QStringLiteral("aicf probe run --backend cuda")
                         : QStringLiteral("aicf probe run %1 --backend cuda").arg(probe);
}

} // namespace aicf::views
