// What the frame itself finds: commands, views, operators, what the atlas names, rules, metrics, variants, jobs.
#include "core/profile/fields.hpp"
#include "views/engine/atlas_texts.hpp"
#include "views/engine/text.hpp"
#include "views/frame/locator.hpp"

#include <QAction>

#include <algorithm>
#include <set>

namespace aicf::views {
namespace {

QString menuOf(const QString& id) { return id.left(id.indexOf('.')); }

std::vector<LocatorEntry> commands(Workbench& w) {
  std::vector<LocatorEntry> out;
  for (const Action& a : w.actions().all())
    if (const QAction* item = w.actions().find(a.id); item->isEnabled())
      out.push_back({QString(a.text).remove('&').remove(QStringLiteral("…")), a.tip,
                     a.shortcut.isEmpty() ? menuOf(a.id) : a.shortcut.toString(QKeySequence::NativeText),
                     a.icon.isEmpty() ? QStringLiteral("command") : a.icon,
                     [&w, id = a.id] { w.actions().trigger(id); }});
  return out;
}

std::vector<LocatorEntry> viewEntries(Workbench& w) {
  std::vector<LocatorEntry> out;
  for (View* v : w.navigator().views())
    out.push_back(
        {v->title(), v->tip(), Locator::tr("view"), v->icon(), [&w, id = v->id()] { w.navigator().goTo(id); }});
  return out;
}

std::vector<LocatorEntry> operators(Workbench& w) {
  std::vector<LocatorEntry> out;
  for (const OperatorEntry& e : w.library().entries())
    out.push_back({e.name, e.summary, Locator::tr("operator"), "ops", [&w, name = e.name] { w.open({"op", name}); }});
  return out;
}

std::vector<LocatorEntry> rules(Workbench& w) {
  std::vector<LocatorEntry> out;
  for (const ProfileField& f : profile_fields())
    out.push_back({qs(f.path), qs(f.meaning), Locator::tr("rule"), "builder", [&w, id = qs(f.path)] {
                     w.open({"rule", id});
                   }});
  return out;
}

std::vector<LocatorEntry> metrics(Workbench& w) {
  std::set<QString> seen;
  std::vector<LocatorEntry> out;
  const auto add = [&](const QString& id, const QString& extra) {
    if (seen.insert(id).second)
      out.push_back({id, extra, Locator::tr("metric"), "runs", [&w, id] { w.open({"metric", id}); }});
  };
  for (const VariantRow& v : w.variants().all())
    for (const MetricRow& m : v.metrics) add(m.id, m.unit + QStringLiteral(" · ") + m.source);
  for (const QString& id : w.related().all(QStringLiteral("metric"))) add(id, {});
  return out;
}

std::vector<LocatorEntry> variants(Workbench& w) {
  std::vector<LocatorEntry> out;
  for (const VariantRow& v : w.variants().all())
    out.push_back({v.id, v.op + " · " + v.label, Locator::tr("variant"), "synthesis", [&w, id = v.id] {
                     w.open({"variant", id});
                   }});
  return out;
}

std::vector<LocatorEntry> jobs(Workbench& w) {
  std::vector<LocatorEntry> out;
  for (const Job& j : w.jobs().all())
    out.push_back({Locator::tr("Job %1").arg(j.number), j.title, Locator::tr("job"), "jobs",
                   [&w, id = QString::number(j.number)] {
                     w.open({"job", id});
                   }});
  return out;
}

/// Entries of one kind that the atlas names.
std::vector<LocatorEntry> named(Workbench& w, const QString& kind, const QString& spoken) {
  std::vector<LocatorEntry> out;
  for (const AtlasText& t : atlasTexts())
    if (t.kind == kind)
      out.push_back({t.title, t.id + QStringLiteral(" · ") + t.summary, spoken,
                     kind == QLatin1String("primitive")        ? QStringLiteral("synthesis")
                     : kind == QLatin1String("transformation") ? QStringLiteral("builder")
                                                               : QStringLiteral("ops"),
                     [&w, kind, id = t.id] {
                       w.open({kind, id});
                     }});
  return out;
}

} // namespace

std::vector<LocatorFilter> locatorFilters(Workbench& w) {
  const auto kind = [&w](const char* id, const QString& spoken) {
    return [&w, id = QString::fromLatin1(id), spoken] { return named(w, id, spoken); };
  };
  std::vector<LocatorFilter> out{
      {"commands", ">", Locator::tr("Commands"), [&w] { return commands(w); }, 10, false},
      {"views", "v ", Locator::tr("Views"), [&w] { return viewEntries(w); }, 80},
      {"operators", "o ", Locator::tr("Operators"), [&w] { return operators(w); }, 70},
      {"structures", "s ", Locator::tr("Structures"), kind("structure", Locator::tr("structure")), 60},
      {"properties", "p ", Locator::tr("Properties"), kind("property", Locator::tr("property")), 60},
      {"transformations", "t ", Locator::tr("Transformations"), kind("transformation", Locator::tr("transformation")),
       50},
      {"rules", "r ", Locator::tr("Rules"), [&w] { return rules(w); }, 40},
      {"primitives", "g ", Locator::tr("Primitives"), kind("primitive", Locator::tr("primitive")), 40},
      {"metrics", "m ", Locator::tr("Metrics"), [&w] { return metrics(w); }, 30, false},
      {"variants", "x ", Locator::tr("Variants"), [&w] { return variants(w); }, 30},
      {"jobs", "j ", Locator::tr("Jobs"), [&w] { return jobs(w); }, 20}};
  for (const LocatorFilter& f : w.filters()) out.push_back(f);
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.priority > b.priority; });
  return out;
}

} // namespace aicf::views
