#include "views/frame/style_parts.hpp"

#include "views/frame/icons.hpp"
#include "views/frame/theme.hpp"

#include <QAbstractItemView>
#include <QPainter>
#include <QScrollArea>
#include <QVariant>

#include <algorithm>

namespace aicf::views::style {
namespace {
constexpr qreal corner = 4;
constexpr int gap = 4, arrowSize = 12, smallArrow = 9, fieldArrow = 18, spinArrow = 16, fieldPad = 7;

QColor ink(const char* name) { return theme().color(name); }

} // namespace

void line(QPainter& painter, const QRect& rect, Qt::Edge side, const char* color, int width) {
  QRect r = rect;
  if (side == Qt::TopEdge) r.setHeight(width);
  if (side == Qt::BottomEdge) r.setTop(r.bottom() - width + 1);
  if (side == Qt::LeftEdge) r.setWidth(width);
  if (side == Qt::RightEdge) r.setLeft(r.right() - width + 1);
  painter.fillRect(r, ink(color));
}

void strip(QPainter& painter, const QRect& rect, const char* fill, Qt::Edge side) {
  painter.fillRect(rect, ink(fill));
  line(painter, rect, side, "border");
}

bool has(const QStyleOption& option, QStyle::StateFlag flag) { return option.state.testFlag(flag); }

bool hasRole(const QWidget* widget, const char* role) {
  return widget && widget->property("role").toString() == QLatin1String(role);
}

bool isOnRail(const QWidget* widget) { return widget && hasRole(widget->parentWidget(), "rail"); }

void box(QPainter& painter, const QRect& rect, const QColor& fill, const QColor& edge, qreal radius) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, radius > 0);
  painter.setBrush(fill.isValid() ? QBrush(fill) : QBrush(Qt::NoBrush));
  painter.setPen(edge.isValid() ? QPen(edge) : QPen(Qt::NoPen));
  const qreal inset = edge.isValid() ? 0.5 : 0;
  if (radius > 0)
    painter.drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), radius, radius);
  else
    painter.drawRect(edge.isValid() ? rect.adjusted(0, 0, -1, -1) : rect);
  painter.restore();
}

void chevron(QPainter& painter, const QRect& room, bool up, bool enabled) {
  const int size = std::min({room.width(), room.height(), arrowSize});
  QRect r(0, 0, size, size);
  r.moveCenter(room.center());
  paintIcon(painter, up ? QStringLiteral("chevron-up") : QStringLiteral("chevron-down"), r,
            ink(enabled ? "muted" : "disabled"));
}

void panel(QPainter& painter, const QStyleOption& option, const QWidget* widget) {
  const QRect r = option.rect;
  if (hasRole(widget, "card")) return box(painter, r, ink("surface"), ink("border"), 6);
  if (hasRole(widget, "locator")) return box(painter, r, ink("surface"), ink("strong"), 8);
  // A label's frame lies inside its margins; its fill does not.
  if (hasRole(widget, "explain")) return box(painter, widget->rect(), ink("surface"), ink("border"));
  if (hasRole(widget, "chip")) return box(painter, widget->rect(), ink("infoFill"), {}, 3);
  if (hasRole(widget, "notice")) return strip(painter, r, "infoFill", Qt::BottomEdge);
  if (hasRole(widget, "rail")) return strip(painter, r, "rail", Qt::RightEdge);
  // A view of rows and an editor show that the keyboard is theirs; a scrolled page has no edge.
  if (qobject_cast<const QScrollArea*>(widget)) return;
  const bool list = qobject_cast<const QAbstractItemView*>(widget) || (widget && widget->inherits("QsciScintilla"));
  box(painter, r, {}, ink(list && has(option, QStyle::State_HasFocus) ? "accent" : "border"));
}

void pushButton(QPainter& painter, const QStyleOption& option, const QWidget* widget) {
  const bool on = has(option, QStyle::State_Enabled), hover = on && has(option, QStyle::State_MouseOver);
  const bool down = has(option, QStyle::State_Sunken) || has(option, QStyle::State_On);
  const bool focus = has(option, QStyle::State_HasFocus);
  QColor fill = ink(!on ? "window" : down ? "selection" : hover ? "hover" : "surface");
  QColor edge = ink(focus ? "accent" : on ? "strong" : "border");
  if (hasRole(widget, "primary")) {
    fill = ink(on ? "accent" : "neutralFill");
    // Its fill is the accent: the keyboard's ring stands out against that.
    edge = ink(!on ? "border" : focus ? "text" : "accent");
  } else if (hasRole(widget, "link")) {
    fill = QColor(); // `{}` would be Qt::color0, which is white
    edge = focus ? ink("accent") : QColor();
  } else if (hasRole(widget, "tick")) {
    fill = ink("infoFill");
    edge = ink(hover || focus ? "info" : "infoFill");
  }
  box(painter, option.rect, fill, edge, corner);
}

