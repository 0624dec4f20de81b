// The Preservation Guide over the whole atlas: a page for every transformation and operator, links that lead somewhere,
// and legality as the ledger says it.
#include "core/semantics/guide.hpp"
#include "tests/support/paths.hpp"

#include <QDir>
#include <QDirIterator>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <map>
#include <set>

using namespace aicf;
using aicf::test::binaryFile;
using aicf::test::sourceFile;

namespace {

QString qs(const std::string& text) { return QString::fromStdString(text); }

/// The text between a heading of level two and the next.
QString section(const QString& markdown, const QString& heading) {
  const qsizetype from = markdown.indexOf("\n## " + heading + "\n");
  if (from < 0) return {};
  const qsizetype to = markdown.indexOf("\n## ", from + 4);
  return markdown.mid(from, to < 0 ? -1 : to - from);
}

QStringList links(const QString& markdown) {
  static const QRegularExpression form(R"(\]\(([^)]*)\))");
  QStringList out;
  bool fenced = false;
  for (const QString& line : markdown.split('\n')) {
    if (line.startsWith("```")) fenced = !fenced;
    for (auto it = form.globalMatch(line); it.hasNext() && !fenced;) out << it.next().captured(1);
  }
  return out;
}

std::set<std::string> operators_in(const QString& text) {
  std::set<std::string> out;
  for (const QString& l : links(text))
    if (l.startsWith("aicf://op/")) out.insert(l.mid(10).toStdString());
  return out;
}

QStringList headings(const QString& markdown) {
  QStringList out;
  for (const QString& line : markdown.split('\n'))
    if (line.startsWith("## ")) out << line.mid(3);
  return out;
}

std::set<std::string> names(const std::vector<GuideEntry>& entries) {
  std::set<std::string> out;
  for (const GuideEntry& e : entries) out.insert(e.op);
  return out;
}

} // namespace

class TestGuide : public QObject {
  Q_OBJECT
  std::vector<GuideOperator> operators_;

 private slots:
  void initTestCase() {
    Result<std::vector<GuideOperator>> all = atlas_operators();
    QVERIFY2(all, all.diagnostics.empty() ? "no atlas" : all.diagnostics.front().message.c_str());
    operators_ = std::move(*all);
    QCOMPARE(operators_.size(), static_cast<std::size_t>(QDir(sourceFile("atlas/ops")).entryList({"*.op"}).size()));
  }

  void every_transformation_and_operator_has_a_page_and_every_link_leads_to_one() {
    const Guide guide = make_guide(operators_, {});
    std::map<std::string, QStringList> anchors;
    const std::vector<GuidePage> all = pages(guide);
    for (const GuidePage& p : all) {
      QVERIFY2(!p.title.empty() && p.markdown.starts_with("# "), p.uri.c_str());
      QVERIFY2(anchors.emplace(p.uri, headings(qs(p.markdown))).second, p.uri.c_str());
    }
    for (const Transformation& t : transformations()) QVERIFY(anchors.contains("aicf://transformation/" + t.id));
    for (const GuideOperator& o : operators_) QVERIFY(anchors.contains("aicf://op/" + o.name));
    QCOMPARE(all.size(), 1 + transformations().size() + operators_.size());
    for (const PreservationClass& c : preservation_classes())
      QVERIFY(anchors["aicf://guide/index"].contains(qs(std::string(c.id))));
    for (const GuidePage& p : all) {
      const QStringList out = links(qs(p.markdown));
      QVERIFY2(!out.isEmpty(), p.uri.c_str());
      for (const QString& l : out) {
        const std::string page = l.section('#', 0, 0).toStdString();
        QVERIFY2(anchors.contains(page), (p.uri + " links to " + page).c_str());
        if (l.contains('#')) QVERIFY2(anchors[page].contains(l.section('#', 1)), qPrintable(l));
      }
    }
    // from the index to each
    const QStringList index = links(qs(all.front().markdown));
    for (const auto& [uri, _] : anchors) QVERIFY2(uri == all.front().uri || index.contains(qs(uri)), uri.c_str());
  }

  void a_page_says_all_of_a_transformation() {
    const Guide guide = make_guide(operators_, {});
    for (const GuideTopic& t : guide.topics) {
      const QString page = qs(transformation_page(guide, t).markdown);
      QVERIFY2(page.contains("```\n" + qs(t.text.before) + "  ->  " + qs(t.text.after) + "\n```"), t.id.c_str());
      for (const char* part : {"**Premises.** ", "**Law.** ", "**Class.** "})
        QVERIFY2(page.contains(part), t.id.c_str());
      QCOMPARE(headings(page),
               (QStringList{"Statement", "Example", "Verdicts", "Legal", "Refused", "Not applicable", "References"}));
      QVERIFY2(!t.text.references.empty(), t.id.c_str());
      QCOMPARE(section(page, "References").count("\n- "), static_cast<qsizetype>(t.text.references.size()));
      QVERIFY2(section(page, "Example").contains(qs(t.text.example.before)), t.id.c_str());
      QVERIFY2(section(page, "Example").contains(qs(t.text.example.after)), t.id.c_str());
      const QString verdicts = section(page, "Verdicts");
      if (t.legal.empty() && t.refused.empty()) continue;
      for (const char* verdict : {"Value", "Rounding", "Special values", "Order", "Memory"})
        QVERIFY2(verdicts.contains(QString("\n### ") + verdict + "\n\n- "), t.id.c_str());
    }
  }

