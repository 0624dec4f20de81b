#include "views/frame/theme.hpp"

#include "views/frame/icons.hpp"

#include <QApplication>
#include <QDirIterator>
#include <QFile>
#include <QFontDatabase>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPalette>
#include <QProxyStyle>
#include <QStyleFactory>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace aicf::views {
namespace {
constexpr auto uiFamily = "Inter";
constexpr auto monoFamily = "JetBrains Mono";
constexpr qreal points = 9.75; // 13 pixels at 96 dots an inch

QByteArray resource(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) throw std::logic_error("no resource " + path.toStdString());
  return file.readAll();
}

/// Fusion with the sizes and habits of a dense tool.
class WorkbenchStyle : public QProxyStyle {
 public:
  WorkbenchStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}
  int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override {
    switch (metric) {
    case PM_SmallIconSize:
    case PM_ButtonIconSize:
    case PM_ToolBarIconSize: return 16;
    case PM_LayoutHorizontalSpacing:
    case PM_LayoutVerticalSpacing: return 6;
    default: return QProxyStyle::pixelMetric(metric, option, widget);
    }
  }
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* data) const override {
    switch (hint) {
    case SH_ToolTip_WakeUpDelay: return 400;
    case SH_ItemView_ActivateItemOnSingleClick: return 0;
    case SH_EtchDisabledText: return 0;
    default: return QProxyStyle::styleHint(hint, option, widget, data);
    }
  }
};
} // namespace

Theme& theme() {
  static Theme instance;
  return instance;
}

void Theme::install(bool dark) {
  for (QDirIterator it(":/fonts", {"*.otf", "*.ttf"}, QDir::Files); it.hasNext();)
    if (QFontDatabase::addApplicationFont(it.next()) < 0)
      throw std::logic_error("font not readable: " + it.filePath().toStdString());
  QFont font(QString::fromLatin1(uiFamily));
  font.setPointSizeF(points);
  font.setHintingPreference(QFont::PreferVerticalHinting);
  QApplication::setFont(font);
  QApplication::setStyle(new WorkbenchStyle);
  dark_ = dark;
  apply();
}

void Theme::setDark(bool dark) {
  if (dark == dark_) return;
  dark_ = dark;
  apply();
  Q_EMIT changed();
}

QColor Theme::color(const char* name) const {
  const auto it = colors_.constFind(QLatin1String(name));
  if (it == colors_.constEnd()) throw std::logic_error(std::string("no colour ") + name);
  return *it;
}

QColor Theme::text(Tone tone) const {
  switch (tone) {
  case Tone::plain: return color("text");
  case Tone::muted: return color("muted");
  case Tone::good: return color("good");
  case Tone::warn: return color("warn");
  case Tone::bad: return color("bad");
  case Tone::info: return color("info");
  }
  throw std::logic_error("unknown tone");
}

QColor Theme::fill(Tone tone) const {
  switch (tone) {
  case Tone::plain: return color("surface");
  case Tone::muted: return color("neutralFill");
  case Tone::good: return color("goodFill");
  case Tone::warn: return color("warnFill");
  case Tone::bad: return color("badFill");
  case Tone::info: return color("infoFill");
  }
  throw std::logic_error("unknown tone");
}

QFont Theme::mono() const {
  QFont font(QString::fromLatin1(monoFamily));
  font.setPointSizeF(points - 0.5);
  font.setStyleHint(QFont::Monospace);
  font.setHintingPreference(QFont::PreferVerticalHinting);
  return font;
}

void Theme::apply() {
  const QJsonObject colors =
      QJsonDocument::fromJson(resource(dark_ ? ":/themes/dark.json" : ":/themes/light.json")).object();
  colors_.clear();
  for (auto it = colors.begin(); it != colors.end(); ++it)
    if (it->isString()) colors_.insert(it.key(), QColor(it->toString()));

  QPalette palette;
  const auto set = [&](QPalette::ColorRole role, const char* name) { palette.setColor(role, color(name)); };
  set(QPalette::Window, "window");
  set(QPalette::WindowText, "text");
  set(QPalette::Base, "surface");
  set(QPalette::AlternateBase, "raised");
  set(QPalette::Text, "text");
  set(QPalette::PlaceholderText, "muted");
  set(QPalette::Button, "window");
  set(QPalette::ButtonText, "text");
  set(QPalette::BrightText, "bad");
  set(QPalette::Highlight, "accent");
  set(QPalette::HighlightedText, "onAccent");
  set(QPalette::ToolTipBase, "raised");
  set(QPalette::ToolTipText, "text");
  set(QPalette::Link, "accent");
  set(QPalette::LinkVisited, "accent");
  set(QPalette::Light, "raised");
  set(QPalette::Midlight, "hover");
  set(QPalette::Mid, "border");
  set(QPalette::Dark, "strong");
  set(QPalette::Shadow, "sunken");
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    palette.setColor(QPalette::Disabled, role, color("disabled"));
  QApplication::setPalette(palette);

  QString sheet = QString::fromUtf8(resource(":/themes/workbench.qss"));
  // Pictures are cached by file name: a new theme needs new names.
  ++generation_;
  const std::array<std::pair<QString, const char*>, 3> pictures{
      {{"chevron-down", "muted"}, {"chevron-up", "muted"}, {"check", "onAccent"}}};
  for (const auto& [name, ink] : pictures) {
    const QString path = images_.filePath(name + QString::number(generation_));
    iconPixmap(name, 12, color(ink), 1).save(path + ".png");
    iconPixmap(name, 12, color(ink), 2).save(path + "@2x.png");
    iconPixmap(name, 12, color(ink), 3).save(path + "@3x.png");
    sheet.replace('@' + name, path + ".png");
  }
  QStringList names = colors_.keys();
  std::sort(names.begin(), names.end(), [](const QString& a, const QString& b) { return a.size() > b.size(); });
  for (const QString& name : names) sheet.replace('@' + name, colors_.value(name).name());
  qApp->setStyleSheet(sheet);
}

} // namespace aicf::views
