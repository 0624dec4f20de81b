#include "views/hardware/hardware_view.hpp"

#include "views/atlas/relations.hpp"
#include "views/charts/chart_pane.hpp"
#include "views/engine/atlas_texts.hpp"
#include "views/engine/text.hpp"
#include "views/guide/page.hpp"
#include "views/hardware/profile_chooser.hpp"

#include <QApplication>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSplitter>
#include <QVBoxLayout>

#include <cmath>

namespace aicf::views {
namespace {

const RegisterView registration{60, [](Workbench& w) { return std::make_unique<HardwareView>(w); }};

QString statusText(const HardwareItem& i) { return QString(i.status).replace('_', ' '); }
Tone statusTone(const HardwareItem& i) {
  if (i.status == QLatin1String("measured") || i.status == QLatin1String("exact")) return Tone::good;
  if (i.status == QLatin1String("withheld")) return Tone::bad;
  return i.status == QLatin1String("not_measured") ? Tone::warn : Tone::info;
}

QString valueText(double value, const QString& unit) {
  if (!std::isfinite(value)) return {};
  if (unit == QLatin1String("B")) return bytes(value);
  return unit.isEmpty() ? number(value) : prefixed(value, unit);
}
QVariant known(double value) { return std::isfinite(value) ? QVariant(value) : QVariant(); }

QString spreadText(double lo, double hi, double value) {
  if (!std::isfinite(lo) || !std::isfinite(hi) || (lo == value && hi == value)) return {};
  return QStringLiteral("%1 … %2").arg(number(lo), number(hi));
}

QString differenceText(const HardwareItem& i) {
  const double d = i.difference();
  if (!std::isfinite(d)) return {};
  return QStringLiteral("%1%2 %%3")
      .arg(d >= 0 ? QStringLiteral("+") : QStringLiteral("−"), number(std::abs(d) * 100, 3),
           i.withinNoise() ? HardwareView::tr(", noise") : QString());
}

bool isDrawn(const HardwareItem& i) {
  return i.kind != HardwareItem::Kind::figure && i.kind != HardwareItem::Kind::limit;
}

} // namespace

QString figureText(const HardwareItem& i) {
  if (!std::isfinite(i.value)) return i.reason.isEmpty() ? statusText(i) : i.reason;
  const QString spread = spreadText(i.lo, i.hi, i.value);
  return spread.isEmpty() ? valueText(i.value, i.unit)
                          : QStringLiteral("%1  [%2]").arg(valueText(i.value, i.unit), spread);
}

RecordModel<HardwareItem>* makeHardwareModel(QObject* parent) {
  using C = Column<HardwareItem>;
  const auto origin = [](const HardwareItem& i) {
    return Origin{i.method.isEmpty() ? i.reason : i.method, i.run.isEmpty() ? QString() : Entity{"run", i.run}.uri()};
  };
  return new RecordModel<HardwareItem>(
      {C{{HardwareView::tr("Name"), HardwareView::tr("What was asked of the device"), CellKind::text, 236},
         [](const auto& i) { return i.name; },
         {},
         {},
         [](const auto& i) { return i.id; },
         origin},
       C{{HardwareView::tr("Kind"), HardwareView::tr("Map, curve, figure, limit or roofline"), CellKind::text, 60},
         [](const auto& i) { return kindText(i.kind); }},
       C{{HardwareView::tr("Value"), HardwareView::tr("With its unit; maps and curves are drawn beside"),
          CellKind::number, 96},
         [](const auto& i) { return known(i.value); },
         [](const auto& i) { return valueText(i.value, i.unit); },
         {},
         [](const auto& i) { return figureText(i); },
         origin},
       C{{HardwareView::tr("State"),
          HardwareView::tr("measured on a device, exact by the emulator, withheld because its control failed, or not "
                           "measured"),
          CellKind::chip, 114},
         statusText,
         {},
         statusTone,
         [](const auto& i) { return i.reason; }},
       C{{HardwareView::tr("Spread"), HardwareView::tr("Low and high, as the method says"), CellKind::number, 110},
         [](const auto& i) { return known(i.hi - i.lo); },
         [](const auto& i) { return spreadText(i.lo, i.hi, i.value); },
         {},
         {},
         origin},
       C{{HardwareView::tr("Other"), HardwareView::tr("The same in the profile that it is compared with"),
          CellKind::number, 104},
         [](const auto& i) { return known(i.other); },
         [](const auto& i) { return valueText(i.other, i.unit); }},
       C{{HardwareView::tr("Difference"), HardwareView::tr("Other against this; noise: the two spreads meet"),
          CellKind::number, 110},
         [](const auto& i) { return known(i.difference()); },
         differenceText,
         [](const auto& i) { return i.withinNoise() ? Tone::muted : Tone::warn; }}},
      parent);
}

QString itemPage(Workbench& workbench, const HardwareItem& i, const QString& other) {
  QString out = QStringLiteral("<h2>%1</h2>").arg(escaped(i.name));
  const bool isNumber = !isDrawn(i);
  const bool gap = i.status == QLatin1String("not_measured") || i.status == QLatin1String("withheld");
  out +=
      factTable({{HardwareView::tr("Value"), isNumber && std::isfinite(i.value) ? escaped(figureText(i)) : QString()},
                 {other, isNumber && std::isfinite(i.other)
                             ? escaped(QStringLiteral("%1   %2").arg(valueText(i.other, i.unit), differenceText(i)))
                             : QString()},
                 {HardwareView::tr("State"), toned(statusText(i), statusTone(i))},
                 {HardwareView::tr("Why"), escaped(i.reason)},
                 {HardwareView::tr("How"), escaped(i.method)},
                 {HardwareView::tr("Inputs"), escaped(i.inputs)},
                 {HardwareView::tr("Clock"), escaped(i.clock)},
                 {HardwareView::tr("Control"), escaped(i.control)},
                 {HardwareView::tr("Source"), escaped(i.source)},
                 {HardwareView::tr("Probe"), escaped(i.probe)},
                 {HardwareView::tr("Evidence"),
                  i.run.isEmpty() ? toned(HardwareView::tr("no row: not kept in a store"), Tone::muted)
                                  : linkTo({"run", i.run}, i.run.left(12))}});
  if (gap)
    out += heading(HardwareView::tr("What to run")) + code(whatToRun(i.probe)) +
           paragraph(HardwareView::tr("On a machine with the device; its results can be merged into this store."));
  const Entity self{QStringLiteral("metric"), i.id};
  for (const auto& [kind, title] : {std::pair{"primitive", HardwareView::tr("Prices the primitives")},
                                    std::pair{"transformation", HardwareView::tr("Prices the transformations")},
                                    std::pair{"property", HardwareView::tr("Of use where these properties hold")}}) {
    const QStringList ids = workbench.related().lit(self, QLatin1String(kind));
    if (ids.isEmpty()) continue;
    QStringList links;
    for (const QString& id : ids) links << linkTo({QLatin1String(kind), id}, titleOf(QLatin1String(kind), id));
    out += heading(title) + QStringLiteral("<p>%1</p>").arg(links.join(QStringLiteral(", ")));
  }
  return out;
}

HardwareView::HardwareView(Workbench& workbench) : workbench_(workbench) {
  workbench.actions().add({"file.open-hardware",
                           tr("Open &Hardware Profile…"),
                           tr("A file that aicf probe run has written"),
                           "hardware",
                           {},
                           {},
                           [this] { openProfile(); }});
  // Metrics price primitives wherever the user looks first.
  connect(&workbench.library(), &Library::loaded, this, [this] { (void)HardwareProfiles::of(workbench_); });
}

QWidget* HardwareView::makeBar() {
  profile_ = new ProfileChooser(workbench_);
  compare_ = new QComboBox;
  compare_->setAccessibleName(tr("Compare with"));
  compare_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  auto* open = button(tr("Open…"), tr("A hardware profile that aicf probe run has written"));
  auto* bar = new QWidget;
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(0, 0, 0, 4);
  row->addWidget(label(tr("Profile"), "muted"));
  row->addWidget(profile_);
  row->addWidget(label(tr("beside"), "muted"));
  row->addWidget(compare_);
  row->addWidget(open);
  row->addStretch(1);
  connect(open, &QPushButton::clicked, this, &HardwareView::openProfile);
  connect(compare_, &QComboBox::currentIndexChanged, this, [this] {
    if (!filling_) refill();
  });
  return bar;
}

QWidget* HardwareView::widget() {
  if (widget_) return widget_;
  HardwareProfiles& profiles = HardwareProfiles::of(workbench_);
  model_ = makeHardwareModel(this);
  table_ = new Table(model_, tr("What the profile holds"), {});
  list_ = new Pane(tr("Profile"), table_);
  list_->addCorner(table_->filterLine());
  chart_ = new ChartPane(tr("Chart"));
  second_ = new ChartPane(tr("The other profile"));
  second_->hide();
  charts_ = splitter(Qt::Horizontal, {{chart_, 1}, {second_, 1}});
  page_ = new Page(workbench_, tr("How it is known"));
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
      splitter(Qt::Horizontal, {{list_, 540}, {splitter(Qt::Vertical, {{charts_, 420}, {page_, 250}}), 640}}), 1);
  connect(table_, &Table::currentRowChanged, this, &HardwareView::showItem);
  for (ChartPane* pane : {chart_, second_})
    connect(pane, &ChartPane::chosen, this, [this, pane](int) {
      if (pane->chart().origin.isNull())
        workbench_.say(tr("This chart has no evidence row: it was not kept in a store."));
      else
        workbench_.open(pane->chart().origin);
    });
  connect(&profiles, &HardwareProfiles::loaded, this, &HardwareView::profilesChanged);
  connect(&profiles, &HardwareProfiles::currentChanged, this, &HardwareView::profilesChanged);
  connect(&workbench_, &Workbench::relit, this, [this] {
    model_->setLit([this](const HardwareItem& i) {
      return workbench_.lit().contains({QStringLiteral("metric"), i.id});
    });
  });
  profilesChanged();
  return widget_;
}

