// A readable page: HTML in the theme's colours, links that open what they name (aicf://…) or do what they say. It is
// written when somebody sees it, and again when the theme changes, at the place where the reader was.
#pragma once
#include "views/frame/theme.hpp"
#include "views/frame/workbench.hpp"

#include <QTextBrowser>

namespace aicf::views {

class Page : public QTextBrowser {
  Q_OBJECT
 public:
  Page(Workbench& workbench, const QString& name);
  /// `write` gives the body; it may be called again at any time on the window's thread. `stay`: it is about the same as
  /// before, and the reader stays where he is.
  void setBody(std::function<QString()> write, bool stay = false);
  void rewrite();
  [[nodiscard]] int place() const; ///< how far it is scrolled, or will be once it is written
  void scrollDown(int place);      ///< the whole page is laid out for it

 protected:
  void showEvent(QShowEvent* event) override;

 Q_SIGNALS:
  /// A link of another scheme than aicf and http: the view knows what it does.
  void asked(const QUrl& link);

 private:
  Workbench& workbench_;
  void writeAt(int place);
  std::function<QString()> write_;
  bool stale_ = false; ///< to be written when it is seen
  int place_ = 0;      ///< and to be scrolled there
};

// Pieces of pages. Texts are escaped here.
[[nodiscard]] QString escaped(const QString& text);
[[nodiscard]] QString heading(const QString& text); ///< of a section
[[nodiscard]] QString paragraph(const QString& text);
[[nodiscard]] QString code(const QString& text); ///< a block in the mono font, lines kept
[[nodiscard]] QString linkTo(const Entity& entity, const QString& text);
[[nodiscard]] QString toned(const QString& text, Tone tone); ///< a word in a tone
/// Rows of cells that are HTML already; the first column is muted.
[[nodiscard]] QString factTable(const std::vector<std::pair<QString, QString>>& rows);
/// A grid with headings; cells are HTML already.
[[nodiscard]] QString grid(const QStringList& headings, const std::vector<QStringList>& rows);

} // namespace aicf::views
