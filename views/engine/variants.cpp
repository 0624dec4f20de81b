#include "views/engine/variants.hpp"

#include "views/engine/text.hpp"

#include <nlohmann/json.hpp>

#include <QSet>

#include <algorithm>
#include <limits>

namespace aicf::views {
namespace {
using nlohmann::json;

const json& part(const json& object, const char* key) {
  static const json none;
  if (!object.is_object()) return none;
  const auto it = object.find(key);
  return it == object.end() ? none : *it;
}
QString text(const json& object, const char* key) {
  const json& v = part(object, key);
  return v.is_string() ? qs(v.get_ref<const std::string&>()) : QString();
}
/// Numbers, and the words that stand for what JSON cannot say ("inf", "-inf", "nan").
std::optional<double> real(const json& v) {
  if (v.is_number()) return v.get<double>();
  if (v == "inf") return std::numeric_limits<double>::infinity();
  if (v == "-inf") return -std::numeric_limits<double>::infinity();
  if (v == "nan") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}
std::optional<int> whole(const json& object, const char* key) {
  const auto v = real(part(object, key));
  return v ? std::optional<int>(int(*v)) : std::nullopt;
}
bool truth(const json& object, const char* key) {
  const json& v = part(object, key);
  return v.is_boolean() && v.get<bool>();
}

void readMetrics(const json& list, std::vector<MetricRow>& out) {
  const auto one = [&](const json& m, const QString& name) {
    MetricRow row;
    row.id = name.isEmpty() ? text(m, "id") : name;
    row.unit = text(m, "unit");
    row.source = text(m, "source");
    row.method = text(m, "method");
    row.value = real(part(m, "value"));
    if (m.is_number()) row.value = m.get<double>();
    out.push_back(std::move(row));
  };
  if (list.is_array())
    for (const json& m : list) one(m, {});
  if (list.is_object())
    for (const auto& [key, m] : list.items()) one(m, qs(key));
}

QString valueText(const json& v) {
  if (v.is_string()) return qs(v.get_ref<const std::string&>());
  if (v.is_boolean()) return v.get<bool>() ? Variants::tr("yes") : Variants::tr("no");
  return qs(v.dump());
}

QString faultPlace(const json& f) {
  QStringList parts;
  const auto triple = [&](const char* key) {
    const json& v = part(f, key);
    if (!v.is_array() || v.empty()) return;
    QStringList numbers;
    for (const json& n : v) numbers << qs(n.dump());
    parts << QString::fromLatin1(key) + ' ' + numbers.join(',');
  };
  triple("block");
  triple("thread");
  if (const auto line = whole(f, "cuda_line"); line.value_or(0) > 0) parts << Variants::tr("line %1").arg(*line);
  return parts.join(QStringLiteral(" · "));
}
} // namespace

const MetricRow* VariantRow::metric(const QString& name) const {
  const auto it = std::find_if(metrics.begin(), metrics.end(), [&](const MetricRow& m) { return m.id == name; });
  return it == metrics.end() ? nullptr : &*it;
}

VariantRow variantFrom(const json& body) {
  VariantRow v;
  v.id = text(body, "id");
  v.status = text(body, "status");
  const json& plan = part(body, "plan");
  v.family = text(plan, "family");
  if (const json& choices = part(plan, "choices"); choices.is_object())
    for (const auto& [key, value] : choices.items()) v.choices[qs(key)] = valueText(value);
  v.source = text(body, "source");
  if (const json& modules = part(body, "modules"); modules.is_array() && modules.size() > 1) {
    v.source.clear();
    for (const json& m : modules) v.source += text(m, "source") + '\n';
  }
  const json& compile = part(body, "compile");
  v.registers = whole(compile, "registers");
  v.shared = whole(compile, "shared_bytes");
  v.spills = whole(compile, "spill_bytes");
  const json& validation = part(body, "validation");
  v.passed = truth(validation, "passed");
  v.relErr = real(part(validation, "max_rel_err")).value_or(0);
  v.maxUlp = real(part(validation, "max_ulp")).value_or(0);
  v.bound = real(part(validation, "bound")).value_or(0);
  v.worstRatio = real(part(validation, "worst_ratio")).value_or(0);
  if (const json& checks = part(validation, "checks"); checks.is_array())
    for (const json& c : checks) v.checks.push_back({text(c, "id"), text(c, "detail"), truth(c, "passed")});
  if (const json& faults = part(validation, "faults"); faults.is_array())
    for (const json& f : faults)
      v.faults.push_back({text(f, "kind"), text(f, "kernel"), text(f, "message"), faultPlace(f)});
  readMetrics(part(body, "counters"), v.metrics);
  readMetrics(part(body, "time_us"), v.metrics);
  readMetrics(part(body, "estimates"), v.metrics);
  if (const json& list = part(body, "diagnostics"); list.is_array()) {
    QStringList lines;
    for (const json& d : list) lines << text(d, "message");
    v.diagnostics = lines.join('\n');
  }
  return v;
}

void Variants::add(VariantRow variant) {
  const QString op = variant.op;
  const auto it = std::find_if(rows_.begin(), rows_.end(), [&](const VariantRow& v) { return v.id == variant.id; });
  if (it == rows_.end())
    rows_.push_back(std::move(variant));
  else
    *it = std::move(variant);
  labelAll(op);
  Q_EMIT changed();
}

void Variants::labelAll(const QString& op) {
  QMap<QString, QSet<QString>> values;
  int variants = 0;
  for (const VariantRow& v : rows_) {
    if (v.op != op) continue;
    ++variants;
    for (auto it = v.choices.begin(); it != v.choices.end(); ++it) values[it.key()].insert(it.value());
  }
  for (VariantRow& v : rows_) {
    if (v.op != op) continue;
    QStringList keys;
    for (auto it = v.choices.begin(); it != v.choices.end(); ++it)
      if (variants < 2 || values[it.key()].size() > 1) keys << it.key();
    // What takes the most values tells the most.
    std::stable_sort(keys.begin(), keys.end(),
                     [&](const QString& a, const QString& b) { return values[a].size() > values[b].size(); });
    QStringList words;
    for (const QString& key : keys) words << QString(key.section('.', -1) + ' ' + v.choices[key]).replace('_', ' ');
    v.label = words.join(QStringLiteral(" · "));
  }
}

const VariantRow* Variants::find(const QString& id) const {
  const auto it = std::find_if(rows_.begin(), rows_.end(), [&](const VariantRow& v) { return v.id == id; });
  return it == rows_.end() ? nullptr : &*it;
}

} // namespace aicf::views
