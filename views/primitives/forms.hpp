// What a form of a primitive probe is built of. A probe's form is a set of plan choices; each choice names the
// primitives that it stands on and the transformations that it uses (core/plan), so nothing here is a list of its own.
#pragma once
#include <QHash>
#include <QString>
#include <QStringList>

namespace aicf::views {

struct ProbedForm {
  QString probe, name;                     ///< name: "row on chip, 4096 elements"
  QStringList primitives, transformations; ///< ids of the atlas and of the ledger
};

/// By figure prefix, "PROBE.FORM", for every primitive probe that is registered.
[[nodiscard]] const QHash<QString, ProbedForm>& probedForms();
/// What a probe is called and measures, or its id where none of that id is registered here.
struct ProbeName {
  QString name, measures;
};
[[nodiscard]] ProbeName probeName(const QString& id);

} // namespace aicf::views
