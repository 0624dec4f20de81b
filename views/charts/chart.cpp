#include "views/charts/chart.hpp"

#include "views/engine/text.hpp"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>

namespace aicf::views {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("Chart", text); }

template <class... F> struct Cases : F... { using F::operator()...; };
template <class... F> Cases(F...) -> Cases<F...>;

QVariant known(double value) { return std::isfinite(value) ? QVariant(value) : QVariant(); }

ChartTable tableOf(const HeatMap& m) {
  ChartTable t{{m.y.title(), m.x.title(), m.z.title()}, {m.yNames.isEmpty(), m.xNames.isEmpty(), true}, {}};
  const auto place = [](const std::vector<double>& values, const QStringList& names, std::size_t i) {
    return names.isEmpty() ? QVariant(values[i]) : QVariant(names[qsizetype(i)]);
  };
  for (std::size_t r = 0; r < m.ys.size(); ++r)
    for (std::size_t c = 0; c < m.xs.size(); ++c)
      t.rows.push_back({place(m.ys, m.yNames, r), place(m.xs, m.xNames, c), known(m.cells[r][c])});
  return t;
}

ChartTable tableOf(const Curves& c) {
  ChartTable t{{tr("Curve"), c.x.title(), c.y.title(), tr("Low"), tr("High"), tr("Change")},
               {false, true, true, true, true, false},
               {}};
  for (const Curve& curve : c.curves)
    for (const CurvePointAt& p : curve.points) {
      const auto change =
          std::find_if(curve.changes.begin(), curve.changes.end(), [&](const auto& x) { return x.x == p.x; });
      t.rows.push_back({curve.name, p.x, known(p.y), known(p.lo), known(p.hi),
                        change == curve.changes.end()
                            ? QString()
                            : tr("level changes from %1 to %2").arg(number(change->before), number(change->after))});
    }
  return t;
}

ChartTable tableOf(const Roofline& r) {
  ChartTable t{{tr("Ceiling or kernel"), tr("Kind"), tr("Value"), tr("Low"), tr("High"), tr("Unit"), tr("Known from")},
               {false, false, true, true, true, false, false},
               {}};
  for (const RoofCeiling& c : r.ceilings)
    t.rows.push_back({c.name, c.bandwidth ? tr("bandwidth") : tr("compute"), known(c.value), known(c.lo), known(c.hi),
                      c.bandwidth ? QStringLiteral("B/s") : r.unit, c.provenance});
  for (const RoofPoint& p : r.points)
    t.rows.push_back({p.name, tr("kernel"), known(p.rate), QVariant(), QVariant(), r.unit,
                      tr("%1 operations a byte").arg(number(p.intensity))});
  return t;
}

QString withUnit(double value, const QString& unit) {
  if (unit == QLatin1String("B")) return bytes(value);
  return unit.isEmpty() ? number(value) : number(value) + ' ' + unit;
}

} // namespace

QString ChartAxis::title() const { return unit.isEmpty() ? name : QStringLiteral("%1 (%2)").arg(name, unit); }

ChartTable tableOf(const Chart& chart) {
  return std::visit([](const auto& what) { return tableOf(what); }, chart.what);
}

QString csvOf(const Chart& chart) {
  const ChartTable table = tableOf(chart);
  const auto quoted = [](QString text) {
    if (!text.contains(',') && !text.contains('"') && !text.contains('\n')) return text;
    return '"' + text.replace('"', QStringLiteral("\"\"")) + '"';
  };
  QStringList lines, cells;
  for (const QString& heading : table.headings) cells << quoted(heading);
  lines << cells.join(',');
  for (const auto& row : table.rows) {
    cells.clear();
    for (std::size_t c = 0; c < row.size(); ++c)
      cells << (table.numeric[c] && row[c].isValid()
                    ? QString::number(row[c].toDouble(), 'g', QLocale::FloatingPointShortest)
                    : quoted(row[c].toString()));
    lines << cells.join(',');
  }
  return lines.join('\n') + '\n';
}

QString readout(const Chart& chart, int row) {
  const ChartTable table = tableOf(chart);
  if (row < 0 || row >= int(table.rows.size())) return {};
  const std::vector<QVariant>& cells = table.rows[std::size_t(row)];
  const auto value = [&](std::size_t column, const QString& unit) {
    return !cells[column].isValid() ? tr("not measured")
           : table.numeric[column]  ? withUnit(cells[column].toDouble(), unit)
                                    : cells[column].toString();
  };
  return std::visit(
      Cases{[&](const HeatMap& m) {
              return QStringLiteral("%1 %2, %3 %4:  %5 %6")
                  .arg(m.y.name, value(0, m.y.unit), m.x.name, value(1, m.x.unit), m.z.name, value(2, m.z.unit));
            },
            [&](const Curves& c) {
              QString out = QStringLiteral("%1 at %2 %3:  %4 %5")
                                .arg(cells[0].toString(), c.x.name, value(1, c.x.unit), c.y.name, value(2, c.y.unit));
              if (cells[3].isValid() && cells[4].isValid() && cells[3] != cells[4])
                out += QStringLiteral("  [%1, %2]").arg(number(cells[3].toDouble()), number(cells[4].toDouble()));
              return cells[5].toString().isEmpty() ? out : out + QStringLiteral("  ·  ") + cells[5].toString();
            },
            [&](const Roofline&) {
              return QStringLiteral("%1:  %2  ·  %3")
                  .arg(cells[0].toString(), value(2, cells[5].toString()), cells[6].toString());
            }},
      chart.what);
}

