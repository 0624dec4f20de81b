#include "views/ops/operator_list.hpp"

#include "views/engine/text.hpp"
#include "views/frame/icons.hpp"
#include "views/widgets/panes.hpp"

#include <QAction>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QScrollBar>
#include <QShortcut>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace aicf::views {
namespace {
constexpr int rowHeight = 40, litWidth = 3;
enum OperatorColumn { NameColumn, SummaryColumn, StructuresColumn, PassesColumn };

/// Name and passes in the first line, the comment in the second.
class OperatorDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
    return {120, rowHeight};
  }
  void paint(QPainter* p, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const Theme& t = theme();
    const auto at = [&](int column) { return index.siblingAtColumn(column).data().toString(); };
    p->save();
    if (option.state & QStyle::State_Selected)
      p->fillRect(option.rect, t.color("selection"));
    else if (option.state & QStyle::State_MouseOver)
      p->fillRect(option.rect, t.color("raised"));
    if (index.data(LitRole).toBool())
      p->fillRect(QRect(option.rect.left(), option.rect.top(), litWidth, option.rect.height()), t.color("accent"));
    const QRect inner = option.rect.adjusted(10, 4, -10, -4);
    const QRect top(inner.left(), inner.top(), inner.width(), inner.height() / 2);
    const QRect bottom = top.translated(0, inner.height() / 2);
    const QString passes = at(PassesColumn);
    QFont small = t.mono();
    p->setFont(small);
    p->setPen(t.color("muted"));
    p->drawText(top, Qt::AlignVCenter | Qt::AlignRight, passes);
    const int room = top.width() - QFontMetrics(small).horizontalAdvance(passes) - 8;
    QFont name = option.font;
    name.setWeight(QFont::DemiBold);
    p->setFont(name);
    p->setPen(t.text(Tone(index.data(ToneRole).toInt())));
    p->drawText(top, Qt::AlignVCenter, QFontMetrics(name).elidedText(at(NameColumn), Qt::ElideRight, room));
    p->setFont(option.font);
    p->setPen(t.color("muted"));
    p->drawText(bottom, Qt::AlignVCenter,
                option.fontMetrics.elidedText(at(SummaryColumn), Qt::ElideRight, bottom.width()));
    p->restore();
  }
};

QString tipOf(const OperatorEntry& e) {
  QStringList lines{e.summary, QString(e.structures.join(QStringLiteral(", "))).replace('_', ' ')};
  if (e.analysed && e.problem.isEmpty())
    lines << OperatorList::tr("Passes over the axis: %1 as defined, %2 at best")
                 .arg(e.passesDefinition)
                 .arg(e.passesBest);
  lines << e.problem;
  lines.removeAll(QString());
  return lines.join('\n');
}
} // namespace

RecordModel<OperatorEntry>* makeOperatorModel(QObject* parent) {
  using C = Column<OperatorEntry>;
  return new RecordModel<OperatorEntry>(
      {C{{OperatorList::tr("Operator"), OperatorList::tr("Name of the file; it decides nothing"), CellKind::text, 140},
         [](const auto& e) { return e.name; },
         {},
         [](const auto& e) { return e.problem.isEmpty() ? Tone::plain : Tone::bad; },
         tipOf},
       C{{OperatorList::tr("Summary"), OperatorList::tr("First line of the comment above the operator"), CellKind::text,
          240},
         [](const auto& e) { return e.summary; }},
       C{{OperatorList::tr("Structures"), OperatorList::tr("What computation it is, derived from its definition"),
          CellKind::text, 240},
         [](const auto& e) { return QString(e.structures.join(' ')).replace('_', ' '); }},
       C{{OperatorList::tr("Passes"), OperatorList::tr("Sweeps over the axis: as defined → at best"), CellKind::text,
          80},
         [](const auto& e) {
           return e.analysed && e.problem.isEmpty() ? QStringLiteral("%1→%2").arg(e.passesDefinition).arg(e.passesBest)
                                                    : QString();
         }}},
      parent);
}

