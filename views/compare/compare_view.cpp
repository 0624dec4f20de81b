#include "views/compare/compare_view.hpp"

#include "views/compare/diff.hpp"
#include "views/engine/text.hpp"
#include "views/frame/icons.hpp"
#include "views/widgets/panes.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QScrollBar>
#include <QSplitter>
#include <QVBoxLayout>

#include <cmath>
#include <set>

namespace aicf::views {

static const RegisterView registration{50, [](Workbench& w) { return std::make_unique<CompareView>(w); }};

namespace {

QString valueText(const std::optional<double>& v, const QString& state) { return v ? number(*v, 5) : state; }
QString stateOf(const MetricRow* m) { return m && !m->value ? QString(m->source).replace('_', ' ') : QString(); }
std::optional<double> difference(const ComparedMetric& m) {
  return m.a && m.b ? std::optional(*m.b - *m.a) : std::nullopt;
}
std::optional<double> ratio(const ComparedMetric& m) {
  return m.a && m.b && *m.a != 0 ? std::optional(*m.b / *m.a) : std::nullopt;
}
QString signedText(const std::optional<double>& v) {
  return !v       ? QString()
         : *v > 0 ? '+' + number(*v, 4)
         : *v < 0 ? QStringLiteral("−") + number(-*v, 4)
                  : QStringLiteral("0");
}
QVariant variant(const std::optional<double>& v) { return v ? QVariant(*v) : QVariant(); }
/// Counts, bytes, errors and times are costs: less is better. Of fractions that cannot be said.
Tone costTone(const ComparedMetric& m) {
  const auto d = difference(m);
  return !d || *d == 0 || m.unit == QLatin1String("fraction") ? Tone::plain : *d < 0 ? Tone::good : Tone::warn;
}

} // namespace

std::vector<ComparedMetric> compareMetrics(const VariantRow& a, const VariantRow& b) {
  std::vector<ComparedMetric> rows;
  const auto whole = [&](const QString& id, const QString& unit, std::optional<int> VariantRow::*member) {
    const auto wide = [](const std::optional<int>& v) { return v ? std::optional<double>(*v) : std::nullopt; };
    rows.push_back({id, unit, wide(a.*member), wide(b.*member)});
  };
  std::set<QString> seen;
  const auto metrics = [&](const VariantRow& from) {
    for (const MetricRow& m : from.metrics) {
      if (!seen.insert(m.id).second) continue;
      const MetricRow *x = a.metric(m.id), *y = b.metric(m.id);
      rows.push_back({m.id, m.unit, x ? x->value : std::nullopt, y ? y->value : std::nullopt, stateOf(x), stateOf(y)});
    }
  };
  whole(CompareView::tr("registers"), CompareView::tr("a thread"), &VariantRow::registers);
  whole(CompareView::tr("shared memory"), CompareView::tr("bytes"), &VariantRow::shared);
  whole(CompareView::tr("spills"), CompareView::tr("bytes"), &VariantRow::spills);
  metrics(a);
  metrics(b);
  const auto judged = [](const VariantRow& v, double value) {
    return v.checks.empty() ? std::nullopt : std::optional(value);
  };
  rows.push_back({CompareView::tr("largest relative error"), {}, judged(a, a.relErr), judged(b, b.relErr)});
  rows.push_back({CompareView::tr("error of bound"), {}, judged(a, a.worstRatio), judged(b, b.worstRatio)});
  return rows;
}

std::vector<ComparedChoice> compareChoices(const VariantRow& a, const VariantRow& b) {
  std::vector<ComparedChoice> rows;
  if (a.family != b.family) rows.push_back({CompareView::tr("family"), a.family, b.family});
  QMap<QString, QString> all = a.choices;
  all.insert(b.choices);
  for (auto it = all.begin(); it != all.end(); ++it)
    if (const QString x = a.choices.value(it.key()), y = b.choices.value(it.key()); x != y)
      rows.push_back({it.key(), x, y});
  return rows;
}

RecordModel<ComparedMetric>* makeComparedMetricsModel(QObject* parent) {
  using C = Column<ComparedMetric>;
  return new RecordModel<ComparedMetric>(
      {C{{CompareView::tr("Metric"), CompareView::tr("Counters by the emulator, then times by a device"),
          CellKind::mono, 210},
         [](const auto& m) { return m.id; }},
       C{{CompareView::tr("A"), CompareView::tr("The variant chosen as A"), CellKind::number, 92},
         [](const auto& m) { return variant(m.a); },
         [](const auto& m) { return valueText(m.a, m.stateA); }},
       C{{CompareView::tr("B"), CompareView::tr("The variant chosen as B"), CellKind::number, 92},
         [](const auto& m) { return variant(m.b); },
         [](const auto& m) { return valueText(m.b, m.stateB); }},
       C{{CompareView::tr("B − A"), CompareView::tr("How much more B needs, and in per cent of A"), CellKind::number,
          92},
         [](const auto& m) { return variant(difference(m)); },
         [](const auto& m) { return signedText(difference(m)); },
         costTone},
       C{{CompareView::tr("B / A"), CompareView::tr("Below 1: B needs less"), CellKind::number, 64},
         [](const auto& m) { return variant(ratio(m)); },
         [](const auto& m) {
           const auto r = ratio(m);
           return r ? QString::number(*r, 'f', 3) : QString();
         },
         costTone},
       C{{CompareView::tr("Unit"), CompareView::tr("Of both values"), CellKind::text, 80},
         [](const auto& m) { return m.unit; }}},
      parent);
}

RecordModel<ComparedChoice>* makeComparedChoicesModel(QObject* parent) {
  using C = Column<ComparedChoice>;
  return new RecordModel<ComparedChoice>(
      {C{{CompareView::tr("Choice"), CompareView::tr("Parameters of the plans that differ"), CellKind::mono, 150},
         [](const auto& c) { return c.param; }},
       C{{CompareView::tr("A"), CompareView::tr("The variant chosen as A"), CellKind::mono, 110},
         [](const auto& c) { return c.a; }},
       C{{CompareView::tr("B"), CompareView::tr("The variant chosen as B"), CellKind::mono, 110},
         [](const auto& c) { return c.b; }}},
      parent);
}

CompareView::CompareView(Workbench& workbench) : workbench_(workbench) {
  Actions& a = workbench.actions();
  const auto differs = [this] { return !starts_.empty(); };
  a.add(
      {"compare.next", tr("&Next Difference"), tr("In the two sources"), {}, QKeySequence(Qt::Key_F8), differs, [this] {
         nextDifference(1);
       }});
  a.add({"compare.previous",
         tr("&Previous Difference"),
         tr("In the two sources"),
         {},
         QKeySequence(Qt::SHIFT | Qt::Key_F8),
         differs,
         [this] { nextDifference(-1); }});
  a.add({"compare.swap",
         tr("S&wap A and B"),
         tr("The left one on the right"),
         "swap",
         {},
         [this] { return a_ && a_->currentIndex() >= 0 && b_->currentIndex() >= 0; },
         [this] { choose(b_->currentData().toString(), a_->currentData().toString()); }});
}

QWidget* CompareView::widget() {
  if (widget_) return widget_;
  const auto combo = [](const QString& name) {
    auto* box = new QComboBox;
    box->setAccessibleName(name);
    box->setToolTip(name);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(20);
    box->setPlaceholderText(tr("choose a variant"));
    return box;
  };
  a_ = combo(tr("Variant on the left"));
  b_ = combo(tr("Variant on the right"));
  left_ = new CodeEditor(CodeEditor::Language::cuda, tr("Source of A"));
  right_ = new CodeEditor(CodeEditor::Language::cuda, tr("Source of B"));
  metrics_ = makeComparedMetricsModel(this);
  choices_ = makeComparedChoicesModel(this);
  metricsTable_ = new Table(metrics_, tr("Metrics of A and B"), {});
  choicesTable_ = new Table(choices_, tr("Plan choices that differ"), {});

  auto* top = new QHBoxLayout;
  top->setSpacing(6);
  auto* swap = button({}, tr("Swap A and B"));
  swap->setIcon(views::icon("swap"));
  swap->setAccessibleName(tr("Swap A and B"));
  top->addWidget(label(tr("A"), "section"));
  top->addWidget(a_, 1);
  top->addWidget(swap);
  top->addWidget(label(tr("B"), "section"));
  top->addWidget(b_, 1);

  auto* diff = splitter(Qt::Horizontal, {{left_, 600}, {right_, 600}});
  diffPane_ = new Pane(tr("Source"), diff);
  widget_ = new QWidget;
  auto* layout = new QVBoxLayout(widget_);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->addLayout(top);
  auto* bottom = splitter(Qt::Horizontal, {{new Pane(tr("Numbers"), metricsTable_), 660},
                                           {new Pane(tr("Plan choices that differ"), choicesTable_), 500}});
  layout->addWidget(splitter(Qt::Vertical, {{diffPane_, 430}, {bottom, 240}}), 1);

  for (CodeEditor* e : {left_, right_}) {
    e->setReadOnly(true);
    e->setCaretLineVisible(false);
    CodeEditor* other = e == left_ ? right_ : left_;
    connect(e->verticalScrollBar(), &QScrollBar::valueChanged, other->verticalScrollBar(), &QScrollBar::setValue);
    connect(e->horizontalScrollBar(), &QScrollBar::valueChanged, other->horizontalScrollBar(), &QScrollBar::setValue);
  }
  for (QComboBox* box : {a_, b_})
    connect(box, &QComboBox::currentIndexChanged, this, [this] {
      if (!filling_) update();
    });
  connect(swap, &QPushButton::clicked, this, [this] { workbench_.actions().trigger("compare.swap"); });
  connect(&workbench_.variants(), &Variants::changed, this, &CompareView::refill);
  connect(&theme(), &Theme::changed, this, &CompareView::update);
  refill();
  return widget_;
}

void CompareView::refill() {
  const QString a = a_->currentData().toString(), b = b_->currentData().toString();
  filling_ = true;
  for (QComboBox* box : {a_, b_}) {
    box->clear();
    for (const VariantRow& v : workbench_.variants().all())
      box->addItem(QStringList{v.op, v.id, v.label}.join(QStringLiteral("  ·  ")), v.id);
  }
  filling_ = false;
  choose(a, b);
}

void CompareView::choose(const QString& a, const QString& b) {
  (void)widget();
  filling_ = true;
  a_->setCurrentIndex(a_->findData(a));
  b_->setCurrentIndex(b_->findData(b));
  filling_ = false;
  update();
}

void CompareView::update() {
  const VariantRow* a = workbench_.variants().find(a_->currentData().toString());
  const VariantRow* b = workbench_.variants().find(b_->currentData().toString());
  starts_.clear();
  differing_ = 0;
  workbench_.actions().invalidate();
  for (CodeEditor* e : {left_, right_}) e->clearMarks();
  if (!a || !b) {
    const QString why = workbench_.variants().all().size() < 2
                            ? tr("// Two variants are needed: Synthesis builds them (F5).\n")
                            : tr("// Choose two variants above, or in Synthesis with Ctrl+Shift+A and Ctrl+Shift+B.\n");
    left_->setText(a ? a->source : why);
    right_->setText(b ? b->source : why);
    metrics_->setRows({});
    choices_->setRows({});
    metricsTable_->setExplanation(tr("The numbers of A and B side by side, with difference and ratio."));
    choicesTable_->setExplanation(tr("What the two plans chose differently."));
    diffPane_->setNote({});
    return;
  }
  const QStringList la = a->source.split('\n'), lb = b->source.split('\n');
  const auto rows = diffLines(la, lb);
  QStringList textA, textB, numbersA, numbersB;
  for (const DiffRow& r : rows) {
    textA << (r.left >= 0 ? la[r.left] : QString());
    textB << (r.right >= 0 ? lb[r.right] : QString());
    numbersA << (r.left >= 0 ? QString::number(r.left + 1) : QString());
    numbersB << (r.right >= 0 ? QString::number(r.right + 1) : QString());
  }
  left_->setText(textA.join('\n'));
  right_->setText(textB.join('\n'));
  left_->setLineNumbers(numbersA);
  right_->setLineNumbers(numbersB);
  bool inside = false;
  for (int i = 0; i < int(rows.size()); ++i) {
    const DiffRow& r = rows[std::size_t(i)];
    const bool differs = r.kind != DiffRow::Kind::same;
    if (differs && !inside) starts_.push_back(i);
    inside = differs;
    if (!differs) continue;
    ++differing_;
    left_->markLine(i, r.left >= 0 ? "removed" : "gap");
    right_->markLine(i, r.right >= 0 ? "added" : "gap");
    if (r.kind != DiffRow::Kind::changed) continue;
    const DiffRange range = diffWithin(la[r.left], lb[r.right]);
    left_->markRange(i, range.leftFrom, range.leftTo, "removedStrong");
    right_->markRange(i, range.rightFrom, range.rightTo, "addedStrong");
  }
  diffPane_->setNote(
      differing_ == 0
          ? tr("the sources are equal")
          : tr("lines that differ: %1, in %2 places (F8 goes to the next)").arg(differing_).arg(starts_.size()));
  metrics_->setRows(compareMetrics(*a, *b));
  auto choices = compareChoices(*a, *b);
  choicesTable_->setExplanation(tr("The two plans chose the same."));
  choices_->setRows(std::move(choices));
}

void CompareView::nextDifference(int direction) {
  int line = 0, column = 0;
  left_->getCursorPosition(&line, &column);
  int target = direction > 0 ? starts_.front() : starts_.back();
  if (direction > 0) {
    for (const int s : starts_)
      if (s > line) {
        target = s;
        break;
      }
  } else {
    for (const int s : starts_)
      if (s < line) target = s;
  }
  left_->setCursorPosition(target, 0);
  left_->setFirstVisibleLine(std::max(0, target - 4));
}

void CompareView::show(const Entity& entity) {
  const bool isA = entity.kind == QLatin1String("compare-a");
  choose(isA ? entity.id : a_->currentData().toString(), isA ? b_->currentData().toString() : entity.id);
}

QJsonObject CompareView::state() const {
  if (!widget_) return {};
  return {
      {"a", a_->currentData().toString()}, {"b", b_->currentData().toString()}, {"line", left_->firstVisibleLine()}};
}

void CompareView::restore(const QJsonObject& state) {
  choose(state.value("a").toString(), state.value("b").toString());
  left_->setFirstVisibleLine(state.value("line").toInt());
}

} // namespace aicf::views
