#include "views/guide/page.hpp"

#include <QDesktopServices>
#include <QScrollBar>

namespace aicf::views {
namespace {

QString sheet() {
  const Theme& t = theme();
  const auto c = [&](const char* name) { return t.color(name).name(); };
  return QStringLiteral("body { color: %1; } h2 { font-size: 15pt; font-weight: 600; margin: 2px 0 4px 0; }"
                        "h3 { font-size: 9.75pt; font-weight: 600; margin: 14px 0 3px 0; color: %2; }"
                        "p { margin: 0 0 6px 0; } a { color: %3; text-decoration: none; }"
                        "pre { font-family: '%4'; font-size: %5pt; margin: 4px 0 6px 0; color: %1; }"
                        "td.fact { color: %2; padding: 1px 12px 2px 0; } td.value { padding: 1px 0 2px 0; }"
                        "th { color: %2; font-weight: normal; text-align: left; padding: 2px 10px 2px 0; }"
                        "td.cell { padding: 1px 10px 1px 0; font-family: '%4'; font-size: %5pt; }")
      .arg(c("text"), c("muted"), c("accent"), t.mono().family())
      .arg(t.mono().pointSizeF());
}

} // namespace

Page::Page(Workbench& workbench, const QString& name) : workbench_(workbench) {
  setAccessibleName(name);
  setOpenLinks(false);
  setFrameShape(QFrame::NoFrame);
  setTabChangesFocus(true);
  document()->setDocumentMargin(10);
  connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
    if (const auto entity = Entity::fromUri(link.toString(QUrl::FullyEncoded))) {
      if (!workbench_.open(*entity)) workbench_.say(tr("Nothing is called %1.").arg(entity->id));
    } else if (link.scheme().startsWith(QLatin1String("http"))) {
      QDesktopServices::openUrl(link);
    } else {
      Q_EMIT asked(link);
    }
  });
  connect(&theme(), &Theme::changed, this, &Page::rewrite);
}

void Page::setBody(std::function<QString()> write, bool stay) {
  write_ = std::move(write);
  writeAt(stay ? place() : 0);
}

void Page::rewrite() { writeAt(place()); }

void Page::writeAt(int place) {
  stale_ = !isVisible();
  place_ = place;
  if (stale_) return;
  document()->setDefaultStyleSheet(sheet());
  setHtml(QStringLiteral("<body>%1</body>").arg(write_ ? write_() : QString()));
  if (place > 0)
    scrollDown(place);
  else
    verticalScrollBar()->setValue(0);
}

void Page::showEvent(QShowEvent* event) {
  QTextBrowser::showEvent(event);
  if (stale_) rewrite();
}

int Page::place() const { return stale_ ? place_ : verticalScrollBar()->value(); }

void Page::scrollDown(int place) {
  place_ = place;
  if (stale_) return;
  (void)document()->size(); // laid out bit by bit otherwise, and the bar's range with it
  verticalScrollBar()->setValue(place);
}

QString escaped(const QString& text) { return text.toHtmlEscaped(); }
QString heading(const QString& text) { return QStringLiteral("<h3>%1</h3>").arg(escaped(text)); }
QString paragraph(const QString& text) {
  return text.isEmpty() ? QString()
                        : QStringLiteral("<p>%1</p>").arg(escaped(text).replace('\n', QStringLiteral("<br>")));
}
QString code(const QString& text) {
  return QStringLiteral("<table width=\"100%\" cellpadding=\"6\" cellspacing=\"0\" bgcolor=\"%1\"><tr><td><pre "
                        "style=\"white-space: pre-wrap; margin: 0\">%2</pre></td></tr></table>")
      .arg(theme().color("raised").name(), escaped(text));
}
QString linkTo(const Entity& entity, const QString& text) {
  return QStringLiteral("<a href=\"%1\">%2</a>").arg(escaped(entity.uri()), escaped(text));
}
QString toned(const QString& text, Tone tone) {
  return QStringLiteral("<span style=\"color: %1\">%2</span>").arg(theme().text(tone).name(), escaped(text));
}

QString factTable(const std::vector<std::pair<QString, QString>>& rows) {
  QString out = QStringLiteral("<table cellspacing=\"0\">");
  for (const auto& [name, value] : rows)
    if (!value.isEmpty())
      out += QStringLiteral("<tr><td class=\"fact\">%1</td><td class=\"value\">%2</td></tr>").arg(escaped(name), value);
  return out + QStringLiteral("</table>");
}

QString grid(const QStringList& headings, const std::vector<QStringList>& rows) {
  QString out = QStringLiteral("<table cellspacing=\"0\"><tr>");
  for (const QString& h : headings) out += QStringLiteral("<th>%1</th>").arg(escaped(h));
  out += QStringLiteral("</tr>");
  for (const QStringList& row : rows) {
    out += QStringLiteral("<tr>");
    for (const QString& cell : row) out += QStringLiteral("<td class=\"cell\">%1</td>").arg(cell);
    out += QStringLiteral("</tr>");
  }
  return out + QStringLiteral("</table>");
}

} // namespace aicf::views
