#include "views/ops/structure_pane.hpp"

#include "views/engine/atlas_texts.hpp"
#include "views/engine/text.hpp"
#include "views/graph/graph_view.hpp"
#include "views/ops/certificate_pane.hpp"
#include "views/ops/gradient_pane.hpp"

#include <QPlainTextEdit>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

namespace aicf::views {
namespace {

QString words(const std::vector<std::string>& list) { return qs(list).join(QStringLiteral(", ")); }
QString yesNo(bool yes) { return yes ? StructurePane::tr("yes") : StructurePane::tr("no"); }

QPlainTextEdit* monoText(const QString& name, const QString& placeholder) {
  auto* text = new QPlainTextEdit;
  text->setReadOnly(true);
  text->setAccessibleName(name);
  text->setPlaceholderText(placeholder);
  text->setTabChangesFocus(true);
  text->setFont(theme().mono());
  return text;
}

void section(QString& out, const QString& title, const QStringList& lines) {
  if (lines.isEmpty()) return;
  out += title + '\n';
  for (const QString& line : lines) out += QStringLiteral("    ") + line + '\n';
  out += '\n';
}

} // namespace

QString rankText(const Rank& rank) {
  switch (rank.kind) {
  case Rank::Kind::finite: return QString::number(rank.value);
  case Rank::Kind::unbounded: return StructurePane::tr("unbounded");
  case Rank::Kind::unknown: return StructurePane::tr("unknown");
  case Rank::Kind::none: return QStringLiteral("–");
  }
  return {};
}

RecordModel<Reduction>* makeReductionsModel(QObject* parent) {
  using C = Column<Reduction>;
  return new RecordModel<Reduction>(
      {C{{StructurePane::tr("Name"),
          StructurePane::tr("Name on the left side; h#1 is the first inside an expression of h"), CellKind::mono, 56},
         [](const auto& r) { return qs(r.name); }},
       C{{StructurePane::tr("Reducer"), StructurePane::tr("The operation that combines the elements"), CellKind::mono,
          66},
         [](const auto& r) { return qs(r.reducer); }},
       C{{StructurePane::tr("Axes"), StructurePane::tr("Variables it reduces over"), CellKind::mono, 46},
         [](const auto& r) { return words(r.axes); }},
       C{{StructurePane::tr("Rank"),
          StructurePane::tr("Separation rank of f(x; d) = Σ gₐ(x)·hₐ(d): the number of sums that a bounded state "
                            "needs. Unbounded: no online form."),
          CellKind::mono, 78},
         [](const auto& r) { return r.rank.kind == Rank::Kind::finite ? QVariant(r.rank.value) : QVariant(); },
         [](const auto& r) { return rankText(r.rank); },
         [](const auto& r) {
           return r.rank.kind == Rank::Kind::unbounded ? Tone::bad
                  : r.rank.kind == Rank::Kind::unknown ? Tone::warn
                                                       : Tone::plain;
         }},
       C{{StructurePane::tr("Bounded"),
          StructurePane::tr("It can be kept in a state of fixed size that needs no second look at the elements"),
          CellKind::chip, 70},
         [](const auto& r) { return yesNo(r.bounded); },
         {},
         [](const auto& r) { return r.bounded ? Tone::good : Tone::bad; }},
       C{{StructurePane::tr("Stable"),
          StructurePane::tr("Every exponent is certified ≤ 0 and nothing cancels against the running value"),
          CellKind::chip, 62},
         [](const auto& r) { return yesNo(r.stable); },
         {},
         [](const auto& r) { return r.stable ? Tone::good : Tone::warn; }},
       C{{StructurePane::tr("Level"),
          StructurePane::tr("1 + the highest level that it reads over this axis: the sweep it belongs to"),
          CellKind::number, 50},
         [](const auto& r) { return r.level; }},
       C{{StructurePane::tr("Reads"), StructurePane::tr("Reductions over the same axis that it depends on"),
          CellKind::mono, 60},
         [](const auto& r) { return words(r.depends_on); }}},
      parent);
}

StructurePane::StructurePane(Workbench& workbench)
    : workbench_(workbench), structures_(new Chips), facts_(new ElidedLabel({}, "muted")),
      hash_(new ElidedLabel({}, "muted")), model_(makeReductionsModel(this)),
      reductions_(new Table(model_, tr("Reductions"), tr("No reduction: every output is a map of its inputs."))),
      tabs_(new QTabWidget), state_(monoText(tr("State of the reduction"),
                                             tr("Choose a reduction to see its state, merge, rescale and finalize."))),
      cascades_(monoText(tr("Cascades"), tr("No cascade: nothing is reduced."))), certificates_(new CertificatePane),
      graph_(new GraphView), derivative_(new GradientPane(workbench)) {
  auto* top = new QWidget;
  auto* layout = new QVBoxLayout(top);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(structures_);
  layout->addWidget(facts_);
  layout->addWidget(hash_);
  layout->addWidget(reductions_, 1);
  tabs_->addTab(state_, tr("State"));
  tabs_->addTab(certificates_, tr("Certificates"));
  tabs_->addTab(cascades_, tr("Cascades"));
  tabs_->addTab(graph_, tr("Graph"));
  tabs_->addTab(derivative_, tr("Derivative"));
  tabs_->setTabToolTip(0, tr("How the selected reduction is kept, merged, rescaled and finished"));
  tabs_->setTabToolTip(1, tr("Each claim with its method, trials and error bound, and the derivation step by step"));
  tabs_->setTabToolTip(2, tr("Reductions over one axis, grouped, with their common state"));
  tabs_->setTabToolTip(3, tr("What reads what: inputs, reductions, values, results"));
  tabs_->setTabToolTip(4, tr("The vector-Jacobian product, an operator like any other"));
  pane_ = new Pane(tr("Structure"), top);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(splitter(Qt::Vertical, {{pane_, 300}, {tabs_, 370}}));

  connect(&theme(), &Theme::changed, this, [this] {
    state_->setFont(theme().mono());
    cascades_->setFont(theme().mono());
  });
  const auto dim = [this] {
    const Subject& s = workbench_.subject();
    pane_->setNote(s.isEmpty()               ? QString()
                   : !s.definition()         ? (s.isChecking() ? tr("analysing…")
                                                               : tr("the definition has errors; this is the last that checked"))
                   : !s.structureIsCurrent() ? tr("analysing…")
                                             : QString());
  };
  connect(&workbench.subject(), &Subject::opened, this, [this, dim] {
    show();
    dim();
  });
  connect(&workbench.subject(), &Subject::checked, this, dim);
  connect(&workbench.subject(), &Subject::analysed, this, [this, dim] {
    show();
    dim();
  });
  connect(reductions_, &Table::currentRowChanged, this, &StructurePane::showReduction);
  connect(&workbench.subject(), &Subject::checked, this, &StructurePane::showGraph);
  connect(graph_, &GraphView::chosen, this, [this](const QString& name) {
    selectValue(name);
    Q_EMIT valueChosen(name);
  });
  show();
}

void StructurePane::show() {
  const auto structure = workbench_.subject().structure();
  model_->setRows(structure ? structure->reductions : std::vector<Reduction>());
  reductions_->setExplanation(structure ? tr("No reduction: every output is a map of its inputs.")
                              : workbench_.subject().isEmpty() ? tr("Choose an operator to see what it computes.")
                                                               : tr("Nothing analysed yet."));
  certificates_->setCertificates(structure ? structure->certificates : std::vector<Certificate>());
  showFacts();
  showGraph();
  if (model_->rowCount() > 0)
    reductions_->selectSourceRow(model_->rowCount() - 1);
  else
    showReduction();
}

void StructurePane::showFacts() {
  const auto structure = workbench_.subject().structure();
  if (!structure) {
    structures_->setWords({});
    facts_->setFullText({});
    hash_->setFullText({});
    cascades_->clear();
    return;
  }
  QStringList chips, meanings;
  for (const std::string& s : structure->structures) {
    chips << qs(s).replace('_', ' ');
    for (const AtlasText& text : atlasTexts())
      if (text.kind == QLatin1String("structure") && text.id == qs(s)) meanings << text.summary;
    if (meanings.size() < chips.size()) meanings << QString();
  }
  structures_->setWords(chips, meanings);
  facts_->setFullText(tr("Passes %1 as defined, %2 at best  ·  Stages %3")
                          .arg(structure->passes_definition)
                          .arg(structure->passes_best)
                          .arg(words(structure->stages)));
  facts_->setToolTip(
      tr("%1\nA pass is a sweep over the axis; at best: where dependences with a bounded state are kept while "
         "sweeping. Stages: the kinds of work that the definition splits into.")
          .arg(facts_->text()));
  hash_->setFullText(structure->canonical ? tr("Structure hash %1 — equal for every spelling of this operator")
                                                .arg(qs(short_hex(structure->canonical->structure_hash)))
                                          : QString());
  QString text;
  for (const Cascade& c : structure->cascades) {
    QStringList names, slots_;
    for (const std::size_t r : c.reductions) names << qs(structure->reductions[r].name);
    if (c.summary)
      for (const Slot& s : c.summary->slots) slots_ << qs(s.name);
    text += tr("over %1:  %2\n").arg(qs(c.axis), names.join(QStringLiteral(" → ")));
    text += c.summary ? tr("    bounded state of %1 numbers: %2\n    %3\n\n")
                            .arg(c.summary->slots.size())
                            .arg(slots_.join(QStringLiteral(", ")),
                                 c.summary->stable ? tr("stable: chunks merge in any order without overflow")
                                                   : tr("not certified stable"))
                      : tr("    no bounded state: needs the elements again\n\n");
  }
  cascades_->setPlainText(text.trimmed());
}

void StructurePane::showReduction() {
  const int row = reductions_->sourceRow();
  if (row < 0) {
    state_->clear();
    tabs_->setTabText(0, tr("State"));
    return;
  }
  const Reduction& r = model_->at(row);
  tabs_->setTabText(0, tr("State of %1").arg(qs(r.name)));
  QString text;
  section(text, tr("State"), qs(r.state));
  section(text, tr("Merge of two chunks a and b"), qs(r.merge));
  section(text, tr("Rescale when what it reads changes"), qs(r.rescale));
  section(text, tr("Finalize"), qs(r.finalize));
  if (text.isEmpty())
    text = r.bounded ? tr("Its own value is its state.")
                     : tr("No bounded state. The certificate says why; a plan reads the elements again.");
  state_->setPlainText(text.trimmed());
  certificates_->select(qs(r.certificate));
  graph_->select(qs(r.name));
  Q_EMIT valueChosen(qs(r.name));
}

void StructurePane::showGraph() {
  const Subject& s = workbench_.subject();
  if (const auto definition = s.definition())
    graph_->setGraph(structureGraph(*definition, s.structureIsCurrent() ? s.structure().get() : nullptr));
  else
    graph_->setNothing(s.isEmpty() ? tr("Choose an operator to see what reads what.")
                                   : tr("The definition has errors, or is being read."));
}

void StructurePane::selectValue(const QString& name) {
  graph_->select(name);
  for (int row = 0; row < model_->rowCount(); ++row)
    if (qs(model_->at(row).name) == name) reductions_->selectSourceRow(row);
}

} // namespace aicf::views
