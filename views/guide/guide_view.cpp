#include "views/guide/guide_view.hpp"

#include "core/semantics/guide.hpp"
#include "views/engine/text.hpp"
#include "views/guide/page.hpp"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QSplitter>
#include <QUndoStack>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace aicf::views {
namespace {

const RegisterView registration{25, [](Workbench& w) { return std::make_unique<GuideView>(w); }};

/// Shapes as well as colours.
QString markText(GuideRow::Mark mark) {
  switch (mark) {
  case GuideRow::Mark::legal: return GuideView::tr("✓ legal");
  case GuideRow::Mark::refused: return GuideView::tr("✕ refused");
  case GuideRow::Mark::inapplicable: return GuideView::tr("– n/a");
  case GuideRow::Mark::none: break;
  }
  return {};
}
Tone markTone(GuideRow::Mark mark) {
  return mark == GuideRow::Mark::legal ? Tone::good : mark == GuideRow::Mark::refused ? Tone::bad : Tone::muted;
}

std::size_t classPlace(std::string_view id) {
  const auto& all = preservation_classes();
  return std::size_t(std::find_if(all.begin(), all.end(), [&](const auto& c) { return c.id == id; }) - all.begin());
}

} // namespace

RecordModel<GuideRow>* makeGuideModel(QObject* parent) {
  using C = Column<GuideRow>;
  const auto tone = [](const GuideRow& r) {
    return r.mark == GuideRow::Mark::inapplicable ? Tone::muted : Tone::plain;
  };
  return new RecordModel<GuideRow>(
      {C{{GuideView::tr("Transformation"), GuideView::tr("What would be done to the computation"), CellKind::text, 186},
         [](const auto& r) { return r.title; },
         {},
         tone,
         [](const auto& r) { return r.reason.isEmpty() ? r.title : r.title + '\n' + r.reason; }},
       C{{GuideView::tr("Rules"),
          GuideView::tr("Whether the ticked rules allow it for the active operator; n/a: its premises do not hold"),
          CellKind::chip, 92},
         [](const auto& r) { return markText(r.mark); },
         {},
         [](const auto& r) { return markTone(r.mark); },
         [](const auto& r) { return r.reason; }},
       C{{GuideView::tr("Class"), GuideView::tr("What it leaves and what it changes"), CellKind::text, 150},
         [](const auto& r) { return r.preservationClass; },
         {},
         tone}},
      parent);
}

