// Every operator of the atlas against a reference that was computed independently of it: tests/data/references, which
// tests/references/make_references.py writes with NumPy in f64 from the literature.
#include "core/exec/reference.hpp"
#include "core/expr/check.hpp"
#include "tests/support/paths.hpp"

#include <nlohmann/json.hpp>

#include <QTest>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

using namespace aicf;
using aicf::test::source_path;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const fs::path operators = fs::path(source_path("atlas/ops"));
const fs::path references = fs::path(source_path("tests/data/references"));

/// Both sides round each operation by at most 2^-53 of its result. Inputs and intermediate values are of order one
/// (below 2^4), no result takes more than 2^6 roundings, and the functions are good to an ulp: 2^-53 * 2^6 * 2^4.
constexpr double bound = 0x1p-43;

std::set<std::string> stems(const fs::path& folder, const char* extension) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == extension) names.insert(entry.path().stem().string());
  return names;
}

double number(const json& v) {
  if (v.is_number()) return v.get<double>();
  const auto word = v.get<std::string>();
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  return word == "inf" ? HUGE_VAL : -HUGE_VAL;
}

HostTensor tensor(const json& stored) {
  const auto word = stored.at("dtype").get<std::string>();
  const std::optional<DType> type = dtype_from(word);
  if (!type) throw std::runtime_error("no element type: " + word);
  HostTensor t(*type, stored.at("shape").get<std::vector<std::int64_t>>());
  const json& data = stored.at("data");
  if (data.size() != t.element_count()) throw std::runtime_error("data and shape differ");
  for (std::size_t i = 0; i < data.size(); ++i) t.set(i, number(data[i]));
  return t;
}

std::string difference(const std::string& name, const HostTensor& got, const HostTensor& want) {
  if (got.shape != want.shape) return name + " has another shape";
  for (std::size_t i = 0; i < want.element_count(); ++i) {
    const double a = got.get(i), b = want.get(i);
    const bool same = std::isfinite(b) ? std::fabs(a - b) <= bound * std::max(1.0, std::fabs(b))
                                       : a == b || (std::isnan(a) && std::isnan(b));
    if (!same)
      return name + "[" + std::to_string(i) + "] = " + std::to_string(a) + ", the reference says " + std::to_string(b) +
             ", apart by " + std::to_string(std::fabs(a - b) / std::max(1.0, std::fabs(b)) / bound) + " bounds";
  }
  return {};
}

} // namespace

class TestOperatorReferences : public QObject {
  Q_OBJECT
 private slots:
  void each_operator_has_one_and_each_one_an_operator() {
    const auto ops = stems(operators, ".op"), stored = stems(references, ".json");
    for (const std::string& name : ops) QVERIFY2(stored.contains(name), ("no reference for " + name).c_str());
    for (const std::string& name : stored) QVERIFY2(ops.contains(name), ("no operator for " + name).c_str());
    QVERIFY(ops.size() >= 115);
  }

  void agrees_data() {
    QTest::addColumn<QString>("name");
    for (const std::string& name : stems(operators, ".op")) QTest::newRow(name.c_str()) << QString::fromStdString(name);
  }

  void agrees() {
    QFETCH(QString, name);
    auto definition = load_definition((operators / (name.toStdString() + ".op")).string());
    QVERIFY(definition);
    const std::size_t source = definition->text.find("# Source: ");
    QVERIFY2(source != std::string::npos && definition->text.find_first_not_of(" \n", source + 9) != std::string::npos,
             "the source of the formula is missing");

    std::ifstream file(references / (name.toStdString() + ".json"));
    const json document = json::parse(file);
    QCOMPARE(document.at("schema").get<std::string>(), std::string("aicf.reference/1"));
    QCOMPARE(document.at("op").get<std::string>(), definition->name);
    QVERIFY(!document.at("cases").empty());
    for (const json& stored : document.at("cases")) {
      Bindings bindings;
      for (const auto& [input, value] : stored.at("inputs").items()) bindings.inputs[input] = tensor(value);
      for (const auto& [scalar, value] : stored.at("scalars").items()) bindings.scalars[scalar] = value.get<double>();
      for (int precision : {53, 200}) {
        auto got = evaluate(*definition, bindings, {precision, {}});
        QVERIFY2(got, got ? "" : format(got.diagnostics.at(0), definition->text).c_str());
        QCOMPARE(got->size(), stored.at("outputs").size());
        for (const auto& [output, value] : stored.at("outputs").items()) {
          QVERIFY2(got->contains(output), output.c_str());
          const std::string wrong = difference(output, got->at(output), tensor(value));
          QVERIFY2(wrong.empty(), wrong.c_str());
        }
      }
    }
  }
};

QTEST_GUILESS_MAIN(TestOperatorReferences)
#include "test_operator_references.moc"
