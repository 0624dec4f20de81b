#include "views/start/start_view.hpp"

#include "views/engine/text.hpp"
#include "views/widgets/panes.hpp"

#include <nlohmann/json.hpp>

#include <QFileInfo>
#include <QGridLayout>
#include <QHeaderView>
#include <QScrollArea>
#include <QVBoxLayout>

namespace aicf::views {

static const RegisterView registration{10, [](Workbench& w) { return std::make_unique<StartView>(w); }};

namespace {

QWidget* card(const QString& title, QVBoxLayout*& content) {
  auto* frame = new QFrame;
  setRole(*frame, "card");
  content = new QVBoxLayout(frame);
  content->setContentsMargins(14, 10, 14, 12);
  content->setSpacing(6);
  content->addWidget(label(title, "heading"));
  return frame;
}

QString text(const nlohmann::json& part, const char* key) {
  const auto it = part.find(key);
  if (it == part.end() || it->is_null()) return {};
  return it->is_string() ? qs(it->get<std::string>()) : qs(it->dump());
}

} // namespace

std::vector<MachineRow> machineRows(const nlohmann::json& report) {
  std::vector<MachineRow> rows;
  if (!report.is_object()) return rows;
  struct Part {
    const char* key;
    QString name;
    std::vector<const char*> shown;
  };
  const std::vector<Part> parts{{"os", StartView::tr("System"), {"name", "cores"}},
                                {"emulator", StartView::tr("PTX emulator"), {}},
                                {"nvrtc", StartView::tr("NVRTC compiler"), {"version", "path"}},
                                {"driver", StartView::tr("NVIDIA driver"), {"version", "path"}},
                                {"devices", StartView::tr("CUDA devices"), {}},
                                {"cupti", StartView::tr("CUPTI counters"), {"version", "path"}},
                                {"evidence", StartView::tr("Evidence store"), {"rows", "path"}},
                                {"cache", StartView::tr("Compile cache"), {"path"}}};
  for (const Part& p : parts) {
    const auto it = report.find(p.key);
    if (it == report.end()) continue;
    MachineRow row;
    row.part = p.name;
    if (it->is_array()) {
      QStringList names;
      for (const auto& device : *it) names << text(device, "name");
      row.available = !names.isEmpty();
      row.detail = names.isEmpty() ? StartView::tr("none: the emulator counts and checks, a device would also time")
                                   : names.join(QStringLiteral(", "));
      rows.push_back(std::move(row));
      continue;
    }
    if (!it->is_object()) continue;
    row.available = it->value("available", false);
    QStringList words;
    for (const char* key : p.shown) {
      const QString value = text(*it, key);
      if (value.isEmpty()) continue;
      const QString name = QString::fromLatin1(key);
      words << (name == QLatin1String("cores")  ? StartView::tr("cores: %1").arg(value)
                : name == QLatin1String("rows") ? StartView::tr("rows: %1").arg(value)
                                                : value);
    }
    if (p.shown.empty()) words << StartView::tr("built in: needs no GPU");
    row.detail = row.available ? words.join(QStringLiteral("  ·  ")) : text(*it, "what");
    row.advice = row.available ? QString() : text(*it, "how_to_get");
    rows.push_back(std::move(row));
  }
  return rows;
}

RecordModel<MachineRow>* makeMachineModel(QObject* parent) {
  using C = Column<MachineRow>;
  const auto whole = [](const MachineRow& r) { return r.advice.isEmpty() ? r.detail : r.detail + '\n' + r.advice; };
  return new RecordModel<MachineRow>(
      {C{{StartView::tr("Part"), StartView::tr("What a GPU workbench can make use of"), CellKind::text, 116},
         [](const auto& r) { return r.part; }},
       C{{StartView::tr("State"), StartView::tr("Whether this machine has it"), CellKind::chip, 74},
         [](const auto& r) { return r.available ? StartView::tr("ready") : StartView::tr("absent"); },
         {},
         [](const auto& r) { return r.available ? Tone::good : Tone::warn; }},
       C{{StartView::tr("Detail"), StartView::tr("What it is, or how to get it"), CellKind::text, 420},
         [](const auto& r) { return r.advice.isEmpty() ? r.detail : r.detail + QStringLiteral(" — ") + r.advice; },
         {},
         {},
         whole}},
      parent);
}

StartView::StartView(Workbench& workbench) : workbench_(workbench), tour_(workbench) {
  workbench.actions().add({"help.machine",
                           tr("&Ask the Machine Again"),
                           tr("What this machine has and lacks (aicf doctor)"),
                           {},
                           {},
                           [this] {
                             const Job* job = workbench_.jobs().find(job_);
                             return !job || job->isOver();
                           },
                           [this] { askMachine(); }});
  connect(&workbench.jobs(), &Jobs::finished, this, [this](int number, const nlohmann::json& body) {
    if (number != job_ || !machine_) return;
    known_ = true;
    machine_->setRows(machineRows(body));
    const Job* job = workbench_.jobs().find(number);
    machineTable_->setExplanation(job->diagnostics.empty() ? tr("The worker told nothing.")
                                                           : qs(job->diagnostics.front().message));
  });
}

QWidget* StartView::widget() {
  if (widget_) return widget_;
  auto* inner = new QWidget;
  auto* grid = new QGridLayout(inner);
  grid->setContentsMargins(24, 20, 24, 20);
  grid->setSpacing(14);
  auto* what = label(tr("From an operator's definition to validated CUDA kernels. Choose a computation, see what it is "
                        "whatever its name, tick which changes of it you "
                        "accept, and let the workbench build, check and compare the kernels that are left. Every claim "
                        "keeps its evidence."),
                     "muted");
  what->setWordWrap(true);
  auto* head = new QVBoxLayout;
  head->setSpacing(4);
  head->addWidget(label(tr("AICF Workbench"), "title"));
  head->addWidget(what);
  grid->addLayout(head, 0, 0, 1, 2);
  grid->addWidget(stepsCard(), 1, 0);
  grid->addWidget(recentCard(), 1, 1);
  grid->addWidget(machineCard(), 2, 0, 1, 2);
  grid->setRowStretch(2, 1);
  grid->setColumnStretch(0, 3);
  grid->setColumnStretch(1, 2);
  auto* area = new QScrollArea;
  area->setWidget(inner);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  widget_ = area;
  connect(&workbench_, &Workbench::recentChanged, this, &StartView::fillRecent);
  fillRecent();
  askMachine();
  return widget_;
}

QWidget* StartView::stepsCard() {
  QVBoxLayout* content = nullptr;
  QWidget* frame = card(tr("First steps"), content);
  auto* begin = button(tr("Take the tour: five minutes, a real job"),
                       tr("A line above each view says what to do next, and does it when asked"), "primary");
  connect(begin, &QPushButton::clicked, &tour_, &Tour::begin);
  content->addWidget(begin);
  for (const TourStep& step : tour_.steps()) {
    auto* b = button({}, step.tip, "step");
    content->addWidget(b);
    steps_.push_back(b);
    connect(b, &QPushButton::clicked, this, step.run);
  }
  connect(&tour_, &Tour::changed, this, &StartView::showSteps);
  showSteps();
  auto* hint = label(tr("Ctrl+K finds anything by name; Ctrl+Shift+P runs any command; F1 lists all keys."), "muted");
  hint->setWordWrap(true);
  content->addWidget(hint);
  content->addStretch(1);
  return frame;
}

void StartView::showSteps() {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const bool done = tour_.isDone(i);
    steps_[i]->setText(
        QStringLiteral("%1   %2").arg(done ? QStringLiteral("✓") : QString::number(i + 1)).arg(tour_.steps()[i].title));
    steps_[i]->setAccessibleDescription(done ? tr("done") : QString());
  }
}