std::vector<GuideRow> guideRows(const Ledger* ledger) {
  std::vector<const Transformation*> all;
  for (const Transformation& t : transformations()) all.push_back(&t);
  std::stable_sort(all.begin(), all.end(), [](const Transformation* a, const Transformation* b) {
    return classPlace(a->preservation_class) < classPlace(b->preservation_class);
  });
  std::vector<GuideRow> rows;
  for (const Transformation* t : all) {
    const TransformationText text = transformation_text(t->id);
    GuideRow row;
    row.id = qs(t->id);
    row.title = qs(text.title);
    row.law = qs(text.law);
    row.preservationClass = qs(t->preservation_class).replace('_', ' ');
    if (const LegalityRow* r = ledger ? ledger->find(t->id) : nullptr) {
      row.mark = !r->applicable ? GuideRow::Mark::inapplicable
                 : r->allowed   ? GuideRow::Mark::legal
                                : GuideRow::Mark::refused;
      row.reason = qs(r->reason);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

GuideView::GuideView(Workbench& workbench) : workbench_(workbench) {}

QWidget* GuideView::widget() {
  if (widget_) return widget_;
  model_ = makeGuideModel(this);
  table_ = new Table(model_, tr("Transformations"), tr("No transformation answers to this filter."));
  list_ = new Pane(tr("Transformations"), table_);
  list_->addCorner(table_->filterLine());
  page_ = new Page(workbench_, tr("What the transformation does, and what the ledger says of it"));
  ticks_ = button({}, tr("The smallest change of the rules that allows it; Undo takes it back"), "tick");
  ticks_->hide();
  auto* right = new QWidget;
  auto* column = new QVBoxLayout(right);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  column->addWidget(page_, 1);
  column->addWidget(ticks_, 0, Qt::AlignLeft);
  pagePane_ = new Pane(tr("Guide"), right);
  widget_ = new QWidget;
  auto* layout = new QHBoxLayout(widget_);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->addWidget(splitter(Qt::Horizontal, {{list_, 470}, {pagePane_, 700}}));
  connect(table_, &Table::currentRowChanged, this, &GuideView::showPage);
  connect(ticks_, &QPushButton::clicked, this, &GuideView::tick);
  connect(&workbench_.legality(), &Legality::changed, this, &GuideView::judge);
  connect(&workbench_, &Workbench::relit, this, [this] {
    model_->setLit([this](const GuideRow& r) {
      return workbench_.lit().contains({QStringLiteral("transformation"), r.id});
    });
  });
  judge();
  follow(workbench_.navigator().active());
  if (selected().isEmpty()) selectFirst();
  return widget_;
}

void GuideView::judge() {
  const QString keep = selected();
  const auto space = workbench_.legality().space();
  model_->setRows(guideRows(space ? &space->ledger : nullptr));
  int legal = 0, refused = 0;
  for (const GuideRow& r : model_->rows()) {
    legal += r.mark == GuideRow::Mark::legal ? 1 : 0;
    refused += r.mark == GuideRow::Mark::refused ? 1 : 0;
  }
  list_->setNote(workbench_.subject().isEmpty() ? tr("choose an operator to have them judged")
                 : space ? tr("%1: %2 legal, %3 refused").arg(workbench_.subject().name()).arg(legal).arg(refused)
                         : tr("judging %1…").arg(workbench_.subject().name()));
  for (int row = 0; row < model_->rowCount(); ++row)
    if (!keep.isEmpty() && model_->at(row).id == keep) table_->keepSourceRow(row);
  showPage();
  if (const int place = space ? std::exchange(awaitedPage_, -1) : -1; place >= 0) page_->scrollDown(place);
}

void GuideView::showPage() {
  const QString id = selected();
  ticks_->hide();
  if (id.isEmpty()) {
    page_->setBody([] { return paragraph(tr("Choose a transformation to read about it.")); });
    return;
  }
  page_->setBody([this, id] { return transformationPage(workbench_, id); }, id == std::exchange(shown_, id));
  const auto space = workbench_.legality().space();
  const LegalityRow* r = space ? space->ledger.find(id.toStdString()) : nullptr;
  if (!r || !r->applicable || r->allowed || r->smallest_ticks.empty()) return;
  QStringList steps;
  for (const std::string& t : r->smallest_ticks) steps << describeTick(qs(t));
  ticks_->setText(tr("Allow it:  %1").arg(steps.join(tr("  and  "))));
  ticks_->show();
}

void GuideView::tick() {
  const auto space = workbench_.legality().space();
  const LegalityRow* r = space ? space->ledger.find(selected().toStdString()) : nullptr;
  if (!r) return;
  const QString title = qs(r->title);
  const QStringList ticks = qs(r->smallest_ticks);
  Rules& rules = workbench_.rules();
  rules.undoStack().beginMacro(tr("allow %1").arg(title));
  for (const QString& t : ticks)
    if (!rules.apply(t)) workbench_.say(tr("The rules have no setting for %1.").arg(t));
  rules.undoStack().endMacro();
}

QString GuideView::selected() const {
  const int row = table_ ? table_->sourceRow() : -1;
  return row >= 0 ? model_->at(row).id : QString();
}

/// Something to read about to begin with: what is refused and could be allowed, else what is legal.
void GuideView::selectFirst() {
  for (const GuideRow::Mark mark : {GuideRow::Mark::refused, GuideRow::Mark::legal})
    for (int row = 0; row < model_->rowCount(); ++row)
      if (model_->at(row).mark == mark) {
        table_->selectSourceRow(row);
        return;
      }
  table_->selectSourceRow(0);
}

void GuideView::select(const QString& transformation) {
  for (int row = 0; row < model_->rowCount(); ++row)
    if (model_->at(row).id == transformation) table_->selectSourceRow(row);
}

void GuideView::show(const Entity& entity) {
  if (widget_) select(entity.id);
}

void GuideView::follow(const Entity& active) {
  if (widget_ && active.kind == QLatin1String("transformation")) select(active.id);
}

bool GuideView::find() {
  if (!widget_) return false;
  table_->filterLine()->setFocus();
  table_->filterLine()->selectAll();
  return true;
}

bool GuideView::isReady() const {
  return !widget_ || workbench_.subject().isEmpty() || workbench_.legality().isCurrent();
}

QJsonObject GuideView::state() const {
  if (!widget_) return {};
  return {{"table", table_->state()}, {"transformation", selected()}, {"page", page_->place()}};
}

void GuideView::restore(const QJsonObject& state) {
  if (!widget_) return;
  const QJsonObject table = state.value("table").toObject();
  table_->restore(table);
  select(state.value("transformation").toString());
  table_->scrollAs(table);
  const int place = state.value("page").toInt();
  page_->scrollDown(place);
  awaitedPage_ = isReady() ? -1 : place;
}

} // namespace aicf::views
