#include "probes/findings.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

namespace aicf::probes {
namespace {

std::string number(double value) {
  std::ostringstream out;
  out.precision(6);
  out << value;
  return out.str();
}

void join(ControlVerdict& verdict, bool passed, const std::string& detail) {
  if (!verdict.detail.empty()) verdict.detail += "; ";
  verdict.detail += detail;
  verdict.status = passed && verdict.status != "failed" ? "passed" : "failed";
}

} // namespace

Spread over(double work, const Spread& s) { return {work / s.value, work / s.hi, work / s.lo, s.samples}; }
Spread times(double factor, const Spread& s) { return {factor * s.value, factor * s.lo, factor * s.hi, s.samples}; }

Findings::Findings(const ProbeText& text, const Setting& setting) : text_(text), device_(setting.device) {}

void Findings::control_exact(bool passed, const std::string& detail) { join(exact_, passed, detail); }
void Findings::control_device(bool passed, const std::string& detail) {
  if (device_) join(measured_, passed, detail);
}
void Findings::control_device(const Observation& seen, double lo, double hi, const std::string& what) {
  const double value = seen.spread.value;
  const std::string came = seen.why.empty() ? number(value) : seen.why;
  control_device(seen.why.empty() && value >= lo && value <= hi,
                 what + " must be " + number(lo) + " to " + number(hi) + ", came out " + came);
}

HardwareFigure& Findings::figure(const std::string& id, const std::string& name, const std::string& unit, bool device,
                                 const std::string& how) {
  HardwareFigure f;
  f.id = text_.id + "." + id;
  f.probe = text_.id;
  f.name = name;
  f.unit = unit;
  f.method = how.empty() ? text_.method : text_.method + "; " + how;
  f.inputs = text_.inputs;
  f.source = device ? "device" : "emulator";
  figures.push_back(std::move(f));
  return figures.back();
}

void Findings::exact(const std::string& id, const std::string& name, const std::string& unit, const Observation& seen,
                     double value, const std::string& how) {
  HardwareFigure& f = figure(id, name, unit, false, how);
  f.reason = seen.why.empty() && !std::isfinite(value) ? "not counted" : seen.why;
  if (!f.reason.empty()) return;
  f.status = "exact";
  f.value = f.lo = f.hi = value;
  f.samples = 1;
}

void Findings::measured(const std::string& id, const std::string& name, const std::string& unit,
                        const Observation& seen, double scale, const std::string& how) {
  derived(id, name, unit, {&seen}, times(scale, seen.spread), how);
}

void Findings::rate(const std::string& id, const std::string& name, const std::string& unit, const Observation& seen,
                    double work, const std::string& how) {
  derived(id, name, unit, {&seen}, over(work, seen.spread), how);
}

void Findings::derived(const std::string& id, const std::string& name, const std::string& unit,
                       const std::vector<const Observation*>& seen, const Spread& spread, const std::string& how) {
  HardwareFigure& f = figure(id, name, unit, true, how);
  for (const Observation* o : seen)
    if (!o->why.empty() && f.reason.empty()) f.reason = o->why;
  if (f.reason.empty() && !std::isfinite(spread.value)) f.reason = "the samples give no number";
  if (!f.reason.empty()) return;
  if (const int rounds = seen.empty() ? 1 : seen[0]->rounds; rounds > 1)
    f.method += "; " + std::to_string(rounds) + " rounds, each in other memory";
  f.status = "measured";
  f.value = spread.value;
  f.lo = std::min(spread.lo, spread.value);
  f.hi = std::max(spread.hi, spread.value);
  f.samples = spread.samples;
}

HardwareCurve& Findings::curve(const std::string& id, const std::string& name, const AxisOf& x, const AxisOf& y,
                               bool device) {
  HardwareCurve c;
  c.id = text_.id + "." + id;
  c.probe = text_.id;
  c.name = name;
  c.x = x;
  c.y = y;
  c.method = text_.method;
  c.source = device ? "device" : "emulator";
  curves.push_back(std::move(c));
  return curves.back();
}

SensitivityMap& Findings::map(const std::string& id, const std::string& name, const std::string& kind, const AxisOf& x,
                              const AxisOf& y, const AxisOf& z, bool device) {
  SensitivityMap m;
  m.id = text_.id + "." + id;
  m.probe = text_.id;
  m.name = name;
  m.kind = kind;
  m.x = x;
  m.y = y;
  m.z = z;
  m.method = text_.method;
  m.source = device ? "device" : "emulator";
  maps.push_back(std::move(m));
  return maps.back();
}

void Findings::close(const std::string& clock) {
  for (HardwareFigure& f : figures) {
    const bool device = f.source == "device";
    f.control = device ? measured_ : exact_;
    if (f.status == "not_measured") continue;
    if (device) f.clock = clock;
    if (f.control.status == "passed") continue;
    f.status = "withheld";
    f.reason = f.control.status == "failed" ? "the control failed: " + f.control.detail : "the probe ran no control";
    f.value = f.lo = f.hi = unknown_number;
    f.samples = 0;
  }
  auto unconfirmed = [&](const auto& drawn) {
    return (drawn.source == "device" ? measured_ : exact_).status != "passed";
  };
  std::erase_if(curves, [&](const HardwareCurve& c) { return c.points.empty() || unconfirmed(c); });
  std::erase_if(maps, [&](const SensitivityMap& m) { return m.cells.empty() || unconfirmed(m); });
}

void fill_map(SensitivityMap& map, const Observations& seen, const std::vector<std::string>& trials,
              const std::function<double(const Trial&, const Observation&)>& value) {
  std::set<double> xs, ys;
  std::map<std::pair<double, double>, double> cells;
  for (const Trial& trial : seen.trials()) {
    if (std::find(trials.begin(), trials.end(), trial.id) == trials.end()) continue;
    xs.insert(trial.x), ys.insert(trial.y);
    if (const Observation& o = seen.at(trial.id); o.why.empty()) cells[{trial.x, trial.y}] = value(trial, o);
  }
  if (cells.empty()) return;
  map.x_values.assign(xs.begin(), xs.end());
  map.y_values.assign(ys.begin(), ys.end());
  for (double y : map.y_values) {
    auto& row = map.cells.emplace_back();
    for (double x : map.x_values) {
      auto found = cells.find({x, y});
      row.push_back(found == cells.end() ? unknown_number : found->second);
    }
  }
}

void fill_curve(HardwareCurve& curve, const Observations& seen, const std::vector<std::string>& trials,
                const std::function<Spread(const Trial&, const Observation&)>& spread) {
  std::map<double, CurvePoint> points;
  for (const Trial& trial : seen.trials()) {
    if (std::find(trials.begin(), trials.end(), trial.id) == trials.end()) continue;
    const Observation& o = seen.at(trial.id);
    if (!o.why.empty()) continue;
    const Spread s = spread(trial, o);
    points[trial.x] = {trial.x, s.value, s.lo, s.hi, s.samples};
  }
  for (const auto& [x, point] : points) curve.points.push_back(point);
}

std::vector<std::string> trials_of(const Observations& seen, const std::string& prefix) {
  std::vector<std::string> out;
  for (const Trial& trial : seen.trials())
    if (trial.id.starts_with(prefix)) out.push_back(trial.id);
  return out;
}

} // namespace aicf::probes
