// ONNX operators as definitions, against the data sets that ONNX ships: the reference and a generated kernel under the
// emulator give the published outputs.
#include "core/exec/nvrtc.hpp"
#include "synth/onnx_check.hpp"

#include <QtTest>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

using namespace aicf;
namespace fs = std::filesystem;

namespace {

const fs::path data = "/usr/share/libonnx-testdata/data/node";

/// Softmax, log-softmax, layer normalization, reductions, and operators that work element by element.
const std::set<std::string> families{"Softmax",
                                     "LogSoftmax",
                                     "LayerNormalization",
                                     "ReduceL1",
                                     "ReduceL2",
                                     "ReduceLogSum",
                                     "ReduceLogSumExp",
                                     "ReduceMax",
                                     "ReduceMean",
                                     "ReduceMin",
                                     "ReduceProd",
                                     "ReduceSum",
                                     "ReduceSumSquare",
                                     "ArgMax",
                                     "ArgMin",
                                     "Abs",
                                     "Add",
                                     "And",
                                     "Asinh",
                                     "Acos",
                                     "Acosh",
                                     "Asin",
                                     "Atan",
                                     "Atanh",
                                     "Cast",
                                     "CastLike",
                                     "Ceil",
                                     "Celu",
                                     "Clip",
                                     "Cos",
                                     "Cosh",
                                     "Div",
                                     "Elu",
                                     "Equal",
                                     "Erf",
                                     "Exp",
                                     "Floor",
                                     "Greater",
                                     "GreaterOrEqual",
                                     "HardSigmoid",
                                     "HardSwish",
                                     "Hardmax",
                                     "Identity",
                                     "IsInf",
                                     "IsNaN",
                                     "LeakyRelu",
                                     "Less",
                                     "LessOrEqual",
                                     "Log",
                                     "Max",
                                     "Mean",
                                     "Min",
                                     "Mod",
                                     "Mul",
                                     "Neg",
                                     "Not",
                                     "Or",
                                     "PRelu",
                                     "Pow",
                                     "Reciprocal",
                                     "Relu",
                                     "Round",
                                     "Selu",
                                     "Sigmoid",
                                     "Sign",
                                     "Sin",
                                     "Sinh",
                                     "Softplus",
                                     "Softsign",
                                     "Sqrt",
                                     "Sub",
                                     "Sum",
                                     "Tan",
                                     "Tanh",
                                     "ThresholdedRelu",
                                     "Where",
                                     "Xor"};

} // namespace

class TestOnnxOperators : public QObject {
  Q_OBJECT

 private slots:
  void everyCaseOfTheFamilies_data() {
    QTest::addColumn<QString>("folder");
    if (!fs::is_directory(data)) return;
    std::set<fs::path> cases;
    for (const auto& entry : fs::directory_iterator(data)) cases.insert(entry.path());
    for (const fs::path& path : cases) {
      std::string name = path.filename().string();
      // Text, and numbers of 8 bits or fewer that no kernel here has: newer sets cast to and from them.
      const bool foreign = std::ranges::any_of(std::array{"STRING", "_string", "FLOAT8", "FLOAT4", "INT4"},
                                               [&](const char* type) { return name.find(type) != std::string::npos; });
      if (name.ends_with("_expanded") || foreign || !fs::exists(path / "test_data_set_0")) continue;
      auto node = read_onnx_node(path / "model.onnx");
      if (node && families.contains(node->type) && !name.starts_with("test_identity_"))
        QTest::newRow(name.c_str()) << QString::fromStdString(path.string());
    }
  }
  void everyCaseOfTheFamilies() {
    if (!fs::is_directory(data)) QSKIP("SKIPPED: libonnx-testdata is not installed");
    QFETCH(QString, folder);
    fs::path path = folder.toStdString();
    bool compiles = static_cast<bool>(nvrtc_info());
    auto check = check_onnx(path / "model.onnx", path / "test_data_set_0", {compiles ? "emulator" : "reference", 1});
    QVERIFY2(check, check.diagnostics.empty() ? "" : check.diagnostics.front().message.c_str());
    QVERIFY(check->comparisons.size() >= (compiles ? 2U : 1U));
    for (const OnnxComparison& c : check->comparisons)
      QVERIFY2(c.passed, (check->op.text + c.of + " " + c.how + ": " + c.detail).c_str());
  }

