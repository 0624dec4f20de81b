// The shape of the sources, and what the papers at the root must say.
#include "tests/house/tree.hpp"
#include "tests/support/paths.hpp"

#include <QRegularExpression>
#include <QTest>

using aicf::test::sourceFile;

class TestSources : public QObject {
  Q_OBJECT
  QStringList headers, sources;

  static void none(const QStringList& wrong) { QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n'))); }
  static QString name(const QRegularExpressionMatch& match) { return match.captured(0).trimmed(); }

 private slots:
  void initTestCase() {
    const QStringList folders{"core", "probes", "synth", "app", "views", "tests"};
    headers = house::files(folders, {".hpp"});
    sources = house::files(folders, {".cpp"});
    QVERIFY(headers.size() > 20 && sources.size() > 20);
  }

  /// Lines: what a header may have depends on whom it speaks to. One that only its own folder includes may hold bodies
  /// of templates.
  void filesAreShort() {
    QSet<QString> shared;
    for (const QString& file : headers + sources)
      for (const auto& i : house::includes(file))
        if (!i.system && i.what.section('/', 0, -2) != file.section('/', 0, -2)) shared << i.what;
    QStringList wrong;
    auto check = [&](const QString& file, qsizetype limit) {
      const qsizetype lines = house::text(file).count('\n');
      if (lines > limit) wrong << QString("%1: %2 lines, over %3").arg(file).arg(lines).arg(limit);
    };
    for (const QString& header : headers) check(header, shared.contains(header) ? 160 : 400);
    for (const QString& source : sources) check(source, 750);
    none(wrong);
  }

  /// A header begins by saying what it is for, and may be included twice.
  void headersBeginWithTheirContract() {
    QStringList wrong;
    for (const QString& header : headers) {
      const QString text = house::text(header);
      if (!text.startsWith("// ")) wrong << header + ": does not begin with a comment that says what it is";
      if (!text.contains("\n#pragma once\n")) wrong << header + ": no #pragma once";
    }
    none(wrong);
  }

  void nothingIsLeftForLater() {
    static const QRegularExpression later(R"(\b(TODO|FIXME|XXX|HACK)\b)");
    static const QRegularExpression vague(R"(\b(class|struct) \w*(Manager|Helper|Utils|Impl2)\b)");
    QStringList wrong;
    for (const QString& file : headers + sources) {
      if (file == "tests/house/test_sources.cpp") continue;
      const QString text = house::text(file);
      for (const auto& form : {later, vague})
        if (const auto match = form.match(text); match.hasMatch()) wrong << file + ": " + name(match);
    }
    none(wrong);
  }

  void licenceIsTheGplAndTheReadmeSaysSo() {
    QVERIFY(house::text("LICENSE").contains("GNU GENERAL PUBLIC LICENSE\n                       Version 3"));
    QVERIFY(house::text("README.md").contains("GPL-3.0-or-later"));
  }

  /// The README names both commands, each library from outside, and each folder that it maps exists.
  void readmeKeepsUp() {
    const QString readme = house::text("README.md");
    QStringList wrong;
    for (const char* word : {"./bootstrap run", "./bootstrap test", "nlohmann_json", "SQLite", "CLI11", "MPFR", "GMP",
                             "protobuf", "ONNX", "Qt 6", "QScintilla", "QCustomPlot", "Graphviz"})
      if (!readme.contains(word)) wrong << QString("README.md does not mention ") + word;
    static const QRegularExpression row(R"(^\| `([a-z_/]+)/` \|)", QRegularExpression::MultilineOption);
    int rows = 0;
    for (auto it = row.globalMatch(readme); it.hasNext(); ++rows) {
      const QString folder = it.next().captured(1);
      if (!QDir(sourceFile()).exists(folder)) wrong << "README.md maps a folder that is not there: " + folder;
    }
    QVERIFY(rows >= 7);
    none(wrong);
  }
};

QTEST_GUILESS_MAIN(TestSources)
#include "test_sources.moc"
