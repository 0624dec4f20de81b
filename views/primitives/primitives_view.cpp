#include "views/primitives/primitives_view.hpp"

#include "views/atlas/relations.hpp"
#include "views/charts/chart_pane.hpp"
#include "views/engine/atlas_texts.hpp"
#include "views/engine/text.hpp"
#include "views/guide/page.hpp"
#include "views/hardware/hardware_charts.hpp"
#include "views/hardware/hardware_profiles.hpp"
#include "views/hardware/hardware_view.hpp"
#include "views/hardware/profile_chooser.hpp"
#include "views/primitives/forms.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace aicf::views {
namespace {

const RegisterView registration{62, [](Workbench& w) { return std::make_unique<PrimitivesView>(w); }};

QString links(Workbench& workbench, const Entity& self, const char* kind, const QString& title) {
  QStringList out;
  for (const QString& id : workbench.related().lit(self, QLatin1String(kind)))
    out << linkTo({QLatin1String(kind), id}, titleOf(QLatin1String(kind), id));
  return out.isEmpty() ? QString() : heading(title) + QStringLiteral("<p>%1</p>").arg(out.join(QStringLiteral(", ")));
}

/// A primitive of the atlas: before -> after, what it needs and takes.
QString primitivePage(Workbench& workbench, const QString& id) {
  const PrimitiveText* text = primitiveText(id);
  const Entity self{QStringLiteral("primitive"), id};
  QString out = QStringLiteral("<h2>%1</h2>").arg(escaped(text ? text->title : titleOf(self.kind, id)));
  if (!text) return out + paragraph(PrimitivesView::tr("The atlas does not describe it."));
  out += code(text->before + QStringLiteral("\n→  ") + text->after) + paragraph(text->why);
  std::vector<std::pair<QString, QString>> facts{
      {PrimitivesView::tr("Class"), escaped(QString(text->preservationClass).replace('_', ' '))},
      {PrimitivesView::tr("Needs"), escaped(QString(text->needs.join(QStringLiteral(", "))).replace('_', ' '))},
      {PrimitivesView::tr("Choices"), escaped(QString(text->params.join(QStringLiteral(", "))).replace('_', ' '))}};
  for (const auto& [what, how] : text->resources) facts.emplace_back(QString(what).replace('_', ' '), escaped(how));
  out += factTable(facts);
  out += links(workbench, self, "transformation", PrimitivesView::tr("Transformations that it realizes"));
  out += links(workbench, self, "property", PrimitivesView::tr("Of use where these properties hold"));
  if (!text->references.isEmpty())
    out += heading(PrimitivesView::tr("References")) + paragraph(text->references.join('\n'));
  return out;
}

} // namespace

QWidget* PrimitivesView::makeBar() {
  profile_ = new ProfileChooser(workbench_);
  profile_->setToolTip(tr("What the numbers are of; Hardware Maps shows the same profile"));
  quantity_ = new QComboBox;
  quantity_->setAccessibleName(tr("Quantity that is compared"));
  quantity_->setToolTip(tr("What break-evens and the viability grid compare"));
  for (const Quantity q : {Quantity::cost, Quantity::traffic, Quantity::drift})
    quantity_->addItem(quantityText(q), int(q));
  auto* open = button(tr("Open…"), tr("A hardware profile that aicf probe run has written"));
  auto* bar = new QWidget;
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(0, 0, 0, 4);
  row->addWidget(label(tr("Profile"), "muted"));
  row->addWidget(profile_);
  row->addWidget(open);
  row->addSpacing(12);
  row->addWidget(label(tr("compare by"), "muted"));
  row->addWidget(quantity_);
  row->addStretch(1);
  connect(open, &QPushButton::clicked, this, [this] { workbench_.actions().trigger("file.open-hardware"); });
  connect(quantity_, &QComboBox::currentIndexChanged, this, &PrimitivesView::showCharts);
  return bar;
}

