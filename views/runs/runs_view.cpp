#include "views/runs/runs_view.hpp"

#include "core/evidence/store.hpp"
#include "views/engine/duration.hpp"
#include "views/engine/text.hpp"
#include "views/widgets/panes.hpp"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QSplitter>
#include <QThreadPool>

#include <algorithm>
#include <filesystem>

namespace aicf::views {

static const RegisterView registration{70, [](Workbench& w) { return std::make_unique<RunsView>(w); }};

namespace {
constexpr std::size_t mostRows = 1'000'000, mostFound = 2000, firstRows = 200;

Tone statusTone(const std::string& status) {
  if (status == "ok" || status == "validated" || status == "passed") return Tone::good;
  return status.empty() ? Tone::muted : status == "cancelled" ? Tone::warn : Tone::bad;
}
} // namespace

RecordModel<const Evidence*>* makeRunsModel(QObject* parent) {
  using C = Column<const Evidence*>;
  const auto text = [](std::string Evidence::*member) {
    return [member](const Evidence* e) { return qs(e->*member); };
  };
  const auto key = [](std::string RunKey::*member) {
    return [member](const Evidence* e) { return qs(e->key.*member); };
  };
  return new RecordModel<const Evidence*>(
      {C{{RunsView::tr("Started"), RunsView::tr("UTC"), CellKind::mono, 158},
         text(&Evidence::started),
         [](const Evidence* e) { return qs(e->started).left(19).replace('T', ' '); }},
       C{{RunsView::tr("Kind"),
          RunsView::tr(
              "synth: a variant, built and judged; check: a kernel of one's own; probe: a measurement of the machine"),
          CellKind::text, 80},
         key(&RunKey::kind)},
       C{{RunsView::tr("Status"), RunsView::tr("How the run ended"), CellKind::chip, 96},
         [](const Evidence* e) { return QString(qs(e->status)).replace('_', ' '); },
         {},
         [](const Evidence* e) { return statusTone(e->status); }},
       C{{RunsView::tr("Shape"), RunsView::tr("Sizes of the dims"), CellKind::mono, 150}, key(&RunKey::shape)},
       C{{RunsView::tr("Type"), RunsView::tr("Element type that float was bound to"), CellKind::mono, 52},
         key(&RunKey::dtype)},
       C{{RunsView::tr("Device"), RunsView::tr("What it ran on; the emulator is a device too"), CellKind::text, 130},
         key(&RunKey::device)},
       C{{RunsView::tr("Took"), RunsView::tr("From start to end; empty where nobody timed it"), CellKind::number, 72},
         [](const Evidence* e) { return e->seconds > 0 ? QVariant(e->seconds) : QVariant(); },
         [](const Evidence* e) { return duration(e->seconds); }},
       C{{RunsView::tr("Id"), RunsView::tr("Hash of the row's content"), CellKind::mono, 110},
         [](const Evidence* e) { return qs(e->id).left(12); }},
       C{{RunsView::tr("Command"), RunsView::tr("The command that would do it again"), CellKind::mono, 240},
         text(&Evidence::command),
         {},
         {},
         text(&Evidence::command)}},
      parent);
}

RecordModel<Metric>* makeEvidenceMetricsModel(QObject* parent) {
  using C = Column<Metric>;
  const auto has = [](const Metric& m) {
    return m.source == Metric::Source::measured || m.source == Metric::Source::exact ||
           m.source == Metric::Source::estimated;
  };
  return new RecordModel<Metric>(
      {C{{RunsView::tr("Metric"), RunsView::tr("What was counted or measured"), CellKind::mono, 240},
         [](const auto& m) { return qs(m.id); }},
       C{{RunsView::tr("Value"), RunsView::tr("Not shown where nothing was measured"), CellKind::number, 110},
         [has](const auto& m) { return has(m) ? QVariant(m.value) : QVariant(); },
         [has](const auto& m) { return has(m) ? number(m.value, 6) : QString(); },
         {},
         {},
         [](const auto& m) {
           return Origin{RunsView::tr("%1 by %2, samples: %3, in the evidence row %4.")
                             .arg(QString(qs(name_of(m.source))).replace('_', ' '),
                                  m.method.empty() ? RunsView::tr("no named method") : qs(m.method))
                             .arg(m.samples)
                             .arg(qs(m.evidence).left(12)),
                         m.evidence.empty() ? QString() : "aicf://run/" + qs(m.evidence)};
         }},
       C{{RunsView::tr("Spread"), RunsView::tr("Low and high, as the method names them"), CellKind::mono, 150},
         [](const auto& m) { return m.hi - m.lo; },
         [has](const auto& m) {
           return has(m) && m.lo != m.hi ? number(m.lo, 4) + QStringLiteral(" … ") + number(m.hi, 4) : QString();
         }},
       C{{RunsView::tr("Unit"), RunsView::tr("Of the value and its spread"), CellKind::text, 90},
         [](const auto& m) { return qs(m.unit); }},
       C{{RunsView::tr("Source"), RunsView::tr("measured on a device, exact by counting, or estimated"), CellKind::text,
          100},
         [](const auto& m) { return QString(qs(name_of(m.source))).replace('_', ' '); }},
       C{{RunsView::tr("Samples"), RunsView::tr("How many measurements the value stands for"), CellKind::number, 70},
         [](const auto& m) { return m.samples; }},
       C{{RunsView::tr("Method"), RunsView::tr("How the number was made, with its estimator"), CellKind::text, 240},
         [](const auto& m) { return qs(m.method); }}},
      parent);
}

RunsView::RunsView(Workbench& workbench)
    : workbench_(workbench), newest_(this), loading_(this), arranging_(this), choosing_(this) {
  workbench.actions().add({"window.reload-runs",
                           tr("Reload &Runs"),
                           tr("Reads the evidence store again"),
                           {},
                           {},
                           [this] { return !widget_.isNull(); },
                           [this] { load(); }});
  workbench.addFilter({"runs", "e ", tr("Runs"),
                       [this] {
                         std::vector<LocatorEntry> out;
                         for (const Evidence& e : *all_) {
                           if (out.size() == mostFound) break;
                           out.push_back(
                               {qs(e.id).left(12),
                                QStringList{qs(e.key.kind), qs(e.status), qs(e.key.shape), qs(e.started).left(19)}.join(
                                    QStringLiteral(" · ")),
                                tr("run"), "runs", [this, id = qs(e.id)] {
                                  workbench_.open({"run", id});
                                }});
                         }
                         return out;
                       },
                       15, false});
}

QWidget* RunsView::widget() {
  if (widget_) return widget_;
  model_ = makeRunsModel(this);
  metrics_ = makeEvidenceMetricsModel(this);
  table_ = new Table(model_, tr("Evidence rows"), tr("Reading the evidence store…"), nullptr, Table::Order::asked);
  metricsTable_ = new Table(metrics_, tr("Metrics of the row"), tr("Choose a row to see what it measured."));
  pane_ = new Pane(tr("Evidence"), table_);
  metricsPane_ = new Pane(tr("Metrics"), metricsTable_);
  pane_->addCorner(table_->filterLine());
  widget_ = new QWidget;
  auto* layout = new QHBoxLayout(widget_);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->addWidget(splitter(Qt::Vertical, {{pane_, 420}, {metricsPane_, 260}}));
  connect(table_, &Table::filterAsked, this, &RunsView::arrange);
  connect(table_, &Table::sortAsked, this, &RunsView::arrange);
  connect(table_, &Table::currentRowChanged, this, &RunsView::showRun);
  connect(&workbench_.jobs(), &Jobs::finished, this, &RunsView::load);
  load();
  return widget_;
}

RunsView::Loaded RunsView::read(std::size_t limit) {
  Loaded out;
  const auto path = Store::default_path();
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return out;
  const auto store = Store::open(path);
  auto rows = store ? store->recent({.limit = limit, .metrics = false}) : store.failure<Rows>();
  if (rows)
    out.rows = std::make_shared<const Rows>(std::move(*rows));
  else
    out.problem = rows.diagnostics.empty() ? QString() : qs(rows.diagnostics.front().message);
  return out;
}

void RunsView::load() {
  const auto readAll = [this] {
    loading_.request([](std::stop_token) { return read(mostRows); },
                     [this](Loaded loaded) { take(std::move(loaded), true); });
  };
  if (whole_) return readAll();
  newest_.request([](std::stop_token) { return read(firstRows); },
                  [this, readAll](Loaded loaded) {
                    if (!whole_) take(std::move(loaded), false);
                    readAll();
                  });
}

void RunsView::take(Loaded loaded, bool whole) {
  all_ = std::move(loaded.rows);
  whole_ = whole;
  if (whole)
    table_->setExplanation(loaded.problem.isEmpty()
                               ? tr("No evidence yet: Synthesis keeps a row for every variant that it judges.")
                               : tr("The evidence store could not be read: %1").arg(loaded.problem));
  arrange();
}

void RunsView::arrange() {
  const QString filter = table_->filter().trimmed();
  const int column = table_->horizontalHeader()->sortIndicatorSection();
  const bool down = table_->horizontalHeader()->sortIndicatorOrder() == Qt::DescendingOrder;
  arranging_.request(
      [all = all_, filter, column, down](std::stop_token stop) {
        // A model of the worker's own knows what the cells say and sort by.
        const std::unique_ptr<RecordModel<const Evidence*>> cells(makeRunsModel(nullptr));
        const int columns = cells->columnCount();
        struct Place {
          QVariant key;
          const Evidence* row;
        };
        std::vector<Place> places;
        places.reserve(all->size());
        for (const Evidence& e : *all) {
          if (stop.stop_requested()) break;
          bool holds = filter.isEmpty();
          for (int c = 0; c < columns && !holds; ++c) holds = cells->shown(&e, c).contains(filter, Qt::CaseInsensitive);
          if (holds) places.push_back({column >= 0 ? cells->key(&e, column) : QVariant(), &e});
        }
        if (column >= 0)
          std::stable_sort(places.begin(), places.end(), [down](const Place& a, const Place& b) {
            const auto order = QVariant::compare(a.key, b.key);
            return down ? order == QPartialOrdering::Greater : order == QPartialOrdering::Less;
          });
        Arranged out{all, {}};
        out.rows.reserve(places.size());
        for (const Place& p : places) out.rows.push_back(p.row);
        return out;
      },
      [this](Arranged arranged) { showAll(std::move(arranged)); });
}

void RunsView::showAll(Arranged arranged) {
  loaded_ = whole_ && arranged.of == all_;
  const QString asked = loaded_ ? std::exchange(awaited_, {}) : QString();
  const QString keep = table_->sourceRow() >= 0 ? qs(model_->at(table_->sourceRow())->id) : QString();
  pane_->setNote(!loaded_        ? tr("the newest rows; the others are being read")
                 : all_->empty() ? QString()
                 : arranged.rows.size() == all_->size()
                     ? tr("rows: %1").arg(number(double(all_->size())))
                     : tr("rows: %1 of %2").arg(number(double(arranged.rows.size())), number(double(all_->size()))));
  auto old = std::make_shared<std::shared_ptr<const Rows>>(std::move(listed_));
  listed_ = std::move(arranged.of);
  model_->setRows(std::move(arranged.rows));
  // A hundred thousand rows are better destroyed on another thread.
  QThreadPool::globalInstance()->start([old] { old->reset(); });
  old.reset();
  if (!asked.isEmpty()) {
    if (model_->rowCount() > 0) table_->selectSourceRow(0);
    selectAsked(asked);
  } else if (keep.isEmpty() || !select(keep, true)) {
    if (model_->rowCount() > 0) table_->selectSourceRow(0);
  }
  if (!loaded_) return showRun();
  if (const QJsonObject state = std::exchange(awaitedState_, {}); !state.isEmpty()) restore(state);
  showRun();
}

bool RunsView::select(const QString& id, bool keepScroll) {
  const std::string begin = id.toStdString();
  const auto& rows = model_->rows();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Evidence* e) { return e->id.starts_with(begin); });
  if (begin.empty() || found == rows.end()) return false;
  const int row = int(found - rows.begin());
  keepScroll ? table_->keepSourceRow(row) : table_->selectSourceRow(row);
  return true;
}

