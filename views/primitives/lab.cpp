#include "views/primitives/lab.hpp"

#include "views/engine/text.hpp"
#include "views/primitives/forms.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <map>

namespace aicf::views {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("Lab", text); }

class Figures {
 public:
  explicit Figures(const HardwareProfile& profile) {
    for (const HardwareFigure& f : profile.figures) byId_.insert(qs(f.id), &f);
  }
  [[nodiscard]] LabNumber number(const QString& id) const {
    LabNumber n;
    n.figure = id;
    const HardwareFigure* f = byId_.value(id);
    if (!f) {
      n.figure.clear();
      n.status = QStringLiteral("not_measured");
      n.why = id.isEmpty() ? tr("the profile names no figure for it") : tr("the profile holds no figure %1").arg(id);
      return n;
    }
    n.value = f->value, n.lo = f->lo, n.hi = f->hi;
    n.unit = f->unit == "1" ? QString() : qs(f->unit);
    n.status = qs(f->status), n.method = qs(f->method), n.why = qs(f->reason), n.run = qs(f->run);
    return n;
  }

 private:
  QHash<QString, const HardwareFigure*> byId_;
};

/// "resident.4096" is the form "resident" at 4096 elements.
void splitForm(const QString& whole, Realization& out) {
  const auto dot = whole.lastIndexOf('.');
  bool isNumber = false;
  const double length = dot > 0 ? whole.mid(dot + 1).toDouble(&isNumber) : 0;
  out.form = isNumber ? whole.left(dot) : whole;
  out.length = isNumber ? length : notKnown;
}

/// Forms in the order of the profile, with the realizations of each.
std::vector<std::pair<QString, std::vector<const Realization*>>> formsOf(const std::vector<Realization>& all,
                                                                         const QString& probe) {
  std::vector<std::pair<QString, std::vector<const Realization*>>> out;
  for (const Realization& r : all) {
    if (!probe.isEmpty() && r.probe != probe) continue;
    const QString name = probe.isEmpty() ? QStringLiteral("%1 %2").arg(r.probe, r.form).replace('_', ' ')
                                         : QString(r.form).replace('_', ' ');
    auto at = std::find_if(out.begin(), out.end(), [&](const auto& f) { return f.first == name; });
    if (at == out.end()) at = out.insert(out.end(), {name, {}});
    at->second.push_back(&r);
  }
  for (auto& [name, list] : out)
    std::stable_sort(list.begin(), list.end(),
                     [](const Realization* a, const Realization* b) { return a->length < b->length; });
  return out;
}

QString titleOf(const std::vector<Realization>& all, const QString& probe) {
  for (const Realization& r : all)
    if (r.probe == probe) return r.title;
  return tr("All primitives");
}

/// The unit and method of the first known number: those of one probe agree.
const LabNumber* firstOf(const std::vector<Realization>& all, const QString& probe, Quantity quantity) {
  for (const Realization& r : all)
    if ((probe.isEmpty() || r.probe == probe) && numberOf(r, quantity).isKnown()) return &numberOf(r, quantity);
  return nullptr;
}

Entity runOf(const LabNumber* n) { return n && !n->run.isEmpty() ? Entity{QStringLiteral("run"), n->run} : Entity(); }

double low(const LabNumber& n) { return std::isfinite(n.lo) ? n.lo : n.value; }
double high(const LabNumber& n) { return std::isfinite(n.hi) ? n.hi : n.value; }
bool spreadsMeet(const LabNumber& a, const LabNumber& b) { return low(a) <= high(b) && low(b) <= high(a); }

using Common = std::vector<std::pair<const Realization*, const Realization*>>;

