// The main job through the program itself: exit statuses, JSON, real data in and out, and the worker's protocol.
#include "core/base/npy.hpp"
#include "core/evidence/store.hpp"
#include "core/exec/nvrtc.hpp"
#include "core/graph/onnx_tensor.hpp"
#include "tests/app/aicf_program.hpp"
#include "tests/support/paths.hpp"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>

using aicf::test::program;
using aicf::test::Ran;
using aicf::test::sourceFile;

namespace {

const QString onnx_case = QStringLiteral("/usr/share/libonnx-testdata/data/node/test_softmax_axis_1/test_data_set_0/");

} // namespace

class TestCli : public QObject, private aicf::test::AicfProgram {
  Q_OBJECT

  [[nodiscard]] bool compiles_kernels() {
    return run({"doctor", "--json"}).json()["nvrtc"].toObject()["available"].toBool();
  }

 private slots:
  void exit_statuses() {
    QCOMPARE(run({"analyze", "softmax"}).status, 0);
    QCOMPARE(run({"analyze", "no_such_operator"}).status, 2);
    QCOMPARE(run({"nonsense"}).status, 2);
    QCOMPARE(run({}).status, 2);
    QCOMPARE(run({"--help"}).status, 0);
    QCOMPARE(run({"synth", "attention", "--shape", "M=4,N=4,D=4,E=4"}).status,
             1); // no family realizes it yet: an answer
    QCOMPARE(run({"synth", "softmax", "--shape", "M=4"}).status, 2);
    QCOMPARE(run({"synth", "softmax", "--shape", "M=4,N=-1"}).status, 2);
    QCOMPARE(run({"synth", "softmax", "--shape", "M=4,N=4,K=4"}).status, 2);
    QCOMPARE(run({"synth", "layernorm", "--shape", "M=4,N=4", "--set", "epsilon=1"}).status, 2);
  }

  void errors_name_place_and_cause() {
    Ran r = run({"analyze", file("bad.op", "op f(x: float[N]) -> y: float[N]\n  y[i] = x[i] + z[i]\n")});
    QCOMPARE(r.status, 2);
    QVERIFY2(r.err.contains("bad.op:2:17: error:"), r.err.constData());
    QVERIFY(r.out.isEmpty());
  }

  void analysis_has_the_fields_of_the_contract() {
    QJsonObject d = run({"analyze", "softmax", "--json"}).json();
    QCOMPARE(d["schema"].toString(), QString("aicf.analysis/1"));
    QCOMPARE(d["passes"].toObject()["definition"].toInt(), 3);
    QCOMPARE(d["passes"].toObject()["best"].toInt(), 2);
    QJsonArray reductions = d["reductions"].toArray();
    QCOMPARE(reductions.size(), 2);
    QCOMPARE(reductions[1].toObject()["name"].toString(), QString("l"));
    QCOMPARE(reductions[1].toObject()["rank"].toInt(), 1);
    QVERIFY(d["structures"].toArray().contains("rescaled_accumulation"));
  }

  /// One operator, other names, and five statements in another order of writing: one structure, the same plans.
  void softmax_three_ways_is_one_operator() {
    if (!compiles_kernels()) QSKIP("SKIPPED: no NVRTC");
    QString renamed = file(
        "renamed.op",
        "op g(w: float[A, B]) -> z: float[A, B]\n  top[r] = max[c] w[r, c]\n  s[r] = sum[c] exp(w[r, c] - top[r])\n"
        "  z[r, c] = exp(w[r, c] - top[r]) / s[r]\n");
    QString five = file("five.op", "op h(x: float[M, N]) -> y: float[M, N]\n  y[i, j] = e[i, j] / s[i]\n  s[i] = "
                                   "sum[j] e[i, j]\n  e[i, j] = exp(d[i, j])\n"
                                   "  d[i, j] = x[i, j] - m[i]\n  m[i] = max[j] x[i, j]\n");
    QStringList hashes;
    QList<QJsonArray> plans;
    for (const auto& [op, shape] :
         {std::pair<QString, QString>{"softmax", "M=3,N=40"}, {renamed, "A=3,B=40"}, {five, "M=3,N=40"}}) {
      Ran r = run({"synth", op, "--shape", shape, "--budget", "3", "--json"});
      QCOMPARE(r.status, 0);
      hashes << r.json()["structure_hash"].toString();
      QJsonArray ids;
      for (const QJsonValue& v : r.json()["variants"].toArray()) ids.append(v.toObject()["plan"].toObject()["id"]);
      plans << ids;
    }
    QVERIFY(!hashes[0].isEmpty() && hashes[0] == hashes[1] && hashes[0] == hashes[2]);
    QVERIFY(plans[0].size() == 3 && plans[0] == plans[1] && plans[0] == plans[2]);
  }

