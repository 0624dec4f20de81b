#include "core/evidence/evidence.hpp"

#include "core/base/json.hpp"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace aicf {

using nlohmann::json;

json to_json(const RunKey& k) {
  return {{"kind", k.kind},
          {"source", to_hex(k.source)},
          {"options", to_hex(k.options)},
          {"profile", to_hex(k.profile)},
          {"shape", k.shape},
          {"dtype", k.dtype},
          {"device", k.device},
          {"driver", k.driver},
          {"toolkit", k.toolkit},
          {"timer", k.timer}};
}

Hash hash_of(const RunKey& key) { return hash_of(to_json(key)); }

json to_json(const Evidence& e) {
  json metrics = json::array();
  for (const Metric& metric : e.metrics) metrics.push_back(to_json(metric));
  return {{"id", e.id},           {"key", to_json(e.key)}, {"started", e.started}, {"host", e.host},
          {"command", e.command}, {"status", e.status},    {"seed", e.seed},       {"seconds", json_number(e.seconds)},
          {"metrics", metrics}};
}

json to_json(const Prior& p) {
  return {{"id", p.id},
          {"unit", p.unit},
          {"rule", p.rule},
          {"device", p.device},
          {"driver", p.driver},
          {"measured", p.measured},
          {"value", json_number(p.value)},
          {"lo", json_number(p.lo)},
          {"hi", json_number(p.hi)},
          {"expires_days", p.expires_days},
          {"evidence", p.evidence}};
}

std::string content_id(const Evidence& evidence, const std::vector<Hash>& artefacts) {
  Evidence plain = evidence;
  plain.seconds += 0.0; // SQLite keeps no -0, so the hash must not see one
  for (Metric& m : plain.metrics) m.value += 0.0, m.lo += 0.0, m.hi += 0.0;
  json document = to_json(plain);
  document.erase("id");
  // Rows are sets: neither the order of metrics nor that of artefacts is kept, so neither may count.
  std::vector<json> metrics(document["metrics"].begin(), document["metrics"].end());
  for (json& metric : metrics) metric.erase("evidence");
  std::sort(metrics.begin(), metrics.end(), [](const json& a, const json& b) { return a["id"] < b["id"]; });
  document["metrics"] = metrics;
  std::vector<std::string> hashes;
  hashes.reserve(artefacts.size());
  for (const Hash& hash : artefacts) hashes.push_back(to_hex(hash));
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  document["artefacts"] = hashes;
  return to_hex(hash_of(document));
}

std::string utc_now() {
  using namespace std::chrono;
  const auto now = time_point_cast<milliseconds>(system_clock::now());
  const std::time_t seconds = system_clock::to_time_t(now);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text.data() + length, text.size() - length, ".%03dZ",
                static_cast<int>(now.time_since_epoch().count() % 1000));
  return text.data();
}

std::string host_name() {
  std::array<char, 256> text{};
  return gethostname(text.data(), text.size() - 1) == 0 ? text.data() : "";
}

} // namespace aicf
