#include "views/frame/locator.hpp"

#include "core/profile/fields.hpp"
#include "views/engine/text.hpp"
#include "views/frame/icons.hpp"
#include "views/frame/theme.hpp"

#include <QAbstractListModel>
#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace aicf::views {
namespace {
constexpr std::size_t mostShown = 60;
constexpr int rowHeight = 28, boxWidth = 620, boxHeight = 380;
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

QString menuOf(const QString& id) { return id.left(id.indexOf('.')); }

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
  std::vector<std::pair<int, LocatorEntry>> found;
  for (const LocatorFilter& f : filters) {
    if (only && only != &f) continue;
    // Commands have a box of their own; among everything else they only answer what was typed.
    if (!only && rest.isEmpty() && f.id == QLatin1String("commands")) continue;
    for (LocatorEntry& e : f.entries()) {
      // Extra text is long: letters scattered over it mean nothing.
      const bool inExtra = e.extra.contains(rest, Qt::CaseInsensitive);
      const int score = std::max(matchScore(rest, e.text) * 2, inExtra ? matchScore(rest, e.extra) : -1);
      if (score > 0) found.emplace_back(score, std::move(e));
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (found.size() > most) found.resize(most);
  std::vector<LocatorEntry> out;
  out.reserve(found.size());
  for (auto& [score, entry] : found) out.push_back(std::move(entry));
  return out;
}

std::vector<LocatorFilter> locatorFilters(Workbench& w) {
  const auto command = Locator::tr("command"), op = Locator::tr("operator"), viewKind = Locator::tr("view"),
             transformation = Locator::tr("transformation"), rule = Locator::tr("rule"),
             variant = Locator::tr("variant"), job = Locator::tr("job");
  return {
      {"commands", ">", Locator::tr("Commands"),
       [&w, command] {
         std::vector<LocatorEntry> out;
         for (const Action& a : w.actions().all())
           if (const QAction* item = w.actions().find(a.id); item->isEnabled())
             out.push_back({QString(a.text).remove('&').remove(QStringLiteral("…")), a.tip,
                            a.shortcut.isEmpty() ? menuOf(a.id) : a.shortcut.toString(QKeySequence::NativeText),
                            a.icon.isEmpty() ? QStringLiteral("command") : a.icon,
                            [&w, id = a.id] { w.actions().trigger(id); }});
         return out;
       }},
      {"views", "v ", Locator::tr("Views"),
       [&w, viewKind] {
         std::vector<LocatorEntry> out;
         for (View* v : w.navigator().views())
           out.push_back({v->title(), v->tip(), viewKind, v->icon(), [&w, id = v->id()] { w.navigator().goTo(id); }});
         return out;
       }},
      {"operators", "o ", Locator::tr("Operators"),
       [&w, op] {
         std::vector<LocatorEntry> out;
         for (const OperatorEntry& e : w.library().entries())
           out.push_back({e.name, e.summary, op, "ops", [&w, name = e.name] { w.open({"op", name}); }});
         return out;
       }},
      {"transformations", "t ", Locator::tr("Transformations"),
       [&w, transformation] {
         std::vector<LocatorEntry> out;
         if (const auto space = w.legality().space())
           for (const LegalityRow& r : space->ledger.rows)
             out.push_back(
                 {qs(r.title), qs(r.transformation), transformation, "builder", [&w, id = qs(r.transformation)] {
                    w.open({"transformation", id});
                  }});
         return out;
       }},
      {"rules", "r ", Locator::tr("Rules"),
       [&w, rule] {
         std::vector<LocatorEntry> out;
         for (const ProfileField& f : profile_fields())
           out.push_back({qs(f.path), qs(f.meaning), rule, "builder", [&w, id = qs(f.path)] { w.open({"rule", id}); }});
         return out;
       }},
      {"variants", "x ", Locator::tr("Variants"),
       [&w, variant] {
         std::vector<LocatorEntry> out;
         for (const VariantRow& v : w.variants().all())
           out.push_back({v.id, v.op + " · " + v.label, variant, "synthesis", [&w, id = v.id] {
                            w.open({"variant", id});
                          }});
         return out;
       }},
      {"jobs", "j ", Locator::tr("Jobs"),
       [&w, job] {
         std::vector<LocatorEntry> out;
         for (const Job& j : w.jobs().all())
           out.push_back(
               {Locator::tr("Job %1").arg(j.number), j.title, job, "jobs", [&w, id = QString::number(j.number)] {
                  w.open({"job", id});
                }});
         return out;
       }},
  };
}

Locator::Locator(Workbench& workbench, QWidget* window)
    : QFrame(window), workbench_(workbench), filters_(locatorFilters(workbench)), input_(new QLineEdit),
      list_(new QListView), model_(new LocatorModel(this)) {
  setObjectName("locator");
  setAutoFillBackground(true);
  input_->setAccessibleName(tr("Find"));
  input_->installEventFilter(this);
  list_->setAccessibleName(tr("Found"));
  list_->setModel(model_);
  list_->setItemDelegate(new LocatorDelegate(list_));
  list_->setUniformItemSizes(true);
  list_->setFocusPolicy(Qt::NoFocus);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(1, 1, 1, 4);
  layout->setSpacing(2);
  layout->addWidget(input_);
  layout->addWidget(list_);
  connect(input_, &QLineEdit::textChanged, this, &Locator::update);
  connect(list_, &QListView::clicked, this, &Locator::choose);
  hide();
}

void Locator::popUp(const QString& prefix) {
  QStringList hints;
  for (const LocatorFilter& f : filters_) hints << f.prefix.trimmed() + ' ' + f.title.toLower();
  input_->setPlaceholderText(tr("Find anything") + QStringLiteral("   ") + hints.join(QStringLiteral("  ·  ")));
  const QWidget* window = parentWidget();
  setGeometry((window->width() - boxWidth) / 2, 64, boxWidth, boxHeight);
  workbench_.actions().refresh();
  input_->setText(prefix);
  update(prefix);
  show();
  raise();
  input_->setFocus();
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
