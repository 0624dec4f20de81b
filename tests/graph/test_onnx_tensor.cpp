// ONNX tensors: the ONNX project's own test data, and messages put together byte by byte from onnx.proto's field
// numbers.
#include "core/base/npy.hpp"
#include "core/graph/onnx_tensor.hpp"

#include <QtTest>

#include <cmath>
#include <cstring>

using namespace aicf;

namespace {

const std::string test_data = "/usr/share/libonnx-testdata/data/node/"; // Debian's libonnx-testdata

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 128; value >>= 7U) out += static_cast<char>((value & 127U) | 128U);
  return out + static_cast<char>(value);
}
std::string number(unsigned field, std::uint64_t value) { return varint(field << 3U) + varint(value); }
std::string text(unsigned field, const std::string& value) {
  return varint(field << 3U | 2U) + varint(value.size()) + value;
}
template <class T> std::string raw(std::initializer_list<T> values) {
  std::string out;
  for (T v : values) {
    std::string one(sizeof(T), '\0');
    std::memcpy(one.data(), &v, sizeof(T));
    out += one;
  }
  return out;
}
// TensorProto's fields: dims 1, data_type 2, segment 3, float_data 4, int32_data 5, int64_data 7, name 8, raw_data 9,
// double_data 10, data_location 14; types: FLOAT 1, INT8 3, STRING 8, INT32 6, INT64 7, BOOL 9, FLOAT16 10, DOUBLE 11,
// BFLOAT16 16.
std::string head(std::initializer_list<std::uint64_t> dims, unsigned type) {
  std::string out;
  for (std::uint64_t d : dims) out += number(1, d);
  return out + number(2, type);
}

Result<OnnxTensor> parse(const std::string& message) {
  std::vector<std::byte> bytes(message.size());
  if (!bytes.empty()) std::memcpy(bytes.data(), message.data(), message.size());
  return parse_onnx_tensor(bytes, "t.pb");
}
bool holds(const std::string& message, DType type, std::initializer_list<double> values) {
  auto t = parse(message);
  if (!t || t->tensor.dtype != type || t->tensor.element_count() != values.size()) return false;
  std::size_t i = 0;
  return std::all_of(values.begin(), values.end(), [&](double v) { return t->tensor.get(i++) == v; });
}
std::string code_of(const std::string& message) {
  auto result = parse(message);
  return result ? "none" : result.diagnostics.at(0).code;
}

} // namespace

class TestOnnxTensor : public QObject {
  Q_OBJECT

 private slots:
  void softmaxOfTheOnnxTestData() {
    const std::string folder = test_data + "test_softmax_axis_1/test_data_set_0/";
    if (!std::filesystem::exists(folder)) QSKIP("SKIP: package libonnx-testdata is not installed");
    auto x = read_onnx_tensor(folder + "input_0.pb"), y = read_onnx_tensor(folder + "output_0.pb");
    QVERIFY(x && y);
    QCOMPARE(x->name, std::string("x"));
    QCOMPARE(y->name, std::string("y"));
    QCOMPARE(x->tensor.shape, (std::vector<std::int64_t>{3, 4, 5}));
    QVERIFY(x->tensor.dtype == DType::f32);
    for (std::size_t a = 0; a < 3; ++a) // softmax over the middle axis, from its definition
      for (std::size_t c = 0; c < 5; ++c) {
        double sum = 0;
        for (std::size_t b = 0; b < 4; ++b) sum += std::exp(x->tensor.get(20 * a + 5 * b + c));
        for (std::size_t b = 0; b < 4; ++b) {
          const std::size_t at = 20 * a + 5 * b + c;
          QVERIFY(std::fabs(y->tensor.get(at) - std::exp(x->tensor.get(at)) / sum) < 1e-6);
        }
      }
  }