/// A shipped profile names rows of the store that it was measured into.
void RunsView::selectAsked(const QString& id) {
  if (select(id)) return;
  workbench_.say(
      table_->filter().isEmpty()
          ? tr("The run %1 is not in this store: it was made elsewhere, or before the store was. The command "
               "“aicf store merge” brings rows of another store.")
                .arg(id.left(12))
          : tr("The run %1 is not among the rows that the filter shows.").arg(id.left(12)));
}

void RunsView::showRun() {
  const int row = table_->sourceRow();
  if (row < 0) {
    metrics_->setRows({});
    metricsPane_->setNote({});
    return;
  }
  const Evidence& e = *model_->at(row);
  metricsPane_->setNote(tr("%1 · host %2 · driver %3 · toolkit %4 · seed %5")
                            .arg(qs(e.id).left(12), qs(e.host), e.key.driver.empty() ? tr("none") : qs(e.key.driver),
                                 e.key.toolkit.empty() ? tr("none") : qs(e.key.toolkit))
                            .arg(e.seed));
  choosing_.request(
      [id = e.id](std::stop_token) {
        const auto store = Store::open(Store::default_path());
        auto found = store ? store->find(id) : store.failure<Evidence>();
        return found ? std::move(*found) : Evidence();
      },
      [this](Evidence found) {
        metricsTable_->setExplanation(found.id.empty() ? tr("The row is not in the evidence store any more.")
                                                       : tr("The row measured nothing: its status is the result."));
        metrics_->setRows(std::move(found.metrics));
      });
}

void RunsView::show(const Entity& entity) {
  if (entity.kind != QLatin1String("run")) return;
  if (loaded_)
    selectAsked(entity.id);
  else
    awaited_ = entity.id;
}

bool RunsView::find() {
  if (!table_) return false;
  table_->filterLine()->setFocus();
  table_->filterLine()->selectAll();
  return true;
}

QJsonObject RunsView::state() const {
  if (!widget_) return {};
  QJsonObject state = table_->state();
  state.remove("row"); // many rows start in one second: the id tells them apart
  state.insert("run", table_->sourceRow() >= 0 ? qs(model_->at(table_->sourceRow())->id) : QString());
  return state;
}

void RunsView::restore(const QJsonObject& state) {
  if (!widget_) return;
  if (!loaded_) {
    awaitedState_ = state;
    return;
  }
  table_->restore(state);
  select(state.value("run").toString());
  table_->scrollAs(state);
}

} // namespace aicf::views