void pushButtonLabel(QPainter& painter, const QStyleOptionButton& option, const QWidget* widget) {
  const bool on = has(option, QStyle::State_Enabled), link = hasRole(widget, "link");
  const bool left = link || hasRole(widget, "step");
  const int pad = link ? 5 : left ? 11 : 4;
  QRect room = option.rect.adjusted(pad, 0, -pad, 0);
  painter.save();
  QFont font = painter.font();
  font.setUnderline(link && on && has(option, QStyle::State_MouseOver));
  painter.setFont(font);
  painter.setPen(ink(!on                          ? "disabled"
                     : link                       ? "accent"
                     : hasRole(widget, "primary") ? "onAccent"
                     : hasRole(widget, "tick")    ? "info"
                                                  : "text"));
  if (!option.icon.isNull()) {
    const int text = option.fontMetrics.size(Qt::TextShowMnemonic, option.text).width();
    const int whole = option.iconSize.width() + (text > 0 ? gap + text : 0);
    QRect place(QPoint(), option.iconSize);
    place.moveTop(room.center().y() - place.height() / 2);
    place.moveLeft(left ? room.left() : room.left() + std::max(0, (room.width() - whole) / 2));
    option.icon.paint(&painter, place, Qt::AlignCenter, on ? QIcon::Normal : QIcon::Disabled);
    room.setLeft(place.right() + 1 + gap);
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextShowMnemonic, option.text);
  } else {
    painter.drawText(room, (left ? Qt::AlignLeft : Qt::AlignHCenter) | Qt::AlignVCenter | Qt::TextShowMnemonic,
                     option.text);
  }
  painter.restore();
}

void toolButton(QPainter& painter, const QStyleOption& option, const QWidget* widget) {
  const bool hover = has(option, QStyle::State_MouseOver) && has(option, QStyle::State_Enabled);
  const bool on = has(option, QStyle::State_On), down = on || has(option, QStyle::State_Sunken);
  if (isOnRail(widget)) {
    if (on || hover) painter.fillRect(option.rect, ink(on ? "window" : "hover"));
    if (on) line(painter, option.rect, Qt::LeftEdge, "accent", 3);
    return;
  }
  if (down || hover) box(painter, option.rect, ink(down ? "selection" : "hover"), {}, corner);
}

void field(QPainter& painter, const QStyleOption& option) {
  const bool on = has(option, QStyle::State_Enabled), focus = has(option, QStyle::State_HasFocus);
  box(painter, option.rect, ink(on ? "surface" : "window"), ink(on && focus ? "accent" : "border"), corner);
}

void tick(QPainter& painter, const QStyleOption& option, bool round) {
  const bool enabled = has(option, QStyle::State_Enabled), on = has(option, QStyle::State_On);
  const bool part = has(option, QStyle::State_NoChange);
  const bool lit = on || has(option, QStyle::State_MouseOver) || has(option, QStyle::State_HasFocus);
  const QColor fill = ink(!enabled ? "window" : on ? "accent" : "surface");
  box(painter, option.rect, fill,
      ink(!enabled ? "border"
          : lit    ? "accent"
                   : "strong"),
      round ? option.rect.width() / 2.0 : 3);
  const QColor mark = ink(!enabled ? "disabled" : on ? "onAccent" : "accent");
  const QRect inside = option.rect.adjusted(1, 1, -1, -1);
  if (on && round)
    box(painter, option.rect.adjusted(5, 5, -5, -5), mark, {}, (option.rect.width() - 10) / 2.0);
  else if (on)
    paintIcon(painter, QStringLiteral("check"), inside, mark, 2.2);
  else if (part)
    painter.fillRect(QRect(inside.left() + 2, inside.center().y(), inside.width() - 4, 2), mark);
}

void menuBarRest(QPainter& painter, const QRect& rect, const QWidget* widget) {
  painter.fillRect(rect, ink("rail"));
  const int bottom = widget ? widget->height() - 1 : rect.bottom();
  painter.fillRect(QRect(rect.left(), bottom, rect.width(), 1), ink("border"));
}

void menuBarItem(QPainter& painter, const QStyleOptionMenuItem& option, const QWidget* widget) {
  menuBarRest(painter, option.rect, widget);
  const bool chosen = has(option, QStyle::State_Selected) || has(option, QStyle::State_Sunken);
  if (chosen) painter.fillRect(option.rect, ink("hover"));
  painter.setPen(ink(has(option, QStyle::State_Enabled) ? "text" : "disabled"));
  painter.drawText(option.rect, Qt::AlignCenter | Qt::TextShowMnemonic | Qt::TextSingleLine, option.text);
}

void tab(QPainter& painter, const QStyleOptionTab& option) {
  if (!has(option, QStyle::State_Selected)) return;
  if (has(option, QStyle::State_HasFocus)) painter.fillRect(option.rect, ink("hover"));
  line(painter, option.rect, Qt::BottomEdge, "accent", 2);
}

void headerSection(QPainter& painter, const QStyleOptionHeader& option) {
  strip(painter, option.rect, "window", Qt::BottomEdge);
  const bool last = option.position == QStyleOptionHeader::End || option.position == QStyleOptionHeader::OnlyOneSection;
  if (!last) line(painter, option.rect, Qt::RightEdge, "border");
}