QWidget* PrimitivesView::makeTabs() {
  scatter_.pane = new ChartPane(tr("Cost against drift"));
  curves_.pane = new ChartPane(tr("Cost by length"));
  grid_.pane = new ChartPane(tr("Viability grid"));
  for (Drawn* d : {&scatter_, &curves_, &grid_})
    connect(d->pane, &ChartPane::chosen, this, [this, d](int row) {
      if (row >= 0 && row < d->figures.size()) showFigure(d->figures[row]);
    });
  breaksTable_ = new Table(breaks_, tr("Break-evens"), {});
  familiesTable_ = new Table(families_, tr("Viability of families"), tr("The profile judges no family."));
  rewritingsTable_ = new Table(rewritings_, tr("What legal rewritings cost"),
                               tr("The profile holds no pair of figures with and without a rewriting."));
  priorsTable_ = new Table(priors_, tr("Priors for code generation"),
                           tr("No rule has all the figures that it needs: a prior exists only where it is measured."));
  tabs_ = new QTabWidget;
  tabs_->addTab(scatter_.pane, tr("Cost and drift"));
  tabs_->addTab(splitter(Qt::Vertical, {{curves_.pane, 260}, {new Pane(tr("Break-evens"), breaksTable_), 150}}),
                tr("Break-evens"));
  tabs_->addTab(splitter(Qt::Vertical, {{grid_.pane, 260}, {new Pane(tr("Families"), familiesTable_), 150}}),
                tr("Viability"));
  tabs_->addTab(rewritingsTable_, tr("Rewritings"));
  tabs_->addTab(priorsTable_, tr("Priors"));
  tabs_->setTabToolTip(0, tr("Each form of the chosen probe by what it costs and what it loses"));
  tabs_->setTabToolTip(1, tr("From which length another form is cheaper"));
  tabs_->setTabToolTip(2, tr("Which form is best at which length, and which families can be built"));
  tabs_->setTabToolTip(3, tr("What a legal transformation saves or costs: the ratio of two figures"));
  tabs_->setTabToolTip(4, tr("Numbers that guide code generation, each by its rule, with age and owner"));
  connect(rewritingsTable_, &Table::currentRowChanged, this, [this](int row) {
    if (row >= 0) showFigure(rewritings_->at(row).with.figure);
  });
  connect(rewritingsTable_, &QAbstractItemView::activated, this, [this] {
    if (const int row = rewritingsTable_->sourceRow(); row >= 0)
      workbench_.open({QStringLiteral("transformation"), rewritings_->at(row).transformation});
  });
  connect(priorsTable_, &Table::currentRowChanged, this, [this](int row) {
    if (row >= 0 && !priors_->at(row).prior.evidence.empty()) showFigure(qs(priors_->at(row).prior.evidence.front()));
  });
  return tabs_;
}

QWidget* PrimitivesView::widget() {
  if (widget_) return widget_;
  HardwareProfiles& profiles = HardwareProfiles::of(workbench_);
  model_ = makeRealizationsModel(this);
  breaks_ = makeBreakEvensModel(this);
  families_ = makeFamiliesModel(this);
  rewritings_ = makeRewritingsModel(this);
  priors_ = makePriorsModel(this);
  table_ = new Table(model_, tr("Realizations of primitives"), {});
  list_ = new Pane(tr("Realizations"), table_);
  list_->addCorner(table_->filterLine());
  page_ = new Page(workbench_, tr("Where the number comes from"));
  banner_ = label({}, "explain");
  banner_->setWordWrap(true);
  setTone(banner_, Tone::warn);
  widget_ = new QWidget;
  auto* column = new QVBoxLayout(widget_);
  column->setContentsMargins(8, 8, 8, 8);
  column->setSpacing(4);
  column->addWidget(makeBar());
  column->addWidget(banner_);
  column->addWidget(
      splitter(Qt::Horizontal, {{list_, 560}, {splitter(Qt::Vertical, {{makeTabs(), 430}, {page_, 230}}), 620}}), 1);
  connect(table_, &Table::currentRowChanged, this, &PrimitivesView::showRow);
  connect(&profiles, &HardwareProfiles::loaded, this, &PrimitivesView::refill);
  connect(&profiles, &HardwareProfiles::currentChanged, this, &PrimitivesView::refill);
  connect(&workbench_.rules(), &Rules::changed, this, [this] {
    if (const KnownProfile* known = HardwareProfiles::of(workbench_).current(); known && known->profile)
      priors_->setRows(priorsOf(*known->profile));
  });
  const auto relight = [this] {
    const auto lit = workbench_.lit();
    model_->setLit([lit](const Realization& r) {
      return std::any_of(r.primitives.begin(), r.primitives.end(), [&](const QString& p) {
        return lit.contains({QStringLiteral("primitive"), p});
      });
    });
    rewritings_->setLit([lit](const RewritingCost& c) {
      return lit.contains({QStringLiteral("transformation"), c.transformation});
    });
  };
  connect(&workbench_, &Workbench::relit, this, relight);
  relight();
  refill();
  return widget_;
}