QWidget* StartView::recentCard() {
  QVBoxLayout* content = nullptr;
  QWidget* frame = card(tr("Recent work"), content);
  recent_ = new QVBoxLayout;
  recent_->setSpacing(0);
  content->addLayout(recent_);
  content->addStretch(1);
  return frame;
}

QWidget* StartView::machineCard() {
  QVBoxLayout* content = nullptr;
  QWidget* frame = card(tr("This machine"), content);
  machine_ = makeMachineModel(this);
  machineTable_ = new Table(machine_, tr("What this machine has and lacks"), tr("Asking the worker…"));
  machineTable_->setMinimumHeight(8 * 24 + 32);
  machineTable_->setFrameShape(QFrame::NoFrame);
  content->addWidget(machineTable_, 1);
  return frame;
}

void StartView::askMachine() {
  job_ = int(workbench_.jobs().all().size()) + 1;
  workbench_.jobs().start("doctor", tr("What this machine has"), {}, nlohmann::json::object());
}

void StartView::fillRecent() {
  while (QLayoutItem* item = recent_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  const QStringList list = workbench_.recent();
  for (const QString& uri : list) {
    const auto entity = Entity::fromUri(uri);
    if (!entity) continue;
    const bool isOp = entity->kind == QLatin1String("op");
    auto* b = button(isOp ? entity->id : QFileInfo(entity->id).fileName(), uri, "link");
    recent_->addWidget(b, 0, Qt::AlignLeft);
    connect(b, &QPushButton::clicked, this, [this, e = *entity, isOp] {
      if (!isOp)
        workbench_.openFile(e.id);
      else if (!workbench_.open(e))
        workbench_.say(tr("%1 is not in the library any more.").arg(e.id));
    });
  }
  if (list.isEmpty()) {
    auto* none = label(tr("Operators and profiles that you open are listed here."), "muted");
    none->setWordWrap(true);
    recent_->addWidget(none);
  }
}

void StartView::show(const Entity& /*entity*/) {}

} // namespace aicf::views
