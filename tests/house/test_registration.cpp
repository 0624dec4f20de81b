// What registers itself is really in the program: every registration in a source file is found in the registry under
// the id that the file gives, and nothing is in a registry that no file puts there.
#include "core/plan/plan.hpp"
#include "core/semantics/legality.hpp"
#include "core/structure/properties/property.hpp"
#include "tests/house/tree.hpp"

#include <QRegularExpression>
#include <QSet>
#include <QTest>

namespace {

template <class T> QSet<QString> ids_of(const std::vector<T>& registry) {
  QSet<QString> out;
  for (const T& entry : registry) out << QString::fromStdString(entry.id);
  return out;
}

struct Found {
  QString file, id;
};

/// Statements `const RegisterKIND name{ … "id" …`, also RegisterKINDOfBoth, in the engine's sources: the first text in
/// one is the id.
QList<Found> registrations(const QString& kind) {
  const QRegularExpression statement(R"(\bRegister)" + kind + R"(\w*\s+\w+\s*[{(][^"]*"([^"]+)\")");
  QList<Found> out;
  for (const QString& file : house::files({"core", "probes", "synth"}, {".cpp"}))
    for (auto it = statement.globalMatch(house::text(file)); it.hasNext();) out << Found{file, it.next().captured(1)};
  return out;
}

} // namespace

class TestRegistration : public QObject {
  Q_OBJECT
 private slots:
  void filesAndRegistryAgree_data() {
    QTest::addColumn<QSet<QString>>("registered");
    QTest::newRow("Transformation") << ids_of(aicf::transformations());
    QTest::newRow("Property") << ids_of(aicf::properties());
    QTest::newRow("Param") << ids_of(aicf::params());
    QTest::newRow("Family") << ids_of(aicf::families());
  }
  void filesAndRegistryAgree() {
    QFETCH(QSet<QString>, registered);
    const QList<Found> written = registrations(QTest::currentDataTag());
    QVERIFY(!written.isEmpty());
    QSet<QString> known;
    for (const Found& found : written) {
      QVERIFY2(registered.contains(found.id), qPrintable(found.file + " registers " + found.id + ", in vain"));
      known << found.id;
    }
    const QSet<QString> unexplained = registered - known;
    QVERIFY2(unexplained.isEmpty(), qPrintable("registered by no file: " + unexplained.values().join(", ")));
  }
};

QTEST_GUILESS_MAIN(TestRegistration)
#include "test_registration.moc"