void PrimitivesView::refill() {
  const HardwareProfiles& profiles = HardwareProfiles::of(workbench_);
  const KnownProfile* known = profiles.current();
  const QString keep = probe_;
  banner_->setVisible(known && known->sample);
  if (known && known->sample)
    banner_->setText(
        tr("Sample data: no device was probed here. “aicf probe run” measures this machine and writes a profile."));
  if (!known || !known->profile) {
    all_.clear();
    model_->setRows({});
    families_->setRows({});
    rewritings_->setRows({});
    priors_->setRows({});
    table_->setExplanation(
        profiles.isLoaded()
            ? tr("No hardware profile is known here. “%1” makes one; Open… reads one.").arg(whatToRun({}))
            : tr("Reading profiles…"));
    list_->setNote({});
    showRow();
    return;
  }
  const HardwareProfile& p = *known->profile;
  all_ = realizationsOf(p);
  model_->setRows(all_);
  table_->setExplanation(tr("No primitive was probed for this profile: “aicf probe run --lab primitive” does."));
  families_->setRows(familyRows(p));
  rewritings_->setRows(rewritingCosts(p));
  priors_->setRows(priorsOf(p));
  const auto timed = std::count_if(all_.begin(), all_.end(), [](const Realization& r) { return r.time.isKnown(); });
  list_->setNote(timed > 0 ? tr("%1: timed %2 of %3").arg(qs(p.device.name)).arg(timed).arg(all_.size())
                           : tr("%1: counted exactly, no time is measured").arg(qs(p.device.name)));
  probe_.clear();
  if (!keep.isEmpty() && select(keep)) return;
  // The first that has forms to choose between.
  if (!all_.empty() && !select(QStringLiteral("online_forms"))) table_->selectSourceRow(0);
  showRow();
}

/// As the present rules and the present target let them be used.
std::vector<PriorState> PrimitivesView::priorsOf(const HardwareProfile& profile) const {
  HardwareDevice here;
  here.arch = workbench_.subject().problem().target;
  return judge_priors(profile.priors, here, utc_now(), workbench_.rules().profile());
}

void PrimitivesView::showRow() {
  const int row = table_->sourceRow();
  if (row < 0) {
    probe_.clear();
    shown_ = {};
    showCharts();
    page_->setBody([] { return paragraph(tr("Choose a realization to see its figures and the runs behind them.")); });
    return;
  }
  const Realization& r = model_->at(row);
  if (r.probe != probe_) {
    probe_ = r.probe;
    showCharts();
  }
  showFigure(r.cost.figure.isEmpty() ? r.drift.figure : r.cost.figure);
}

Quantity PrimitivesView::quantity() const { return Quantity(quantity_->currentData().toInt()); }

void PrimitivesView::draw(Drawn& where, const LabChart& chart, const QString& nothing) {
  where.figures = chart.figures;
  if (probe_.isEmpty())
    where.pane->setNothing(nothing);
  else
    where.pane->setChart(chart.chart);
}