void addBreakEvens(const QString& a, const QString& b, const Common& common, Quantity quantity,
                   std::vector<BreakEven>& out) {
  const auto difference = [&](std::size_t i) { // of logarithms: above zero where the first is dearer
    return std::log(numberOf(*common[i].first, quantity).value / numberOf(*common[i].second, quantity).value);
  };
  const auto meet = [&](std::size_t i) {
    return spreadsMeet(numberOf(*common[i].first, quantity), numberOf(*common[i].second, quantity));
  };
  bool any = false;
  std::size_t last = 0; // the last length at which they differ
  for (std::size_t i = 1; i < common.size(); ++i) {
    if (difference(i) == 0) continue;
    if (difference(last) == 0) {
      last = i;
      continue;
    }
    if ((difference(i) > 0) != (difference(last) > 0)) {
      const double x0 = std::log(common[last].first->length), x1 = std::log(common[i].first->length);
      const double share = difference(last) / (difference(last) - difference(i));
      const bool firstBelow = difference(last) < 0;
      out.push_back({firstBelow ? a : b,
                     firstBelow ? b : a,
                     {},
                     common[last].first->length,
                     common[i].first->length,
                     std::exp(x0 + (x1 - x0) * share),
                     meet(last) || meet(i)});
      any = true;
    }
    last = i;
  }
  if (any || difference(last) == 0) return;
  const bool first = difference(last) < 0;
  bool noise = false;
  for (std::size_t i = 0; i < common.size(); ++i) noise = noise || meet(i);
  out.push_back({first ? a : b, first ? a : b, first ? b : a, common.front().first->length, common.back().first->length,
                 notKnown, noise});
}

} // namespace

bool LabNumber::isKnown() const { return std::isfinite(value); }

QString quantityText(Quantity quantity) {
  switch (quantity) {
  case Quantity::cost: return tr("cost");
  case Quantity::traffic: return tr("traffic");
  case Quantity::drift: return tr("drift");
  }
  return {};
}

const LabNumber& numberOf(const Realization& r, Quantity quantity) {
  return quantity == Quantity::cost ? r.cost : quantity == Quantity::traffic ? r.traffic : r.drift;
}

std::vector<Realization> realizationsOf(const HardwareProfile& profile) {
  const Figures figures(profile);
  std::vector<Realization> out;
  for (const PrimitiveRealization& p : profile.realizations) {
    Realization r;
    r.probe = qs(p.primitive);
    r.title = probeName(r.probe).name;
    splitForm(qs(p.form), r);
    const QString prefix = r.probe + '.' + qs(p.form);
    const ProbedForm known = probedForms().value(prefix);
    r.name = known.name;
    r.primitives = known.primitives;
    r.families = qs(p.families);
    r.cost = figures.number(qs(p.cost_figure));
    r.time = figures.number(prefix + QStringLiteral(".time"));
    r.traffic = figures.number(qs(p.traffic_figure));
    r.drift = figures.number(qs(p.drift_figure));
    out.push_back(std::move(r));
  }
  return out;
}

LabChart costAgainstDrift(const std::vector<Realization>& all, const QString& probe) {
  LabChart out;
  const LabNumber *cost = firstOf(all, probe, Quantity::cost), *drift = firstOf(all, probe, Quantity::drift);
  Curves c{{tr("cost"), cost ? cost->unit : QString(), true}, {tr("drift"), {}, true}, {}};
  for (const auto& [form, list] : formsOf(all, probe)) {
    Curve curve{form, {}, {}, !probe.isEmpty() && list.size() > 1};
    std::vector<const Realization*> known;
    for (const Realization* r : list)
      // One axis, one unit: what is timed does not stand beside what is counted.
      if (r->cost.isKnown() && r->drift.isKnown() && cost && r->cost.unit == cost->unit) known.push_back(r);
    std::stable_sort(known.begin(), known.end(),
                     [](const Realization* a, const Realization* b) { return a->cost.value < b->cost.value; });
    for (const Realization* r : known) {
      curve.points.push_back({r->cost.value, r->drift.value, r->drift.lo, r->drift.hi});
      c.x.log = c.x.log && r->cost.value > 0;
      c.y.log = c.y.log && r->drift.value > 0;
      out.figures << r->drift.figure;
    }
    if (!curve.points.empty()) c.curves.push_back(std::move(curve));
  }
  out.chart = {QStringLiteral("cost-drift") + (probe.isEmpty() ? QString() : '.' + probe),
               tr("%1: cost against drift").arg(titleOf(all, probe)),
               drift ? tr("left is cheaper, lower is nearer to the reference; %1").arg(drift->method) : QString(),
               std::move(c), runOf(drift)};
  return out;
}

