// Operators of ONNX, written in the language, against the test data that ONNX ships: numbers that NumPy computed.
#include "core/graph/onnx_tensor.hpp"
#include "tests/reference/definitions.hpp"

#include <filesystem>

using namespace aicf;
using namespace aicf::test;

class TestOnnxData : public QObject {
  Q_OBJECT
 private slots:
  void node_data();
  void node();
};

void TestOnnxData::node_data() {
  QTest::addColumn<QString>("text");
  auto row = [](const char* name, const char* text) { QTest::newRow(name) << QString(text); };
  row("softmax_axis_1", "op f(x: float[A, N, C]) -> y: float[A, N, C]\n  m[a, c] = max[j] x[a, j, c]\n"
                        "  y[a, j, c] = exp(x[a, j, c] - m[a, c]) / sum[k] exp(x[a, k, c] - m[a, c])\n");
  row("logsoftmax_axis_1", "op f(x: float[A, N, C]) -> y: float[A, N, C]\n  m[a, c] = max[j] x[a, j, c]\n"
                           "  y[a, j, c] = x[a, j, c] - m[a, c] - log(sum[k] exp(x[a, k, c] - m[a, c]))\n");
  row("reduce_log_sum_exp_default_axes_keepdims_random",
      "op f(x: float[A, B, C]) -> y: float[1, 1, 1]\n  y[i, j, k] = log(sum[a, b, c] exp(x[a, b, c]))\n");
  row("layer_normalization_2d_axis1", "op f(x: float[M, N], s: float[N], b: float[N]; eps = 1e-5)"
                                      " -> y: float[M, N], mean: float[M, 1], r: float[M, 1]\n"
                                      "  mean[i, o] = (sum[j] x[i, j]) / N\n"
                                      "  r[i, o] = rsqrt((sum[j] (x[i, j] - mean[i, 0])^2) / N + eps)\n"
                                      "  y[i, j] = (x[i, j] - mean[i, 0]) * r[i, 0] * s[j] + b[j]\n");
  row("argmax_no_keepdims_random", "op f(x: float[A, N, C]) -> y: i64[A, C]\n  y[a, c] = argmax[j] x[a, j, c]\n");
  row("cumsum_2d_axis_1",
      "op f(x: float[M, N], axis: i32[]) -> y: float[M, N]\n  y[i, j] = where(axis == 1, sum[k <= j] x[i, k], nan)\n");
  row("gather_0", "op f(x: float[A, B, C, D], ids: i64[N]) -> y: float[N, B, C, D]\n"
                  "  y[n, b, c, d] = x[ids[n], b, c, d]\n");
  row("hardmax_axis_1", "op f(x: float[A, N, C]) -> y: float[A, N, C]\n"
                        "  y[a, j, c] = where(j == argmax[k] x[a, k, c], 1, 0)\n");
  row("conv_with_strides_no_padding",
      "op f(x: float[B, C, H, W], w: float[F, C, R, S]) -> y: float[B, F, (H - R) // 2 + 1, (W - S) // 2 + 1]\n"
      "  y[b, f, i, j] = sum[c, r, s] x[b, c, 2 * i + r, 2 * j + s] * w[f, c, r, s]\n");
  row("lstm_defaults",
      "op f(x: float[T, B, I], w: float[1, 4 * H, I], r: float[1, 4 * H, H]) -> y: float[1, B, H]\n"
      "  z[t, b, g in 4, d in H] = (sum[k] w[0, g * H + d, k] * x[t, b, k])"
      " + (sum[k] r[0, g * H + d, k] * h[t - 1, b, k])\n"
      "  c[t, b, d in H] = sigmoid(z[t, b, 2, d]) * c[t - 1, b, d] + sigmoid(z[t, b, 0, d]) * tanh(z[t, b, 3, d])"
      " from c[-1, b, d] = 0\n"
      "  h[t, b, d in H] = sigmoid(z[t, b, 1, d]) * tanh(c[t, b, d]) from h[-1, b, d] = 0\n"
      "  y[o, b, d] = h[T - 1, b, d]\n");
}

void TestOnnxData::node() {
  QFETCH(QString, text);
  std::filesystem::path folder = "/usr/share/libonnx-testdata/data/node";
  folder /= std::string("test_") + QTest::currentDataTag();
  folder /= "test_data_set_0";
  if (!std::filesystem::exists(folder)) QSKIP("libonnx-testdata is not installed");
  auto d = parse(text.toStdString());
  Bindings b;
  for (std::size_t t = 0; t < d->inputs; ++t) {
    auto read = read_onnx_tensor(folder / ("input_" + std::to_string(t) + ".pb"));
    QVERIFY(read);
    b.inputs[d->tensors[t].name] = std::move(read->tensor);
  }
  for (int precision : {53, 113}) {
    auto results = evaluate(*d, b, {precision, {}});
    QVERIFY2(results, results ? "" : format(results.diagnostics.at(0), d->text).c_str());
    for (std::size_t k = 0; k < d->outputs.size(); ++k) {
      auto expected = read_onnx_tensor(folder / ("output_" + std::to_string(k) + ".pb"));
      QVERIFY(expected);
      const HostTensor& actual = results->at(d->tensors[d->outputs[k]].name);
      QCOMPARE(actual.shape, expected->tensor.shape);
      for (std::size_t i = 0; i < actual.element_count(); ++i) {
        double e = expected->tensor.get(i);
        QVERIFY2(std::fabs(actual.get(i) - e) <= 2e-6 * (1 + std::fabs(e)), std::to_string(i).c_str()); // f32 results
      }
    }
  }
}

QTEST_GUILESS_MAIN(TestOnnxData)
#include "test_onnx_data.moc"
