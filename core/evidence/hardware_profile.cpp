#include "core/evidence/hardware_profile.hpp"

#include "core/base/atlas_path.hpp"
#include "core/evidence/json_schema.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <stdexcept>
#include <type_traits>

namespace aicf {
namespace {

using nlohmann::json;
constexpr const char* schema_id = "aicf.hardware/1";

/// The members of each struct, once, for writing and for reading.
template <class V> void members(V& v, HardwareDevice& d) {
  v("name", d.name), v("arch", d.arch), v("driver", d.driver), v("toolkit", d.toolkit), v("sm_count", d.sm_count);
  v("uuid", d.uuid);
  v("memory_bytes", d.memory_bytes), v("l2_bytes", d.l2_bytes), v("shared_optin_bytes", d.shared_optin_bytes);
  v("memory_bus_bits", d.memory_bus_bits), v("max_clock_mhz", d.max_clock_mhz);
  v("memory_clock_mhz", d.memory_clock_mhz);
}
template <class V> void members(V& v, ControlVerdict& c) { v("status", c.status), v("detail", c.detail); }
template <class V> void members(V& v, HardwareFigure& f) {
  v("id", f.id), v("probe", f.probe), v("name", f.name), v("unit", f.unit), v("status", f.status);
  v("value", f.value), v("lo", f.lo), v("hi", f.hi), v("samples", f.samples), v("clock", f.clock);
  v("method", f.method), v("inputs", f.inputs), v("control", f.control), v("source", f.source);
  v("reason", f.reason), v("run", f.run);
}
template <class V> void members(V& v, AxisOf& a) { v("name", a.name), v("unit", a.unit), v("log", a.log); }
template <class V> void members(V& v, CurvePoint& p) {
  v("x", p.x), v("y", p.y), v("lo", p.lo), v("hi", p.hi), v("samples", p.samples);
}
template <class V> void members(V& v, ChangePoint& c) {
  v("x", c.x), v("before", c.before), v("after", c.after), v("gain", c.gain);
}
template <class V> void members(V& v, HardwareCurve& c) {
  v("id", c.id), v("probe", c.probe), v("name", c.name), v("x", c.x), v("y", c.y), v("points", c.points);
  v("changes", c.changes), v("change_method", c.change_method), v("method", c.method), v("source", c.source);
  v("run", c.run);
}
template <class V> void members(V& v, SensitivityMap& m) {
  v("id", m.id), v("probe", m.probe), v("name", m.name), v("kind", m.kind), v("x", m.x), v("y", m.y), v("z", m.z);
  v("x_values", m.x_values), v("y_values", m.y_values), v("cells", m.cells), v("method", m.method);
  v("source", m.source), v("run", m.run);
}
template <class V> void members(V& v, Ceiling& c) {
  v("id", c.id), v("name", c.name), v("kind", c.kind), v("unit", c.unit), v("value", c.value), v("lo", c.lo);
  v("hi", c.hi), v("figure", c.figure), v("provenance", c.provenance);
}
template <class V> void members(V& v, MeasuredLimit& l) {
  v("id", l.id), v("name", l.name), v("unit", l.unit), v("value", l.value), v("origin", l.origin);
  v("figure", l.figure), v("source", l.source);
}
template <class V> void members(V& v, PrimitiveRealization& r) {
  v("primitive", r.primitive), v("form", r.form), v("cost_figure", r.cost_figure);
  v("drift_figure", r.drift_figure), v("traffic_figure", r.traffic_figure), v("families", r.families);
}
template <class V> void members(V& v, LegalityCost& c) {
  v("transformation", c.transformation), v("preservation_class", c.preservation_class), v("quantity", c.quantity);
  v("without", c.without), v("with", c.with), v("ratio", c.ratio), v("lo", c.lo), v("hi", c.hi);
  v("source", c.source);
}
template <class V> void members(V& v, FamilyViability& f) {
  v("family", f.family), v("verdict", f.verdict), v("reason", f.reason), v("primitives", f.primitives);
  v("figures", f.figures);
}
template <class V> void members(V& v, Prior& p) {
  v("id", p.id), v("unit", p.unit), v("rule", p.rule), v("device", p.device), v("driver", p.driver);
  v("measured", p.measured), v("value", p.value), v("lo", p.lo), v("hi", p.hi);
  v("expires_days", p.expires_days), v("evidence", p.evidence);
}
template <class V> void members(V& v, HardwareProfile& p) {
  v("name", p.name), v("source", p.source), v("set", p.set), v("device", p.device), v("started", p.started);
  v("finished", p.finished), v("seconds", p.seconds), v("complete", p.complete), v("figures", p.figures);
  v("curves", p.curves), v("maps", p.maps), v("envelope", p.envelope), v("limits", p.limits);
  v("realizations", p.realizations), v("legality_costs", p.legality_costs), v("viability", p.viability);
  v("priors", p.priors);
}

template <class T> struct IsVector : std::false_type {};
template <class T> struct IsVector<std::vector<T>> : std::true_type {};

struct Writer {
  json out = json::object();
  template <class T> void operator()(const char* name, T& member) { out[name] = written(member); }