RecordModel<std::vector<QVariant>>* makeChartModel(const ChartTable& table, QObject* parent) {
  using Row = std::vector<QVariant>;
  std::vector<Column<Row>> columns;
  for (int c = 0; c < int(table.headings.size()); ++c) {
    const bool isNumber = table.numeric[std::size_t(c)];
    const auto at = std::size_t(c);
    columns.push_back({{table.headings[c], {}, isNumber ? CellKind::number : CellKind::text, isNumber ? 110 : 190},
                       [at](const Row& r) { return at < r.size() ? r[at] : QVariant(); },
                       [at, isNumber](const Row& r) {
                         if (at >= r.size() || !r[at].isValid()) return isNumber ? tr("not measured") : QString();
                         return isNumber ? number(r[at].toDouble(), 6) : r[at].toString();
                       },
                       [at](const Row& r) { return at < r.size() && r[at].isValid() ? Tone::plain : Tone::muted; }});
  }
  auto* model = new RecordModel<Row>(std::move(columns), parent);
  model->setRows(table.rows);
  return model;
}

bool canBeLogarithmic(const Chart& chart) {
  bool any = false, all = true;
  const auto see = [&](double v) {
    if (!std::isfinite(v)) return;
    any = true;
    all = all && v > 0;
  };
  std::visit(Cases{[&](const HeatMap& m) {
                     for (const auto& row : m.cells)
                       for (const double v : row) see(v);
                   },
                   [&](const Curves& c) {
                     for (const Curve& curve : c.curves)
                       for (const CurvePointAt& p : curve.points) {
                         see(p.y);
                         see(p.lo);
                       }
                   },
                   [&](const Roofline&) { any = all = true; }},
             chart.what);
  return any && all;
}

bool hasNumbers(const Chart& chart) {
  return std::visit(Cases{[](const HeatMap& m) {
                            for (const auto& row : m.cells)
                              if (std::any_of(row.begin(), row.end(), [](double v) { return std::isfinite(v); }))
                                return true;
                            return false;
                          },
                          [](const Curves& c) {
                            for (const Curve& curve : c.curves)
                              for (const CurvePointAt& p : curve.points)
                                if (std::isfinite(p.y)) return true;
                            return false;
                          },
                          [](const Roofline& r) {
                            return std::any_of(r.ceilings.begin(), r.ceilings.end(),
                                               [](const auto& c) { return std::isfinite(c.value); });
                          }},
                    chart.what);
}

double ridge(double bandwidth, double level) { return level / bandwidth; }
double attainable(double intensity, double bandwidth, double level) { return std::min(intensity * bandwidth, level); }

Span2 intensities(const Roofline& r) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  const auto see = [&](double x) {
    if (!std::isfinite(x) || x <= 0) return;
    least = std::min(least, x);
    most = std::max(most, x);
  };
  for (const RoofPoint& p : r.points) see(p.intensity);
  for (const RoofCeiling& slope : r.ceilings)
    for (const RoofCeiling& level : r.ceilings)
      if (slope.bandwidth && !level.bandwidth) see(ridge(slope.value, level.value));
  if (most == 0) return {};
  return {std::pow(10.0, std::floor(std::log10(least)) - 1), std::pow(10.0, std::ceil(std::log10(most)) + 1)};
}

const std::vector<QColor>& cividis() {
  static const std::vector<QColor> stops = [] {
    std::vector<QColor> out;
    for (const char* name : {"#00204d", "#00306f", "#2a406c", "#48526b", "#5e626e", "#727374", "#878479", "#9e9677",
                             "#b6a971", "#d0be67", "#ead357", "#ffea46"})
      out.emplace_back(QLatin1String(name));
    return out;
  }();
  return stops;
}

QColor curveColor(int index, bool dark) {
  static const std::array<std::array<const char*, 2>, 6> colors{{{"#0072b2", "#56b4e9"},
                                                                 {"#d55e00", "#e69f00"},
                                                                 {"#009e73", "#2fc79b"},
                                                                 {"#b35a8c", "#cc79a7"},
                                                                 {"#5a5a5a", "#b0b0b0"},
                                                                 {"#8a6d00", "#f0e442"}}};
  return {QLatin1String(colors[std::size_t(index) % colors.size()][dark ? 1 : 0])};
}

} // namespace aicf::views
