// What the built `aicf` needs from a machine: glibc, and nothing else. It is carried to GPU servers as one file.
#include "tests/support/paths.hpp"

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTest>

using aicf::test::binaryFile;

class TestProgram : public QObject {
  Q_OBJECT
  const QString program = binaryFile("bin/aicf");

 private slots:
  void initTestCase() { QVERIFY2(QFile::exists(program), qPrintable(program + " is not built")); }

  void needsGlibcAlone() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("a sanitized program needs its sanitizer's library");
#endif
    QProcess readelf;
    readelf.start("readelf", {"--dynamic", "--wide", program});
    QVERIFY(readelf.waitForFinished());
    QCOMPARE(readelf.exitCode(), 0);
    static const QRegularExpression needed(R"(\(NEEDED\).*\[(.+)\])");
    static const QRegularExpression glibc(R"(^(libc\.so|libm\.so|libdl\.so|libpthread\.so|librt\.so|ld-linux).*)");
    QStringList others;
    int libraries = 0;
    for (auto it = needed.globalMatch(QString::fromLocal8Bit(readelf.readAllStandardOutput())); it.hasNext();) {
      const QString library = it.next().captured(1);
      ++libraries;
      if (!glibc.match(library).hasMatch()) others << library;
    }
    QVERIFY(libraries > 0);
    QVERIFY2(others.isEmpty(), qPrintable("aicf also needs " + others.join(", ")));
  }

  void holdsNoQt() {
    QFile file(program);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray bytes = file.readAll();
    for (const char* trace : {"QObject", "libQt6", "qt_version_tag"})
      QVERIFY2(!bytes.contains(trace), qPrintable(QString("aicf holds the text ") + trace));
  }
};

QTEST_GUILESS_MAIN(TestProgram)
#include "test_program.moc"
