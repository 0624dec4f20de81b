// The tables of the Primitive Lab.
#include "views/engine/text.hpp"
#include "views/primitives/primitives_view.hpp"

#include <cmath>

namespace aicf::views {
namespace {

QVariant known(double value) { return std::isfinite(value) ? QVariant(value) : QVariant(); }
QString words(QString id) { return id.replace('_', ' '); }
QString notMeasured() { return PrimitivesView::tr("not measured"); }

/// A unit as a cell has room for it.
QString brief(const QString& unit) {
  return unit == QLatin1String("instructions") ? PrimitivesView::tr("instr.") : unit;
}

QString shownNumber(const LabNumber& n, int digits = 4) {
  if (!n.isKnown()) return n.status == QLatin1String("withheld") ? PrimitivesView::tr("withheld") : notMeasured();
  return number(n.value, digits) + (n.unit.isEmpty() ? QString() : ' ' + brief(n.unit));
}

QString spread(double lo, double hi) {
  return std::isfinite(lo) && std::isfinite(hi) && lo != hi ? QStringLiteral("  [%1, %2]").arg(number(lo), number(hi))
                                                            : QString();
}

Origin originOf(const LabNumber& n) {
  if (!n.isKnown()) return {n.why, {}};
  return {PrimitivesView::tr("%1 = %2%3, %4: %5")
              .arg(n.figure, shownNumber(n, 6), spread(n.lo, n.hi), words(n.status), n.method),
          n.run.isEmpty() ? QString() : Entity{"run", n.run}.uri()};
}

/// A column for one number of a row: shown with its unit, or as not measured.
template <class Row> Column<Row> numberColumn(const ColumnInfo& info, LabNumber Row::*member) {
  return {info,
          [member](const Row& r) { return known((r.*member).value); },
          [member](const Row& r) { return shownNumber(r.*member); },
          [member](const Row& r) { return (r.*member).isKnown() ? Tone::plain : Tone::muted; },
          [member](const Row& r) { return originOf(r.*member).text; },
          [member](const Row& r) { return originOf(r.*member); }};
}

} // namespace

RecordModel<Realization>* makeRealizationsModel(QObject* parent) {
  using C = Column<Realization>;
  using V = PrimitivesView;
  const auto list = [](QStringList ids) { return ids.join(QStringLiteral(", ")).replace('_', ' '); };
  return new RecordModel<Realization>(
      {C{{V::tr("Probe"), V::tr("The comparison that the form was probed in"), CellKind::text, 150},
         [](const auto& r) { return r.title; },
         {},
         {},
         [](const auto& r) { return r.probe; }},
       C{{V::tr("Form"), V::tr("The way in which it is done, all other choices equal"), CellKind::text, 90},
         [](const auto& r) { return words(r.form); },
         {},
         {},
         [](const auto& r) { return r.name; }},
       C{{V::tr("Length"), V::tr("Elements of the row"), CellKind::number, 58},
         [](const auto& r) { return known(r.length); },
         [](const auto& r) { return std::isfinite(r.length) ? number(r.length) : QString(); }},
       numberColumn<Realization>({V::tr("Cost"),
                                  V::tr("Time where a device measured it, else thread instructions an element"),
                                  CellKind::number, 128},
                                 &Realization::cost),
       numberColumn<Realization>(
           {V::tr("Time"), V::tr("Of a launch, cold; only a device can say"), CellKind::number, 96},
           &Realization::time),
       numberColumn<Realization>(
           {V::tr("Traffic"), V::tr("Sectors loaded and stored over the fewest of one read"), CellKind::number, 96},
           &Realization::traffic),
       numberColumn<Realization>(
           {V::tr("Drift"), V::tr("Relative distance from the definition at 160 bits, 2-norm"), CellKind::number, 96},
           &Realization::drift),
       C{{V::tr("Built of"), V::tr("Primitives that this form's choices stand on"), CellKind::text, 150},
         [list](const auto& r) { return list(r.primitives); }},
       C{{V::tr("Families"), V::tr("Families of kernels that can be built with it, as the profile says"),
          CellKind::text, 100},
         [list](const auto& r) { return list(r.families); }}},
      parent);
}

RecordModel<BreakEven>* makeBreakEvensModel(QObject* parent) {
  using C = Column<BreakEven>;
  using V = PrimitivesView;
  return new RecordModel<BreakEven>(
      {C{{V::tr("Cheaper below"), V::tr("At lengths shorter than the break-even"), CellKind::text, 110},
         [](const auto& b) { return b.below; }},
       C{{V::tr("Cheaper above"), V::tr("At lengths longer than the break-even"), CellKind::text, 110},
         [](const auto& b) { return b.crosses() ? b.above : V::tr("%1, against %2").arg(b.above, b.other); }},
       C{{V::tr("Break-even"), V::tr("Where both cost the same, by a straight line between logarithms"),
          CellKind::number, 110},
         [](const auto& b) { return known(b.at); },
         [](const auto& b) {
           return b.crosses() ? QStringLiteral("≈ %1").arg(number(std::round(b.at))) : V::tr("none seen");
         },
         [](const auto& b) { return b.crosses() ? Tone::plain : Tone::muted; },
         {},
         [](const auto& b) {
           return Origin{V::tr("Computed from the costs of both forms at the lengths %1 and %2; nothing was measured "
                               "between them.")
                             .arg(number(b.from), number(b.to)),
                         {}};
         }},
       C{{V::tr("Between"), V::tr("Probed lengths: the break-even lies between them, or the order holds over them"),
          CellKind::mono, 120},
         [](const auto& b) { return known(b.from); },
         [](const auto& b) { return QStringLiteral("%1 … %2").arg(number(b.from), number(b.to)); }},
       C{{V::tr("Certain"), V::tr("noise: at an end the two spreads meet, so that the order may be chance"),
          CellKind::chip, 80},
         [](const auto& b) { return b.noise ? V::tr("noise") : V::tr("yes"); },
         {},
         [](const auto& b) { return b.noise ? Tone::warn : Tone::good; }}},
      parent);
}

RecordModel<FamilyRow>* makeFamiliesModel(QObject* parent) {
  using C = Column<FamilyRow>;
  using V = PrimitivesView;
  return new RecordModel<FamilyRow>(
      {C{{V::tr("Family"), V::tr("A family of kernels"), CellKind::text, 130},
         [](const auto& f) { return words(f.family); }},
       C{{V::tr("Viable"), V::tr("Whether the profile says that the family can be built and pays"), CellKind::chip,
          110},
         [](const auto& f) { return words(f.verdict); },
         {},
         [](const auto& f) {
           return f.verdict.startsWith(QLatin1String("viable")) ? Tone::good
                  : f.verdict == QLatin1String("not_measured")  ? Tone::warn
                                                                : Tone::bad;
         }},
       C{{V::tr("Why"), V::tr("What the verdict rests on"), CellKind::text, 260},
         [](const auto& f) { return f.reason; },
         {},
         {},
         [](const auto& f) { return f.reason; }},
       C{{V::tr("Primitives"), V::tr("What it is built of"), CellKind::text, 200},
         [](const auto& f) { return words(f.primitives.join(QStringLiteral(", "))); }}},
      parent);
}

RecordModel<RewritingCost>* makeRewritingsModel(QObject* parent) {
  using C = Column<RewritingCost>;
  using V = PrimitivesView;
  return new RecordModel<RewritingCost>(
      {C{{V::tr("Transformation"), V::tr("A legal rewriting, as in the Guide"), CellKind::text, 140},
         [](const auto& c) { return words(c.transformation); }},
       C{{V::tr("Quantity"), V::tr("What is compared"), CellKind::text, 84}, [](const auto& c) { return c.quantity; }},
       C{{V::tr("With / without"), V::tr("Below 1 it saves, above 1 it costs"), CellKind::number, 104},
         [](const auto& c) { return known(c.ratio); },
         [](const auto& c) { return std::isfinite(c.ratio) ? number(c.ratio) : notMeasured(); },
         [](const auto& c) {
           return !std::isfinite(c.ratio) ? Tone::muted : c.hi < 1 ? Tone::good : c.lo > 1 ? Tone::bad : Tone::plain;
         },
         {},
         [](const auto& c) {
           return Origin{V::tr("%1 over %2.\n%3\n%4")
                             .arg(c.with.figure, c.without.figure, originOf(c.with).text, originOf(c.without).text),
                         originOf(c.with).link};
         }},
       C{{V::tr("Spread"), V::tr("Of the ratio, from the spreads of both"), CellKind::mono, 110},
         [](const auto& c) { return known(c.hi - c.lo); },
         [](const auto& c) { return spread(c.lo, c.hi).trimmed(); }},
       numberColumn<RewritingCost>({V::tr("With"), V::tr("The figure with the rewriting"), CellKind::number, 130},
                                   &RewritingCost::with),
       numberColumn<RewritingCost>({V::tr("Without"), V::tr("The figure without it"), CellKind::number, 130},
                                   &RewritingCost::without),
       C{{V::tr("Class"), V::tr("The preservation class of the rewriting"), CellKind::text, 130},
         [](const auto& c) { return words(c.preservationClass); }}},
      parent);
}

RecordModel<PriorState>* makePriorsModel(QObject* parent) {
  using C = Column<PriorState>;
  using V = PrimitivesView;
  return new RecordModel<PriorState>(
      {C{{V::tr("Prior"), V::tr("What guides the choice of plans before anything is measured here"), CellKind::text,
          170},
         [](const auto& p) { return words(qs(p.prior.id)); },
         {},
         {},
         [](const auto& p) { return qs(p.prior.rule); }},
       C{{V::tr("Value"), V::tr("By its rule from the figures that are its evidence"), CellKind::number, 100},
         [](const auto& p) { return p.prior.value; },
         [](const auto& p) { return number(p.prior.value) + ' ' + brief(qs(p.prior.unit)); },
         {},
         {},
         [](const auto& p) {
           return Origin{V::tr("%1\nFrom: %2").arg(qs(p.prior.rule), qs(p.prior.evidence).join(QStringLiteral(", "))),
                         p.prior.evidence.empty() ? QString() : Entity{"metric", qs(p.prior.evidence.front())}.uri()};
         }},
       C{{V::tr("Spread"), V::tr("Low and high, as its rule says"), CellKind::mono, 90},
         [](const auto& p) { return p.prior.hi - p.prior.lo; },
         [](const auto& p) { return spread(p.prior.lo, p.prior.hi).trimmed(); }},
       C{{V::tr("May be used"), V::tr("By the rules of the present compiler profile, for the present target"),
          CellKind::chip, 96},
         [](const auto& p) {
           return p.usable ? V::tr("yes") : p.expired ? V::tr("expired") : p.foreign ? V::tr("foreign") : V::tr("no");
         },
         {},
         [](const auto& p) { return p.usable ? Tone::good : Tone::warn; },
         [](const auto& p) { return qs(p.why_not); }},
       C{{V::tr("Of"), V::tr("The device or architecture that it speaks of"), CellKind::text, 90},
         [](const auto& p) { return qs(p.prior.device); }},
       C{{V::tr("Age"), V::tr("Days since it was measured"), CellKind::number, 64},
         [](const auto& p) { return known(p.age_days); },
         [](const auto& p) {
           return std::isfinite(p.age_days) ? V::tr("%1 d").arg(number(std::floor(p.age_days))) : QString();
         }},
       C{{V::tr("Rule"), V::tr("How the prior follows from figures of the profile"), CellKind::text, 260},
         [](const auto& p) { return qs(p.prior.rule); },
         {},
         {},
         [](const auto& p) { return qs(p.prior.rule); }}},
      parent);
}

} // namespace aicf::views