  void legality_is_the_ledgers_data() {
    QTest::addColumn<int>("order");
    QTest::addColumn<int>("arithmetic");
    for (int order = 0; order < 4; ++order)
      for (int arithmetic = 0; arithmetic < 4; ++arithmetic)
        QTest::addRow("order %d arithmetic %d", order, arithmetic) << order << arithmetic;
  }
  void legality_is_the_ledgers() {
    QFETCH(int, order);
    QFETCH(int, arithmetic);
    CompilerProfile rules;
    rules.order = static_cast<Order>(order);
    rules.arithmetic = static_cast<Arithmetic>(arithmetic);
    std::map<std::string, std::set<std::string>> legal, refused, inapplicable;
    for (const GuideOperator& o : operators_)
      for (const LegalityRow& r : judge(*o.structure, rules).rows)
        (r.allowed ? legal : r.applicable ? refused : inapplicable)[r.transformation].insert(o.name);
    const Guide guide = make_guide(operators_, rules);
    for (const GuideTopic& t : guide.topics) {
      const QString page = qs(transformation_page(guide, t).markdown);
      QVERIFY2(operators_in(section(page, "Legal")) == legal[t.id], t.id.c_str());
      QVERIFY2(operators_in(section(page, "Refused")) == refused[t.id], t.id.c_str());
      QVERIFY2(operators_in(section(page, "Not applicable")) == inapplicable[t.id], t.id.c_str());
      QVERIFY(names(t.legal) == legal[t.id]);
      for (const GuideEntry& e : t.refused)
        for (const std::string& tick : e.row.smallest_ticks)
          QVERIFY2(section(page, "Refused").contains("`" + qs(tick) + "`"), t.id.c_str());
    }
    const auto softmax = std::find_if(guide.operators.begin(), guide.operators.end(),
                                      [](const GuideOperator& o) { return o.name == "softmax"; });
    QVERIFY(softmax != guide.operators.end());
    const QString page = qs(operator_page(guide, *softmax).markdown);
    for (const Transformation& t : transformations())
      QCOMPARE(page.contains("](aicf://transformation/" + qs(t.id) + ") | legal |"), legal[t.id].contains("softmax"));
  }

  /// mean_absolute_deviation has no online form: the page says so, with the samples that show it.
  void refusals_carry_their_witness() {
    const Guide guide = make_guide(operators_, {});
    const QString text =
        section(qs(transformation_page(guide, *guide.find("online_state")).markdown), "Not applicable");
    QString line;
    for (const QString& l : text.split('\n'))
      if (l.contains("(aicf://op/mean_absolute_deviation)")) line = l;
    QVERIFY2(line.contains("no bounded separation rank") && line.contains("Witness: ") && line.contains("determinant"),
             qPrintable(line));
  }

  void names_and_marks_are_text() {
    GuidePage page{"aicf://op/a", "a", "[x](aicf://transformation/tile) [y](aicf://guide/index#reorder) aicf://op/z"};
    QCOMPARE(qs(with_file_links(page)), QString("[x](../transformation/tile.md) [y](../index.md#reorder) aicf://op/z"));
    QVERIFY_EXCEPTION_THROWN((void)file_of("https://example.org"), std::logic_error);
  }

  void the_command_writes_a_folder_whose_links_resolve() {
    QTemporaryDir folder;
    QProcess process;
    QElapsedTimer timer;
    timer.start();
    process.start(binaryFile("bin/aicf"), {"legal", "--guide", folder.path(), "--profile", "bitwise"});
    QVERIFY(process.waitForFinished(120000));
    const qint64 ms = timer.elapsed();
    QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
    qInfo("%lld ms", static_cast<long long>(ms));
#ifdef NDEBUG
    QVERIFY(ms < 10000);
#endif
    int files = 0;
    for (QDirIterator it(folder.path(), {"*.md"}, QDir::Files, QDirIterator::Subdirectories); it.hasNext();) {
      QFile f(it.next());
      QVERIFY(f.open(QIODevice::ReadOnly));
      ++files;
      for (const QString& l : links(QString::fromUtf8(f.readAll()))) {
        const QString target = QFileInfo(f.fileName()).dir().filePath(l.section('#', 0, 0));
        QVERIFY2(QFileInfo(target).isFile(), qPrintable(f.fileName() + " links to " + l));
      }
    }
    QCOMPARE(files, static_cast<int>(1 + transformations().size() + operators_.size()));
    process.start(binaryFile("bin/aicf"), {"legal"});
    QVERIFY(process.waitForFinished(20000));
    QCOMPARE(process.exitCode(), 2);
  }
};

QTEST_GUILESS_MAIN(TestGuide)
#include "test_guide.moc"