LabChart byLength(const std::vector<Realization>& all, const QString& probe, Quantity quantity) {
  LabChart out;
  const LabNumber* first = firstOf(all, probe, quantity);
  Curves c{
      {tr("row length"), tr("elements"), true}, {quantityText(quantity), first ? first->unit : QString(), true}, {}};
  for (const auto& [form, list] : formsOf(all, probe)) {
    Curve curve{form, {}, {}, true};
    for (const Realization* r : list) {
      const LabNumber& n = numberOf(*r, quantity);
      if (!std::isfinite(r->length) || (n.isKnown() && first && n.unit != first->unit)) continue;
      curve.points.push_back({r->length, n.value, n.lo, n.hi});
      c.y.log = c.y.log && !(n.value <= 0);
      out.figures << n.figure;
    }
    if (!curve.points.empty()) c.curves.push_back(std::move(curve));
  }
  out.chart = {QStringLiteral("by-length.%1.%2").arg(probe, quantityText(quantity)),
               tr("%1: %2 by length").arg(titleOf(all, probe), quantityText(quantity)),
               first ? first->method : QString(), std::move(c), runOf(first)};
  return out;
}

LabChart viabilityGrid(const std::vector<Realization>& all, const QString& probe, Quantity quantity) {
  LabChart out;
  const auto forms = formsOf(all, probe);
  std::map<double, double> cheapest; // by length
  for (const auto& [form, list] : forms)
    for (const Realization* r : list) {
      if (!std::isfinite(r->length)) continue;
      const auto [at, fresh] = cheapest.emplace(r->length, notKnown);
      if (const double v = numberOf(*r, quantity).value; std::isfinite(v) && !(at->second <= v)) at->second = v;
    }
  HeatMap m{{tr("row length"), tr("elements"), false},
            {tr("form"), {}, false},
            {tr("%1 over the least at that length").arg(quantityText(quantity)), {}, false},
            {},
            {},
            {},
            {},
            {}};
  for (const auto& [length, least] : cheapest) m.xs.push_back(length);
  for (const auto& [form, list] : forms) {
    m.ys.push_back(double(m.ys.size()));
    m.yNames << form;
    std::vector<double> row;
    for (const double length : m.xs) {
      const auto at = std::find_if(list.begin(), list.end(), [&](const Realization* r) { return r->length == length; });
      const LabNumber* n = at == list.end() ? nullptr : &numberOf(**at, quantity);
      const double least = cheapest[length];
      row.push_back(!n || !n->isKnown() ? notKnown : least == n->value ? 1 : least > 0 ? n->value / least : notKnown);
      out.figures << (n ? n->figure : QString());
    }
    m.cells.push_back(std::move(row));
  }
  const LabNumber* first = firstOf(all, probe, quantity);
  out.chart = {QStringLiteral("viability.%1.%2").arg(probe, quantityText(quantity)),
               tr("%1: which form, at which length").arg(titleOf(all, probe)),
               tr("1 is the best form at a length; hatched: not measured, or no legal plan makes that choice"),
               std::move(m), runOf(first)};
  return out;
}

std::vector<BreakEven> breakEvens(const std::vector<Realization>& all, const QString& probe, Quantity quantity) {
  std::vector<BreakEven> out;
  const auto forms = formsOf(all, probe);
  for (std::size_t a = 0; a < forms.size(); ++a)
    for (std::size_t b = a + 1; b < forms.size(); ++b) {
      Common common;
      for (const Realization* r : forms[a].second)
        for (const Realization* s : forms[b].second) {
          const LabNumber &x = numberOf(*r, quantity), &y = numberOf(*s, quantity);
          if (r->length == s->length && r->length > 0 && x.value > 0 && y.value > 0 && x.unit == y.unit)
            common.emplace_back(r, s);
        }
      if (common.size() > 1) addBreakEvens(forms[a].first, forms[b].first, common, quantity, out);
    }
  std::stable_sort(out.begin(), out.end(),
                   [](const BreakEven& x, const BreakEven& y) { return x.crosses() && !y.crosses(); });
  return out;
}

std::vector<RewritingCost> rewritingCosts(const HardwareProfile& profile) {
  const Figures figures(profile);
  std::vector<RewritingCost> out;
  for (const LegalityCost& c : profile.legality_costs)
    out.push_back({qs(c.transformation), qs(c.preservation_class), qs(c.quantity), qs(c.source), c.ratio, c.lo, c.hi,
                   figures.number(qs(c.with)), figures.number(qs(c.without))});
  return out;
}

std::vector<FamilyRow> familyRows(const HardwareProfile& profile) {
  std::vector<FamilyRow> out;
  for (const FamilyViability& v : profile.viability)
    out.push_back({qs(v.family), qs(v.verdict), qs(v.reason), qs(v.primitives), qs(v.figures)});
  return out;
}

} // namespace aicf::views
