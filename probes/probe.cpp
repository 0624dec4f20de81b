#include "probes/probe.hpp"

#include <algorithm>
#include <stdexcept>

namespace aicf::probes {
namespace {

struct Registry {
  std::vector<std::pair<std::string, RegisterProbe::Make>> entries;
};
Registry& registry() {
  static Registry instance;
  return instance;
}

double value_in(const std::map<std::string, double>& map, const std::string& id) {
  auto found = map.find(id);
  return found == map.end() ? unknown_number : found->second;
}

} // namespace

double Observation::counter(const std::string& id) const { return value_in(counters, id); }
double Observation::number(const std::string& id) const { return value_in(numbers, id); }

const Observation& Observations::at(const std::string& trial) const {
  auto found = results_.find(trial);
  if (found == results_.end()) throw std::logic_error("no trial " + trial);
  return found->second;
}

RegisterProbe::RegisterProbe(const char* id, Make make) { registry().entries.emplace_back(id, make); }

const std::vector<const Probe*>& registered() {
  static const std::vector<const Probe*> all = [] {
    std::vector<const Probe*> made;
    for (const auto& [id, make] : registry().entries) {
      made.push_back(make());
      if (made.back()->text().id != id) throw std::logic_error("probe " + id + " calls itself something else");
    }
    std::sort(made.begin(), made.end(), [](const Probe* a, const Probe* b) {
      const ProbeText ta = a->text(), tb = b->text();
      return std::tie(ta.lab, ta.id) < std::tie(tb.lab, tb.id);
    });
    return made;
  }();
  return all;
}

const Probe* find(const std::string& id) {
  for (const Probe* probe : registered())
    if (probe->text().id == id) return probe;
  return nullptr;
}

} // namespace aicf::probes