  void everyFileOfTheOnnxTestData() { // a tensor or a diagnostic that says why, never a crash
    if (!std::filesystem::exists(test_data)) QSKIP("SKIP: package libonnx-testdata is not installed");
    int read = 0, refused = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(test_data)) {
      if (entry.path().extension() != ".pb") continue;
      auto result = read_onnx_tensor(entry.path());
      if (result)
        ++read;
      else
        QVERIFY(has_errors(result.diagnostics));
      if (!result) ++refused;
    }
    qInfo("%d tensors read, %d refused", read, refused);
    QVERIFY(read > 1000);
  }

  void rawData() {
    QVERIFY(holds(head({2}, 1) + text(9, raw<float>({1.5F, -2})), DType::f32, {1.5, -2}));
    QVERIFY(holds(head({2}, 10) + text(9, raw<std::uint16_t>({0x3c00, 0xc100})), DType::f16, {1, -2.5}));
    QVERIFY(holds(head({1}, 16) + text(9, raw<std::uint16_t>({0x4049})), DType::bf16, {3.140625}));
    QVERIFY(holds(head({}, 11) + text(9, raw<double>({0.1})), DType::f64, {0.1}));
    QVERIFY(holds(head({2}, 3) + text(9, raw<std::int8_t>({-7, 7})), DType::i8, {-7, 7}));
    QVERIFY(holds(head({1, 1}, 6) + text(9, raw<std::int32_t>({-70000})), DType::i32, {-70000}));
    QVERIFY(holds(head({1}, 7) + text(9, raw<std::int64_t>({1LL << 40})), DType::i64, {0x1p40}));
    QVERIFY(holds(head({3}, 9) + text(9, std::string("\0\1\5", 3)), DType::boolean, {0, 1, 1}));
    QVERIFY(holds(head({2, 0}, 1) + text(9, ""), DType::f32, {}));
  }

  void typedFields() {
    QVERIFY(holds(head({2}, 1) + text(4, raw<float>({1.5F, -2})), DType::f32, {1.5, -2}));
    QVERIFY(holds(head({1}, 11) + text(10, raw<double>({0.1})), DType::f64, {0.1}));
    const std::string minus_seven = varint(static_cast<std::uint64_t>(std::int64_t{-7}));
    QVERIFY(holds(head({2}, 6) + text(5, minus_seven + varint(9)), DType::i32, {-7, 9}));
    QVERIFY(holds(head({1}, 3) + text(5, minus_seven), DType::i8, {-7}));
    QVERIFY(holds(head({1}, 7) + text(7, minus_seven), DType::i64, {-7}));
    QVERIFY(holds(head({2}, 9) + text(5, varint(0) + varint(1)), DType::boolean, {0, 1}));
    QVERIFY(holds(head({1}, 10) + text(5, varint(0xc100)), DType::f16, {-2.5}));
    QVERIFY(holds(head({1}, 16) + text(5, varint(0xbf80)), DType::bf16, {-1}));
    QVERIFY(holds(head({0}, 1), DType::f32, {}));
  }

  void whatIsRefused() {
    QCOMPARE(code_of(""), std::string("onnx.format"));
    QCOMPARE(code_of("not a protobuf message"), std::string("onnx.format"));
    QCOMPARE(code_of(head({1}, 8)), std::string("onnx.dtype"));
    QCOMPARE(code_of(head({1}, 999)), std::string("onnx.dtype"));
    QCOMPARE(code_of(head({2}, 1) + text(9, raw<float>({1}))), std::string("onnx.size"));
    QCOMPARE(code_of(head({1}, 1)), std::string("onnx.size"));
    QCOMPARE(code_of(head({1}, 1) + text(5, varint(1))), std::string("onnx.size")); // another type's field
    QCOMPARE(code_of(head({1}, 3) + text(5, varint(300))), std::string("onnx.range"));
    QCOMPARE(code_of(head({static_cast<std::uint64_t>(-1)}, 1)), std::string("onnx.shape"));
    const std::uint64_t big = std::uint64_t{1} << 62U;
    QCOMPARE(code_of(head({big, big}, 1)), std::string("onnx.shape"));
    QCOMPARE(code_of(head({big, big, 0}, 1)), std::string("onnx.shape"));
    QCOMPARE(code_of(head({big}, 1)), std::string("onnx.size"));
    QCOMPARE(code_of(head({1}, 1) + number(14, 1)), std::string("onnx.external"));
    QCOMPARE(code_of(head({1}, 1) + text(3, number(1, 0))), std::string("onnx.segment"));
    auto absent = read_onnx_tensor("/nonexistent/x.pb");
    QCOMPARE(absent.diagnostics.at(0).code, std::string("io.read"));
    auto named = parse(head({2}, 1) + text(8, "weights"));
    QVERIFY(named.diagnostics.at(0).message.find("weights") != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(TestOnnxTensor)
#include "test_onnx_tensor.moc"