void HardwareView::profilesChanged() {
  const HardwareProfiles& profiles = HardwareProfiles::of(workbench_);
  filling_ = true;
  const int keep = compare_->currentIndex();
  compare_->clear();
  compare_->addItem(tr("nothing"));
  for (const KnownProfile& k : profiles.all()) compare_->addItem(k.name);
  compare_->setCurrentIndex(keep > 0 && keep < compare_->count() ? keep : 0);
  filling_ = false;
  refill();
}

const KnownProfile* HardwareView::other() const {
  const auto& all = HardwareProfiles::of(workbench_).all();
  const int index = compare_->currentIndex() - 1;
  return index >= 0 && index < int(all.size()) && all[std::size_t(index)].profile ? &all[std::size_t(index)] : nullptr;
}

void HardwareView::refill() {
  const HardwareProfiles& profiles = HardwareProfiles::of(workbench_);
  const KnownProfile* known = profiles.current();
  const KnownProfile* second = other();
  const int row = table_->sourceRow();
  const QString keep = row >= 0 ? model_->at(row).id : QString();
  banner_->hide();
  QStringList problems;
  for (const KnownProfile& k : profiles.all())
    if (!k.problem.isEmpty()) problems << tr("%1 cannot be read: %2").arg(k.path, k.problem.section('\n', 0, 0));
  if (known && known->sample)
    problems << tr(
        "Sample data: no device was probed here. “aicf probe run” measures this machine and writes a profile.");
  else if (known && known->profile && !known->profile->complete)
    problems << tr("Some probes of this set are still to be run: aicf probe run continues.");
  if (!problems.isEmpty()) {
    banner_->setText(problems.join('\n'));
    banner_->show();
  }
  if (!known || !known->profile) {
    model_->setRows({});
    table_->setExplanation(
        profiles.isLoaded()
            ? tr("No hardware profile is known here. “%1” makes one; Open… reads one.").arg(whatToRun({}))
            : tr("Reading profiles…"));
    list_->setNote({});
    showItem();
    return;
  }
  const HardwareProfile& p = *known->profile;
  model_->setRows(itemsOf(p, second ? second->profile.get() : nullptr));
  for (const int c : {5, 6}) table_->setColumnHidden(c, second == nullptr);
  list_->setNote(QStringLiteral("%1  ·  %2  ·  %3").arg(qs(p.device.name), qs(p.device.arch), qs(p.finished).left(10)));
  if (keep.isEmpty() || !select(keep)) {
    // The first that can be drawn.
    for (int r = 0; r < model_->rowCount(); ++r)
      if (model_->at(r).kind == HardwareItem::Kind::map) {
        table_->selectSourceRow(r);
        return;
      }
    if (model_->rowCount() > 0) table_->selectSourceRow(0);
  }
}

