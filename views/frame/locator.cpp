#include "views/frame/locator.hpp"

#include "views/frame/icons.hpp"
#include "views/frame/theme.hpp"
#include "views/widgets/panes.hpp"

#include <QAbstractListModel>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>
#include <tuple>

namespace aicf::views {
namespace {
constexpr std::size_t mostShown = 60;
constexpr int rowHeight = 28, boxWidth = 680, boxHeight = 440;
constexpr int ExtraRole = Qt::UserRole + 1;
constexpr int KindTextRole = Qt::UserRole + 2;

class LocatorDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
    return {100, rowHeight};
  }
  void paint(QPainter* p, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const Theme& t = theme();
    p->save();
    if (option.state & QStyle::State_Selected) p->fillRect(option.rect, t.color("selection"));
    QRect r = option.rect.adjusted(10, 0, -10, 0);
    index.data(Qt::DecorationRole).value<QIcon>().paint(p, QRect(r.left(), r.center().y() - 8, 16, 16));
    r.setLeft(r.left() + 24);
    const QString kind = index.data(KindTextRole).toString();
    p->setPen(t.color("muted"));
    p->drawText(r, Qt::AlignVCenter | Qt::AlignRight, kind);
    r.setRight(r.right() - option.fontMetrics.horizontalAdvance(kind) - 16);
    const QString text = option.fontMetrics.elidedText(index.data().toString(), Qt::ElideRight, r.width());
    p->setPen(t.color("text"));
    p->drawText(r, Qt::AlignVCenter, text);
    r.setLeft(r.left() + option.fontMetrics.horizontalAdvance(text) + 12);
    p->setPen(t.color("muted"));
    if (r.width() > 30)
      p->drawText(r, Qt::AlignVCenter,
                  option.fontMetrics.elidedText(index.data(ExtraRole).toString(), Qt::ElideRight, r.width()));
    p->restore();
  }
};

} // namespace

class LocatorModel : public QAbstractListModel {
 public:
  using QAbstractListModel::QAbstractListModel;
  void set(std::vector<LocatorEntry> entries) {
    beginResetModel();
    entries_ = std::move(entries);
    endResetModel();
  }
  [[nodiscard]] const LocatorEntry& at(int row) const { return entries_[std::size_t(row)]; }
  [[nodiscard]] int rowCount(const QModelIndex& parent) const override {
    return parent.isValid() ? 0 : int(entries_.size());
  }
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const LocatorEntry& e = at(index.row());
    switch (role) {
    case Qt::DisplayRole: return e.text;
    case Qt::DecorationRole: return icon(e.icon);
    case Qt::AccessibleTextRole: return e.text + ", " + e.kind + ", " + e.extra;
    case ExtraRole: return e.extra;
    case KindTextRole: return e.kind;
    default: return {};
    }
  }

 private:
  std::vector<LocatorEntry> entries_;
};

int matchScore(const QString& query, const QString& text) {
  if (query.isEmpty()) return 1;
  const auto at = text.indexOf(query, 0, Qt::CaseInsensitive);
  const int shorter = 40 - std::min(40, int(text.size()));
  if (at == 0) return 400 + shorter;
  if (at > 0) return (text[at - 1].isLetterOrNumber() ? 200 : 300) + shorter;
  int score = 100;
  qsizetype from = 0;
  for (const QChar c : query) {
    if (c.isSpace()) continue;
    const auto next = text.indexOf(c, from, Qt::CaseInsensitive);
    if (next < 0) return -1;
    score -= int(std::min<qsizetype>(5, next - from));
    from = next + 1;
  }
  // Letters that lie far apart are chance.
  return score > 100 - 4 * int(query.size()) ? score : -1;
}

