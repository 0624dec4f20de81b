#include "views/documents/documents_view.hpp"

#include "views/engine/text.hpp"
#include "views/widgets/panes.hpp"

#include <QAction>
#include <QDir>
#include <QFile>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QScrollBar>
#include <QSplitter>
#include <QTextBlock>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace aicf::views {

static const RegisterView registration{90, [](Workbench& w) { return std::make_unique<DocumentsView>(w); }};

namespace {
constexpr auto commandsId = "commands";
constexpr qreal linePercent = 130;

QString titleOfPage(const QString& markdown) { return markdown.section('\n', 0, 0).mid(2).trimmed(); }
} // namespace

std::vector<Document> documents() {
  std::vector<Document> out;
  const QDir folder(QStringLiteral(":/documents"));
  for (const QString& name : folder.entryList({"*.md"}, QDir::Files, QDir::Name)) {
    QFile file(folder.filePath(name));
    if (!file.open(QIODevice::ReadOnly)) continue;
    const QString text = QString::fromUtf8(file.readAll());
    out.push_back({name.section('-', 1).section('.', 0, 0), titleOfPage(text), text});
  }
  out.push_back({QString::fromLatin1(commandsId), DocumentsView::tr("Commands and keys"), {}});
  return out;
}

QString commandsPage(const Actions& actions) {
  QMap<QString, QString> menus;
  QStringList order;
  for (const Action& a : actions.all()) {
    const QString menu = a.id.section('.', 0, 0);
    if (!menus.contains(menu)) order << menu;
    menus[menu] += QStringLiteral("<tr><td>%1</td><td><code>%2</code></td><td>%3</td></tr>")
                       .arg(QString(a.text).remove('&').remove(QStringLiteral("…")).toHtmlEscaped(),
                            a.shortcut.toString(QKeySequence::NativeText).toHtmlEscaped(), a.tip.toHtmlEscaped());
  }
  QString html = QStringLiteral("<h1>%1</h1>").arg(DocumentsView::tr("Commands and keys"));
  html += QStringLiteral("<p>%1</p>")
              .arg(DocumentsView::tr("Ctrl+Shift+P runs any of them by name. Tab and Shift+Tab go from field to field, "
                                     "arrows move in lists and tables, the menu key opens a table's own menu, Esc "
                                     "closes what popped up."));
  for (const QString& menu : std::as_const(order))
    html += QStringLiteral("<h2>%1</h2><table cellpadding=\"4\">%2</table>").arg(capitalised(menu), menus[menu]);
  return html;
}

DocumentsView::DocumentsView(Workbench& workbench) : workbench_(workbench), documents_(documents()) {
  workbench.actions().add({"help.keys",
                           tr("&Commands and Keys"),
                           tr("Every command with its keys, on one page"),
                           {},
                           QKeySequence(Qt::Key_F1),
                           {},
                           [this] {
                             workbench_.open({"document", commandsId});
                           }});
  workbench.actions().add({"help.first",
                           tr("&First Five Minutes"),
                           tr("From an operator to an exported profile, on one page"),
                           {},
                           {},
                           {},
                           [this] {
                             workbench_.open({"document", "five-minutes"});
                           }});
  workbench.addFilter(
      {"documents", "d ", tr("Documents"),
       [this] {
         std::vector<LocatorEntry> out;
         for (const Document& d : documents_)
           out.push_back({d.title, d.markdown.section('\n', 2, 2), tr("document"), "documents", [this, id = d.id] {
                            workbench_.open({"document", id});
                          }});
         return out;
       },
       25});
}

