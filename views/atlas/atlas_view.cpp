#include "views/atlas/atlas_view.hpp"

#include "views/atlas/matrix_table.hpp"
#include "views/atlas/relations.hpp"
#include "views/engine/atlas_texts.hpp"
#include "views/engine/text.hpp"
#include "views/frame/icons.hpp"
#include "views/guide/page.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPainter>
#include <QScrollBar>
#include <QSplitter>
#include <QVBoxLayout>

namespace aicf::views {
namespace {

constexpr int answers[] = {int(PropertyVerdict::Answer::holds), int(PropertyVerdict::Answer::fails),
                           int(PropertyVerdict::Answer::not_applicable), int(PropertyVerdict::Answer::unknown)};
/// Values of a counterexample that a reader takes in; the rest are counted.
constexpr std::size_t mostValues = 12;

const RegisterView registration{15, [](Workbench& w) { return std::make_unique<AtlasView>(w); }};

Tone toneOf(PropertyVerdict::Answer answer) {
  switch (answer) {
  case PropertyVerdict::Answer::holds: return Tone::info;
  case PropertyVerdict::Answer::fails: return Tone::warn;
  default: return Tone::muted;
  }
}

QString valuesText(const std::vector<double>& values, const std::vector<double>* other) {
  QStringList out;
  for (std::size_t i = 0; i < values.size() && i < mostValues; ++i) {
    const QString text = escaped(number(values[i], 6));
    const bool differs = other && (i >= other->size() || (*other)[i] != values[i]);
    out << (differs ? QStringLiteral("<b>%1</b>").arg(text) : text);
  }
  if (values.size() > mostValues) out << AtlasView::tr("… %1 more").arg(values.size() - mostValues);
  return out.join(QStringLiteral(", "));
}

QString counterexamplePage(const Counterexample& c) {
  QString out = heading(AtlasView::tr("Counterexample"));
  out += paragraph(qs(c.text));
  QStringList dims;
  for (const auto& [name, size] : c.dims) dims << QStringLiteral("%1 = %2").arg(qs(name)).arg(size);
  if (!dims.isEmpty()) out += paragraph(AtlasView::tr("At the sizes %1.").arg(dims.join(QStringLiteral(", "))));
  std::vector<QStringList> rows;
  for (const auto& [name, values] : c.inputs) {
    const auto changed = c.changed.find(name);
    const bool has = changed != c.changed.end();
    rows.push_back({escaped(qs(name)), valuesText(values, has ? &changed->second : nullptr),
                    has ? valuesText(changed->second, &values) : QString()});
  }
  out += c.changed.empty() ? grid({AtlasView::tr("Input"), AtlasView::tr("Values"), {}}, rows)
                           : grid({AtlasView::tr("Input"), AtlasView::tr("First"), AtlasView::tr("Then")}, rows);
  const QString where =
      c.result.empty() ? AtlasView::tr("The law") : AtlasView::tr("%1, element %2").arg(qs(c.result)).arg(c.element);
  out += QStringLiteral("<p></p>") + factTable({{where, {}},
                                                {AtlasView::tr("Where"), escaped(where)},
                                                {AtlasView::tr("Expected"), toned(number(c.expected, 9), Tone::info)},
                                                {AtlasView::tr("Observed"), toned(number(c.observed, 9), Tone::warn)}});
  return out;
}

/// Links to entities of one kind, each with why it is here as its line.
QString relatedSection(const QString& title, const Entity& from, const QString& kind, const QStringList& ids) {
  if (ids.isEmpty()) return {};
  QString out = heading(title);
  for (const QString& id : ids) {
    const Entity to{kind, id};
    const QString why = whyRelated(from, to);
    out += QStringLiteral("<p>%1%2</p>")
               .arg(linkTo(to, titleOf(kind, id)),
                    why.isEmpty() ? QString() : QStringLiteral("<br>") + toned(why, Tone::muted));
  }
  return out;
}

} // namespace

QString verdictPage(const MatrixOperator& op, const QString& property) {
  const PropertyText text = property_text(property.toStdString());
  const PropertyVerdict* v = op.verdict(property);
  QString out = QStringLiteral("<h2>%1</h2>").arg(linkTo({"op", op.name}, op.name));
  out += QStringLiteral("<p>%1: %2</p>")
             .arg(linkTo({"property", property}, qs(text.title)),
                  v                       ? toned(answerText(v->answer), toneOf(v->answer))
                  : !op.problem.isEmpty() ? toned(op.problem, Tone::bad)
                                          : toned(AtlasView::tr("being decided…"), Tone::muted));
  if (v) {
    out += paragraph(qs(v->text));
    out += heading(AtlasView::tr("How it is known"));
    const bool decided = v->answer == PropertyVerdict::Answer::holds || v->answer == PropertyVerdict::Answer::fails;
    out += factTable({{AtlasView::tr("Method"), escaped(qs(v->method))},
                      {AtlasView::tr("Trials"), v->trials > 0 ? escaped(number(v->trials)) : QString()},
                      {AtlasView::tr("Error"),
                       !decided       ? QString()
                       : v->bound > 0 ? AtlasView::tr("wrong with probability at most %1").arg(number(v->bound, 3))
                                      : AtlasView::tr("none: proven, or shown by values")}});
    if (v->counterexample) out += counterexamplePage(*v->counterexample);
  }
  out += heading(AtlasView::tr("The property"));
  out += paragraph(qs(text.definition)) + code(qs(text.law));
  return out;
}

QString propertyPage(Workbench& workbench, const PropertyMatrix& matrix, const QString& property) {
  const PropertyText text = property_text(property.toStdString());
  const Entity self{QStringLiteral("property"), property};
  const PropertyCount n = matrix.count(property);
  QString out = QStringLiteral("<h2>%1</h2>").arg(escaped(qs(text.title)));
  out += paragraph(qs(text.definition)) + code(qs(text.law));
  out += heading(AtlasView::tr("Operators"));
  QStringList counts{toned(AtlasView::tr("holds for %1").arg(n.holds), Tone::info),
                     toned(AtlasView::tr("fails for %1").arg(n.fails), Tone::warn)};
  if (n.notApplicable > 0) counts << toned(AtlasView::tr("not applicable to %1").arg(n.notApplicable), Tone::muted);
  if (n.unknown > 0) counts << toned(AtlasView::tr("unknown for %1").arg(n.unknown), Tone::muted);
  if (n.pending > 0) counts << toned(AtlasView::tr("%1 being decided").arg(n.pending), Tone::muted);
  out += QStringLiteral("<p>%1</p>").arg(counts.join(QStringLiteral("  ·  ")));
  out += heading(AtlasView::tr("Permits")) + paragraph(qs(text.permits));
  out += relatedSection(AtlasView::tr("Transformations that it permits"), self, QStringLiteral("transformation"),
                        workbench.related().lit(self, QStringLiteral("transformation")));
  out += relatedSection(AtlasView::tr("Primitives that realize them"), self, QStringLiteral("primitive"),
                        workbench.related().lit(self, QStringLiteral("primitive")));
  const QStringList metrics = workbench.related().lit(self, QStringLiteral("metric"));
  out += metrics.isEmpty() ? heading(AtlasView::tr("Hardware metrics that price them")) +
                                 paragraph(AtlasView::tr("None in the hardware profile that is open."))
                           : relatedSection(AtlasView::tr("Hardware metrics that price them"), self,
                                            QStringLiteral("metric"), metrics);
  if (!text.references.empty()) {
    out += heading(AtlasView::tr("References"));
    for (const std::string& r : text.references) out += paragraph(qs(r));
  }
  return out;
}

AtlasView::AtlasView(Workbench& workbench) : workbench_(workbench), deciding_(this) {
  workbench.related().tell(QStringLiteral("atlas"), relatedPairs());
  connect(&workbench.subject(), &Subject::analysed, this, &AtlasView::decideActive);
}

/// The active operator's properties are known before anybody opens the whole matrix.
void AtlasView::decideActive() {
  const Subject& s = workbench_.subject();
  const auto* matrix = workbench_.findChild<PropertyMatrix*>(QString(), Qt::FindDirectChildrenOnly);
  if (s.isModified() || (matrix && matrix->isComplete())) return;
  deciding_.request(
      [name = s.name(), path = s.path(), text = s.text()](const std::stop_token& stop) {
        return decideOperator(name, path, text, stop);
      },
      [this](const MatrixOperator& op) {
        Related::Pairs pairs;
        for (const auto& [property, verdict] : op.verdicts)
          if (verdict.answer == PropertyVerdict::Answer::holds)
            pairs.push_back({{QStringLiteral("op"), op.name}, {QStringLiteral("property"), qs(property)}});
        workbench_.related().tell(QStringLiteral("active operator"), std::move(pairs));
      });
}

QWidget* AtlasView::makeBar() {
  search_ = new QLineEdit;
  search_->setPlaceholderText(tr("Name, structure, stage, comment"));
  search_->setAccessibleName(tr("Find operators by name, structure, stage or comment"));
  search_->setClearButtonEnabled(true);
  search_->addAction(views::icon("search"), QLineEdit::LeadingPosition);
  search_->setMaximumWidth(300);
  grouping_ = new QComboBox;
  grouping_->setAccessibleName(tr("Group operators by"));
  grouping_->setToolTip(tr("Groups are derived from the definition"));
  grouping_->addItem(tr("Group: structure"));
  grouping_->addItem(tr("Group: plan family"));
  grouping_->addItem(tr("Group: stages"));
  grouping_->addItem(tr("No groups"));
  answer_ = new QComboBox;
  answer_->setAccessibleName(tr("Show operators by the answer for the chosen property"));
  answer_->addItem(tr("Any answer"));
  for (const int a : answers) answer_->addItem(answerText(PropertyVerdict::Answer(a)));
  count_ = new ElidedLabel({}, "muted");
  auto* bar = new QWidget;
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(0, 0, 0, 4);
  row->addWidget(search_, 2);
  row->addWidget(grouping_);
  row->addWidget(answer_);
  row->addWidget(count_, 1);
  connect(search_, &QLineEdit::textChanged, this, &AtlasView::arrangeAgain);
  connect(grouping_, &QComboBox::currentIndexChanged, this, &AtlasView::arrangeAgain);
  connect(answer_, &QComboBox::currentIndexChanged, this, &AtlasView::arrangeAgain);
  return bar;
}

QWidget* AtlasView::widget() {
  if (widget_) return widget_;
  PropertyMatrix& matrix = PropertyMatrix::of(workbench_);
  model_ = new MatrixModel(matrix, this);
  table_ = new MatrixTable(*model_);
  page_ = new Page(workbench_, tr("Verdict, certificate and counterexample"));
  pagePane_ = new Pane(tr("Verdict"), page_);
  auto* left = new QWidget;
  auto* column = new QVBoxLayout(left);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(makeBar());
  column->addWidget(table_, 1);
  widget_ = new QWidget;
  auto* layout = new QHBoxLayout(widget_);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->addWidget(splitter(Qt::Horizontal, {{left, 860}, {pagePane_, 320}}));

  connect(table_, &MatrixTable::cellChosen, this, &AtlasView::showCell);
  connect(table_, &MatrixTable::propertyChosen, this, [this](const QString& p) {
    workbench_.navigator().activate({QStringLiteral("property"), p});
  });
  connect(table_, &MatrixTable::operatorOpened, this, [this](const QString& op) { workbench_.open({"op", op}); });
  connect(model_, &MatrixModel::arranged, this, &AtlasView::updateCount);
  connect(&matrix, &PropertyMatrix::rowDecided, this, &AtlasView::updateCount);
  connect(&matrix, &PropertyMatrix::completed, this, [this] {
    tell();
    page_->rewrite();
  });
  page_->setBody([this] {
    return paragraph(tr("Choose a cell to see how its verdict is known: the certificate, or the values at which the "
                        "property fails. Choose the name of a property to see what it permits."));
  });
  updateCount();
  if (matrix.isComplete()) tell();
  follow(workbench_.navigator().active());
  return widget_;
}

/// Which operators have which property, for the window's Related.
void AtlasView::tell() {
  Related::Pairs pairs;
  for (const MatrixOperator& op : PropertyMatrix::of(workbench_).operators())
    for (const auto& [property, verdict] : op.verdicts)
      if (verdict.answer == PropertyVerdict::Answer::holds)
        pairs.push_back({{QStringLiteral("op"), op.name}, {QStringLiteral("property"), qs(property)}});
  workbench_.related().tell(QStringLiteral("properties"), std::move(pairs));
}

void AtlasView::arrangeAgain() {
  MatrixArrangement a = model_->arrangement();
  a.text = search_->text().trimmed();
  a.grouping = MatrixGrouping(grouping_->currentIndex());
  a.property = property_;
  a.sortedBy = op_.isEmpty() ? property_ : QString();
  a.answer.reset();
  if (answer_->currentIndex() > 0 && !property_.isEmpty())
    a.answer = PropertyVerdict::Answer(answers[answer_->currentIndex() - 1]);
  model_->setArrangement(a);
  table_->showChosen();
}

void AtlasView::updateCount() {
  const PropertyMatrix& matrix = PropertyMatrix::of(workbench_);
  const int all = int(matrix.operators().size());
  const QString shown = model_->shownOperators() == all
                            ? tr("Operators: %1").arg(all)
                            : tr("Operators: %1 of %2").arg(model_->shownOperators()).arg(all);
  count_->setFullText(matrix.isComplete() ? shown : tr("%1  ·  decided: %2").arg(shown).arg(matrix.decided()));
}

void AtlasView::showCell(const QString& op, const QString& property) {
  if (property.isEmpty() || (op == op_ && property == property_)) return;
  op_ = op;
  property_ = property;
  answer_->setEnabled(true);
  pagePane_->setTitle(tr("Verdict"));
  page_->setBody([this, op, property] {
    const MatrixOperator* row = PropertyMatrix::of(workbench_).find(op);
    return row ? verdictPage(*row, property) : paragraph(tr("%1 is gone.").arg(op));
  });
}

void AtlasView::showProperty(const QString& property) {
  op_.clear();
  property_ = property;
  table_->setLit(property);
  pagePane_->setTitle(tr("Property"));
  page_->setBody([this, property] { return propertyPage(workbench_, PropertyMatrix::of(workbench_), property); });
  arrangeAgain();
}

void AtlasView::show(const Entity& entity) {
  if (widget_ && model_->columnOf(entity.id) > 0) showProperty(entity.id);
}

void AtlasView::follow(const Entity& active) {
  if (!widget_) return;
  if (active.kind == QLatin1String("property") && active.id != property_) showProperty(active.id);
  if (active.kind == QLatin1String("op")) {
    table_->setLit({});
    table_->select(active.id, property_);
  }
}

bool AtlasView::find() {
  if (!widget_) return false;
  search_->setFocus();
  search_->selectAll();
  return true;
}

bool AtlasView::isReady() const { return !widget_ || PropertyMatrix::of(workbench_).isComplete(); }

QJsonObject AtlasView::state() const {
  if (!widget_) return {};
  return {{"text", search_->text()},
          {"grouping", grouping_->currentIndex()},
          {"answer", answer_->currentIndex()},
          {"op", op_},
          {"property", property_},
          {"scroll", table_->verticalScrollBar()->value()},
          {"across", table_->horizontalScrollBar()->value()},
          {"page", page_->place()}};
}

void AtlasView::restore(const QJsonObject& state) {
  if (!widget_) return;
  search_->setText(state.value("text").toString());
  grouping_->setCurrentIndex(state.value("grouping").toInt());
  const QString op = state.value("op").toString(), property = state.value("property").toString();
  if (!op.isEmpty())
    table_->select(op, property);
  else if (!property.isEmpty())
    showProperty(property);
  answer_->setCurrentIndex(state.value("answer").toInt());
  table_->verticalScrollBar()->setValue(state.value("scroll").toInt());
  table_->horizontalScrollBar()->setValue(state.value("across").toInt());
  page_->scrollDown(state.value("page").toInt());
}

} // namespace aicf::views