void dockTitle(QPainter& painter, const QStyleOptionDockWidget& option) {
  strip(painter, option.rect, "window", Qt::TopEdge);
  const int buttons = (option.closable ? 22 : 0) + (option.floatable ? 22 : 0);
  const QRect room = option.rect.adjusted(8, 1, -8 - buttons, 0);
  painter.setPen(ink("text"));
  painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                   option.fontMetrics.elidedText(option.title, Qt::ElideRight, room.width()));
}

void comboBox(QPainter& painter, const QStyleOptionComboBox& option, const QRect& arrow) {
  field(painter, option);
  chevron(painter, arrow, false, has(option, QStyle::State_Enabled));
}

void spinBox(QPainter& painter, const QStyleOptionSpinBox& option, const QRect& up, const QRect& down) {
  field(painter, option);
  if (option.buttonSymbols == QAbstractSpinBox::NoButtons) return;
  const bool on = has(option, QStyle::State_Enabled);
  const auto small = [](QRect r) {
    const QPoint middle = r.center();
    r.setSize({smallArrow, smallArrow});
    r.moveCenter(middle);
    return r;
  };
  chevron(painter, small(up), true, on && option.stepEnabled.testFlag(QAbstractSpinBox::StepUpEnabled));
  chevron(painter, small(down), false, on && option.stepEnabled.testFlag(QAbstractSpinBox::StepDownEnabled));
}

void scrollBar(QPainter& painter, const QStyleOptionSlider& option, const QRect& handle, const QWidget* widget) {
  // It lies on what it scrolls.
  const QWidget* area = widget ? widget->parentWidget() : nullptr;
  while (area && !qobject_cast<const QAbstractScrollArea*>(area)) area = area->parentWidget();
  const bool page = !area || qobject_cast<const QScrollArea*>(area);
  painter.fillRect(option.rect, ink(page ? "window" : "surface"));
  if (option.minimum == option.maximum) return;
  const bool lit = has(option, QStyle::State_Sunken) || (has(option, QStyle::State_MouseOver) &&
                                                         option.activeSubControls.testFlag(QStyle::SC_ScrollBarSlider));
  box(painter, handle.adjusted(2, 2, -2, -2), ink(lit ? "muted" : "strong"), {}, 3);
}

QRect comboBoxPart(const QStyleOptionComboBox& option, QStyle::SubControl part) {
  const QRect r = option.rect;
  QRect out = r;
  if (part == QStyle::SC_ComboBoxArrow) out.setLeft(r.right() - fieldArrow);
  if (part == QStyle::SC_ComboBoxEditField) out = r.adjusted(fieldPad, 1, -fieldArrow - 1, -1);
  return QStyle::visualRect(option.direction, r, out);
}

QRect spinBoxPart(const QStyleOptionSpinBox& option, QStyle::SubControl part) {
  const QRect r = option.rect;
  const bool arrows = option.buttonSymbols != QAbstractSpinBox::NoButtons;
  const int half = r.height() / 2;
  QRect out = r;
  if (part == QStyle::SC_SpinBoxUp || part == QStyle::SC_SpinBoxDown) {
    if (!arrows) return {};
    out = part == QStyle::SC_SpinBoxUp ? QRect(r.right() - spinArrow, r.top() + 1, spinArrow, half - 1)
                                       : QRect(r.right() - spinArrow, r.top() + half, spinArrow, r.height() - half - 1);
  }
  if (part == QStyle::SC_SpinBoxEditField)
    out = r.adjusted(fieldPad - 2, 1, arrows ? -spinArrow - 2 : 2 - fieldPad, -1);
  return QStyle::visualRect(option.direction, r, out);
}

QRect scrollBarPart(const QStyleOptionSlider& option, QStyle::SubControl part, int leastHandle) {
  if (part == QStyle::SC_ScrollBarAddLine || part == QStyle::SC_ScrollBarSubLine) return {};
  const bool flat = option.orientation == Qt::Horizontal;
  const int room = flat ? option.rect.width() : option.rect.height();
  const qint64 range = qint64(option.maximum) - option.minimum;
  int size = room;
  if (range > 0) {
    size = int(qint64(option.pageStep) * room / (range + option.pageStep));
    size = std::min(std::max(size, leastHandle), room);
  }
  const int start = QStyle::sliderPositionFromValue(option.minimum, option.maximum, option.sliderPosition, room - size,
                                                    option.upsideDown);
  const auto along = [&](int from, int length) {
    const QRect r = flat ? QRect(option.rect.left() + from, option.rect.top(), length, option.rect.height())
                         : QRect(option.rect.left(), option.rect.top() + from, option.rect.width(), length);
    return QStyle::visualRect(option.direction, option.rect, r);
  };
  if (part == QStyle::SC_ScrollBarSlider) return along(start, size);
  if (part == QStyle::SC_ScrollBarSubPage) return along(0, start);
  if (part == QStyle::SC_ScrollBarAddPage) return along(start + size, room - start - size);
  return option.rect;
}

} // namespace aicf::views::style
