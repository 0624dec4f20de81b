// .npy files against bytes laid out by hand from NumPy's format description.
#include "core/base/npy.hpp"

#include <QtTest>

#include <cstring>
#include <random>

using namespace aicf;

namespace {

std::vector<std::byte> as_bytes(const std::string& text) {
  std::vector<std::byte> out(text.size());
  if (!text.empty()) std::memcpy(out.data(), text.data(), text.size());
  return out;
}

std::string file_of(const std::string& dictionary, const std::string& data, int version = 1) {
  std::string head = "\x93NUMPY";
  head += static_cast<char>(version);
  head += '\0';
  for (unsigned i = 0; i < (version == 1 ? 2U : 4U); ++i)
    head += static_cast<char>((dictionary.size() >> (8 * i)) & 255U);
  return head + dictionary + data;
}

template <class T> std::string raw(std::initializer_list<T> values, bool big = false) {
  std::string out;
  for (T v : values) {
    std::string one(sizeof(T), '\0');
    std::memcpy(one.data(), &v, sizeof(T));
    if (big) std::reverse(one.begin(), one.end());
    out += one;
  }
  return out;
}

Result<HostTensor> parse(const std::string& text) { return parse_npy(as_bytes(text), "a.npy"); }
std::string code_of(const std::string& text) {
  auto result = parse(text);
  return result ? "none" : result.diagnostics.at(0).code;
}

} // namespace

class TestNpy : public QObject {
  Q_OBJECT

