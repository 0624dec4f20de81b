#include "app/aicf/store.hpp"

#include "core/base/json.hpp"
#include "core/evidence/store.hpp"
#include "core/exec/cuda/cupti_api.hpp"
#include "core/exec/cuda/device.hpp"
#include "core/exec/nvrtc.hpp"
#include "core/exec/timing_metrics.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <map>

namespace aicf {
namespace {

using nlohmann::json;

Value value_from(const json& v) {
  if (v.is_boolean()) return v.get<bool>();
  if (v.is_number_integer()) return v.get<std::int64_t>();
  if (v.is_number()) return v.get<double>();
  return v.get<std::string>();
}

std::string shape_text(const Problem& problem) {
  std::string text;
  for (const auto& [name, extent] : problem.dims)
    text += (text.empty() ? "" : ",") + name + "=" + std::to_string(extent);
  return text;
}

/// A document from which the plan can be made again.
json plan_document(const SynthesizedVariant& v, const SynthesisRequest& request) {
  json choices = json::object();
  for (const auto& [id, value] : v.variant.plan.choices) choices[id] = to_json(value);
  return {{"schema", "aicf.variant/1"},
          {"id", v.id},
          {"family", v.variant.plan.family},
          {"choices", choices},
          {"definition", to_hex(v.variant.plan.definition)},
          {"profile", to_hex(v.variant.plan.profile)},
          {"op", request.structure->canonical->source->name},
          {"text", request.structure->canonical->source->text},
          {"shape", shape_text(request.problem)},
          {"dtype", name_of(request.problem.float_type)},
          {"target", request.problem.target}};
}

/// What measured: the clock of the times, and the library of the counters.
std::string timer_of(const SynthesisRequest& request, bool timed) {
  std::string text = timed ? "cuda-events" : "";
  if (request.backend != "cuda" || !request.counters) return text;
  std::uint32_t version = 0;
  if (auto api = cuda::cupti::api()) (*api)->version(&version);
  return text + (text.empty() ? "" : ", ") + "cupti " + std::to_string(version);
}

/// What a row of metrics does not hold of a run's counters: their order, and those of each line.
json counters_document(const Validation& validation) {
  json order = json::array();
  for (const Metric& m : validation.counters) order.push_back(m.id);
  return {{"schema", "aicf.counters/1"}, {"metrics", order}, {"lines", lines_json(validation.lines)}};
}

/// False where the row lacks one of them.
bool recall_counters(const json& document, const Evidence& row, Validation& validation) {
  if (!document.is_object() || !document.contains("metrics") || !document.contains("lines")) return false;
  for (const json& id : document["metrics"]) {
    auto found = std::find_if(row.metrics.begin(), row.metrics.end(), [&](const Metric& m) { return id == m.id; });
    if (found == row.metrics.end()) return false;
    validation.counters.push_back(*found);
  }
  auto lines = lines_from_json(document["lines"]);
  if (!lines) return false;
  validation.lines = std::move(*lines);
  return true;
}

} // namespace

EvidenceLog::EvidenceLog(Elsewhere elsewhere) : elsewhere_(std::move(elsewhere)) {
  if (!elsewhere_) {
    auto store = Store::open(Store::default_path());
    if (store)
      store_ = std::make_unique<Store>(std::move(*store));
    else
      warn(store.diagnostics);
  }
  if (auto info = nvrtc_info()) toolkit_ = "nvrtc " + std::to_string(info->major) + "." + std::to_string(info->minor);
}

EvidenceLog::~EvidenceLog() = default;

void EvidenceLog::warn(const std::vector<Diagnostic>& diagnostics) {
  if (!warned_)
    for (const Diagnostic& d : diagnostics) std::cerr << "aicf: results are not kept: " << format(d) << "\n";
  warned_ = true;
}

RunKey EvidenceLog::key_of(const SynthesizedVariant& v, const SynthesisRequest& request, const std::string& kind,
                           bool timed) {
  if (request.backend == "cuda" && device_.empty())
    if (auto device = cuda::device_at(0)) device_ = device->name, driver_ = device->driver;
  std::string sources, options;
  for (const KernelModule& m : v.variant.modules) {
    sources += m.cuda_source;
    for (const std::string& o : m.options) options += o + " ";
  }
  // What the judge was asked: the kernel alone does not say it.
  options += "aicf " AICF_VERSION ", definition " + to_hex(request.structure->canonical->structure_hash) + ", seed " +
             std::to_string(request.seed) + ", rows " + std::to_string(request.row_limit);
  for (const auto& [name, value] : request.problem.scalars) options += ", " + name + "=" + json(value).dump();
  return {kind,
          sha256(sources),
          sha256(options),
          hash_of(request.rules),
          shape_text(request.problem),
          std::string(name_of(request.problem.float_type)),
          request.backend == "cuda" ? device_ : request.backend,
          driver_,
          toolkit_,
          timer_of(request, timed)};
}

bool EvidenceLog::recall(SynthesizedVariant& v, const SynthesisRequest& request) {
  if (!store_) return false;
  auto rows = store_->find_key(hash_of(key_of(v, request, "synth", request.backend == "cuda")));
  if (!rows) return warn(rows.diagnostics), false;
  for (const Evidence& row : *rows) {
    auto hashes = store_->artefacts_of(row.id);
    if (row.status != "validated" || !hashes) continue;
    std::map<std::string, json> documents; // by kind
    for (const Hash& hash : *hashes)
      if (auto artefact = store_->artefact(hash); artefact && artefact->kind != "cuda")
        documents[artefact->kind] = json::parse(artefact->data, nullptr, false);
    auto validation = validation_from_json(documents["validation"]);
    if (!validation || !recall_counters(documents["counters"], row, *validation)) continue;
    v.validation = std::move(*validation);
    for (const Metric& m : row.metrics)
      if (is_of_timing(m) && m.source != Metric::Source::estimated) v.timings.push_back(m);
    v.resumed = row.id;
    return true;
  }
  return false;
}

void EvidenceLog::keep(const SynthesizedVariant& v, const SynthesisRequest& request, const std::string& kind) {
  if ((!store_ && !elsewhere_) || !v.resumed.empty()) return;
  Evidence row;
  std::vector<Artefact> artefacts{{"variant", canonical(plan_document(v, request))}};
  for (const KernelModule& m : v.variant.modules) artefacts.push_back({"cuda", m.cuda_source});
  if (v.validation.passed) {
    artefacts.push_back({"validation", canonical(to_json(v.validation))});
    artefacts.push_back({"counters", canonical(counters_document(v.validation))});
  }
  row.key = key_of(v, request, kind, !v.timings.empty());
  row.started = v.started;
  row.seconds = v.seconds;
  row.host = host_name();
  row.command = kind + " " + request.structure->canonical->source->name + " variant " + v.id;
  row.status = v.status;
  row.seed = request.seed;
  row.metrics = v.validation.counters;
  row.metrics.insert(row.metrics.end(), v.timings.begin(), v.timings.end());
  row.metrics.insert(row.metrics.end(), v.estimates.begin(), v.estimates.end());
  row.metrics.push_back(exact_metric("max_rel_err", "1", v.validation.max_rel_err, "against the reference"));
  row.metrics.push_back(exact_metric("bound", "1", v.validation.bound, "a priori, of the plan"));
  if (elsewhere_)
    elsewhere_(row, artefacts);
  else if (auto kept = store_->put(row, artefacts); !kept)
    warn(kept.diagnostics);
}

Result<Plan> kept_plan(const std::string& id, const StructureProfile& structure) {
  auto store = Store::open(Store::default_path());
  if (!store) return store.failure<Plan>();
  Store::Filter filter;
  filter.kind = "synth";
  filter.variant = id;
  filter.metrics = false;
  std::map<std::string, std::string> found; // variant id -> row id
  if (!id.empty()) {
    auto rows = store->recent(filter);
    if (!rows) return rows.failure<Plan>();
    for (const Evidence& row : *rows) found.try_emplace(row.command.substr(row.command.rfind(' ') + 1), row.id);
  }
  if (found.empty())
    return error("run.variant", "the evidence store has no variant " + id, {},
                 "`aicf synth` prints the ids of the variants that it keeps");
  if (found.size() > 1) return error("run.variant", std::to_string(found.size()) + " kept variants begin with " + id);
  auto hashes = store->artefacts_of(found.begin()->second);
  if (!hashes) return hashes.failure<Plan>();
  for (const Hash& hash : *hashes) {
    auto artefact = store->artefact(hash);
    if (!artefact || artefact->kind != "variant") continue;
    json document = json::parse(artefact->data, nullptr, false);
    Plan plan;
    if (!document.is_object() || !from_hex(document.value("definition", ""), plan.definition) ||
        !from_hex(document.value("profile", ""), plan.profile))
      return error("run.variant", "the stored variant " + id + " cannot be read");
    if (plan.definition != structure.canonical->structure_hash)
      return error("run.variant",
                   "variant " + id + " was made for " + document.value("op", "?") + ", whose structure is another one");
    plan.family = document.value("family", "");
    for (const auto& [key, value] : document["choices"].items()) plan.choices[key] = value_from(value);
    return plan;
  }
  return error("run.variant", "the plan of variant " + id + " is no longer in the evidence store");
}

} // namespace aicf
