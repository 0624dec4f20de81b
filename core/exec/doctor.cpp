#include "core/exec/doctor.hpp"

#include "core/base/atlas_path.hpp"
#include "core/base/cache_dir.hpp"
#include "core/evidence/store.hpp"
#include "core/exec/cuda/cupti_api.hpp"
#include "core/exec/cuda/device.hpp"
#include "core/exec/cuda/driver.hpp"
#include "core/exec/nvrtc.hpp"
#include "core/exec/shared_library.hpp"

#include <nlohmann/json.hpp>
#include <sys/utsname.h>

#include <fstream>
#include <thread>

namespace aicf {
namespace {

using nlohmann::json;

json os_part() {
  json out{{"available", true}, {"name", ""}, {"cores", std::thread::hardware_concurrency()}};
  std::ifstream release("/etc/os-release");
  for (std::string line; std::getline(release, line);) {
    if (!line.starts_with("PRETTY_NAME=")) continue;
    std::string name = line.substr(12);
    if (name.size() >= 2 && name.front() == '"') name = name.substr(1, name.size() - 2);
    out["name"] = name;
  }
  utsname kernel{};
  if (uname(&kernel) == 0)
    out["kernel"] = std::string(kernel.sysname) + " " + kernel.release, out["machine"] = kernel.machine;
  return out;
}

/// The part of something that is not there.
template <class T> json absent(const Result<T>& result) {
  if (result.missing)
    return {{"available", false}, {"what", result.missing->what}, {"how_to_get", result.missing->how_to_get}};
  const Diagnostic why = result.diagnostics.empty() ? Diagnostic{} : result.diagnostics.front();
  return {{"available", false}, {"what", why.message}, {"how_to_get", why.hint}};
}

json nvrtc_part() {
  auto info = nvrtc_info();
  if (!info) return absent(info);
  json out{{"available", true},
           {"path", info->path.string()},
           {"version", std::to_string(info->major) + "." + std::to_string(info->minor)},
           {"architectures", info->architectures}};
  const std::filesystem::path headers = cuda_include_dir(info->path.parent_path());
  out["headers"] = headers.empty() ? json(nullptr) : json(headers.string()); // cuda_bf16.h and its like
  return out;
}

json driver_part() {
  auto loaded = cuda::driver();
  if (!loaded) return absent(loaded);
  int version = 0;
  (*loaded)->version(&version);
  return {{"available", true},
          {"path", (*loaded)->library.path().string()},
          {"version", std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10)}};
}

json cupti_part() {
  auto loaded = cuda::cupti::api();
  if (!loaded) return absent(loaded);
  std::uint32_t number = 0;
  (*loaded)->version(&number);
  return {{"available", true}, {"path", (*loaded)->library.path().string()}, {"version", number}};
}

json atlas_part() {
  json out{{"available", true}, {"path", atlas_dir().string()}};
  auto operators = atlas_operator_files();
  if (!operators || operators->empty())
    return {{"available", false},
            {"path", out["path"]},
            {"what", "the atlas: no operator in " + out["path"].get<std::string>()},
            {"how_to_get", "AICF_ATLAS names its folder: atlas/ of the sources"}};
  out["operators"] = operators->size();
  return out;
}

json evidence_part() {
  const std::filesystem::path path = Store::default_path();
  json out{{"available", true}, {"path", path.string()}};
  std::error_code ignored;
  out["exists"] = std::filesystem::exists(path, ignored);
  if (!out["exists"].get<bool>()) return out; // made when first needed
  auto store = Store::open(path);
  auto rows = store ? store->count() : store.failure<std::size_t>();
  if (!rows) {
    json broken = absent(rows);
    broken["path"] = path.string();
    return broken;
  }
  out["rows"] = *rows;
  return out;
}

} // namespace

json doctor() {
  json report{{"schema", "aicf.doctor/1"},
              {"os", os_part()},
              {"nvrtc", nvrtc_part()},
              {"driver", driver_part()},
              {"devices", json::array()},
              {"cupti", cupti_part()},
              {"emulator", {{"available", true}}},
              {"atlas", atlas_part()},
              {"evidence", evidence_part()},
              {"cache", {{"available", true}, {"path", cache_dir().string()}}},
              {"missing", json::array()}};
  auto missing = [&](const json& part) {
    report["missing"].push_back({{"what", part["what"]}, {"how_to_get", part["how_to_get"]}});
  };
  for (const char* part : {"nvrtc", "driver", "cupti", "atlas", "evidence"})
    if (!report[part]["available"].get<bool>()) missing(report[part]);
  if (report["driver"]["available"].get<bool>()) {
    auto devices = cuda::devices();
    if (!devices)
      missing(absent(devices));
    else
      for (const cuda::DeviceInfo& device : *devices) report["devices"].push_back(to_json(device));
  }
  return report;
}

std::string doctor_text(const json& report) {
  std::string out;
  auto line = [&](const std::string& name, const std::string& text) {
    out += name + std::string(name.size() < 10 ? 10 - name.size() : 1, ' ') + text + "\n";
  };
  auto library = [&](const char* name) {
    const json& part = report[name];
    if (!part["available"].get<bool>()) return line(name, "absent: " + part["what"].get<std::string>());
    const json& version = part["version"];
    line(name,
         (version.is_string() ? version.get<std::string>() : version.dump()) + "  " + part["path"].get<std::string>());
  };
  const json& os = report["os"];
  line("os", os["name"].get<std::string>() + ", " + os.value("kernel", "") + " " + os.value("machine", "") + ", " +
                 os["cores"].dump() + " cores");
  library("nvrtc");
  library("driver");
  if (report["devices"].empty()) line("devices", "none");
  for (const json& d : report["devices"])
    line("device " + d["ordinal"].dump(), d["name"].get<std::string>() + ", " + d["arch"].get<std::string>() + ", " +
                                              d["sm_count"].dump() + " multiprocessors, " +
                                              std::to_string(d["memory_bytes"].get<std::size_t>() >> 20U) + " MiB");
  library("cupti");
  line("emulator", "built in: needs no GPU");
  const json& atlas = report["atlas"];
  line("atlas",
       atlas["path"].get<std::string>() +
           (atlas["available"].get<bool>() ? "  " + atlas["operators"].dump() + " operators" : "  no operators"));
  const json& evidence = report["evidence"];
  line("evidence", evidence["path"].get<std::string>() +
                       (evidence.contains("rows")           ? "  " + evidence["rows"].dump() + " rows"
                        : evidence["available"].get<bool>() ? "  not yet there"
                                                            : "  " + evidence["what"].get<std::string>()));
  line("cache", report["cache"]["path"].get<std::string>());
  for (const json& m : report["missing"])
    out += "\nmissing: " + m["what"].get<std::string>() + "\n  " + m["how_to_get"].get<std::string>() + "\n";
  return out;
}

} // namespace aicf