  template <class T> static json written(T& value) {
    if constexpr (std::is_same_v<T, double>) {
      return std::isfinite(value) ? json(value) : json(nullptr); // what is not known is null
    } else if constexpr (IsVector<T>::value) {
      json list = json::array();
      for (auto& element : value) list.push_back(written(element));
      return list;
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      return value;
    } else {
      Writer inner;
      members(inner, value);
      return inner.out;
    }
  }
};

/// Reads what the schema has let through.
struct Reader {
  const json& in;
  template <class T> void operator()(const char* name, T& member) {
    if (auto found = in.find(name); found != in.end()) read(*found, member);
  }

  template <class T> static void read(const json& from, T& value) {
    if constexpr (std::is_same_v<T, double>) {
      value = from.is_null() ? unknown_number : from.get<double>();
    } else if constexpr (IsVector<T>::value) {
      for (const json& element : from) read(element, value.emplace_back());
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      from.get_to(value);
    } else {
      Reader inner{from};
      members(inner, value);
    }
  }
};

class Consistency {
 public:
  Consistency(const HardwareProfile& p, std::string file) : profile(p), name(std::move(file)) {}
  std::vector<Diagnostic> found;

  void check() {
    unique("figures", profile.figures), unique("curves", profile.curves), unique("maps", profile.maps);
    unique("envelope", profile.envelope), unique("limits", profile.limits), unique("priors", profile.priors);
    for (std::size_t i = 0; i < profile.figures.size(); ++i) figure(profile.figures[i], "/figures/" + at(i));
    for (std::size_t i = 0; i < profile.curves.size(); ++i) curve(profile.curves[i], "/curves/" + at(i));
    for (std::size_t i = 0; i < profile.maps.size(); ++i) map(profile.maps[i], "/maps/" + at(i));
    for (std::size_t i = 0; i < profile.envelope.size(); ++i)
      known(profile.envelope[i].figure, "/envelope/" + at(i) + "/figure", false);
    for (std::size_t i = 0; i < profile.limits.size(); ++i)
      known(profile.limits[i].figure, "/limits/" + at(i) + "/figure", true);
    for (std::size_t i = 0; i < profile.realizations.size(); ++i) {
      const PrimitiveRealization& r = profile.realizations[i];
      for (const auto* id : {&r.cost_figure, &r.drift_figure, &r.traffic_figure})
        known(*id, "/realizations/" + at(i), true);
    }
    for (std::size_t i = 0; i < profile.legality_costs.size(); ++i) {
      known(profile.legality_costs[i].without, "/legality_costs/" + at(i) + "/without", false);
      known(profile.legality_costs[i].with, "/legality_costs/" + at(i) + "/with", false);
    }
    for (std::size_t i = 0; i < profile.viability.size(); ++i)
      for (const std::string& id : profile.viability[i].figures) known(id, "/viability/" + at(i) + "/figures", false);
    for (std::size_t i = 0; i < profile.priors.size(); ++i)
      for (const std::string& id : profile.priors[i].evidence) known(id, "/priors/" + at(i) + "/evidence", false);
  }

