// The line diff against an independent longest common subsequence, and the numbers of Compare.
#include "views/compare/compare_view.hpp"
#include "views/compare/diff.hpp"

#include <QRandomGenerator>
#include <QTest>

using namespace aicf::views;

class TestDiff : public QObject {
  Q_OBJECT

  /// Length of the longest common subsequence by the quadratic table.
  static int common(const QStringList& a, const QStringList& b) {
    std::vector<std::vector<int>> t(std::size_t(a.size() + 1), std::vector<int>(std::size_t(b.size() + 1), 0));
    for (int i = int(a.size()) - 1; i >= 0; --i)
      for (int j = int(b.size()) - 1; j >= 0; --j)
        t[i][j] = a[i] == b[j] ? t[i + 1][j + 1] + 1 : std::max(t[i + 1][j], t[i][j + 1]);
    return t[0][0];
  }

 private Q_SLOTS:
  void everyLineOnceAndEqualOnesAsManyAsPossible() {
    QRandomGenerator random(7);
    for (int trial = 0; trial < 500; ++trial) {
      QStringList a, b;
      const int n = int(random.bounded(24)), m = int(random.bounded(24)), letters = 1 + int(random.bounded(5));
      for (int i = 0; i < n; ++i) a << QString(QChar('a' + random.bounded(letters)));
      for (int i = 0; i < m; ++i) b << QString(QChar('a' + random.bounded(letters)));
      int left = 0, right = 0, same = 0;
      for (const DiffRow& row : diffLines(a, b)) {
        if (row.left >= 0) QCOMPARE(row.left, left++);
        if (row.right >= 0) QCOMPARE(row.right, right++);
        if (row.kind != DiffRow::Kind::same) continue;
        QCOMPARE(a[row.left], b[row.right]);
        ++same;
      }
      QCOMPARE(left, n);
      QCOMPARE(right, m);
      QCOMPARE(same, common(a, b));
    }
  }

  void aChangedLineStandsInOneRow() {
    using K = DiffRow::Kind;
    const std::vector<DiffRow> want{{K::same, 0, 0}, {K::changed, 1, 1}, {K::same, 2, 2}, {K::added, -1, 3}};
    QVERIFY(diffLines({"a", "x = 1", "b"}, {"a", "x = 2", "b", "c"}) == want);
  }

  void insideALineInCodePoints() {
    const DiffRange r = diffWithin(QString::fromUtf8("∑𝛼 = 10;"), QString::fromUtf8("∑𝛼 = 256;"));
    QCOMPARE(r.leftFrom, 5);
    QCOMPARE(r.leftTo, 7);
    QCOMPARE(r.rightFrom, 5);
    QCOMPARE(r.rightTo, 8);
  }

  void muchDifferentTextsEnd() {
    QStringList a, b;
    for (int i = 0; i < 6000; ++i) {
      a << QString::number(i);
      b << QString::number(-i - 1);
    }
    QElapsedTimer timer;
    timer.start();
    QVERIFY(diffLines(a, b).size() >= 6000);
    QVERIFY(timer.elapsed() < 5000);
  }

  void metricsSideBySide() {
    VariantRow a, b;
    a.registers = 40;
    b.registers = 20;
    a.metrics.push_back({"global_load_sectors", "sectors", "exact", {}, 100.0});
    b.metrics.push_back({"global_load_sectors", "sectors", "exact", {}, 150.0});
    b.metrics.push_back({"barriers", "warps", "not_permitted", {}, std::nullopt});
    const auto rows = compareMetrics(a, b);
    const auto find = [&](const QString& id) {
      return *std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.id == id; });
    };
    QCOMPARE(*find("global_load_sectors").b, 150.0);
    QVERIFY(!find("barriers").a && !find("barriers").b);
    auto* model = makeComparedMetricsModel(this);
    model->setRows({find("global_load_sectors")});
    QCOMPARE(model->index(0, 3).data().toString(), QStringLiteral("+50"));
    QCOMPARE(model->index(0, 4).data().toString(), QStringLiteral("1.500"));
    model->setRows({find("barriers")});
    QCOMPARE(model->index(0, 1).data().toString(), QString());
    QCOMPARE(model->index(0, 2).data().toString(), QStringLiteral("not permitted"));
    a.choices = {{"threads", "128"}, {"state", "online"}};
    b.choices = {{"threads", "256"}, {"state", "online"}};
    const auto choices = compareChoices(a, b);
    QCOMPARE(choices.size(), std::size_t(1));
    QCOMPARE(choices[0].param, QStringLiteral("threads"));
  }
};

QTEST_GUILESS_MAIN(TestDiff)
#include "test_diff.moc"