void HardwareView::showItem() {
  const KnownProfile* known = HardwareProfiles::of(workbench_).current();
  const KnownProfile* second = other();
  const int row = table_->sourceRow();
  second_->hide();
  if (row < 0 || !known || !known->profile) {
    charts_->hide();
    page_->setBody([] { return paragraph(tr("Choose a map, a curve or a figure to see how it is known.")); });
    return;
  }
  const HardwareItem item = model_->at(row);
  charts_->setVisible(isDrawn(item));
  if (isDrawn(item)) {
    const HardwareProfile& p = *known->profile;
    std::optional<Chart> chart = chartOf(p, item.id);
    const HardwareProfile* q = second ? second->profile.get() : nullptr;
    if (item.kind == HardwareItem::Kind::curve && q) {
      for (const HardwareCurve& mine : p.curves)
        for (const HardwareCurve& theirs : q->curves)
          if (qs(mine.id) == item.id && theirs.id == mine.id) chart = chartOf(mine, known->name, &theirs, second->name);
    } else if (q) {
      if (const auto beside = chartOf(*q, item.id)) {
        second_->setChart(*beside);
        second_->show();
      }
    }
    if (chart) chart_->setChart(*chart);
  }
  const QString otherName = second ? second->name : QString();
  page_->setBody([this, item, otherName] { return itemPage(workbench_, item, otherName); });
}

