#include "views/frame/theme.hpp"

#include "views/frame/style.hpp"

#include <QApplication>
#include <QDirIterator>
#include <QFile>
#include <QFontDatabase>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPalette>
#include <QToolTip>

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

void Theme::readColors() {
  const QJsonObject colors =
      QJsonDocument::fromJson(resource(dark_ ? ":/themes/dark.json" : ":/themes/light.json")).object();
  colors_.clear();
  for (auto it = colors.begin(); it != colors.end(); ++it)
    if (it->isString()) colors_.insert(it.key(), QColor(it->toString()));
}

Theme::OnPaper::OnPaper() : dark_(theme().dark_), colors_(theme().colors_) {
  theme().dark_ = false;
  theme().readColors();
}

Theme::OnPaper::~OnPaper() {
  theme().dark_ = dark_;
  theme().colors_ = std::move(colors_);
}

void Theme::apply() {
  readColors();
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
  set(QPalette::Highlight, "selection");
  set(QPalette::HighlightedText, "text");
  set(QPalette::ToolTipBase, "raised");
  set(QPalette::ToolTipText, "text");
  set(QPalette::Link, "accent");
  set(QPalette::LinkVisited, "info");
  set(QPalette::Light, "raised");
  set(QPalette::Midlight, "hover");
  set(QPalette::Mid, "border");
  set(QPalette::Dark, "strong");
  set(QPalette::Shadow, "sunken");
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    palette.setColor(QPalette::Disabled, role, color("disabled"));
  QApplication::setPalette(palette);
  QToolTip::setPalette(palette);
}

} // namespace aicf::views
