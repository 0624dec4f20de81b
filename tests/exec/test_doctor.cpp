// The report on this machine: its form, and that what it says is so.
#include "core/evidence/store.hpp"
#include "core/exec/doctor.hpp"
#include "core/exec/nvrtc.hpp"

#include <nlohmann/json.hpp>

#include <QtTest>

using namespace aicf;
using nlohmann::json;

class TestDoctor : public QObject {
  Q_OBJECT
  QTemporaryDir folder;

 private slots:
  void init() { qputenv("AICF_STORE", (folder.path() + "/evidence.sqlite").toUtf8()); }

  void formAndTruth() {
    const json report = doctor();
    QCOMPARE(report["schema"].get<std::string>(), std::string("aicf.doctor/1"));
    std::size_t absent = 0;
    for (const char* part : {"os", "nvrtc", "driver", "cupti", "emulator", "atlas", "evidence", "cache"}) {
      QVERIFY(report[part]["available"].is_boolean());
      if (!report[part]["available"].get<bool>()) ++absent;
    }
    QVERIFY(report["missing"].size() >= absent);
    for (const json& m : report["missing"])
      QVERIFY(!m["what"].get<std::string>().empty() && !m["how_to_get"].get<std::string>().empty());
    auto nvrtc = nvrtc_info();
    QCOMPARE(report["nvrtc"]["available"].get<bool>(), static_cast<bool>(nvrtc));
    if (nvrtc) QCOMPARE(report["nvrtc"]["path"].get<std::string>(), nvrtc->path.string());
    QVERIFY(report["emulator"]["available"].get<bool>());
    if (!report["driver"]["available"].get<bool>()) QVERIFY(report["devices"].empty());
  }

  void anEmptyAtlasIsSaid() {
    qputenv("AICF_ATLAS", folder.path().toUtf8());
    const json report = doctor();
    qunsetenv("AICF_ATLAS");
    QVERIFY(!report["atlas"]["available"].get<bool>());
    QVERIFY(doctor_text(report).find("AICF_ATLAS names") != std::string::npos);
    QVERIFY(doctor()["atlas"]["operators"].get<int>() >= 110);
  }

  void nothingIsCreated() {
    const json before = doctor();
    QVERIFY(!before["evidence"]["exists"].get<bool>());
    QVERIFY(!QFile::exists(folder.path() + "/evidence.sqlite"));
    {
      auto store = Store::open(Store::default_path());
      QVERIFY(store && store->put(Evidence{}));
    }
    QCOMPARE(doctor()["evidence"]["rows"].get<int>(), 1);
  }

  void aDamagedStoreIsSaid() {
    QFile file(folder.path() + "/damaged.sqlite");
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(QByteArray(4096, 'x')) == 4096);
    file.close();
    qputenv("AICF_STORE", file.fileName().toUtf8());
    const json report = doctor();
    QVERIFY(!report["evidence"]["available"].get<bool>());
    QVERIFY(doctor_text(report).find("missing: ") != std::string::npos);
  }

  void textNamesEveryPart() {
    const std::string text = doctor_text(doctor());
    for (const char* part : {"os ", "nvrtc ", "driver ", "cupti ", "emulator ", "atlas ", "evidence ", "cache "})
      QVERIFY(text.find(part) != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(TestDoctor)
#include "test_doctor.moc"