bool HardwareView::select(const QString& id) {
  for (int r = 0; r < model_->rowCount(); ++r)
    if (model_->at(r).id == id) {
      table_->selectSourceRow(r);
      return true;
    }
  return false;
}

void HardwareView::compareWith(int index) { compare_->setCurrentIndex(index + 1); }

void HardwareView::openProfile() {
  auto* dialog =
      new QFileDialog(QApplication::activeWindow(), tr("Open hardware profile"), {}, tr("Profiles (*.json)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  QObject::connect(dialog, &QFileDialog::fileSelected, dialog, [this](const QString& path) {
    HardwareProfiles::of(workbench_).open(path);
    workbench_.navigator().goTo(id());
  });
  dialog->open();
}

void HardwareView::show(const Entity& entity) {
  if (!widget_) return;
  if (entity.kind == QLatin1String("metric")) {
    if (!select(entity.id)) workbench_.say(tr("This profile has no figure %1.").arg(entity.id));
    return;
  }
  HardwareProfiles& profiles = HardwareProfiles::of(workbench_);
  for (int i = 0; i < int(profiles.all().size()); ++i)
    if (profiles.all()[std::size_t(i)].name == entity.id || profiles.all()[std::size_t(i)].path == entity.id)
      profiles.setCurrent(i);
}

void HardwareView::follow(const Entity& active) {
  if (widget_ && active.kind == QLatin1String("metric")) select(active.id);
}

bool HardwareView::find() {
  if (!widget_) return false;
  table_->filterLine()->setFocus();
  table_->filterLine()->selectAll();
  return true;
}

bool HardwareView::isReady() const { return !widget_ || HardwareProfiles::of(workbench_).isLoaded(); }

QJsonObject HardwareView::state() const {
  if (!widget_) return {};
  const int row = table_->sourceRow();
  return {{"profile", profile_->currentText()},
          {"compare", compare_->currentIndex()},
          {"item", row >= 0 ? model_->at(row).id : QString()},
          {"table", table_->state()},
          {"page", page_->place()}};
}

void HardwareView::restore(const QJsonObject& state) {
  if (!widget_) return;
  show({QStringLiteral("hardware"), state.value("profile").toString()});
  compare_->setCurrentIndex(state.value("compare").toInt());
  table_->restore(state.value("table").toObject());
  select(state.value("item").toString());
  table_->scrollAs(state.value("table").toObject());
  page_->scrollDown(state.value("page").toInt());
}

} // namespace aicf::views