  void forms_validate_and_sectors_are_what_the_sweeps_read_data() {
    QTest::addColumn<QString>("op");
    QTest::addColumn<QList<int>>("sweeps"); // of x, by state form: resident, online, two-pass
    // levels of the cascade, plus one for results along the row; worked by hand from the definitions
    QTest::newRow("softmax") << "softmax" << QList<int>{1, 2, 3};
    QTest::newRow("log_softmax") << "log_softmax" << QList<int>{1, 2, 3};
    QTest::newRow("logsumexp") << "logsumexp" << QList<int>{1, 1, 2};
    QTest::newRow("variance") << "variance" << QList<int>{1, 1, 2};
    QTest::newRow("kurtosis") << "kurtosis" << QList<int>{1, 1, 2};
    QString unseen = file(
        "unseen.op",
        "op q(u: float[P, Q]) -> v: float[P, Q]\n  a[i] = (sum[k] u[i, k]) / Q\n  b[i] = sum[k] (u[i, k] - a[i])^2\n"
        "  v[i, k] = u[i, k] * exp(-b[i] / Q)\n");
    QTest::newRow("unseen") << unseen << QList<int>{1, 2, 3};
  }
  void forms_validate_and_sectors_are_what_the_sweeps_read() {
    QFETCH(QString, op);
    QFETCH(QList<int>, sweeps);
    if (!compiles_kernels()) QSKIP("SKIPPED: no NVRTC");
    QString shape = op.endsWith("unseen.op") ? "P=64,Q=1024" : "M=64,N=1024";
    Ran r = run({"synth", op, "--shape", shape, "--dtype", "bf16", "--backend", "emulator", "--budget", "8", "--json"});
    QVERIFY2(r.status == 0, r.err.constData());
    const QStringList forms{"resident", "online", "two_pass", "resident_online"};
    QMap<QString, double> sectors;
    for (const QJsonValue& value : r.json()["variants"].toArray()) {
      QJsonObject v = value.toObject();
      QVERIFY(v["validation"].toObject()["passed"].toBool());
      for (const QJsonValue& m : v["counters"].toArray())
        if (m.toObject()["id"] == "global_load_sectors")
          sectors[v["plan"].toObject()["choices"].toObject()["state_form"].toString()] =
              m.toObject()["value"].toDouble();
    }
    sweeps << sweeps[0]; // resident, whatever merges its levels
    QCOMPARE(sectors.size(), 4);
    for (int i = 0; i < 4; ++i) QCOMPARE(sectors[forms[i]], sweeps[i] * 64.0 * 1024 * 2 / 32);
  }

  /// A stricter point never has more plans, and every candidate is legal or counted under a reason.
  void plans_are_counted_at_each_strictness() {
    Ran r = run({"synth", "softmax", "--shape", "M=64,N=1000", "--dtype", "bf16", "--count", "--json"});
    QVERIFY2(r.status == 0, r.err.constData());
    QJsonArray points = r.json()["points"].toArray();
    QCOMPARE(points.size(), 16);
    for (int i = 0; i < points.size(); ++i) {
      QJsonObject point = points[i].toObject();
      double refused = 0;
      const QJsonObject reasons = point["refused"].toObject();
      for (const QJsonValue& count : reasons) refused += count.toDouble();
      QCOMPARE(point["legal"].toDouble() + refused, point["generated"].toDouble());
      if (i % 4 != 0) QVERIFY(points[i - 1].toObject()["legal"].toDouble() <= point["legal"].toDouble());
      if (i >= 4) QVERIFY(points[i - 4].toObject()["legal"].toDouble() >= point["legal"].toDouble());
    }
  }

