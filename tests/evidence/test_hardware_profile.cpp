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
};

QTEST_GUILESS_MAIN(TestHardwareProfile)
#include "test_hardware_profile.moc"
