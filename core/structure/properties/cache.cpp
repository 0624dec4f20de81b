#include "core/structure/properties/cache.hpp"

#include "core/base/json.hpp"
#include "core/base/whole_file.hpp"

#include <nlohmann/json.hpp>

#include <fstream>

namespace aicf {
namespace {

namespace fs = std::filesystem;

constexpr const char* schema = "aicf.property_verdicts/1";

/// The running program by size and time of its file: a rebuilt one decides again.
std::string program() {
  std::error_code problem;
  const fs::path self = fs::read_symlink("/proc/self/exe", problem);
  if (problem) return {};
  const auto size = fs::file_size(self, problem);
  const auto time = fs::last_write_time(self, problem).time_since_epoch().count();
  return self.string() + ":" + std::to_string(size) + ":" + std::to_string(time);
}

} // namespace

std::string property_key(const Canonical& canonical) {
  static const std::string self = program();
  const Definition& d = *canonical.source;
  nlohmann::json key{{"structure", to_hex(canonical.structure_hash)}, {"program", self}, {"dims", d.dims}};
  for (const TensorDecl& t : d.tensors) key["tensors"].push_back(t.name);
  for (const ScalarDecl& s : d.scalars) key["scalars"].push_back({{"name", s.name}, {"value", json_number(s.value)}});
  for (const NamedReduction& r : canonical.reductions)
    key["reductions"].push_back({{"name", r.name}, {"axes", r.axes}});
  for (const UserReducer& r : d.reducers) key["reducers"].push_back(r.name);
  for (const Property& p : properties()) key["procedures"][p.id] = p.version;
  return to_hex(hash_of(key));
}

std::vector<PropertyVerdict> kept_properties(const fs::path& folder, const Canonical& canonical,
                                             const std::function<StructureProfile()>& profile, bool* fresh,
                                             const std::stop_token& stop) {
  const std::string key = property_key(canonical);
  const fs::path file = folder / key.substr(0, 2) / (key + ".json");
  if (fresh != nullptr) *fresh = false;
  if (std::ifstream in(file); in) {
    nlohmann::json document = nlohmann::json::parse(in, nullptr, false);
    if (document.is_object() && document.value("schema", std::string()) == schema && document.contains("verdicts"))
      if (auto kept = verdicts_from_json(document["verdicts"]); kept && kept->size() == properties().size())
        return *kept;
  }
  if (fresh != nullptr) *fresh = true;
  std::vector<PropertyVerdict> verdicts = properties_of(profile(), 1, stop);
  if (stop.stop_requested()) return verdicts;
  std::error_code problem;
  fs::create_directories(file.parent_path(), problem);
  (void)write_whole(file, nlohmann::json{{"schema", schema}, {"verdicts", to_json(verdicts)}}.dump()); // kept or not
  return verdicts;
}

} // namespace aicf
