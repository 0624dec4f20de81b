// Colours, fonts and style of the whole window: Fusion with our palettes, switched while running. Whoever paints by
// himself (editors, delegates, plots) asks for colours by name and repaints on changed().
#pragma once
#include <QColor>
#include <QFont>
#include <QHash>
#include <QObject>

namespace aicf::views {

/// How a value is meant; each has a text colour and a fill.
enum class Tone { plain, muted, good, warn, bad, info };

class Theme : public QObject {
  Q_OBJECT
 public:
  /// Fonts, style and palette of the application. Once, after QApplication.
  void install(bool dark);
  void setDark(bool dark);
  [[nodiscard]] bool isDark() const { return dark_; }
  /// A colour of resources/themes/*.json. Throws std::logic_error on an unknown name.
  [[nodiscard]] QColor color(const char* name) const;
  [[nodiscard]] QColor text(Tone tone) const;
  [[nodiscard]] QColor fill(Tone tone) const;
  [[nodiscard]] QFont mono() const; ///< numbers, identifiers, source

 Q_SIGNALS:
  void changed();

 private:
  void apply();
  bool dark_ = false;
  QHash<QString, QColor> colors_;
};

[[nodiscard]] Theme& theme();

} // namespace aicf::views
