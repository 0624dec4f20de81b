#include "views/primitives/forms.hpp"

#include "probes/plan_probe.hpp"
#include "views/engine/text.hpp"

#include <algorithm>

namespace aicf::views {
namespace {

ProbedForm formOf(const probes::PlanCase& c, const QString& probe) {
  ProbedForm form{probe, qs(c.name), {}, {}};
  for (const auto& [id, text] : c.choices)
    for (const Param& param : params()) {
      if (param.id != id) continue;
      for (const Value& value : param.domain) {
        if (to_text(value) != text) continue;
        if (param.primitives) form.primitives << qs(param.primitives(value));
        if (param.uses) form.transformations << qs(param.uses(value));
      }
    }
  for (QStringList* list : {&form.primitives, &form.transformations}) {
    list->removeDuplicates();
    list->sort();
  }
  return form;
}

} // namespace

const QHash<QString, ProbedForm>& probedForms() {
  static const QHash<QString, ProbedForm> all = [] {
    QHash<QString, ProbedForm> out;
    for (const probes::Probe* probe : probes::registered()) {
      const auto* plans = dynamic_cast<const probes::PlanProbe*>(probe);
      if (!plans) continue;
      const QString id = qs(plans->text().id);
      for (const probes::PlanCase& c : plans->cases({})) out.insert(id + '.' + qs(c.id), formOf(c, id));
    }
    return out;
  }();
  return all;
}

ProbeName probeName(const QString& id) {
  const probes::Probe* probe = probes::find(id.toStdString());
  if (!probe) return {QString(id).replace('_', ' '), {}};
  const probes::ProbeText text = probe->text();
  return {qs(text.name), qs(text.measures)};
}

} // namespace aicf::views
