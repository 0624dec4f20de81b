#include "synth/workers/carried_evidence.hpp"

#include "core/evidence/store.hpp"

#include <nlohmann/json.hpp>

#include <limits>

namespace aicf {
namespace {

using nlohmann::json;

double number_from(const json& v) {
  if (v.is_number()) return v.get<double>();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::string text = v.is_string() ? v.get<std::string>() : std::string();
  return text == "inf" ? infinity : text == "-inf" ? -infinity : std::numeric_limits<double>::quiet_NaN();
}

Metric metric_from(const json& j) {
  Metric m;
  m.id = j.at("id").get<std::string>();
  m.unit = j.at("unit").get<std::string>();
  m.method = j.value("method", "");
  const std::string source = j.at("source").get<std::string>();
  using enum Metric::Source;
  for (Metric::Source s : {measured, exact, estimated, not_measured, not_permitted, not_supported})
    if (name_of(s) == source) m.source = s;
  if (j.contains("lo")) {
    m.value = number_from(j.at("value")), m.lo = number_from(j.at("lo")), m.hi = number_from(j.at("hi"));
    m.samples = j.at("samples").get<int>();
  }
  return m;
}

Hash hash_at(const json& key, const char* field) {
  Hash hash{};
  if (!from_hex(key.at(field).get<std::string>(), hash)) throw std::invalid_argument(field);
  return hash;
}

Evidence row_from(const json& j) {
  const json& k = j.at("key");
  auto text = [](const json& object, const char* field) { return object.at(field).get<std::string>(); };
  Evidence e;
  e.key = {text(k, "kind"),  hash_at(k, "source"), hash_at(k, "options"), hash_at(k, "profile"), text(k, "shape"),
           text(k, "dtype"), text(k, "device"),    text(k, "driver"),     text(k, "toolkit"),    text(k, "timer")};
  e.started = text(j, "started"), e.host = text(j, "host");
  e.command = text(j, "command"), e.status = text(j, "status");
  e.seed = j.at("seed").get<std::uint64_t>();
  e.seconds = number_from(j.at("seconds"));
  for (const json& metric : j.at("metrics")) e.metrics.push_back(metric_from(metric));
  return e;
}

std::string id_of(const Evidence& row, const std::vector<Artefact>& artefacts) {
  std::vector<Hash> hashes;
  for (const Artefact& a : artefacts) hashes.push_back(sha256(a.data));
  return content_id(row, hashes);
}

} // namespace

json carried(const Evidence& row, const std::vector<Artefact>& artefacts) {
  json list = json::array(), stated = to_json(row);
  for (const Artefact& a : artefacts) list.push_back({{"kind", a.kind}, {"data", a.data}});
  stated["id"] = id_of(row, artefacts);
  return {{"row", std::move(stated)}, {"artefacts", std::move(list)}};
}

Result<CarriedEvidence> evidence_from(const json& body) {
  try {
    CarriedEvidence out;
    out.row = row_from(body.at("row"));
    for (const json& a : body.at("artefacts"))
      out.artefacts.push_back({a.at("kind").get<std::string>(), a.at("data").get<std::string>()});
    if (id_of(out.row, out.artefacts) != body.at("row").at("id").get<std::string>())
      return error("evidence.damaged", "a row of evidence arrived that does not have the content of its id");
    return out;
  } catch (const std::exception& wrong) {
    return error("evidence.damaged", std::string("a row of evidence arrived that cannot be read: ") + wrong.what());
  }
}

EvidenceKeeper::EvidenceKeeper() = default;
EvidenceKeeper::~EvidenceKeeper() = default;

std::optional<Diagnostic> EvidenceKeeper::keep(const json& body) {
  auto row = evidence_from(body);
  if (!row) return row.diagnostics.front();
  if (!tried_) {
    tried_ = true;
    auto store = Store::open(Store::default_path());
    if (!store) return store.diagnostics.front();
    store_ = std::make_unique<Store>(std::move(*store));
  }
  if (!store_) return error("evidence.access", "the evidence store could not be opened");
  auto kept = store_->put(row->row, row->artefacts);
  return kept ? std::nullopt : std::optional(kept.diagnostics.front());
}

} // namespace aicf
