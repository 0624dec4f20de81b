// SHA-256 against the published vectors of FIPS 180-4 (NIST CSRC example values) and, around the padding's edges,
// against coreutils' sha256sum.
#include "core/base/hash.hpp"

#include <QtTest>

using namespace aicf;

class TestHash : public QObject {
  Q_OBJECT

 private slots:
  void vectors_data() {
    QTest::addColumn<QByteArray>("message");
    QTest::addColumn<QByteArray>("digest");
    auto row = [](const char* name, const QByteArray& message, const char* digest) {
      QTest::newRow(name) << message << QByteArray(digest);
    };
    row("empty", "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    row("abc", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    row("448 bits", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    row("896 bits",
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrs"
        "tu",
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    row("a million", QByteArray(1000000, 'a'), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    row("55", QByteArray(55, 'a'), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    row("56", QByteArray(56, 'a'), "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
    row("63", QByteArray(63, 'a'), "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34");
    row("64", QByteArray(64, 'a'), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
    row("119", QByteArray(119, 'a'), "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
    row("120", QByteArray(120, 'a'), "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c");
  }
  void vectors() {
    QFETCH(QByteArray, message);
    QFETCH(QByteArray, digest);
    QCOMPARE(to_hex(sha256(message.toStdString())), digest.toStdString());
  }

  void hexThereAndBack() {
    Hash hash = sha256("abc"), back{};
    QVERIFY(from_hex(to_hex(hash), back));
    QCOMPARE(back, hash);
    QCOMPARE(short_hex(hash), std::string("ba7816bf8f01"));
    QVERIFY(!from_hex("", back));
    QVERIFY(!from_hex(to_hex(hash).substr(1), back));
    QVERIFY(!from_hex(to_hex(hash).substr(1) + "g", back));
  }
};

QTEST_GUILESS_MAIN(TestHash)
#include "test_hash.moc"
