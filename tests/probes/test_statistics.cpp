// Estimators and change points on data whose answers are known from mathematics.
#include "probes/statistics.hpp"

#include <QTest>

#include <cmath>
#include <random>

using namespace aicf::probes;

class TestStatistics : public QObject {
  Q_OBJECT
 private slots:
  void quantilesInterpolateBetweenRanks() {
    // Hyndman and Fan's type 7: h = (n - 1) q.
    const std::vector<double> values{4, 1, 3, 2};
    QCOMPARE(quantile(values, 0), 1.0);
    QCOMPARE(quantile(values, 1), 4.0);
    QCOMPARE(quantile(values, 0.25), 1.75);
    QCOMPARE(median(values), 2.5);
    QCOMPARE(median({7}), 7.0);
    QVERIFY_THROWS_EXCEPTION(std::logic_error, static_cast<void>(median({})));
    const Spread s = spread_of({0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100});
    QCOMPARE(s.value, 50.0);
    QCOMPARE(s.lo, 5.0);
    QCOMPARE(s.hi, 95.0);
    QCOMPARE(s.samples, 11);
  }

  void roundsAreJoinedByTheirMiddleAndTheirEnds() {
    const Spread s = over_rounds({{10, 9, 11, 21}, {12, 11.5, 13, 40}, {8, 7.5, 8.5, 21}});
    QCOMPARE(s.value, 10.0);
    QCOMPARE(s.lo, 7.5);
    QCOMPARE(s.hi, 13.0);
    QCOMPARE(s.samples, 82);
  }

  void deviationIsRobustAndScaledToTheNormal() {
    QCOMPARE(scaled_mad({1, 2, 3, 4, 5}), 1.4826);
    QCOMPARE(scaled_mad({1, 2, 3, 4, 1e9}), 1.4826); // one wild value moves nothing
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal(3, 2);
    std::vector<double> values(20001);
    for (double& v : values) v = normal(random);
    // Its asymptotic variance is 1.3608 sigma^2 / n (Rousseeuw and Croux): five standard errors.
    QVERIFY(std::abs(scaled_mad(values) - 2) < 5 * 2 * std::sqrt(1.3608 / 20001));
  }

  void bootstrapHoldsTheMedianAndIsRepeatable() {
    std::vector<double> values;
    for (int i = 0; i < 101; ++i) values.push_back(i);
    const auto [lo, hi] = bootstrap_median(values);
    QVERIFY(lo < 50 && hi > 50);
    // The order-statistic interval of 95 % is 50 +- 1.96 sqrt(101) / 2, near enough.
    QVERIFY(std::abs(lo - 40.2) < 4 && std::abs(hi - 59.8) < 4);
    QVERIFY(bootstrap_median(values) == (std::pair{lo, hi}));
    QVERIFY(bootstrap_median({5, 5, 5}) == (std::pair{5.0, 5.0}));
  }

  void changePointsAreWhereTheLevelChanges_data() {
    QTest::addColumn<QList<double>>("levels");
    QTest::addColumn<QList<int>>("lengths");
    QTest::addColumn<double>("noise");
    QTest::newRow("none") << QList<double>{30} << QList<int>{50} << 1.0;
    QTest::newRow("one") << QList<double>{30, 200} << QList<int>{20, 30} << 1.0;
    QTest::newRow("three") << QList<double>{30, 200, 260, 800} << QList<int>{15, 20, 20, 15} << 2.0;
    QTest::newRow("down") << QList<double>{8, 4, 2} << QList<int>{10, 10, 10} << 0.05;
    QTest::newRow("no noise") << QList<double>{1, 2} << QList<int>{5, 5} << 0.0;
  }
  void changePointsAreWhereTheLevelChanges() {
    QFETCH(QList<double>, levels);
    QFETCH(QList<int>, lengths);
    QFETCH(double, noise);
    std::mt19937_64 random(11);
    std::vector<double> values;
    std::vector<std::size_t> expected;
    for (qsizetype i = 0; i < levels.size(); ++i) {
      if (i > 0) expected.push_back(values.size());
      // Uniform in +-noise: no sample can be nearer to the neighbouring level.
      for (int k = 0; k < lengths[i]; ++k)
        values.push_back(levels[i] + noise * (2 * static_cast<double>(random() >> 11U) * 0x1p-53 - 1));
    }
    QVERIFY(change_points(values, 0.01) == expected);
  }

  void segmentationIsTheBestOne() {
    // Against every segmentation of a short series, by the criterion that the header states.
    std::mt19937_64 random(3);
    for (int round = 0; round < 40; ++round) {
      std::vector<double> v(10);
      for (double& x : v) x = static_cast<double>(random() % 8);
      std::vector<double> differences;
      for (std::size_t i = 1; i < v.size(); ++i) differences.push_back(v[i] - v[i - 1]);
      const double sigma = std::max(scaled_mad(differences) / std::sqrt(2.0), 0.25);
      auto criterion = [&](const std::vector<std::size_t>& cuts) {
        double total = 0;
        std::vector<std::size_t> ends = cuts;
        ends.push_back(v.size());
        std::size_t from = 0;
        for (std::size_t to : ends) {
          double mean = 0;
          for (std::size_t i = from; i < to; ++i) mean += v[i] / static_cast<double>(to - from);
          for (std::size_t i = from; i < to; ++i) total += (v[i] - mean) * (v[i] - mean);
          from = to;
        }
        return total + 2 * sigma * sigma * std::log(static_cast<double>(v.size())) * static_cast<double>(cuts.size());
      };
      double best = INFINITY;
      for (unsigned mask = 0; mask < 512; ++mask) {
        std::vector<std::size_t> cuts;
        for (std::size_t i = 0; i < 9; ++i)
          if ((mask >> i & 1U) != 0) cuts.push_back(i + 1);
        best = std::min(best, criterion(cuts));
      }
      QVERIFY(std::abs(criterion(change_points(v, 0.25)) - best) < 1e-9);
    }
  }

  void stepsSpeakOfTheCurve() {
    std::vector<aicf::CurvePoint> points;
    for (int i = 0; i < 20; ++i) points.push_back({1024.0 * (i + 1), i < 12 ? 30.0 : 240.0, 0, 0, 1});
    points.insert(points.begin() + 5, aicf::CurvePoint{5500}); // nothing was measured there
    const auto found = steps(points, true, 0.05);
    QCOMPARE(found.size(), std::size_t{1});
    QCOMPARE(found[0].x, 13 * 1024.0);
    QVERIFY(std::abs(found[0].before - 30) < 1e-9 && std::abs(found[0].after - 240) < 1e-9);
    QVERIFY(std::abs(found[0].gain - 12.0 * 8 / 20 * std::log(8) * std::log(8)) < 1e-9);
    QVERIFY(steps(points, false, 300).empty()); // smaller than what counts as a step
  }
};

QTEST_GUILESS_MAIN(TestStatistics)
#include "test_statistics.moc"
