// Who may include whom: DESIGN.md sections 2 and 3, read off every #include line.
#include "tests/house/tree.hpp"
#include "tests/support/paths.hpp"

#include <QDir>
#include <QRegularExpression>
#include <QTest>

using aicf::test::sourceFile;

namespace {

/// The engine's layers, lowest first; an include goes downwards or stays.
const QStringList layers{"base",      "lang", "expr",   "profile", "evidence", "structure",
                         "semantics", "plan", "kernel", "exec",    "validate", "graph"};

/// What each part of the tree may include, as path prefixes.
const QList<std::pair<QString, QStringList>> parts{
    {"core/", {"core/"}},
    {"probes/", {"core/", "probes/"}},
    {"synth/", {"core/", "probes/", "synth/"}},
    {"app/aicf/", {"core/", "probes/", "synth/", "app/aicf/"}},
    {"views/", {"core/", "probes/", "synth/", "views/"}},
    {"app/workbench/", {"core/", "probes/", "synth/", "views/", "app/workbench/"}},
};
/// Generated while building, or moc's output.
const QRegularExpression generated(R"(^(onnx/onnx\.pb\.h|.*\.moc|moc_.*\.cpp)$)");

bool of_qt(const QString& include) {
  static const QRegularExpression form("^(Q[A-Z]|Qt|Qsci/|qcustomplot)");
  return form.match(include).hasMatch();
}

bool asks_first(const house::Include& i) {
  return house::text(i.file).contains(QString("__has_include(\"%1\")").arg(i.what));
}

QString place(const house::Include& i) { return QString("%1:%2: includes %3").arg(i.file).arg(i.line).arg(i.what); }

} // namespace

class TestIncludes : public QObject {
  Q_OBJECT
  QList<house::Include> all;

 private slots:
  void initTestCase() {
    for (const QString& file : house::files({"core", "probes", "synth", "app", "views", "tests"}, {".hpp", ".cpp"}))
      all << house::includes(file);
    QVERIFY(all.size() > 100);
  }

  void everyQuotedIncludeIsAPathFromTheRoot() {
    QStringList wrong;
    for (const auto& i : all) {
      if (i.system || generated.match(i.what).hasMatch()) continue;
      // What a file asks for with __has_include may be absent: a toolkit's own headers, compared with ours.
      if (QFile::exists(QDir(sourceFile()).filePath(i.what)) || asks_first(i)) continue;
      wrong << place(i);
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }

  void partsIncludeWhatTheyMay() {
    QStringList wrong;
    for (const auto& i : all) {
      if (i.system || generated.match(i.what).hasMatch()) continue;
      for (const auto& [part, allowed] : parts) {
        if (!i.file.startsWith(part)) continue;
        const bool fine = std::any_of(allowed.begin(), allowed.end(), [&](auto& a) { return i.what.startsWith(a); });
        if (!fine) wrong << place(i);
      }
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }

  void layersOfTheEngineIncludeDownwards() {
    QStringList wrong;
    for (const auto& i : all) {
      if (i.system || !i.file.startsWith("core/") || !i.what.startsWith("core/")) continue;
      const auto own = layers.indexOf(i.file.section('/', 1, 1)), other = layers.indexOf(i.what.section('/', 1, 1));
      QVERIFY2(own >= 0, qPrintable(i.file + ": not in a layer"));
      if (other < 0 || other > own) wrong << place(i);
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }

  void everyLayerIsBuilt() {
    const QString list = house::text("core/CMakeLists.txt");
    QVERIFY2(list.contains("foreach(layer " + layers.join(' ') + ")"), qPrintable(list));
  }

  void engineAndCommandLineKnowNoQt() {
    QStringList wrong;
    for (const auto& i : all)
      if (!i.file.startsWith("views/") && !i.file.startsWith("app/workbench/") && !i.file.startsWith("tests/") &&
          of_qt(i.what))
        wrong << place(i);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }

  /// What can hang or crash runs in a worker process: a view reaches kernels through jobs.
  void viewsRunNoKernels() {
    QStringList wrong;
    for (const auto& i : all)
      if (i.file.startsWith("views/") && i.what.startsWith("core/exec/")) wrong << place(i);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }

  /// Parsing all of it takes two seconds a source, and everybody includes the headers of core.
  void headersNameJsonWithoutItsBody() {
    QStringList wrong;
    for (const auto& i : all)
      if (i.file.endsWith(".hpp") && i.file.startsWith("core/") && i.what == "nlohmann/json.hpp") wrong << place(i);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }
};

QTEST_GUILESS_MAIN(TestIncludes)
#include "test_includes.moc"