OperatorList::OperatorList(Workbench& workbench)
    : workbench_(workbench), model_(makeOperatorModel(this)), proxy_(new RecordProxy(this)), search_(new QLineEdit),
      list_(new QListView), count_(label({}, "muted")) {
  search_->setPlaceholderText(tr("Name, structure, comment"));
  search_->setAccessibleName(tr("Find operators by name, structure or comment"));
  search_->setClearButtonEnabled(true);
  search_->addAction(icon("search"), QLineEdit::LeadingPosition);
  proxy_->setSourceModel(model_);
  list_->setModel(proxy_);
  list_->setAccessibleName(tr("Operators"));
  list_->setItemDelegate(new OperatorDelegate(list_));
  list_->setUniformItemSizes(true);
  list_->setMouseTracking(true);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  count_->setContentsMargins(2, 2, 2, 0);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(search_);
  layout->addWidget(list_, 1);
  layout->addWidget(count_);

  const auto countShown = [this] {
    const int shown = proxy_->rowCount(), all = model_->rowCount();
    count_->setText(shown == all ? tr("Operators: %1").arg(all) : tr("Operators: %1 of %2").arg(shown).arg(all));
  };
  connect(search_, &QLineEdit::textChanged, this, [this, countShown](const QString& text) {
    proxy_->setFilterFixedString(text.trimmed());
    countShown();
    follow();
  });
  connect(&workbench.library(), &Library::loaded, this, &OperatorList::refill);
  connect(&workbench.library(), &Library::entryChanged, this, [this](int index) {
    if (index < model_->rowCount()) model_->setRow(index, workbench_.library().entries()[std::size_t(index)]);
  });
  connect(&workbench.subject(), &Subject::opened, this, &OperatorList::refill);
  connect(proxy_, &QAbstractItemModel::modelReset, this, countShown);
  const auto openAt = [this](const QModelIndex& at) {
    if (at.isValid()) workbench_.open({"op", at.siblingAtColumn(NameColumn).data().toString()});
  };
  connect(list_, &QListView::clicked, this, openAt);
  // Enter takes the one that is meant, an arrow goes on into the list.
  connect(search_, &QLineEdit::returnPressed, this, [this, openAt] { openAt(proxy_->index(bestRow(), NameColumn)); });
  auto* down = new QShortcut(QKeySequence(Qt::Key_Down), search_, nullptr, nullptr, Qt::WidgetShortcut);
  connect(down, &QShortcut::activated, list_, [this] { list_->setFocus(Qt::OtherFocusReason); });
  // Keys move the current row; a filter does so too, and must not open what it happens to land on.
  connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this, openAt](const QModelIndex& at) {
    if (list_->hasFocus()) openAt(at);
  });
  connect(&theme(), &Theme::changed, list_, [this] { list_->viewport()->update(); });
  const auto relight = [this] {
    // The active operator is marked as such already.
    const bool other = workbench_.navigator().active().kind != QLatin1String("op");
    model_->setLit([this, other](const OperatorEntry& e) {
      return other && workbench_.lit().contains({QStringLiteral("op"), e.name});
    });
  };
  connect(&workbench, &Workbench::relit, this, relight);
  relight();
  refill();
}

/// Of the rows that answer to the search: a name that begins with it, or holds it, before a comment or a structure.
int OperatorList::bestRow() const {
  const QString text = search_->text().trimmed();
  int best = 0, most = -1;
  for (int row = 0; row < proxy_->rowCount(); ++row) {
    const QString name = proxy_->index(row, NameColumn).data().toString();
    const int score = name.compare(text, Qt::CaseInsensitive) == 0 ? 3
                      : name.startsWith(text, Qt::CaseInsensitive) ? 2
                      : name.contains(text, Qt::CaseInsensitive)   ? 1
                                                                   : 0;
    if (score <= most) continue;
    best = row;
    most = score;
  }
  return best;
}

QString OperatorList::filter() const { return search_->text(); }
void OperatorList::setFilter(const QString& text) { search_->setText(text); }
int OperatorList::scroll() const { return list_->verticalScrollBar()->value(); }
void OperatorList::setScroll(int value) { list_->verticalScrollBar()->setValue(value); }
void OperatorList::focusSearch() {
  search_->setFocus();
  search_->selectAll();
}

void OperatorList::refill() {
  std::vector<OperatorEntry> rows = workbench_.library().entries();
  const Subject& subject = workbench_.subject();
  // One that was never saved stands last until it has a file.
  if (!subject.isEmpty() && !workbench_.library().find(subject.name())) {
    OperatorEntry draft;
    draft.name = subject.name();
    draft.summary = tr("not saved yet");
    rows.push_back(draft);
  }
  const bool same = rows.size() == model_->rows().size() &&
                    std::equal(rows.begin(), rows.end(), model_->rows().begin(), [](const auto& a, const auto& b) {
                      return a.name == b.name && a.analysed == b.analysed;
                    });
  if (!same) model_->setRows(std::move(rows));
  follow();
}

void OperatorList::follow() {
  for (int row = 0; row < proxy_->rowCount(); ++row)
    if (proxy_->index(row, NameColumn).data() == workbench_.subject().name()) {
      list_->setCurrentIndex(proxy_->index(row, NameColumn));
      return;
    }
  list_->selectionModel()->clear();
}

} // namespace aicf::views
