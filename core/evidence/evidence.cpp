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

namespace {

/// Writes canonical() of the JSON above without building it: a store of a million rows hashes it a million times.
class CanonicalText {
 public:
  std::string text;

  void key(const RunKey& k) {
    object({{"device", k.device},
            {"driver", k.driver},
            {"dtype", k.dtype},
            {"kind", k.kind},
            {"options", to_hex(k.options)},
            {"profile", to_hex(k.profile)},
            {"shape", k.shape},
            {"source", to_hex(k.source)},
            {"timer", k.timer},
            {"toolkit", k.toolkit}});
  }
  void string(std::string_view s) {
    const bool plain =
        std::all_of(s.begin(), s.end(), [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; });
    if (plain)
      text.append("\"").append(s).append("\"");
    else
      text += canonical(json(s));
  }
  /// SQLite keeps no -0, so the hash must not see one.
  void number(double value) { text += canonical(json_number(value + 0.0)); }
  void metric(const Metric& m) {
    const bool known = m.source == Metric::Source::measured || m.source == Metric::Source::exact ||
                       m.source == Metric::Source::estimated;
    text += '{';
    if (known) member("hi"), number(m.hi), text += ',';
    member("id"), string(m.id), text += ',';
    if (known) member("lo"), number(m.lo), text += ',';
    if (!m.method.empty()) member("method"), string(m.method), text += ',';
    if (known) member("samples"), text += std::to_string(m.samples) + ',';
    member("source"), string(name_of(m.source)), text += ',';
    member("unit"), string(m.unit), text += ',';
    member("value");
    known ? number(m.value) : void(text += "null");
    text += '}';
  }
  void member(const char* name) { text.append("\"").append(name).append("\":"); }
  template <class Range, class F> void list(const Range& range, F one) {
    text += '[';
    for (const auto& item : range) {
      if (text.back() != '[') text += ',';
      one(item);
    }
    text += ']';
  }

 private:
  void object(std::initializer_list<std::pair<const char*, std::string_view>> members) {
    text += '{';
    for (const auto& [name, value] : members) {
      if (text.back() != '{') text += ',';
      member(name);
      string(value);
    }
    text += '}';
  }
};

} // namespace

Hash hash_of(const RunKey& key) {
  CanonicalText out;
  out.key(key);
  return sha256(out.text);
}

std::string content_id(const Evidence& evidence, const std::vector<Hash>& artefacts) {
  // Rows are sets: neither the order of metrics nor that of artefacts is kept, so neither may count.
  std::vector<const Metric*> metrics;
  metrics.reserve(evidence.metrics.size());
  for (const Metric& m : evidence.metrics) metrics.push_back(&m);
  std::sort(metrics.begin(), metrics.end(), [](const Metric* a, const Metric* b) { return a->id < b->id; });
  std::vector<std::string> hashes;
  hashes.reserve(artefacts.size());
  for (const Hash& hash : artefacts) hashes.push_back(to_hex(hash));
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  CanonicalText out;
  out.text = "{";
  out.member("artefacts"), out.list(hashes, [&](const std::string& hash) { out.string(hash); }), out.text += ',';
  out.member("command"), out.string(evidence.command), out.text += ',';
  out.member("host"), out.string(evidence.host), out.text += ',';
  out.member("key"), out.key(evidence.key), out.text += ',';
  out.member("metrics"), out.list(metrics, [&](const Metric* m) { out.metric(*m); }), out.text += ',';
  out.member("seconds"), out.number(evidence.seconds), out.text += ',';
  out.member("seed"), out.text += std::to_string(evidence.seed) + ',';
  out.member("started"), out.string(evidence.started), out.text += ',';
  out.member("status"), out.string(evidence.status), out.text += '}';
  return to_hex(sha256(out.text));
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