std::vector<LocatorEntry> locate(const std::vector<LocatorFilter>& filters, const QString& query, std::size_t most) {
  QString rest = query;
  const LocatorFilter* only = nullptr;
  for (const LocatorFilter& f : filters)
    if (query.startsWith(f.prefix)) {
      only = &f;
      rest = query.mid(f.prefix.size());
    }
  rest = rest.trimmed();
  struct Found {
    int score, priority;
    LocatorEntry entry;
  };
  std::vector<Found> found;
  for (const LocatorFilter& f : filters) {
    if (only ? only != &f : rest.isEmpty() && !f.unasked) continue;
    for (LocatorEntry& e : f.entries()) {
      // Extra text is long: letters scattered over it mean nothing.
      const bool inExtra = e.extra.contains(rest, Qt::CaseInsensitive);
      int score = std::max(matchScore(rest, e.text) * 2, inExtra ? matchScore(rest, e.extra) : -1);
      // Kinds of hundreds of ids come after what one works on, but for an id that was typed whole.
      if (!f.unasked && e.text.compare(rest, Qt::CaseInsensitive) != 0) score /= 2;
      if (score > 0) found.push_back({score, f.priority, std::move(e)});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return std::tie(a.score, a.priority) > std::tie(b.score, b.priority);
  });
  if (found.size() > most) found.resize(most);
  std::vector<LocatorEntry> out;
  out.reserve(found.size());
  for (Found& f : found) out.push_back(std::move(f.entry));
  return out;
}

Locator::Locator(Workbench& workbench, QWidget* window)
    : QFrame(window), workbench_(workbench), input_(new QLineEdit), list_(new QListView),
      model_(new LocatorModel(this)), hints_(label({}, "muted")) {
  setRole(*this, "locator");
  input_->setAccessibleName(tr("Find"));
  input_->installEventFilter(this);
  input_->setFrame(false);
  input_->setTextMargins(8, 9, 8, 9);
  QFont large;
  large.setPointSizeF(11);
  input_->setFont(large);
  list_->setAccessibleName(tr("Found"));
  list_->setModel(model_);
  list_->setItemDelegate(new LocatorDelegate(list_));
  list_->setUniformItemSizes(true);
  list_->setFrameShape(QFrame::NoFrame);
  list_->setFocusPolicy(Qt::NoFocus);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 4);
  layout->setSpacing(2);
  auto* rule = new QFrame;
  rule->setFrameStyle(QFrame::HLine | QFrame::Sunken);
  layout->addWidget(input_);
  layout->addWidget(rule);
  layout->addWidget(list_, 1);
  layout->addWidget(hints_);
  hints_->setWordWrap(true);
  hints_->setContentsMargins(10, 2, 10, 4);
  connect(input_, &QLineEdit::textChanged, this, &Locator::update);
  connect(list_, &QListView::clicked, this, &Locator::choose);
  hide();
}

void Locator::popUp(const QString& prefix) {
  filters_ = locatorFilters(workbench_);
  QStringList hints;
  for (const LocatorFilter& f : filters_) hints << f.prefix.trimmed() + QChar(0x00a0) + f.title.toLower();
  input_->setPlaceholderText(tr("Find anything by name"));
  hints_->setText(tr("In one kind only:") + ' ' + hints.join(QStringLiteral("  ·  ")));
  place();
  workbench_.actions().refresh();
  input_->setText(prefix);
  update(prefix);
  show();
  raise();
  input_->setFocus();
}

void Locator::place() {
  const QWidget* window = parentWidget();
  const int width = std::min(boxWidth, window->width() - 40), height = std::min(boxHeight, window->height() - 100);
  setGeometry((window->width() - width) / 2, 64, width, height);
}

void Locator::update(const QString& query) {
  model_->set(locate(filters_, query, mostShown));
  list_->setCurrentIndex(model_->index(0, 0));
}

void Locator::choose() {
  const int row = list_->currentIndex().row();
  hide();
  parentWidget()->setFocus();
  if (row >= 0) model_->at(row).accept();
}

bool Locator::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusOut) hide();
  if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
  const int key = static_cast<QKeyEvent*>(event)->key();
  const int row = list_->currentIndex().row(), rows = model_->rowCount({});
  const auto moveTo = [&](int to) {
    list_->setCurrentIndex(model_->index(std::clamp(to, 0, std::max(0, rows - 1)), 0));
  };
  switch (key) {
  case Qt::Key_Escape:
    hide();
    parentWidget()->setFocus();
    return true;
  case Qt::Key_Return:
  case Qt::Key_Enter: choose(); return true;
  case Qt::Key_Down: moveTo(row + 1); return true;
  case Qt::Key_Up: moveTo(row - 1); return true;
  case Qt::Key_PageDown: moveTo(row + 10); return true;
  case Qt::Key_PageUp: moveTo(row - 10); return true;
  default: return QFrame::eventFilter(watched, event);
  }
}

} // namespace aicf::views