 private:
  const HardwareProfile& profile;
  std::string name;

  static std::string at(std::size_t i) { return std::to_string(i); }
  void fail(const std::string& place, const std::string& what) {
    found.push_back(error("evidence.profile", place + ": " + what, {name, 0, 0, 0}));
  }
  template <class T> void unique(const char* list, const std::vector<T>& entries) {
    std::set<std::string> seen;
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (!seen.insert(entries[i].id).second)
        fail(std::string("/") + list + "/" + at(i), "\"" + entries[i].id + "\" stands there twice");
  }
  void known(const std::string& figure, const std::string& place, bool may_be_empty) {
    if (figure.empty() && may_be_empty) return;
    if (figure_of(profile, figure) == nullptr) fail(place, "no figure \"" + figure + "\"");
  }
  void figure(const HardwareFigure& f, const std::string& place) {
    const bool has = f.status == "measured" || f.status == "exact";
    if (has != std::isfinite(f.value)) fail(place, "status " + f.status + (has ? " without" : " with") + " a value");
    if (!has && f.reason.empty()) fail(place, "no value and no reason");
    if (has && f.control.status == "failed") fail(place, "a value although the control failed");
    if (f.status == "measured" && f.source != "device") fail(place, "measured, but not on a device");
    if (has && (f.lo > f.value || f.hi < f.value)) fail(place, "the value is outside lo and hi");
  }
  void curve(const HardwareCurve& c, const std::string& place) {
    for (std::size_t i = 1; i < c.points.size(); ++i)
      if (c.points[i].x <= c.points[i - 1].x) fail(place + "/points/" + at(i), "x does not ascend");
    if (!c.changes.empty() && c.change_method.empty()) fail(place, "change points without a method");
  }
  void map(const SensitivityMap& m, const std::string& place) {
    bool whole = m.cells.size() == m.y_values.size();
    for (const auto& row : m.cells) whole = whole && row.size() == m.x_values.size();
    if (!whole) fail(place, "cells are not rows of y_values times columns of x_values");
  }
};

} // namespace

const HardwareFigure* figure_of(const HardwareProfile& profile, const std::string& id) {
  auto found = std::find_if(profile.figures.begin(), profile.figures.end(), [&](const auto& f) { return f.id == id; });
  return found == profile.figures.end() ? nullptr : &*found;
}

json to_json(const HardwareProfile& profile) {
  HardwareProfile copy = profile; // one list of members serves reading too, and takes them by reference
  json document = Writer::written(copy);
  document["schema"] = schema_id;
  return document;
}

Result<HardwareProfile> hardware_profile_from_json(const json& document, const std::string& file) {
  const auto path = atlas_dir() / "schemas" / "hardware.json";
  std::ifstream in(path);
  if (!in) return error("evidence.profile-read", "cannot read the schema", {path.string(), 0, 0, 0});
  const json schema = json::parse(in, nullptr, false);
  if (schema.is_discarded()) return error("evidence.profile-read", "the schema is no JSON", {path.string(), 0, 0, 0});
  if (auto wrong = check_schema(document, schema, file); !wrong.empty()) return wrong;
  HardwareProfile profile;
  Reader::read(document, profile);
  Consistency consistency(profile, file);
  consistency.check();
  if (!consistency.found.empty()) return consistency.found;
  return profile;
}

Result<HardwareProfile> load_hardware_profile(const std::filesystem::path& path) {
  std::error_code ignored;
  std::ifstream in(path, std::ios::binary);
  if (std::filesystem::is_directory(path, ignored) || !in)
    return error("evidence.profile-read", "cannot read it", {path.string(), 0, 0, 0});
  const json document = json::parse(in, nullptr, false);
  if (document.is_discarded()) return error("evidence.profile-read", "it is no JSON", {path.string(), 0, 0, 0});
  return hardware_profile_from_json(document, path.string());
}

std::vector<std::filesystem::path> shipped_hardware_profiles() {
  std::vector<std::filesystem::path> out;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(atlas_dir() / "hardware", none))
    if (entry.path().extension() == ".json") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

} // namespace aicf