  /// Data of another shape than the model says belongs to another model.
  void dataOfAnotherModel() {
    if (!fs::is_directory(data)) QSKIP("SKIPPED: libonnx-testdata is not installed");
    fs::path model = fs::path(data) / "test_softmax_axis_1" / "model.onnx";
    auto check = check_onnx(model, fs::path(data) / "test_softmax_large_number" / "test_data_set_0", {"reference", 1});
    QVERIFY(!check);
    QCOMPARE(check.diagnostics.front().code, std::string("onnx.shape"));
    QCOMPARE(check.diagnostics.front().message,
             std::string("the model's input x is [3, 4, 5], and the data set's is [2, 4]"));
  }

  void thereAreManyCases() {
    if (!fs::is_directory(data)) QSKIP("SKIPPED: libonnx-testdata is not installed");
    int count = 0;
    for (const auto& entry : fs::directory_iterator(data)) {
      auto node = read_onnx_node(entry.path() / "model.onnx");
      if (node && families.contains(node->type)) ++count;
    }
    QVERIFY(count > 300);
  }

  void whatCannotBeSaidIsNamed() {
    OnnxNode node;
    node.type = "Einsum", node.inputs = {"x"}, node.outputs = {"y"};
    HostTensor x(DType::f32, {4});
    const HostTensor* inputs[]{&x};
    auto op = operator_of(node, inputs);
    QVERIFY(!op);
    QCOMPARE(op.diagnostics.front().code, std::string("onnx.unsupported"));
    QVERIFY(op.diagnostics.front().message.find("Einsum") != std::string::npos);
    node.type = "Softmax";
    node.attributes.push_back({"axis", {}, {7}, ""});
    QCOMPARE(operator_of(node, inputs).diagnostics.front().code, std::string("onnx.axis"));
    node.type = "Add", node.attributes.clear(), node.inputs = {"x", "y"};
    HostTensor y(DType::f32, {3});
    const HostTensor* pair[]{&x, &y};
    QCOMPARE(operator_of(node, pair).diagnostics.front().code, std::string("onnx.broadcast"));
  }

  void neighbouringAxesAreOne() {
    OnnxNode node;
    node.type = "ReduceSum", node.inputs = {"x"}, node.outputs = {"y"};
    node.attributes.push_back({"axes", {}, {1, 2}, ""});
    HostTensor x(DType::f32, {2, 3, 4, 5});
    const HostTensor* inputs[]{&x};
    auto op = operator_of(node, inputs);
    QVERIFY(op);
    QCOMPARE(op->inputs[0].shape, (std::vector<std::int64_t>{2, 12, 5}));
    QCOMPARE(op->outputs[0].shape, (std::vector<std::int64_t>{2, 5}));
    QCOMPARE(op->outputs[0].onnx_shape, (std::vector<std::int64_t>{2, 1, 1, 5}));
  }

  void whatIsNoModelIsSaid() {
    auto missing = read_onnx_node("/nowhere/model.onnx");
    QVERIFY(!missing);
    QCOMPARE(missing.diagnostics.front().code, std::string("onnx.file"));
    QTemporaryDir folder;
    QFile file(folder.filePath("model.onnx"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("this is no model");
    file.close();
    QVERIFY(!read_onnx_node(folder.filePath("model.onnx").toStdString()));
  }
};

QTEST_GUILESS_MAIN(TestOnnxOperators)
#include "test_onnx_operators.moc"
