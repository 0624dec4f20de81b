// The page of one transformation.
#include "core/semantics/guide.hpp"
#include "views/atlas/property_matrix.hpp"
#include "views/atlas/relations.hpp"
#include "views/engine/atlas_texts.hpp"
#include "views/engine/text.hpp"
#include "views/guide/guide_view.hpp"
#include "views/guide/page.hpp"

#include <algorithm>

namespace aicf::views {
namespace {

/// Numbers of a witness, and names of operators, that a reader takes in; the rest are counted.
constexpr std::size_t mostValues = 12;
constexpr int mostOperators = 24;

QString verdictLine(const char* kind, const Verdict& v) {
  const QString answer = qs(v.answer);
  const Tone tone = answer.startsWith("refuted") || answer.startsWith("lost") || answer.startsWith("differs")
                        ? Tone::bad
                    : answer.startsWith("unknown") || answer.startsWith("approximate") ? Tone::warn
                                                                                       : Tone::good;
  return toned(qs(in_words(kind, v)), tone);
}

QString memoryLine(const LegalityRow& r) {
  QStringList parts;
  for (const Metric& m : r.memory)
    if (m.unit == "bytes")
      parts << QStringLiteral("%1: %2").arg(qs(m.id).replace('_', ' '), qs(m.method));
    else
      parts << QStringLiteral("%1 %2%3").arg(number(m.value), qs(m.unit),
                                             m.method.empty() ? QString() : QStringLiteral(" (%1)").arg(qs(m.method)));
  return parts.isEmpty() ? GuideView::tr("nothing beyond what the definition needs")
                         : escaped(parts.join(QStringLiteral("; ")));
}

QString verdicts(const LegalityRow& r) {
  QStringList orders{verdictLine("run_to_run", r.run_to_run), verdictLine("batch_invariant", r.batch_invariant),
                     verdictLine("device_to_device", r.cross_device)};
  QString out = factTable({{GuideView::tr("Value"), verdictLine("value", r.value)},
                           {GuideView::tr("Rounding"), verdictLine("rounding", r.rounding)},
                           {GuideView::tr("Special values"), verdictLine("special", r.special)},
                           {GuideView::tr("Order"), orders.join(QStringLiteral("<br>"))},
                           {GuideView::tr("Memory"), memoryLine(r)}});
  if (!r.assumptions.empty())
    out += paragraph(GuideView::tr("Order assumes: %1.").arg(qs(r.assumptions).join(QStringLiteral("; "))));
  return out;
}

QString witness(const Witness& w) {
  std::vector<QStringList> rows;
  for (const auto& [name, values] : w.inputs) {
    QStringList numbers;
    for (std::size_t i = 0; i < values.size() && i < mostValues; ++i) numbers << number(values[i], 6);
    if (values.size() > mostValues) numbers << GuideView::tr("… %1 more").arg(values.size() - mostValues);
    rows.push_back({escaped(qs(name)), escaped(numbers.join(QStringLiteral(", ")))});
  }
  return heading(GuideView::tr("Witness")) + grid({GuideView::tr("Input"), GuideView::tr("Values")}, rows) +
         QStringLiteral("<p></p>") +
         factTable({{GuideView::tr("Expected"), toned(qs(w.expected), Tone::info)},
                    {GuideView::tr("Observed"), toned(qs(w.observed), Tone::warn)}});
}

QString judged(Workbench& workbench, const QString& id) {
  const auto space = workbench.legality().space();
  if (workbench.subject().isEmpty() || !space)
    return paragraph(workbench.subject().isEmpty()
                         ? GuideView::tr("Choose an operator (Ctrl+K): what the ledger says of it stands here.")
                         : GuideView::tr("Judging %1…").arg(workbench.subject().name()));
  const LegalityRow* r = space->ledger.find(id.toStdString());
  if (!r) return {};
  const QString op = linkTo({"op", workbench.subject().name()}, workbench.subject().name());
  QString why = sentence(qs(r->reason), workbench.subject().definition().get());
  if (!why.isEmpty() && !why.endsWith('.')) why += '.';
  QString out = QStringLiteral("<p>%1 %2. %3</p>")
                    .arg(op,
                         !r->applicable ? toned(GuideView::tr("does not meet the premises"), Tone::muted)
                         : r->allowed   ? toned(GuideView::tr("may be changed so under these rules"), Tone::good)
                                        : toned(GuideView::tr("may not be changed so under these rules"), Tone::bad),
                         escaped(why));
  if (r->applicable) out += verdicts(*r);
  if (r->witness) out += witness(*r->witness);
  return out;
}

QString links(const QString& title, const Entity& from, const QString& kind, const QStringList& ids) {
  if (ids.isEmpty()) return {};
  QStringList parts;
  for (const QString& id : ids) {
    const QString why = whyRelated(from, {kind, id});
    parts << QStringLiteral("<p>%1%2</p>")
                 .arg(linkTo({kind, id}, titleOf(kind, id)),
                      why.isEmpty() ? QString() : QStringLiteral("<br>") + toned(why, Tone::muted));
  }
  return heading(title) + parts.join(QString());
}

/// Operators whose premises hold, from the matrix; nothing while nobody asked for the matrix.
QString operators(Workbench& workbench, const QString& id) {
  const auto* matrix = workbench.findChild<PropertyMatrix*>(QString(), Qt::FindDirectChildrenOnly);
  if (!matrix || !matrix->isComplete()) return {};
  QStringList names;
  int count = 0;
  for (const MatrixOperator& op : matrix->operators())
    if (op.transformations.contains(id) && ++count <= mostOperators) names << linkTo({"op", op.name}, op.name);
  QString out =
      heading(GuideView::tr("Operators whose premises hold: %1 of %2").arg(count).arg(matrix->operators().size()));
  if (count > mostOperators) names << GuideView::tr("and %1 more").arg(count - mostOperators);
  return out + QStringLiteral("<p>%1</p>").arg(names.join(QStringLiteral(", ")));
}

QString workedExample(const WorkedExample& e) {
  if (e.before.empty()) return {};
  QString out = heading(GuideView::tr("Worked example")) + code(qs(e.before)) + paragraph(QStringLiteral("→")) +
                code(qs(e.after));
  if (!e.inputs.empty()) out += paragraph(GuideView::tr("On %1.").arg(qs(e.inputs).join(QStringLiteral("; "))));
  out += paragraph(
      e.tolerance > 0 ? GuideView::tr("Both give the same within %1 of the largest result.").arg(number(e.tolerance, 2))
                      : GuideView::tr("Both give the same bits."));
  return out;
}

} // namespace

QString transformationPage(Workbench& workbench, const QString& id) {
  const TransformationText text = transformation_text(id.toStdString());
  const Entity self{QStringLiteral("transformation"), id};
  const auto& all = transformations();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& t) { return qs(t.id) == id; });
  QString out = QStringLiteral("<h2>%1</h2>").arg(escaped(qs(text.title)));
  out += code(qs(text.before) + QStringLiteral("\n→  ") + qs(text.after));
  out += paragraph(qs(text.why));
  QString classLine;
  if (found != all.end())
    for (const PreservationClass& c : preservation_classes())
      if (c.id == found->preservation_class)
        classLine = QStringLiteral("%1 %2").arg(escaped(qs(c.title)), toned(qs(c.about), Tone::muted));
  out += factTable({{GuideView::tr("Law"), escaped(qs(text.law))},
                    {GuideView::tr("Premises"), escaped(qs(text.premises))},
                    {GuideView::tr("Class"), classLine}});
  out += heading(GuideView::tr("Verdicts")) + judged(workbench, id);
  out += workedExample(text.example);
  const Related& related = workbench.related();
  out += links(GuideView::tr("Properties that permit it"), self, QStringLiteral("property"),
               related.lit(self, QStringLiteral("property")));
  out += links(GuideView::tr("Primitives that realize it"), self, QStringLiteral("primitive"),
               related.lit(self, QStringLiteral("primitive")));
  out += links(GuideView::tr("Hardware metrics that price it"), self, QStringLiteral("metric"),
               related.lit(self, QStringLiteral("metric")));
  out += operators(workbench, id);
  if (!text.references.empty()) {
    out += heading(GuideView::tr("References"));
    for (const std::string& r : text.references) out += paragraph(qs(r));
  }
  return out;
}

} // namespace aicf::views
