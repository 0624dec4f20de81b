#include "views/formula/typeset.hpp"

#include <QApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace aicf::views {
namespace {

using K = Math::Kind;

// Shares of the letters' size, after the proportions of D. E. Knuth, The TeXbook, appendix G.
constexpr qreal scriptShare = 0.72, leastPoints = 6, raise = 0.42, drop = 0.22, ruleShare = 0.055, gapShare = 0.14;
constexpr qreal axisShare = 0.3, signRoom = 0.24, bigShare = 1.45, limitShare = 0.7, lineRoom = 0.75, margin = 12;
constexpr qreal rootRoom = 0.55, fenceRoom = 0.36, tallest = 1.35, signatureShare = 0.8, caseRoom = 1.2;

QFont fontOf(qreal points, bool italic) {
  QFont font = QApplication::font();
  font.setPointSizeF(points);
  font.setItalic(italic);
  font.setHintingPreference(QFont::PreferNoHinting);
  return font;
}

/// The letters' size in the painter's units.
qreal em(qreal points) { return QFontMetricsF(fontOf(points, false)).height() / 1.21; }

Box text(const QString& what, qreal points, bool italic) {
  Box box;
  const QFont font = fontOf(points, italic);
  const QFontMetricsF metrics(font);
  const QRectF ink = metrics.tightBoundingRect(what);
  box.width = metrics.horizontalAdvance(what);
  // Letters without parts below the line stand on it; a line of text has the height of its capitals at least.
  box.ascent = std::max(-ink.top(), metrics.xHeight());
  box.descent = std::max<qreal>(ink.bottom(), 0);
  box.runs.push_back({what, font, {0, 0}});
  return box;
}

qreal smaller(qreal points) { return std::max(points * scriptShare, std::min(points, leastPoints)); }

Box set(const Math& math, qreal points);

Box beside(const std::vector<Math>& parts, qreal points) {
  Box box;
  for (const Math& m : parts) box.add(set(m, points), {box.width, 0});
  return box;
}

Box fraction(const Math& m, qreal points) {
  const qreal size = em(points), rule = std::max(1.0, size * ruleShare), gap = size * gapShare, axis = size * axisShare;
  const Box above = set(m.parts[0], points), below = set(m.parts[1], points);
  Box box;
  const qreal side = size * 0.08;
  box.width = std::max(above.width, below.width) + 4 * side;
  Box::Shape bar;
  bar.path.addRect(QRectF(side, -axis - rule / 2, box.width - 2 * side, rule));
  const qreal width = box.width;
  box.add(above, {(width - above.width) / 2, -axis - rule / 2 - gap - above.descent});
  box.add(below, {(width - below.width) / 2, -axis + rule / 2 + gap + below.ascent});
  box.width = width;
  box.shapes.push_back(std::move(bar));
  return box;
}

/// Index and exponent of one base, each of which may be absent.
Box scripted(const Math& base, const Math* index, const Math* exponent, qreal points) {
  const qreal size = em(points), script = smaller(points);
  Box box = set(base, points);
  const qreal start = box.width + size * 0.04, ascent = box.ascent, descent = box.descent;
  Box low, high;
  qreal down = 0, up = 0;
  if (index) {
    low = set(*index, script);
    down = std::max({size * drop, low.ascent - size * raise, descent - size * 0.1});
  }
  if (exponent) {
    high = set(*exponent, script);
    up = std::max({size * raise, ascent - size * 0.38, high.descent + size * 0.26});
    if (index) up = std::max(up, high.descent + low.ascent - down + size * 0.08);
  }
  if (index) box.add(low, {start, down});
  if (exponent) box.add(high, {start, -up});
  return box;
}

Box root(const Math& m, qreal points) {
  const qreal size = em(points), rule = std::max(1.0, size * ruleShare), gap = size * gapShare, hook = size * rootRoom;
  const Box inner = set(m.parts[0], points);
  Box box;
  const qreal top = -inner.ascent - gap, bottom = inner.descent;
  Box::Shape sign;
  sign.pen = rule;
  sign.path.moveTo(0, bottom - (bottom - top) * 0.42);
  sign.path.lineTo(hook * 0.22, bottom - (bottom - top) * 0.48);
  sign.path.lineTo(hook * 0.5, bottom);
  sign.path.lineTo(hook * 0.92, top);
  sign.path.lineTo(hook + inner.width + size * 0.06, top);
  box.add(inner, {hook, 0});
  box.width = hook + inner.width + size * 0.1;
  box.ascent = std::max(box.ascent, -top + rule);
  box.shapes.push_back(std::move(sign));
  return box;
}

/// The sign of a sum or a product, drawn: its height is our own, and no font is asked.
Box operatorSign(const QString& what, qreal points) {
  const qreal size = em(points), height = size * bigShare, axis = size * axisShare, stroke = size * 0.075;
  const qreal top = -axis - height / 2, bottom = top + height;
  Box box;
  box.ascent = -top;
  box.descent = bottom;
  Box::Shape sign;
  sign.pen = stroke;
  if (what == QStringLiteral("∑")) {
    box.width = height * 0.82;
    const qreal right = box.width - stroke, hook = height * 0.14;
    sign.path.moveTo(right, top + hook);
    sign.path.lineTo(right, top + stroke / 2);
    sign.path.lineTo(stroke, top + stroke / 2);
    sign.path.lineTo(box.width * 0.55, (top + bottom) / 2);
    sign.path.lineTo(stroke, bottom - stroke / 2);
    sign.path.lineTo(right, bottom - stroke / 2);
    sign.path.lineTo(right, bottom - hook);
  } else {
    box.width = height * 0.84;
    const qreal leg = box.width * 0.22;
    sign.path.moveTo(stroke / 2, top + stroke / 2);
    sign.path.lineTo(box.width - stroke / 2, top + stroke / 2);
    sign.path.moveTo(leg, top);
    sign.path.lineTo(leg, bottom);
    sign.path.moveTo(box.width - leg, top);
    sign.path.lineTo(box.width - leg, bottom);
  }
  box.shapes.push_back(std::move(sign));
  return box;
}

Box big(const Math& m, qreal points) {
  const bool drawn = m.text == QStringLiteral("∑") || m.text == QStringLiteral("∏");
  const qreal size = em(points), gap = size * gapShare,
              limits = std::max(points * limitShare, std::min(points, leastPoints));
  const Box sign = drawn ? operatorSign(m.text, points) : text(m.text, points, false);
  const auto isEmpty = [](const Math& part) { return part.kind == K::row && part.parts.empty(); };
  const Box above = isEmpty(m.parts[0]) ? Box() : set(m.parts[0], limits);
  const Box below = isEmpty(m.parts[1]) ? Box() : set(m.parts[1], limits);
  const qreal width = std::max({sign.width, above.width, below.width});
  Box box;
  box.add(sign, {(width - sign.width) / 2, 0});
  if (!isEmpty(m.parts[0])) box.add(above, {(width - above.width) / 2, -sign.ascent - gap - above.descent});
  if (!isEmpty(m.parts[1])) box.add(below, {(width - below.width) / 2, sign.descent + gap + below.ascent});
  box.width = width + size * 0.16;
  box.add(set(m.parts[2], points), {box.width, 0});
  return box;
}

/// A fence as high as what it holds; round ones are arcs, others straight.
Box::Shape fenceShape(QChar fence, qreal left, qreal width, qreal top, qreal bottom, qreal pen) {
  Box::Shape out;
  out.pen = pen;
  const qreal middle = left + width / 2, inset = width * 0.18;
  const qreal near =
      fence == u'(' || fence == u'⌊' || fence == u'⌈' || fence == u'{' ? left + width - inset : left + inset;
  const qreal far = near > middle ? left + inset : left + width - inset;
  QPainterPath& path = out.path;
  switch (fence.unicode()) {
  case u'(':
  case u')':
    path.moveTo(near, top);
    path.quadTo(far, top + (bottom - top) * 0.22, far, (top + bottom) / 2);
    path.quadTo(far, bottom - (bottom - top) * 0.22, near, bottom);
    break;
  case u'{': {
    const qreal waist = (top + bottom) / 2, bend = std::min(width * 0.8, (bottom - top) / 4);
    path.moveTo(near, top);
    path.quadTo(middle, top, middle, top + bend);
    path.lineTo(middle, waist - bend);
    path.quadTo(middle, waist, far, waist);
    path.quadTo(middle, waist, middle, waist + bend);
    path.lineTo(middle, bottom - bend);
    path.quadTo(middle, bottom, near, bottom);
    break;
  }
  case u'⌊':
  case u'⌋':
    path.moveTo(far, top);
    path.lineTo(far, bottom);
    path.lineTo(near, bottom);
    break;
  case u'⌈':
  case u'⌉':
    path.moveTo(far, bottom);
    path.lineTo(far, top);
    path.lineTo(near, top);
    break;
  default: path.moveTo(middle, top); path.lineTo(middle, bottom);
  }
  return out;
}

Box fence(const Math& m, qreal points) {
  const qreal size = em(points), pen = std::max(1.0, size * 0.06), axis = size * axisShare;
  const Box inner = set(m.parts[0], points);
  const bool low = inner.height() <= size * tallest && m.text == QLatin1String("()");
  Box box;
  if (low) {
    box.add(text(QStringLiteral("("), points, false), {0, 0});
    box.add(inner, {box.width, 0});
    box.add(text(QStringLiteral(")"), points, false), {box.width, 0});
    return box;
  }
  // Even about the axis, so that both ends reach beyond what they hold.
  const qreal half = std::max({inner.ascent - axis, inner.descent + axis, size * 0.5}) + size * 0.08;
  const qreal width = size * fenceRoom;
  box.shapes.push_back(fenceShape(m.text[0], 0, width, -axis - half, -axis + half, pen));
  box.add(inner, {width, 0});
  box.shapes.push_back(fenceShape(m.text[1], width + inner.width, width, -axis - half, -axis + half, pen));
  box.width = inner.width + 2 * width;
  box.ascent = std::max(box.ascent, axis + half);
  box.descent = std::max(box.descent, half - axis);
  return box;
}

Box cases(const Math& m, qreal points) {
  const qreal size = em(points), axis = size * axisShare, width = size * fenceRoom * 1.2, gap = size * 0.35;
  struct Line {
    Box value, when;
  };
  std::vector<Line> lines;
  qreal column = 0, height = -gap;
  for (std::size_t i = 0; i + 1 < m.parts.size(); i += 2) {
    const Math& when = m.parts[i + 1];
    const bool otherwise = when.kind == K::row && when.parts.empty();
    Box condition = text(otherwise ? QCoreApplication::translate("Formula", "otherwise")
                                   : QCoreApplication::translate("Formula", "if "),
                         points, false);
    if (!otherwise) condition.add(set(when, points), {condition.width, 0});
    lines.push_back({set(m.parts[i], points), std::move(condition)});
    column = std::max(column, lines.back().value.width);
    height += std::max(lines.back().value.height(), lines.back().when.height()) + gap;
  }
  Box box;
  qreal y = -axis - height / 2;
  for (const Line& line : lines) {
    const qreal ascent = std::max(line.value.ascent, line.when.ascent),
                descent = std::max(line.value.descent, line.when.descent);
    box.add(line.value, {width, y + ascent});
    box.add(line.when, {width + column + size * caseRoom, y + ascent});
    y += ascent + descent + gap;
  }
  const qreal half = height / 2 + size * 0.1;
  box.shapes.push_back(fenceShape(u'{', 0, width, -axis - half, -axis + half, std::max(1.0, size * 0.06)));
  box.ascent = std::max(box.ascent, axis + half);
  box.descent = std::max(box.descent, half - axis);
  return box;
}

Box plain(const Math& m, qreal points) {
  const qreal size = em(points);
  switch (m.kind) {
  case K::row: return beside(m.parts, points);
  case K::identifier: return text(m.text, points, true);
  case K::number:
  case K::word:
  case K::mark: return text(m.text, points, false);
  case K::sign: {
    Box box;
    // In a script the room is less, as a script is read as one word.
    const qreal room = size * signRoom * (points < 9 ? 0.5 : 1);
    box.width = room;
    box.add(text(m.text, points, false), {room, 0});
    box.width += room;
    return box;
  }
  case K::fraction: return fraction(m, points);
  case K::power:
    if (m.parts[0].kind == K::subscript)
      return scripted(m.parts[0].parts[0], &m.parts[0].parts[1], &m.parts[1], points);
    return scripted(m.parts[0], nullptr, &m.parts[1], points);
  case K::subscript: return scripted(m.parts[0], &m.parts[1], nullptr, points);
  case K::root: return root(m, points);
  case K::big: return big(m, points);
  case K::fence: return fence(m, points);
  case K::cases: return cases(m, points);
  }
  return {};
}

Box set(const Math& m, qreal points) {
  Box box = plain(m, points);
  if (!m.tag.isEmpty())
    box.regions.insert(box.regions.begin(), Box::Region{QRectF(0, -box.ascent, box.width, box.height()), m.tag});
  return box;
}

bool isEquation(const Math& m) {
  return m.kind == K::row && m.parts.size() > 2 && m.parts[1].kind == K::sign && m.parts[1].text == QLatin1String("=");
}

} // namespace

