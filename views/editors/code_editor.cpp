#include "views/editors/code_editor.hpp"

#include "views/editors/lexers.hpp"
#include "views/engine/text.hpp"
#include "views/frame/theme.hpp"

#include <QScrollBar>

#include <algorithm>
#include <map>

namespace aicf::views {
namespace {
constexpr int numberMargin = 0, markMargin = 1;
constexpr int errorMarker = 1, warningMarker = 2;
constexpr int errorSquiggle = 8, warningSquiggle = 9, firstStrong = 10;
const std::map<std::string, int> lineMarkers{{"added", 4}, {"removed", 5}, {"gap", 6}};
const std::map<std::string, int> strongIndicators{{"addedStrong", firstStrong}, {"removedStrong", firstStrong + 1}};
constexpr int numberStyle = 60; ///< beyond the styles of every lexer in use
constexpr long fillAlpha = 255;
} // namespace

CodeEditor::CodeEditor(Language language, const QString& name, QWidget* parent)
    : QsciScintilla(parent), language_(language) {
  setAccessibleName(name);
  setUtf8(true);
  setTabWidth(2);
  setIndentationsUseTabs(false);
  setAutoIndent(true);
  setEolMode(EolUnix);
  setScrollWidth(1);
  setScrollWidthTracking(true);
  setMarginType(numberMargin, NumberMargin);
  setMarginType(markMargin, SymbolMargin);
  setMarginWidth(markMargin, language == Language::op ? 14 : 6);
  setMarginMarkerMask(markMargin, (1 << errorMarker) | (1 << warningMarker));
  setMarginWidth(2, 0);
  markerDefine(Circle, errorMarker);
  markerDefine(Circle, warningMarker);
  for (const auto& [color, marker] : lineMarkers) markerDefine(Background, marker);
  indicatorDefine(SquiggleLowIndicator, errorSquiggle);
  indicatorDefine(SquiggleLowIndicator, warningSquiggle);
  for (const auto& [color, indicator] : strongIndicators) {
    indicatorDefine(StraightBoxIndicator, indicator);
    setIndicatorDrawUnder(true, indicator);
  }
  setBraceMatching(SloppyBraceMatch);
  setCaretLineVisible(language == Language::op);
  setCaretWidth(2);
  SendScintilla(SCI_SETEXTRAASCENT, 2L);
  SendScintilla(SCI_SETEXTRADESCENT, 1L);
  connect(this, &QsciScintilla::linesChanged, this, &CodeEditor::sizeMargin);
  connect(&theme(), &Theme::changed, this, &CodeEditor::applyTheme);
  applyTheme();
}

void CodeEditor::applyTheme() {
  const Theme& t = theme();
  QsciLexer* old = lexer();
  setLexer(makeLexer(language_, this));
  delete old;
  if (!lexer()) {
    setFont(t.mono());
    setColor(t.color("name"));
    setPaper(t.color("editor"));
  }
  setMarginsFont(t.mono());
  setMarginsForegroundColor(t.color("lineNumber"));
  setMarginsBackgroundColor(t.color("margin"));
  setFoldMarginColors(t.color("margin"), t.color("margin"));
  setCaretForegroundColor(t.color("text"));
  setCaretLineBackgroundColor(t.color("currentLine"));
  setSelectionBackgroundColor(t.color("selection"));
  resetSelectionForegroundColor();
  setMatchedBraceBackgroundColor(t.color("selection"));
  setMatchedBraceForegroundColor(t.color("text"));
  setUnmatchedBraceBackgroundColor(t.color("badFill"));
  setUnmatchedBraceForegroundColor(t.color("bad"));
  setMarkerBackgroundColor(t.color("bad"), errorMarker);
  setMarkerForegroundColor(t.color("bad"), errorMarker);
  setMarkerBackgroundColor(t.color("warn"), warningMarker);
  setMarkerForegroundColor(t.color("warn"), warningMarker);
  setIndicatorForegroundColor(t.color("bad"), errorSquiggle);
  setIndicatorForegroundColor(t.color("warn"), warningSquiggle);
  for (const auto& [color, marker] : lineMarkers) setMarkerBackgroundColor(t.color(color.c_str()), marker);
  for (const auto& [color, indicator] : strongIndicators) {
    setIndicatorForegroundColor(t.color(color.c_str()), indicator);
    SendScintilla(SCI_INDICSETALPHA, indicator, fillAlpha);
    SendScintilla(SCI_INDICSETOUTLINEALPHA, indicator, fillAlpha);
  }
  QsciStyle numbers(numberStyle, QStringLiteral("numbers"), t.color("lineNumber"), t.color("margin"), t.mono());
  numbers.apply(this);
  sizeMargin();
}

void CodeEditor::sizeMargin() {
  const int digits = std::max(3, int(QString::number(lines()).size()));
  const QFontMetrics metrics(theme().mono());
  setMarginWidth(numberMargin, metrics.horizontalAdvance(QString(digits, '8')) + 10);
}

void CodeEditor::setTextKeepingPlace(const QString& text) {
  if (text == this->text()) return;
  const int top = firstVisibleLine();
  int line = 0, column = 0;
  getCursorPosition(&line, &column);
  setText(text);
  setCursorPosition(line, column);
  setFirstVisibleLine(top);
}

void CodeEditor::setDiagnostics(const std::vector<Diagnostic>& diagnostics) {
  markerDeleteAll(errorMarker);
  markerDeleteAll(warningMarker);
  const int last = std::max(0, lines() - 1);
  clearIndicatorRange(0, 0, last, int(text(last).size()), errorSquiggle);
  clearIndicatorRange(0, 0, last, int(text(last).size()), warningSquiggle);
  clearAnnotations();
  for (const Diagnostic& d : diagnostics) {
    if (d.at.line < 1 || d.at.line > lines()) continue;
    const bool isError = d.severity == Diagnostic::Severity::error;
    const int line = d.at.line - 1, from = std::max(0, d.at.column - 1);
    markerAdd(line, isError ? errorMarker : warningMarker);
    fillIndicatorRange(line, from, line, from + std::max(1, d.at.length), isError ? errorSquiggle : warningSquiggle);
  }
}

void CodeEditor::goTo(int line, int column) {
  setCursorPosition(std::max(0, line - 1), std::max(0, column - 1));
  ensureLineVisible(std::max(0, line - 1));
  setFocus();
}

void CodeEditor::markLine(int line, const char* color) { markerAdd(line, lineMarkers.at(color)); }

void CodeEditor::markRange(int line, int from, int to, const char* color) {
  fillIndicatorRange(line, from, line, to, strongIndicators.at(color));
}

void CodeEditor::clearMarks() {
  for (const auto& [color, marker] : lineMarkers) markerDeleteAll(marker);
  const int last = std::max(0, lines() - 1);
  for (const auto& [color, indicator] : strongIndicators)
    clearIndicatorRange(0, 0, last, int(text(last).size()), indicator);
}

void CodeEditor::setLineNumbers(const QStringList& numbers) {
  setMarginType(numberMargin, TextMarginRightJustified);
  const QsciStyle style(numberStyle, QStringLiteral("numbers"), theme().color("lineNumber"), theme().color("margin"),
                        theme().mono());
  clearMarginText();
  for (int line = 0; line < numbers.size(); ++line) setMarginText(line, numbers[line], style);
}

} // namespace aicf::views
