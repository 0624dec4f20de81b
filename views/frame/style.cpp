#include "views/frame/style.hpp"

#include "views/frame/icons.hpp"
#include "views/frame/style_parts.hpp"
#include "views/frame/theme.hpp"

#include <QDockWidget>
#include <QPainter>
#include <QStyleFactory>
#include <QToolButton>

namespace aicf::views {
namespace {
constexpr int progressHeight = 6, headerShift = 2;

/// The same option with other ink. Only for types that Qt has in one version: a copy of the base would be cut short.
template <class Option> Option inked(const Option& option, const char* color) {
  Option out = option;
  for (const auto role : {QPalette::ButtonText, QPalette::WindowText, QPalette::Text})
    out.palette.setColor(role, theme().color(color));
  return out;
}

QSize widened(const QSize& size, int width, int height) { return size + QSize(width, height); }

QSize pushButtonSize(const QSize& contents, const QWidget* widget) {
  const QSize least = contents.expandedTo({0, 16});
  if (style::hasRole(widget, "link")) return widened(least, 12, 6);
  if (style::hasRole(widget, "step")) return widened(least, 22, 16);
  if (style::hasRole(widget, "tick")) return widened(least, 22, 8);
  return widened(least, 26, 10);
}
} // namespace

WorkbenchStyle::WorkbenchStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

void WorkbenchStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                                   const QWidget* widget) const {
  const Theme& t = theme();
  switch (element) {
  case PE_Frame: return style::panel(*painter, *option, widget);
  case PE_PanelButtonCommand: return style::pushButton(*painter, *option, widget);
  case PE_PanelButtonTool: return style::toolButton(*painter, *option, widget);
  case PE_FrameFocusRect:
    if (qobject_cast<const QToolButton*>(widget) && !style::isOnRail(widget))
      style::box(*painter, widget->rect(), {}, t.color("accent"), 4);
    return;
  case PE_PanelLineEdit:
  case PE_FrameLineEdit: {
    const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
    if (!frame || frame->lineWidth > 0) style::field(*painter, *option);
    return;
  }
  case PE_IndicatorCheckBox:
  case PE_IndicatorItemViewItemCheck: return style::tick(*painter, *option, false);
  case PE_IndicatorRadioButton: return style::tick(*painter, *option, true);
  case PE_IndicatorHeaderArrow: {
    const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
    return style::chevron(*painter, option->rect, header && header->sortIndicator == QStyleOptionHeader::SortUp);
  }
  case PE_PanelMenu: return style::box(*painter, option->rect, t.color("surface"), {});
  case PE_FrameMenu: return style::box(*painter, option->rect, {}, t.color("strong"));
  case PE_PanelTipLabel: return style::box(*painter, option->rect, t.color("raised"), t.color("strong"));
  case PE_PanelStatusBar: return style::strip(*painter, option->rect, "rail", Qt::TopEdge);
  case PE_FrameTabWidget: return style::line(*painter, option->rect, Qt::TopEdge, "border");
  case PE_IndicatorToolBarSeparator: {
    const QRect r = option->rect;
    painter->fillRect(QRect(r.center().x(), r.top() + 4, 1, r.height() - 8), t.color("border"));
    return;
  }
  case PE_PanelScrollAreaCorner: painter->fillRect(option->rect, t.color("window")); return;
  case PE_FrameStatusBarItem:
  case PE_FrameTabBarBase: return;
  default: QProxyStyle::drawPrimitive(element, option, painter, widget);
  }
}

void WorkbenchStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                                 const QWidget* widget) const {
  const Theme& t = theme();
  const bool hover = style::has(*option, State_MouseOver), on = style::has(*option, State_On);
  switch (element) {
  case CE_PushButtonLabel:
    if (const auto* o = qstyleoption_cast<const QStyleOptionButton*>(option))
      return style::pushButtonLabel(*painter, *o, widget);
    break;
  case CE_ToolButtonLabel:
    if (const auto* o = qstyleoption_cast<const QStyleOptionToolButton*>(option); o && style::isOnRail(widget)) {
      auto label = inked(*o, style::has(*o, State_HasFocus) ? "accent" : hover || on ? "text" : "muted");
      label.rect = o->rect.adjusted(3, 4, -2, -3);
      return QProxyStyle::drawControl(element, &label, painter, widget);
    }
    break;
  case CE_MenuBarItem:
    if (const auto* o = qstyleoption_cast<const QStyleOptionMenuItem*>(option))
      return style::menuBarItem(*painter, *o, widget);
    break;
  case CE_MenuBarEmptyArea: return style::menuBarRest(*painter, option->rect, widget);
  case CE_HeaderSection:
    if (const auto* o = qstyleoption_cast<const QStyleOptionHeader*>(option)) return style::headerSection(*painter, *o);
    break;
  case CE_ToolBar:
  case CE_HeaderEmptyArea: return style::strip(*painter, option->rect, "window", Qt::BottomEdge);
  case CE_HeaderLabel: {
    // Over the text of the cells below, which stands further in than Qt's own margin.
    auto draw = [&](auto label) {
      label.rect.adjust(headerShift, 0, -headerShift, 0);
      QProxyStyle::drawControl(element, &label, painter, widget);
    };
    if (const auto* o = qstyleoption_cast<const QStyleOptionHeaderV2*>(option)) return draw(inked(*o, "muted"));
    if (const auto* o = qstyleoption_cast<const QStyleOptionHeader*>(option)) return draw(inked(*o, "muted"));
    break;
  }
  case CE_TabBarTabShape:
    if (const auto* o = qstyleoption_cast<const QStyleOptionTab*>(option)) return style::tab(*painter, *o);
    break;
  case CE_TabBarTabLabel:
    if (const auto* o = qstyleoption_cast<const QStyleOptionTab*>(option)) {
      const auto label = inked(*o, style::has(*o, State_Selected) || hover ? "text" : "muted");
      return QProxyStyle::drawControl(element, &label, painter, widget);
    }
    break;
  case CE_Splitter: painter->fillRect(option->rect, t.color(hover ? "hover" : "window")); return;
  case CE_DockWidgetTitle:
    if (const auto* o = qstyleoption_cast<const QStyleOptionDockWidget*>(option); o && !o->verticalTitleBar)
      return style::dockTitle(*painter, *o);
    break;
  case CE_ProgressBarGroove: return style::box(*painter, option->rect, t.color("sunken"), {}, 3);
  case CE_ProgressBarContents:
    if (const auto* o = qstyleoption_cast<const QStyleOptionProgressBar*>(option); o && o->maximum > o->minimum) {
      const double part = double(qint64(o->progress) - o->minimum) / double(qint64(o->maximum) - o->minimum);
      QRect done = o->rect;
      done.setWidth(qRound(done.width() * qBound(0.0, part, 1.0)));
      if (!done.isEmpty()) style::box(*painter, done, t.color("accent"), {}, 3);
      return;
    }
    break;
  case CE_ProgressBarLabel: return;
  default: break;
  }
  QProxyStyle::drawControl(element, option, painter, widget);
}

void WorkbenchStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                                        const QWidget* widget) const {
  const auto part = [&](SubControl which) { return subControlRect(control, option, which, widget); };
  if (control == CC_ComboBox)
    if (const auto* o = qstyleoption_cast<const QStyleOptionComboBox*>(option))
      return style::comboBox(*painter, *o, part(SC_ComboBoxArrow));
  if (control == CC_SpinBox)
    if (const auto* o = qstyleoption_cast<const QStyleOptionSpinBox*>(option))
      return style::spinBox(*painter, *o, part(SC_SpinBoxUp), part(SC_SpinBoxDown));
  if (control == CC_ScrollBar)
    if (const auto* o = qstyleoption_cast<const QStyleOptionSlider*>(option))
      return style::scrollBar(*painter, *o, part(SC_ScrollBarSlider), widget);
  QProxyStyle::drawComplexControl(control, option, painter, widget);
}

QRect WorkbenchStyle::subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const {
  switch (element) {
  case SE_LineEditContents: {
    const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
    return frame && frame->lineWidth > 0 ? option->rect.adjusted(5, 1, -5, -1) : option->rect;
  }
  case SE_TabWidgetTabContents: return subElementRect(SE_TabWidgetTabPane, option, widget).adjusted(0, 1, 0, 0);
  case SE_ProgressBarGroove:
  case SE_ProgressBarContents:
  case SE_ProgressBarLabel: return option->rect;
  default: return QProxyStyle::subElementRect(element, option, widget);
  }
}

