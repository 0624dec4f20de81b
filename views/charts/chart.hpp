// What a chart shows, as plain structs: heat maps, curves with spread bands and change points, rooflines. A number that
// is not known is NaN and is drawn as a hatched cell or a gap, never as zero. Every datum is a row of the chart's table
// twin, so that hovering, export and assistive technology say the same.
#pragma once
#include "views/frame/entity.hpp"
#include "views/models/records.hpp"

#include <limits>
#include <variant>
#include <vector>

namespace aicf::views {

inline constexpr double notKnown = std::numeric_limits<double>::quiet_NaN();

struct ChartAxis {
  QString name, unit;
  bool log = false;
  [[nodiscard]] QString title() const; ///< "working set (B)"
};

/// cells[row][column] belongs to ys[row] and xs[column]. Places that are no numbers have names instead.
struct HeatMap {
  ChartAxis x, y, z;
  std::vector<double> xs, ys;
  std::vector<std::vector<double>> cells;
  QStringList xNames{}, yNames{}; ///< empty, or one a place
};

struct CurvePointAt {
  double x = 0, y = notKnown, lo = notKnown, hi = notKnown; ///< lo, hi: the spread
};
struct CurveChange {
  double x = 0, before = notKnown, after = notKnown; ///< the first x of the new level
};
struct Curve {
  QString name;
  std::vector<CurvePointAt> points; ///< ascending in x
  std::vector<CurveChange> changes;
  bool joined = true; ///< false: points that no line joins
};
struct Curves {
  ChartAxis x, y;
  std::vector<Curve> curves;
};

struct RoofCeiling {
  QString name, provenance;
  bool bandwidth = false; ///< in B/s, a slope; else in operations a second, a level
  double value = notKnown, lo = notKnown, hi = notKnown;
};
/// A kernel: operations a byte, operations a second.
struct RoofPoint {
  QString name;
  double intensity = notKnown, rate = notKnown;
};
struct Roofline {
  QString unit; ///< of levels: "FLOP/s"
  std::vector<RoofCeiling> ceilings;
  std::vector<RoofPoint> points;
};

struct Chart {
  QString id, title, note; ///< note: method and source, one line
  std::variant<HeatMap, Curves, Roofline> what;
  Entity origin; ///< the probe run behind it; null: none
};

/// The table twin: headings, and a row a datum in the order of the chart; cells that are not known are invalid.
struct ChartTable {
  QStringList headings;
  std::vector<bool> numeric; ///< by column
  std::vector<std::vector<QVariant>> rows;
};
[[nodiscard]] ChartTable tableOf(const Chart& chart);
/// The twin as CSV with headings: numbers that read back as they are, empty where nothing is known.
[[nodiscard]] QString csvOf(const Chart& chart);
/// One datum in words, as hovering says it.
[[nodiscard]] QString readout(const Chart& chart, int row);
/// The model of a table twin; its columns are those of `table`.
[[nodiscard]] RecordModel<std::vector<QVariant>>* makeChartModel(const ChartTable& table, QObject* parent);

/// Whether the values (of cells, or of y) are all above zero, so that a logarithm shows them all.
[[nodiscard]] bool canBeLogarithmic(const Chart& chart);
/// Whether there is any number in it.
[[nodiscard]] bool hasNumbers(const Chart& chart);

/// Where a bandwidth and a level meet, in operations a byte.
[[nodiscard]] double ridge(double bandwidth, double level);
/// Attainable operations a second under one slope and one level.
[[nodiscard]] double attainable(double intensity, double bandwidth, double level);
/// From and to which intensity a roofline is drawn: decades around its ridges and points.
struct Span2 {
  double from = 0.01, to = 1000;
};
[[nodiscard]] Span2 intensities(const Roofline& roofline);

/// A colour map that is monotone in lightness and alike for people with and without colour vision (cividis; J. Nuñez,
/// C. Anderton, R. Renslow, PLOS ONE 13(7), 2018), at twelve even places.
[[nodiscard]] const std::vector<QColor>& cividis();
/// Colours of several curves (M. Okabe, K. Ito, Color Universal Design, 2008); they differ in dash and mark as well.
[[nodiscard]] QColor curveColor(int index, bool dark);

} // namespace aicf::views