void Box::add(const Box& other, QPointF offset) {
  for (Run run : other.runs) {
    run.at += offset;
    runs.push_back(std::move(run));
  }
  for (const Shape& shape : other.shapes) shapes.push_back({shape.path.translated(offset), shape.pen});
  for (const Region& region : other.regions) regions.push_back({region.rect.translated(offset), region.tag});
  width = std::max(width, offset.x() + other.width);
  ascent = std::max(ascent, other.ascent - offset.y());
  descent = std::max(descent, other.descent + offset.y());
}

void Box::paint(QPainter& painter, QPointF origin, const QColor& ink) const {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.translate(origin);
  painter.setPen(ink);
  for (const Run& run : runs) {
    painter.setFont(run.font);
    painter.drawText(run.at, run.text);
  }
  for (const Shape& shape : shapes) {
    if (shape.pen > 0) {
      painter.setPen(QPen(ink, shape.pen, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
      painter.setBrush(Qt::NoBrush);
    } else {
      painter.setPen(Qt::NoPen);
      painter.setBrush(ink);
    }
    painter.drawPath(shape.path);
  }
  painter.restore();
}

Box typeset(const Math& math, qreal points) { return set(math, points); }

FormulaLayout::FormulaLayout(const std::vector<Math>& lines, qreal points) {
  std::vector<Box> boxes;
  std::vector<qreal> lefts;
  qreal column = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    boxes.push_back(typeset(lines[i], i == 0 ? points * signatureShare : points));
    lefts.push_back(i > 0 && isEquation(lines[i]) ? typeset(lines[i].parts[0], points).width : -1);
    column = std::max(column, lefts.back());
  }
  qreal y = margin, width = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const qreal x = margin + (lefts[i] < 0 ? 0 : column - lefts[i]);
    const qreal height = boxes[i].height();
    width = std::max(width, x + boxes[i].width);
    const qreal ascent = boxes[i].ascent;
    lines_.emplace_back(std::move(boxes[i]), QPointF(x, y + ascent));
    y += height + em(points) * lineRoom;
  }
  size_ = lines_.empty() ? QSizeF(0, 0) : QSizeF(width + margin, y - em(points) * lineRoom + margin);
}

void FormulaLayout::paint(QPainter& painter, const QColor& ink, const QColor& signature) const {
  for (std::size_t i = 0; i < lines_.size(); ++i)
    lines_[i].first.paint(painter, lines_[i].second, i == 0 ? signature : ink);
}

QString FormulaLayout::tagAt(QPointF at) const {
  QString tag;
  qreal least = 0;
  for (const auto& [box, origin] : lines_)
    for (const Box::Region& region : box.regions) {
      const qreal area = region.rect.width() * region.rect.height();
      if (region.rect.contains(at - origin) && (tag.isEmpty() || area < least)) {
        tag = region.tag;
        least = area;
      }
    }
  return tag;
}

std::vector<QRectF> FormulaLayout::rectsOf(const QString& tag) const {
  std::vector<QRectF> out;
  for (const auto& [box, origin] : lines_)
    for (const Box::Region& region : box.regions)
      if (region.tag == tag) out.push_back(region.rect.translated(origin));
  return out;
}

} // namespace aicf::views
