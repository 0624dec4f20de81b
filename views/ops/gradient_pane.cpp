#include "views/ops/gradient_pane.hpp"

#include "core/expr/print.hpp"
#include "core/structure/gradient.hpp"
#include "views/engine/text.hpp"
#include "views/formula/formula_view.hpp"

#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QVBoxLayout>

#include <exception>

namespace aicf::views {

Derived derive(const Definition& definition, std::stop_token stop) {
  Derived out;
  try {
    Result<Definition> made = gradient(definition);
    if (!made) {
      QStringList lines;
      for (const Diagnostic& d : made.diagnostics) lines << qs(d.hint.empty() ? d.message : d.message + "\n" + d.hint);
      out.problem = lines.join('\n');
      return out;
    }
    out.text = qs(print(*made));
    out.name = qs(made->name);
    out.definition = std::make_shared<const Definition>(std::move(*made));
    const StructureProfile profile = analyze(canonicalize(out.definition), 1, stop);
    out.facts = GradientPane::tr("%1  ·  passes %2 as defined, %3 at best  ·  reductions %4")
                    .arg(QString(qs(profile.structures).join(QStringLiteral(", "))).replace('_', ' '))
                    .arg(profile.passes_definition)
                    .arg(profile.passes_best)
                    .arg(profile.reductions.size());
  } catch (const std::exception& e) { // a fault of ours must not cost the window
    out.problem = qs(e.what());
  }
  return out;
}

GradientPane::GradientPane(Workbench& workbench)
    : workbench_(workbench), formula_(new FormulaView(tr("Derivative"))), text_(new QPlainTextEdit),
      facts_(new ElidedLabel({}, "muted")),
      open_(button(tr("Open as an operator"),
                   tr("A new operator of your own with this definition; nothing is saved yet"))),
      deriving_(this) {
  text_->setReadOnly(true);
  text_->setTabChangesFocus(true);
  text_->setAccessibleName(tr("Derivative in the operator language"));
  text_->setFont(theme().mono());
  auto* bar = new QHBoxLayout;
  bar->addWidget(facts_, 1);
  bar->addWidget(open_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 4, 0, 0);
  layout->setSpacing(4);
  layout->addLayout(bar);
  layout->addWidget(splitter(Qt::Vertical, {{formula_, 220}, {text_, 110}}), 1);
  connect(&theme(), &Theme::changed, text_, [this] { text_->setFont(theme().mono()); });
  const auto stale = [this] {
    stale_ = true;
    if (isVisible()) request();
  };
  connect(&workbench.subject(), &Subject::opened, this, stale);
  connect(&workbench.subject(), &Subject::checked, this, stale);
  connect(open_, &QPushButton::clicked, this, [this] { openAsOperator(); });
  show({});
}

void GradientPane::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) request();
}

void GradientPane::openAsOperator() {
  QHash<QString, QString> drafts = workbench_.drafts();
  QString name = derived_.name;
  for (int n = 2; workbench_.library().find(name) || workbench_.subject().name() == name || drafts.contains(name); ++n)
    name = derived_.name + QString::number(n);
  drafts[name] = derived_.text;
  workbench_.setDrafts(drafts);
  workbench_.navigator().open({QStringLiteral("op"), name});
}

void GradientPane::request() {
  const auto definition = workbench_.subject().definition();
  if (!definition) {
    deriving_.cancel();
    show({});
    return;
  }
  stale_ = false;
  facts_->setFullText(tr("deriving…"));
  deriving_.request([definition](std::stop_token stop) { return derive(*definition, stop); },
                    [this](Derived derived) { show(std::move(derived)); });
}

void GradientPane::show(Derived derived) {
  derived_ = std::move(derived);
  open_->setEnabled(derived_.definition != nullptr);
  facts_->setFullText(derived_.facts);
  text_->setPlainText(derived_.text);
  if (derived_.definition) {
    formula_->setFormula(mathOf(*derived_.definition), derived_.text);
    return;
  }
  const Subject& s = workbench_.subject();
  formula_->setNothing(!derived_.problem.isEmpty() ? tr("It has no derivative: %1").arg(derived_.problem)
                       : s.isEmpty()               ? tr("Choose an operator to see its derivative.")
                                     : tr("Nothing derived: the definition has errors, or is being read."));
}

} // namespace aicf::views