void PrimitivesView::showCharts() {
  const QString choose = tr("Choose a realization on the left.");
  draw(scatter_, costAgainstDrift(all_, probe_), choose);
  draw(curves_, byLength(all_, probe_, quantity()), choose);
  draw(grid_, viabilityGrid(all_, probe_, quantity()), choose);
  breaks_->setRows(probe_.isEmpty() ? std::vector<BreakEven>() : breakEvens(all_, probe_, quantity()));
  breaksTable_->setExplanation(probe_.isEmpty() ? choose
                                                : tr("No two forms of this probe are known at two common lengths."));
}

void PrimitivesView::showFigure(const QString& figure) {
  shown_ = {QStringLiteral("metric"), figure};
  const KnownProfile* known = HardwareProfiles::of(workbench_).current();
  if (figure.isEmpty() || !known || !known->profile) {
    page_->setBody([] { return paragraph(tr("Not measured: no figure stands behind this cell.")); });
    return;
  }
  const auto profile = known->profile;
  page_->setBody([this, profile, figure] {
    for (const HardwareItem& item : itemsOf(*profile, nullptr)) {
      if (item.id != figure || item.kind != HardwareItem::Kind::figure) continue;
      QString out = itemPage(workbench_, item, {});
      QStringList built;
      for (const QString& id : probedForms().value(figure.left(figure.lastIndexOf('.'))).primitives)
        built << linkTo({QStringLiteral("primitive"), id}, titleOf(QStringLiteral("primitive"), id));
      if (!built.isEmpty()) out += heading(tr("Built of")) + QStringLiteral("<p>%1</p>").arg(built.join(", "));
      return out;
    }
    return paragraph(tr("The profile holds no figure %1.").arg(figure));
  });
}

void PrimitivesView::showPrimitive(const QString& id) {
  shown_ = {QStringLiteral("primitive"), id};
  page_->setBody([this, id] { return primitivePage(workbench_, id); });
}

bool PrimitivesView::select(const QString& id) {
  for (const bool byProbe : {true, false})
    for (int row = 0; row < model_->rowCount(); ++row) {
      const Realization& r = model_->at(row);
      if (byProbe ? r.probe != id : !r.primitives.contains(id)) continue;
      table_->selectSourceRow(row);
      if (probe_ != r.probe) showRow();
      return true;
    }
  return false;
}

void PrimitivesView::show(const Entity& entity) {
  if (!widget_ || entity.kind != QLatin1String("primitive")) return;
  select(entity.id);
  if (primitiveText(entity.id)) showPrimitive(entity.id);
}

void PrimitivesView::follow(const Entity& active) { show(active); }

bool PrimitivesView::find() {
  if (!widget_) return false;
  table_->filterLine()->setFocus();
  table_->filterLine()->selectAll();
  return true;
}

bool PrimitivesView::isReady() const { return !widget_ || HardwareProfiles::of(workbench_).isLoaded(); }

QJsonObject PrimitivesView::state() const {
  if (!widget_) return {};
  return {{"profile", profile_->currentText()},
          {"quantity", quantity_->currentIndex()},
          {"tab", tabs_->currentIndex()},
          {"probe", probe_},
          {"shown", shown_.isNull() ? QString() : shown_.uri()},
          {"page", page_->place()},
          {"table", table_->state()}};
}

void PrimitivesView::restore(const QJsonObject& state) {
  if (!widget_) return;
  HardwareProfiles& profiles = HardwareProfiles::of(workbench_);
  for (int i = 0; i < int(profiles.all().size()); ++i)
    if (profiles.all()[std::size_t(i)].name == state.value("profile").toString()) profiles.setCurrent(i);
  quantity_->setCurrentIndex(state.value("quantity").toInt());
  tabs_->setCurrentIndex(state.value("tab").toInt());
  table_->restore(state.value("table").toObject());
  select(state.value("probe").toString());
  table_->scrollAs(state.value("table").toObject());
  if (const auto shown = Entity::fromUri(state.value("shown").toString()); shown && *shown != shown_) {
    if (shown->kind == QLatin1String("primitive"))
      showPrimitive(shown->id);
    else
      showFigure(shown->id);
  }
  page_->scrollDown(state.value("page").toInt());
}

} // namespace aicf::views