  void what_cannot_be_is_said() {
    QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir("dir.op"));
    Ran r = run({"analyze", folder.filePath("dir.op")});
    QCOMPARE(r.status, 2);
    QVERIFY(r.err.contains("cannot read it"));
    QCOMPARE(run({"legal", "softmax", "--profile", folder.path()}).status, 2);
    // What a terminal would obey is shown, not sent.
    for (const QStringList& arguments :
         {QStringList{"analyze", "\x1b[2Jx"}, QStringList{"synth", "softmax", "--shape", "\x1b[2J=3"}}) {
      Ran hostile = run(arguments);
      QCOMPARE(hostile.status, 2);
      QVERIFY2(hostile.err.contains("\\x1b[2J") && !hostile.err.contains('\x1b'), hostile.err.constData());
    }
    for (const char* shape : {"M=9223372036854775807,N=4", "M=1000000000000000,N=4"}) {
      Ran large = run({"synth", "softmax", "--shape", shape});
      QCOMPARE(large.status, 1);
      QVERIFY2(large.err.contains("more elements than any device holds"), large.err.constData());
    }
  }

  /// A bare word is an operator of the atlas whatever lies in the folder; ./ makes it a file's.
  void a_file_does_not_hide_an_operator() {
    file("softmax", "op other(x: float[N]) -> y: float[N]\n  y[i] = 2 * x[i]\n");
    QCOMPARE(run({"analyze", "softmax", "--json"}).json()["op"].toString(), QString("softmax"));
    QCOMPARE(run({"analyze", "./softmax", "--json"}).json()["op"].toString(), QString("other"));
  }

  /// A run that goes on from an earlier one takes what that finished, makes the rest, and ends as one run would have.
  void a_synthesis_is_resumed() {
    if (!aicf::nvrtc_info()) QSKIP("SKIPPED: no NVRTC here");
    auto synth = [&](const QStringList& more) {
      return run(QStringList{"synth", "softmax", "--shape", "M=5,N=96", "--json"} + more);
    };
    auto by_id = [](const Ran& r) {
      std::map<QString, QJsonObject> out;
      const QJsonArray variants = r.json()["variants"].toArray();
      for (const QJsonValue& v : variants) out[v["id"].toString()] = v.toObject();
      return out;
    };
    const auto part = by_id(synth({"--budget", "2"}));
    QCOMPARE(part.size(), std::size_t(2));
    const Ran resumed = synth({"--budget", "4", "--resume"});
    const auto whole = by_id(resumed);
    QCOMPARE(whole.size(), std::size_t(4));
    for (const auto& [id, v] : whole) {
      QCOMPARE(v.contains("resumed"), part.contains(id));
      QCOMPARE(v["status"].toString(), QString("validated"));
      for (const QJsonValue& c : v["counters"].toArray())
        QCOMPARE(c["evidence"].toString(), v["resumed"].toString()); // the number says where it is from
    }
    // Lines, orders and all: what one run gives.
    const Ran one = synth({"--budget", "4"});
    const auto at_once = by_id(one);
    QCOMPARE(at_once.size(), whole.size());
    for (const char* same : {"refused", "generated", "legal", "priors", "shape"})
      QCOMPARE(one.json()[same], resumed.json()[same]);
    for (auto [id, v] : whole) {
      QVERIFY(!v["lines"].toArray().isEmpty());
      v.remove("resumed");
      QJsonArray counters = v["counters"].toArray();
      for (QJsonValueRef c : counters) {
        QJsonObject metric = c.toObject();
        metric.remove("evidence");
        c = metric;
      }
      v["counters"] = counters;
      QCOMPARE(v, at_once.at(id));
    }
    // Another question is not answered by it.
    for (const QStringList& other : {QStringList{"--seed", "2"}, {"--rows", "3"}, {"--dtype", "bf16"}})
      for (const auto& [id, v] : by_id(synth(QStringList{"--budget", "2", "--resume"} + other)))
        QVERIFY2(!v.contains("resumed"), qPrintable(other.join(' ')));
  }

  void ir_is_printed_after_a_pass() {
    Ran r = run(
        {"synth", "sum", "--shape", "M=8,N=4096", "--plan", "cooperation=warp", "--dump-after", "lower_collectives"});
    QVERIFY2(r.status == 0, r.err.constData());
    QVERIFY(r.out.contains("shuffle") && !r.out.contains(" = reduce"));
    QVERIFY(run({"synth", "sum", "--shape", "M=8,N=64", "--dump-after", "no_such_pass"}).status == 2);
    QCOMPARE(run({"synth", "sum", "--shape", "M=8,N=64", "--plan", "threads=33"}).status, 2);
    QCOMPARE(run({"synth", "sum", "--shape", "M=8,N=64", "--plan", "threads"}).status, 2);
  }

  void an_unbounded_sum_has_no_online_form() {
    if (!compiles_kernels()) QSKIP("SKIPPED: no NVRTC");
    QString floors =
        file("floors.op",
             "op f(x: float[M, N]) -> y: float[M]\n  m[i] = max[j] x[i, j]\n  y[i] = sum[j] floor(x[i, j] - m[i])\n");
    for (const QString& op : {QString("mean_absolute_deviation"), floors}) {
      QJsonObject analysis = run({"analyze", op, "--json"}).json();
      QCOMPARE(analysis["reductions"].toArray().last().toObject()["rank"].toString(), QString("unbounded"));
      QVERIFY(!analysis["reductions"].toArray().last().toObject()["bounded"].toBool());
      Ran r = run({"synth", op, "--shape", "M=8,N=300", "--budget", "4", "--json"});
      QCOMPARE(r.status, 0);
      bool two_pass = false;
      for (const QJsonValue& v : r.json()["variants"].toArray()) {
        QString form = v.toObject()["plan"].toObject()["choices"].toObject()["state_form"].toString();
        QVERIFY(!form.contains("online"));
        two_pass = two_pass || form == "two_pass";
      }
      QVERIFY(two_pass);
    }
  }

  /// A guard that reads a dependency is part of what must separate: near-miss twins of a plain sum.
  void a_guard_that_reads_a_dependency_is_no_plain_sum() {
    auto last = [&](const QByteArray& body) {
      QString op = file("guard.op", "op f(x: float[M, N]) -> y: float[M]\n" + body);
      return run({"analyze", op, "--json"}).json()["reductions"].toArray().last().toObject();
    };
    QByteArray mean = "  d[i] = (sum[j] x[i, j]) / N\n", top = "  d[i] = max[j] x[i, j]\n";
    QCOMPARE(last(mean + "  y[i] = sum[j where x[i, j] > d[i]] x[i, j]\n")["rank"].toString(), QString("unbounded"));
    QCOMPARE(last(mean + "  y[i] = sum[j where x[i, j] > d[i]] (x[i, j] - d[i])\n")["rank"].toString(),
             QString("unbounded"));
    QVERIFY(!last(mean + "  y[i] = max[j where x[i, j] < d[i]] x[i, j]\n")["bounded"].toBool());
    QCOMPARE(last(top + "  y[i] = sum[j where x[i, j] > d[i]] x[i, j]\n")["rank"].toInt(-1),
             0); // no element exceeds the maximum
    QCOMPARE(last(top + "  y[i] = sum[j where x[i, j] == d[i]] x[i, j]\n")["rank"].toInt(-1), 1);
  }

  void a_hostile_client_does_not_bring_the_worker_down() {
    QByteArray deep =
        R"({"method":"cancel","params":{"job":)" + QByteArray(200000, '[') + QByteArray(200000, ']') + "}}\n";
    Ran r = run({"worker"}, deep + "not json\n{}\n[1]\n" + R"({"method":"start","params":{"job":[],"kind":"synth"}})" +
                                "\n" + R"({"method":"shutdown"})" + "\n");
    QCOMPARE(r.status, 0);
  }

  void runs_onnx_data_on_every_backend() {
    if (!QFile::exists(onnx_case + "input_0.pb")) QSKIP("SKIPPED: no libonnx-testdata");
    auto expected = aicf::read_onnx_tensor((onnx_case + "output_0.pb").toStdString());
    auto input = aicf::read_onnx_tensor((onnx_case + "input_0.pb").toStdString());
    QVERIFY(expected && input);
    QString npy = directory_.filePath("x.npy");
    QVERIFY(aicf::write_npy(npy.toStdString(), input->tensor).empty());
    QStringList backends{"reference"};
    if (compiles_kernels()) backends << "emulator";
    for (const QString& backend : backends)
      for (const QString& source : {onnx_case + "input_0.pb", npy}) {
        QString out = directory_.filePath("y.npy");
        Ran r = run({"run", "softmax", "--in", "x=" + source, "--out", "y=" + out, "--backend", backend});
        QVERIFY2(r.status == 0, r.err.constData());
        auto actual = aicf::read_npy(out.toStdString());
        QVERIFY(actual && actual->shape == expected->tensor.shape);
        for (std::size_t i = 0; i < actual->element_count(); ++i) // ONNX's own tolerance: 1e-3 relative, 1e-7 absolute
          QVERIFY(std::fabs(actual->get(i) - expected->tensor.get(i)) <=
                  1e-7 + 1e-5 * std::fabs(expected->tensor.get(i)));
      }
  }

  void a_kept_variant_runs_again() {
    if (!compiles_kernels()) QSKIP("SKIPPED: no NVRTC");
    QJsonArray variants =
        run({"synth", "logsumexp", "--shape", "M=2,N=8", "--budget", "1", "--json"}).json()["variants"].toArray();
    QCOMPARE(variants.size(), 1);
    aicf::HostTensor x(aicf::DType::f32, {2, 8});
    for (std::size_t i = 0; i < 16; ++i) x.set(i, i < 8 ? 0 : std::log(2.0));
    QString in = directory_.filePath("lse.npy"), out = directory_.filePath("lse_out.npy");
    QVERIFY(aicf::write_npy(in.toStdString(), x).empty());
    QString name = run({"analyze", "logsumexp", "--json"}).status == 0 ? "y" : "";
    Ran r = run({"run", "logsumexp", "--in", "x=" + in, "--backend", "emulator", "--variant",
                 variants[0].toObject()["id"].toString()});
    QVERIFY2(r.status == 0, r.err.constData());
    // log(8) and log(8) + log(2)
    QByteArray text = r.out;
    QVERIFY2(text.contains("2.0794") && text.contains("2.772"), text.constData());
    QCOMPARE(run({"run", "softmax", "--in", "x=" + in, "--backend", "emulator", "--variant",
                  variants[0].toObject()["id"].toString()})
                 .status,
             2);
  }

  /// A row says when the work on its variant began and how long it took: within the program's own run, one after the
  /// other, and together no longer than it.
  void a_kept_row_was_timed() {
    if (!compiles_kernels()) QSKIP("SKIPPED: no NVRTC");
    const std::string before = aicf::utc_now();
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(run({"synth", "rmsnorm", "--shape", "M=2,N=8", "--budget", "2", "--json"}).status, 0);
    const double whole = static_cast<double>(timer.nsecsElapsed()) / 1e9;
    auto store = aicf::Store::open(directory_.filePath("evidence.sqlite").toStdString());
    QVERIFY(store);
    auto rows = store->recent({.kind = "synth", .limit = 2});
    QVERIFY(rows && rows->size() == 2);
    double sum = 0;
    for (const aicf::Evidence& row : *rows) {
      QVERIFY2(row.started >= before && row.started <= aicf::utc_now(), row.started.c_str());
      QVERIFY(row.seconds > 0);
      sum += row.seconds;
    }
    QVERIFY2(sum <= whole, qPrintable(QString::number(sum)));
    const auto moment = [](const aicf::Evidence& row) {
      return QDateTime::fromString(QString::fromStdString(row.started), Qt::ISODateWithMs).toMSecsSinceEpoch();
    };
    QVERIFY2(static_cast<double>(moment(rows->at(1))) + 1000 * rows->at(1).seconds <=
                 static_cast<double>(moment(rows->at(0))) + 2,
             "the newest first, each begun when the one before was finished");
  }

  /// Figures agree where their spreads meet; counts must be equal. Which runs, and of which cards, is said.
  void two_hardware_profiles_are_compared() {
    QFile sample(sourceFile("tests/data/hardware-sample.json"));
    QVERIFY(sample.open(QIODevice::ReadOnly));
    const QByteArray text = sample.readAll();
    const QString one = file("one.json", text);
    QByteArray changed = text;
    changed.replace("GPU-sample", "GPU-another")
        .replace("\"value\": 8,\n   \"lo\": 8,\n   \"hi\": 8,", "\"value\": 9,\n   \"lo\": 8.5,\n   \"hi\": 9,")
        .replace("\"value\": 4,\n   \"lo\": 4,\n   \"hi\": 4,", "\"value\": 5,\n   \"lo\": 4,\n   \"hi\": 6,");
    const QString other = file("other.json", changed);
    Ran r = run({"probe", "compare", one, one, "--json"});
    QCOMPARE(r.status, 0);
    QCOMPARE(r.json()["cards"].toString(), QString("same"));
    QCOMPARE(r.json()["agree"].toInt(), 2);
    r = run({"probe", "compare", one, other, "--json"});
    QCOMPARE(r.status, 1);
    QCOMPARE(r.json()["cards"].toString(), QString("different"));
    QCOMPARE(r.json()["agree"].toInt(), 1); // 4 lies in 4 to 6
    const QJsonArray differ = r.json()["differ"].toArray();
    QCOMPARE(differ.size(), 1);
    QCOMPARE(differ[0].toObject()["id"].toString(), QString("sample.b"));
    QCOMPARE(differ[0].toObject()["relative"].toDouble(), 0.125);
    QCOMPARE(r.json()["second"].toObject()["uuid"].toString(), QString("GPU-another"));
    r = run({"probe", "compare", one, other});
    QVERIFY2(r.out.contains("GPU-another") && r.out.contains("1 agree within their spreads, 1 do not"),
             r.out.constData());
  }

  void profiles_convert_without_loss() {
    Ran json = run({"profile", "convert", sourceFile("atlas/profiles/reproducible.json"), "--to", "json"});
    Ran text = run({"profile", "convert", sourceFile("atlas/profiles/reproducible.json"), "--to", "dsl"});
    Ran back = run({"profile", "convert", file("p.acp", text.out), "--to", "json"});
    QCOMPARE(json.status, 0);
    QCOMPARE(back.out, json.out);
    QCOMPARE(run({"profile", "check", file("broken.json", "{\"schema\": \"aicf.profile/1\", \"colour\": 1}")}).status,
             2);
    QCOMPARE(
        run({"profile", "diff", sourceFile("atlas/profiles/default.json"), sourceFile("atlas/profiles/bitwise.json")})
            .status,
        1);
  }

  void a_stricter_profile_refuses_more() {
    auto legal = [&](const char* profile) {
      int count = 0;
      for (const QJsonValue& row :
           run({"legal", "softmax", "--profile", sourceFile("atlas/profiles/") + profile + ".json", "--json"})
               .json()["ledger"]
               .toArray())
        count += row.toObject()["allowed"].toBool() ? 1 : 0;
      return count;
    };
    QVERIFY(legal("bitwise") < legal("reproducible"));
    QVERIFY(legal("reproducible") < legal("fastest"));
  }

  void the_worker_greets_works_and_ends_with_its_input() {
    QByteArray start =
        R"({"jsonrpc":"2.0","method":"start","params":{"job":7,"kind":"synth","body":{"op":"softmax","dims":{"M":2,"N":3},"budget":1}}})";
    QProcess worker;
    worker.start(program, {"worker"});
    worker.write("login banner\n" + start + "\n" +
                 R"({"jsonrpc":"2.0","method":"start","params":{"job":8,"kind":"juggle"}})" + "\n");
    QMap<QString, int> seen;
    QStringList statuses;
    QElapsedTimer clock;
    clock.start();
    while (statuses.size() < 2 && clock.elapsed() < 60000) {
      worker.waitForReadyRead(1000);
      while (worker.canReadLine()) {
        QJsonObject message = QJsonDocument::fromJson(worker.readLine()).object();
        QString method = message["method"].toString();
        ++seen[method];
        if (seen.size() == 1 && method != "log") QCOMPARE(method, QString("hello"));
        if (method == "done") statuses << message["params"].toObject()["status"].toString();
      }
    }
    QCOMPARE(seen["hello"], 1);
    QCOMPARE(statuses.size(), 2);
    QVERIFY(statuses[0] == "ok" || !compiles_kernels());
    QCOMPARE(statuses[1], QString("failed"));
    worker.closeWriteChannel();
    QVERIFY(worker.waitForFinished(3000));
  }

  void a_job_is_cancelled() {
    if (!compiles_kernels()) QSKIP("SKIPPED: no NVRTC");
    QProcess worker;
    worker.start(program, {"worker"});
    worker.write(
        R"({"jsonrpc":"2.0","method":"start","params":{"job":"a","kind":"synth","body":{"op":"softmax","dims":{"M":4096,"N":4096},"budget":500,"row_limit":0}}})"
        "\n");
    QByteArray text;
    QTRY_VERIFY_WITH_TIMEOUT((text += worker.readAllStandardOutput()).contains("progress"), 20000);
    worker.write(R"({"jsonrpc":"2.0","method":"cancel","params":{"job":"a"}})"
                 "\n");
    QTRY_VERIFY_WITH_TIMEOUT((text += worker.readAllStandardOutput()).contains("\"cancelled\""), 10000);
    worker.write(R"({"jsonrpc":"2.0","method":"shutdown"})"
                 "\n");
    QTRY_COMPARE_WITH_TIMEOUT(worker.state(), QProcess::NotRunning, 3000); // it may have ended by itself
  }
};

QTEST_GUILESS_MAIN(TestCli)
#include "test_cli.moc"
