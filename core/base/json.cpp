#include "core/base/json.hpp"

#include "core/base/certificate.hpp"
#include "core/base/diagnostic.hpp"
#include "core/base/metric.hpp"
#include "core/base/value.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>

namespace aicf {

std::string canonical(const nlohmann::json& document) {
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); // std::map keeps keys sorted
}

Hash hash_of(const nlohmann::json& document) { return sha256(canonical(document)); }

nlohmann::json json_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

nlohmann::json to_json(const Value& value) {
  return std::visit([](const auto& v) { return nlohmann::json(v); }, value);
}

std::string to_text(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return to_json(value).dump();
}

std::string_view name_of(Metric::Source source) {
  static constexpr std::string_view names[] = {"measured",     "exact",         "estimated",
                                               "not_measured", "not_permitted", "not_supported"};
  return names[static_cast<int>(source)];
}

Metric exact_metric(std::string id, std::string unit, double value, std::string method) {
  return {Metric::Source::exact, std::move(id), std::move(unit), std::move(method), {}, value, value, value, 1};
}

nlohmann::json to_json(const Metric& m) {
  bool known = m.source == Metric::Source::measured || m.source == Metric::Source::exact ||
               m.source == Metric::Source::estimated;
  nlohmann::json j{{"id", m.id}, {"unit", m.unit}, {"source", name_of(m.source)}, {"value", nullptr}};
  if (!m.method.empty()) j["method"] = m.method;
  if (!m.evidence.empty()) j["evidence"] = m.evidence;
  if (known) {
    j["value"] = json_number(m.value);
    j["lo"] = json_number(m.lo);
    j["hi"] = json_number(m.hi);
    j["samples"] = m.samples;
  }
  return j;
}

std::string_view name_of(Certificate::Verdict verdict) {
  static constexpr std::string_view names[] = {"proven", "probably", "refuted", "unknown"};
  return names[static_cast<int>(verdict)];
}

nlohmann::json to_json(const Certificate& c) {
  nlohmann::json steps = nlohmann::json::array();
  for (const Step& s : c.steps) steps.push_back({{"rule", s.rule}, {"before", s.before}, {"after", s.after}});
  nlohmann::json j{{"id", c.id},         {"claim", c.claim},   {"verdict", name_of(c.verdict)},
                   {"method", c.method}, {"trials", c.trials}, {"bound", c.bound},
                   {"seed", c.seed},     {"steps", steps}};
  if (c.witness) {
    nlohmann::json inputs = nlohmann::json::object();
    for (const auto& [name, values] : c.witness->inputs) {
      nlohmann::json list = nlohmann::json::array();
      for (double v : values) list.push_back(json_number(v));
      inputs[name] = list;
    }
    j["witness"] = {{"inputs", inputs}, {"expected", c.witness->expected}, {"observed", c.witness->observed}};
  }
  return j;
}

nlohmann::json to_json(const Diagnostic& d) {
  static constexpr std::array words{"error", "warning", "note"};
  return {{"severity", words.at(static_cast<std::size_t>(d.severity))},
          {"code", d.code},
          {"file", d.at.file},
          {"line", d.at.line},
          {"column", d.at.column},
          {"length", d.at.length},
          {"message", d.message},
          {"hint", d.hint}};
}

} // namespace aicf
