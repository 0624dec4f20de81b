// The document "aicf.hardware/1": what is written is read again, what is wrong is named with its place, and what ships
// claims no time without a device.
#include "core/base/json.hpp"
#include "core/evidence/hardware_profile.hpp"
#include "core/evidence/json_schema.hpp"
#include "tests/support/paths.hpp"

#include <nlohmann/json.hpp>

#include <QTest>

#include <fstream>

using aicf::test::source_path;
using nlohmann::json;

namespace {

json sample() {
  std::ifstream in(source_path("tests/data/hardware-sample.json"));
  return json::parse(in);
}

QString errors(const json& document) {
  QString text;
  const auto read = aicf::hardware_profile_from_json(document, "x.json");
  for (const auto& d : read.diagnostics) text += QString::fromStdString(aicf::format(d)) + '\n';
  return text;
}

} // namespace

class TestHardwareProfile : public QObject {
  Q_OBJECT
 private slots:
  void whatIsWrittenIsReadAgain() {
    const json document = sample();
    const auto read = aicf::hardware_profile_from_json(document, "sample");
    QVERIFY2(read, qPrintable(errors(document)));
    QCOMPARE(read->figures.size(), std::size_t{4});
    QVERIFY(std::isnan(read->maps[0].cells[1][1]));
    QCOMPARE(read->priors[0].value, 16.0);
    QVERIFY(aicf::to_json(*read) == document);
  }

  void errorsNameTheirPlace_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("expected");
    QTest::newRow("type") << "/figures/0/unit"
                          << "3"
                          << "/figures/0/unit must be of type";
    QTest::newRow("word") << "/figures/0/status"
                          << "\"guessed\""
                          << "/figures/0/status must be one of";
    QTest::newRow("unknown") << "/guess"
                             << "1"
                             << "unknown member \"guess\"";
    QTest::newRow("schema") << "/schema"
                            << "\"aicf.hardware/9\""
                            << "/schema must be \"aicf.hardware/1\"";
    QTest::newRow("twice") << "/figures/1/id"
                           << "\"sample.a\""
                           << "stands there twice";
    QTest::newRow("absent") << "/realizations/0/cost_figure"
                            << "\"nothing\""
                            << "no figure \"nothing\"";
    QTest::newRow("value of nothing") << "/figures/2/value"
                                      << "3"
                                      << "/figures/2: status not_measured with a value";
    QTest::newRow("no value") << "/figures/0/value"
                              << "null"
                              << "/figures/0: status exact without a value";
    QTest::newRow("control") << "/figures/0/control/status"
                             << "\"failed\""
                             << "although the control failed";
    QTest::newRow("pretended") << "/figures/0/status"
                               << "\"measured\""
                               << "measured, but not on a device";
    QTest::newRow("grid") << "/maps/0/x_values"
                          << "[1, 2]"
                          << "/maps/0: cells are not rows";
    QTest::newRow("order") << "/curves/0/points/1/x"
                           << "1"
                           << "/curves/0/points/1: x does not ascend";
    QTest::newRow("negative") << "/figures/0/samples"
                              << "-1"
                              << "must be at least 0";
  }
  void errorsNameTheirPlace() {
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    QFETCH(QString, expected);
    json document = sample();
    document[json::json_pointer(pointer.toStdString())] = json::parse(value.toStdString());
    QVERIFY2(errors(document).contains(expected), qPrintable(errors(document)));
  }

  void aMissingMemberIsNamed() {
    json document = sample();
    document["figures"][0].erase("method");
    QVERIFY2(errors(document).contains("/figures/0 has no \"method\""), qPrintable(errors(document)));
  }

  void aKeywordThatNothingChecksIsNoSchema() {
    QVERIFY_THROWS_EXCEPTION(std::logic_error, static_cast<void>(aicf::check_schema(1, {{"maximum", 3}}, "x")));
  }

  void unreadableFilesAreSaid() {
    for (const std::string& path : {std::string("/nowhere/profile.json"), std::string("/"), source_path("README.md")})
      QVERIFY(aicf::has_errors(aicf::load_hardware_profile(path).diagnostics));
  }

  void shippedProfilesOpenAndPretendNothing() {
    for (const auto& path : aicf::shipped_hardware_profiles()) {
      const auto read = aicf::load_hardware_profile(path);
      QVERIFY2(read, path.c_str());
      for (const auto& figure : read->figures)
        QVERIFY2(read->source == "device" || figure.status != "measured", figure.id.c_str());
    }
  }

  /// What is published of Hopper, where the probes measure the same by the same method; what they measure by another
  /// one stands in the README, with the reason. FLOP of a tensor core: 4096 dense ones of 16-bit factors a clock (H100
  /// datasheet: 989.4 TFLOP/s at 1830 MHz and 132 multiprocessors).
  void publishedFigures_data() {
    QTest::addColumn<double>("least");
    QTest::addColumn<double>("most");
    QTest::newRow("l2_near_far.near") << 200.0 << 285.0;
    QTest::newRow("level_latency.dram") << 480.0 << 850.0;
    QTest::newRow("fill_grain.l1_grain") << 32.0 << 32.0;
    for (int k : {1, 2, 4, 8, 16, 32})
      QTest::newRow(("shared_conflicts.wavefronts_" + std::to_string(k)).c_str()) << double(k) << double(k);
    QTest::newRow("shared_bandwidth.load_16") << 0.98 * 128 << 128.0;
    QTest::newRow("shuffle_rate.idx") << 0.98 << 1.0;
    QTest::newRow("redux_rate.add") << 0.98 * 0.5 << 0.5;
    QTest::newRow("mma_sync_rate.f16_k16_random") << 0.6 * 4096 << 0.7 * 4096;
    QTest::newRow("wgmma_rate.f16_n256_zeros") << 0.9 * 4096 << 4096.0;
    QTest::newRow("launch_overhead.grid_2112") << 2.0 << 3.0;
    QTest::newRow("graph_launch.grid_1_alone") << 2.0 << 3.0;
  }
  void publishedFigures() {
    QFETCH(double, least);
    QFETCH(double, most);
    const auto shipped = aicf::load_hardware_profile(source_path("atlas/hardware/nvidia-h200.json"));
    QVERIFY(shipped);
    const aicf::HardwareFigure* f = aicf::figure_of(*shipped, QTest::currentDataTag());
    QVERIFY(f != nullptr);
    QVERIFY2(f->value >= least && f->value <= most, std::to_string(f->value).c_str());
  }

  /// No result of any kernel that was probed lies outside its a priori bound, and each tells how near it came.
  void driftStaysInsideTheBounds() {
    for (const auto& path : aicf::shipped_hardware_profiles()) {
      const auto read = aicf::load_hardware_profile(path);
      QVERIFY(read);
      std::size_t ratios = 0;
      for (const auto& f : read->figures) {
        if (!f.id.ends_with(".bound_ratio") || f.status == "not_measured") continue;
        ++ratios;
        QCOMPARE(f.status, std::string("exact"));
        QVERIFY2(f.value >= 0 && f.value <= 1, f.id.c_str());
      }
      QVERIFY(ratios > 100);
    }
  }
};

QTEST_GUILESS_MAIN(TestHardwareProfile)
#include "test_hardware_profile.moc"
