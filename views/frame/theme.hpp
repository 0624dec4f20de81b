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

  /// While it lives the colours are the light ones, and nobody is told: what is drawn meanwhile is meant for paper.
  class OnPaper {
   public:
    OnPaper();
    ~OnPaper();
    OnPaper(const OnPaper&) = delete;
    OnPaper& operator=(const OnPaper&) = delete;

   private:
    bool dark_;
    QHash<QString, QColor> colors_;
  };

 Q_SIGNALS:
  void changed();

 private:
  void apply();
  void readColors();
  bool dark_ = false;
  QHash<QString, QColor> colors_;
};

[[nodiscard]] Theme& theme();

} // namespace aicf::views