QRect WorkbenchStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                                     const QWidget* widget) const {
  if (control == CC_ComboBox)
    if (const auto* o = qstyleoption_cast<const QStyleOptionComboBox*>(option)) return style::comboBoxPart(*o, part);
  if (control == CC_SpinBox)
    if (const auto* o = qstyleoption_cast<const QStyleOptionSpinBox*>(option)) return style::spinBoxPart(*o, part);
  if (control == CC_ScrollBar)
    if (const auto* o = qstyleoption_cast<const QStyleOptionSlider*>(option))
      return style::scrollBarPart(*o, part, pixelMetric(PM_ScrollBarSliderMin, option, widget));
  return QProxyStyle::subControlRect(control, option, part, widget);
}

QSize WorkbenchStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                                       const QWidget* widget) const {
  switch (type) {
  case CT_PushButton: return pushButtonSize(contents, widget);
  case CT_ToolButton: return style::isOnRail(widget) ? widened(contents, 5, 13) : widened(contents, 14, 8);
  case CT_LineEdit: {
    const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
    return frame && frame->lineWidth > 0 ? widened(contents, 10, 8) : contents;
  }
  case CT_ComboBox: return widened(contents.expandedTo({0, 18}), 32, 8);
  case CT_SpinBox: return widened(contents.expandedTo({0, 18}), 24, 8);
  case CT_CheckBox:
  case CT_RadioButton: return widened(contents.expandedTo({0, 16}), 25, 0);
  case CT_MenuBarItem: return widened(contents, 18, 9);
  case CT_MenuItem: return widened(QProxyStyle::sizeFromContents(type, option, contents, widget), 0, 3);
  case CT_ProgressBar: return {contents.width(), progressHeight};
  default: return QProxyStyle::sizeFromContents(type, option, contents, widget);
  }
}

int WorkbenchStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
  switch (metric) {
  case PM_DefaultFrameWidth:
  case PM_MenuPanelWidth: return 1;
  case PM_SmallIconSize:
  case PM_ButtonIconSize:
  case PM_ToolBarIconSize: return 16;
  case PM_LayoutHorizontalSpacing:
  case PM_LayoutVerticalSpacing:
  case PM_CheckBoxLabelSpacing:
  case PM_RadioButtonLabelSpacing: return 6;
  case PM_IndicatorWidth:
  case PM_IndicatorHeight:
  case PM_ExclusiveIndicatorWidth:
  case PM_ExclusiveIndicatorHeight: return 15;
  case PM_SplitterWidth: return 7;
  case PM_ScrollBarExtent: return 11;
  case PM_ScrollBarSliderMin: return 28;
  case PM_ScrollView_ScrollBarSpacing: return 0;
  case PM_HeaderMargin: return 4;
  case PM_HeaderMarkSize: return 9;
  case PM_MenuVMargin: return 4;
  case PM_MenuBarItemSpacing:
  case PM_MenuBarPanelWidth:
  case PM_MenuBarHMargin:
  case PM_MenuBarVMargin:
  case PM_ButtonShiftHorizontal:
  case PM_ButtonShiftVertical:
  case PM_TabBarTabShiftHorizontal:
  case PM_TabBarTabShiftVertical:
  case PM_TabBarBaseOverlap:
  case PM_TabBarTabOverlap: return 0;
  case PM_TabBarTabHSpace: return 20;
  case PM_TabBarTabVSpace: return 11;
  case PM_ToolBarItemMargin: return 3;
  case PM_ToolBarItemSpacing: return 2;
  case PM_ToolBarSeparatorExtent: return 11;
  case PM_ToolTipLabelFrameWidth:
  case PM_DockWidgetTitleMargin: return 4;
  default: return QProxyStyle::pixelMetric(metric, option, widget);
  }
}

/// Of a dock's title: Qt's own are small pictures of one colour.
QIcon WorkbenchStyle::standardIcon(StandardPixmap which, const QStyleOption* option, const QWidget* widget) const {
  if (qobject_cast<const QDockWidget*>(widget) != nullptr) {
    if (which == SP_TitleBarCloseButton) return icon("close");
    if (which == SP_TitleBarNormalButton) return icon("float");
  }
  return QProxyStyle::standardIcon(which, option, widget);
}

int WorkbenchStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                              QStyleHintReturn* data) const {
  switch (hint) {
  case SH_ToolTip_WakeUpDelay: return 400;
  case SH_ItemView_ActivateItemOnSingleClick:
  case SH_DialogButtonBox_ButtonsHaveIcons:
  case SH_EtchDisabledText:
  case SH_ComboBox_Popup: return 0;
  default: return QProxyStyle::styleHint(hint, option, widget, data);
  }
}

} // namespace aicf::views