 private slots:
  void everyVersion() {
    for (int version : {1, 2, 3}) {
      auto t = parse(file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n",
                             raw<float>({1, 2, 3, 4, 5, 6.5F}), version));
      QVERIFY(t);
      QVERIFY(t->dtype == DType::f32);
      QCOMPARE(t->shape, (std::vector<std::int64_t>{2, 3}));
      QVERIFY(t->get(5) == 6.5);
    }
  }

  void everyElementType() {
    auto one = [](const char* descr, const std::string& data, DType type, double value) {
      auto t = parse(file_of(std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (1,)}", data));
      return t && t->dtype == type && t->get(0) == value;
    };
    for (bool big : {false, true}) {
      std::string order = big ? ">" : "<";
      QVERIFY(one((order + "f2").c_str(), raw<std::uint16_t>({0xc100}, big), DType::f16, -2.5));
      QVERIFY(one((order + "f4").c_str(), raw<float>({0.1F}, big), DType::f32, 0.1F));
      QVERIFY(one((order + "f8").c_str(), raw<double>({0.1}, big), DType::f64, 0.1));
      QVERIFY(one((order + "i4").c_str(), raw<std::int32_t>({-70000}, big), DType::i32, -70000));
      QVERIFY(one((order + "i8").c_str(), raw<std::int64_t>({1LL << 40}, big), DType::i64, 0x1p40));
    }
    QVERIFY(one("|i1", "\xfe", DType::i8, -2));
    QVERIFY(one("=f4", raw<float>({3}), DType::f32, 3));
    QVERIFY(one("|b1", "\x01", DType::boolean, 1));
    auto odd = parse(file_of("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", std::string("\x07\0", 2)));
    QVERIFY(odd && odd->bytes[0] == std::byte{1} && odd->bytes[1] == std::byte{0}); // normalised
  }

  void fortranOrder() { // value 100 i + 10 j + k, first index fastest
    std::string data;
    for (int k = 0; k < 4; ++k)
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 2; ++i) data += raw<std::int32_t>({100 * i + 10 * j + k});
    auto t = parse(file_of("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3, 4)}", data));
    QVERIFY(t);
    for (std::size_t i = 0, at = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t k = 0; k < 4; ++k) QCOMPARE(static_cast<std::size_t>(t->get(at++)), 100 * i + 10 * j + k);
  }

  void spellingsOfTheHeader() {
    auto t = parse(file_of("{\"shape\":(3L ,) ,\n 'fortran_order':True,'descr':\"<f4\"}   \n", raw<float>({1, 2, 3})));
    QVERIFY(t && t->get(2) == 3);
    auto scalar = parse(file_of("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", raw<double>({4})));
    QVERIFY(scalar && scalar->shape.empty() && scalar->get(0) == 4);
    auto empty = parse(file_of("{'descr': '<f8', 'fortran_order': True, 'shape': (3, 0), }", ""));
    QVERIFY(empty && empty->element_count() == 0);
  }

  void unsupportedTypesAreNamed() {
    for (const char* descr : {"<u2", "|u1", "<i2", "<c8", "<U4", "|O", "f4", ""}) {
      auto t = parse(file_of(std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (1,)}", "xxxx"));
      QVERIFY(!t);
      QCOMPARE(t.diagnostics[0].code, std::string("npy.dtype"));
      QVERIFY(t.diagnostics[0].message.find(descr) != std::string::npos);
      QCOMPARE(t.diagnostics[0].at.file, std::string("a.npy"));
    }
    QCOMPARE(code_of(file_of("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "xxxx")),
             std::string("npy.header"));
  }

  void hostileFiles() {
    const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}";
    QCOMPARE(code_of(""), std::string("npy.magic"));
    QCOMPARE(code_of("\x93NUMPY"), std::string("npy.magic"));
    QCOMPARE(code_of(std::string("PK\x03\x04") + std::string(40, '\0')), std::string("npy.magic"));
    QCOMPARE(code_of(file_of(good, raw<float>({1, 2}), 9)), std::string("npy.version"));
    QCOMPARE(code_of(file_of(good, raw<float>({1}))), std::string("npy.size"));
    QCOMPARE(code_of(file_of(good, raw<float>({1, 2, 3}))), std::string("npy.size"));
    QCOMPARE(code_of(std::string("\x93NUMPY\x02\0\xff\xff\xff\xff{}", 14)), std::string("npy.header"));
    auto shape = [](const std::string& s) {
      return code_of(file_of("{'descr': '<f4', 'fortran_order': False, 'shape': " + s + "}", ""));
    };
    QCOMPARE(shape("(4611686018427387904, 4611686018427387904)"), std::string("npy.size"));
    QCOMPARE(shape("(4611686018427387904, 4611686018427387904, 0)"), std::string("npy.size"));
    QCOMPARE(shape("(9223372036854775807,)"), std::string("npy.size"));
    QCOMPARE(shape("(99999999999999999999,)"), std::string("npy.header"));
    QCOMPARE(shape("(-1,)"), std::string("npy.header"));
    QCOMPARE(shape("(1.5,)"), std::string("npy.header"));
    QCOMPARE(shape("(2"), std::string("npy.header"));
    std::string many = "(";
    for (int i = 0; i < 100; ++i) many += "1,";
    QCOMPARE(shape(many + ")"), std::string("npy.header"));
    QCOMPARE(code_of(file_of("__import__('os')", "")), std::string("npy.header"));
    QCOMPARE(code_of(file_of("{'descr': '<f4', 'shape': (1,)}", "xxxx")), std::string("npy.header"));
    QCOMPARE(code_of(file_of(good + "more", raw<float>({1, 2}))), std::string("npy.header"));
    QCOMPARE(code_of(file_of("{'descr': '<f4", "")), std::string("npy.header"));
  }

  void anyByteMayBeWrong() { // never a crash, never a value of another size
    HostTensor t(DType::f32, {3, 5});
    const std::vector<std::byte> bytes = npy_bytes(t);
    std::mt19937 random(3);
    for (int round = 0; round < 20000; ++round) {
      auto damaged = bytes;
      for (int n = 0; n < 3; ++n) damaged[random() % 80] = static_cast<std::byte>(random() & 255U);
      if (round % 3 == 0) damaged.resize(random() % damaged.size());
      auto result = parse_npy(damaged, "x");
      if (result)
        QCOMPARE(result->bytes.size(), result->element_count() * size_of(result->dtype));
      else
        QVERIFY(has_errors(result.diagnostics));
    }
  }

  void writtenFormIsNumPysOwn() {
    HostTensor t(DType::f32, {2, 3});
    t.set(4, -1.25);
    auto bytes = npy_bytes(t);
    QCOMPARE(bytes.size(), std::size_t{128 + 24}); // the data begins at a multiple of 64
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    dictionary += std::string(117 - dictionary.size(), ' ') + "\n";
    QVERIFY(text == file_of(dictionary, raw<float>({0, 0, 0, 0, -1.25F, 0})));
  }

  void roundTrips() {
    QTemporaryDir folder;
    std::filesystem::path file = (folder.path() + "/t.npy").toStdString();
    for (DType type : {DType::f32, DType::f16, DType::f64, DType::i8, DType::i32, DType::i64, DType::boolean})
      for (const auto& shape : std::vector<std::vector<std::int64_t>>{{}, {1}, {7}, {2, 0}, {2, 3, 4}}) {
        HostTensor t(type, shape);
        for (std::size_t i = 0; i < t.element_count(); ++i) t.set(i, static_cast<double>(i % 100) - 3);
        QVERIFY(write_npy(file, t).empty());
        auto back = read_npy(file);
        QVERIFY(back && back->dtype == type && back->shape == shape && back->bytes == t.bytes);
      }
    HostTensor bf16(DType::bf16, {2});
    bf16.set(0, 1.0 / 3);
    QVERIFY(write_npy(file, bf16).empty());
    auto back = read_npy(file);
    QVERIFY(back && back->dtype == DType::f32 && back->get(0) == bf16.get(0));
  }

  void filesThatCannotBeReadOrWritten() {
    QTemporaryDir folder;
    auto absent = read_npy((folder.path() + "/none.npy").toStdString());
    QVERIFY(!absent);
    QCOMPARE(absent.diagnostics[0].code, std::string("io.read"));
    QVERIFY(!read_npy(folder.path().toStdString()));
    auto written = write_npy((folder.path() + "/no/such/folder/t.npy").toStdString(), HostTensor(DType::f32, {1}));
    QCOMPARE(written.size(), std::size_t{1});
    QCOMPARE(written[0].code, std::string("io.write"));
  }
};

QTEST_GUILESS_MAIN(TestNpy)
#include "test_npy.moc"
