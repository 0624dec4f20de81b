// Mathematics set in type: boxes with a baseline, scripts, limits, fractions and fences that grow, drawn by any
// painter. Sizes are in the painter's units (pixels at 1x); nothing is drawn while laying out.
#pragma once
#include "views/formula/math.hpp"

#include <QColor>
#include <QFont>
#include <QPainterPath>
#include <QRectF>
#include <QSizeF>

#include <vector>

class QPainter;

namespace aicf::views {

/// Something laid out; the origin is the left end of its baseline, y grows downwards.
struct Box {
  struct Run {
    QString text;
    QFont font;
    QPointF at; ///< left end of its baseline
  };
  struct Shape {
    QPainterPath path;
    qreal pen = 0; ///< 0: filled
  };
  struct Region {
    QRectF rect;
    QString tag;
  };
  qreal width = 0, ascent = 0, descent = 0;
  std::vector<Run> runs;
  std::vector<Shape> shapes;
  std::vector<Region> regions; ///< outer before inner

  [[nodiscard]] qreal height() const { return ascent + descent; }
  void add(const Box& other, QPointF offset);
  /// With `origin` at the painter's place, all in one colour.
  void paint(QPainter& painter, QPointF origin, const QColor& ink) const;
};

/// `points`: the size of plain letters.
[[nodiscard]] Box typeset(const Math& math, qreal points);

/// Lines one below the other, their first equals signs aligned; the first line is a signature and smaller.
class FormulaLayout {
 public:
  FormulaLayout() = default;
  FormulaLayout(const std::vector<Math>& lines, qreal points);
  [[nodiscard]] QSizeF size() const { return size_; }
  void paint(QPainter& painter, const QColor& ink, const QColor& signature) const;
  /// The innermost tag at a place, or empty.
  [[nodiscard]] QString tagAt(QPointF at) const;
  /// Of every place with that tag.
  [[nodiscard]] std::vector<QRectF> rectsOf(const QString& tag) const;
  [[nodiscard]] const std::vector<std::pair<Box, QPointF>>& lines() const { return lines_; }

 private:
  std::vector<std::pair<Box, QPointF>> lines_; ///< with the origin of each
  QSizeF size_{0, 0};
};

} // namespace aicf::views