QWidget* DocumentsView::widget() {
  if (widget_) return widget_;
  list_ = new QListWidget;
  list_->setAccessibleName(tr("Documents"));
  for (const Document& d : documents_) list_->addItem(d.title);
  page_ = new QTextBrowser;
  page_->setAccessibleName(tr("Page"));
  page_->setOpenLinks(false);
  page_->document()->setDocumentMargin(24);
  search_ = new QLineEdit;
  search_->setPlaceholderText(tr("Find in the page"));
  search_->setAccessibleName(tr("Find in the page"));
  search_->setToolTip(tr("Enter goes to the next place (Ctrl+F)"));
  search_->setClearButtonEnabled(true);
  auto* left = new QWidget;
  auto* leftLayout = new QVBoxLayout(left);
  leftLayout->setContentsMargins(0, 0, 0, 0);
  leftLayout->setSpacing(4);
  leftLayout->addWidget(search_);
  leftLayout->addWidget(list_, 1);
  widget_ = new QWidget;
  auto* layout = new QHBoxLayout(widget_);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->addWidget(splitter(Qt::Horizontal, {{left, 220}, {page_, 960}}));
  connect(list_, &QListWidget::currentRowChanged, this, &DocumentsView::render);
  connect(search_, &QLineEdit::returnPressed, this, &DocumentsView::search);
  connect(page_, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) {
    const auto entity = Entity::fromUri(url.toString());
    if (!entity || !workbench_.open(*entity)) workbench_.say(tr("Nothing is called %1.").arg(url.toString()));
  });
  connect(&theme(), &Theme::changed, this, [this] {
    const int place = page_->verticalScrollBar()->value();
    render();
    page_->verticalScrollBar()->setValue(place);
  });
  list_->setCurrentRow(0);
  return widget_;
}

void DocumentsView::render() {
  const int row = list_->currentRow();
  if (row < 0) return;
  const Document& d = documents_[std::size_t(row)];
  page_->document()->setDefaultStyleSheet(
      QStringLiteral("a { color: %1; } code, pre { color: %2; } td { padding: 2px 14px 2px 0; }")
          .arg(theme().color("accent").name(), theme().color("function").name()));
  if (d.id == QLatin1String(commandsId))
    page_->setHtml(commandsPage(workbench_.actions()));
  else
    page_->setMarkdown(d.markdown);
  // Markdown takes the document's fonts and no line height.
  QTextCursor cursor(page_->document());
  for (QTextBlock block = page_->document()->begin(); block.isValid(); block = block.next()) {
    cursor.setPosition(block.position());
    QTextBlockFormat format = block.blockFormat();
    format.setLineHeight(linePercent, QTextBlockFormat::ProportionalHeight);
    cursor.setBlockFormat(format);
    for (auto it = block.begin(); !it.atEnd(); ++it) {
      const QTextFragment part = it.fragment();
      if (!part.charFormat().fontFixedPitch() && !part.charFormat().isAnchor()) continue;
      QTextCursor over(page_->document());
      over.setPosition(part.position());
      over.setPosition(part.position() + part.length(), QTextCursor::KeepAnchor);
      QTextCharFormat ink;
      if (part.charFormat().isAnchor()) ink.setForeground(theme().color("accent"));
      if (part.charFormat().fontFixedPitch()) {
        ink.setFont(theme().mono());
        ink.setForeground(theme().color("function"));
      }
      over.mergeCharFormat(ink);
    }
  }
  page_->moveCursor(QTextCursor::Start);
}

void DocumentsView::search() {
  if (page_->find(search_->text())) return;
  page_->moveCursor(QTextCursor::Start);
  if (!page_->find(search_->text())) workbench_.say(tr("The page does not hold “%1”.").arg(search_->text()));
}

void DocumentsView::show(const Entity& entity) {
  for (std::size_t i = 0; i < documents_.size(); ++i)
    if (documents_[i].id == entity.id) list_->setCurrentRow(int(i));
}

bool DocumentsView::find() {
  if (!search_) return false;
  search_->setFocus();
  search_->selectAll();
  return true;
}

QJsonObject DocumentsView::state() const {
  if (!widget_) return {};
  return {{"document", documents_[std::size_t(std::max(0, list_->currentRow()))].id},
          {"search", search_->text()},
          {"scroll", page_->verticalScrollBar()->value()}};
}

void DocumentsView::restore(const QJsonObject& state) {
  if (!widget_) return;
  show({"document", state.value("document").toString()});
  search_->setText(state.value("search").toString());
  page_->verticalScrollBar()->setValue(state.value("scroll").toInt());
}

} // namespace aicf::views
