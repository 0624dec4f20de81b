// A QScintilla editor in the theme's colours: line numbers, margin marks, squiggles, and a place to jump to.
#pragma once
#include "core/base/diagnostic.hpp"
#include "views/editors/qsci.hpp"

#include <vector>

namespace aicf::views {

class CodeEditor : public QsciScintilla {
  Q_OBJECT
 public:
  enum class Language { none, op, cuda, json, profile };
  CodeEditor(Language language, const QString& name, QWidget* parent = nullptr);

  /// Without losing the caret's line and the scroll position when the text is much the same.
  void setTextKeepingPlace(const QString& text);
  void setDiagnostics(const std::vector<Diagnostic>& diagnostics);
  void goTo(int line, int column); ///< 1-based, as in a Span

  /// Whole lines in a colour of the theme ("added", "removed", "gap"), by 0-based line.
  void markLine(int line, const char* color);
  /// Code points [from, to) of a line, stronger.
  void markRange(int line, int from, int to, const char* color);
  void clearMarks();
  /// Numbers to show in the margin instead of the editor's own; empty strings for lines that have none.
  void setLineNumbers(const QStringList& numbers);

 private:
  void applyTheme();
  void sizeMargin();
  Language language_;
};

} // namespace aicf::views
