#include "app/aicf/bench_cases.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace aicf::cli {

Result<std::vector<BenchDeviceCase>> read_bench_cases(const std::string& file) {
  using nlohmann::json;
  std::ifstream in(file);
  const json list = json::parse(in, nullptr, false);
  if (!list.is_array()) return error("bench.cases", "no JSON list", {file, 0, 0, 0});
  std::vector<BenchDeviceCase> cases;
  for (const json& c : list) {
    if (!c.is_object() || !c.contains("op") || !c["op"].is_string() || !c.contains("shape") || !c["shape"].is_string())
      return error("bench.cases", "a case has an op and a shape: " + c.dump(), {file, 0, 0, 0});
    BenchDeviceCase one{c["op"].get<std::string>(), c["shape"].get<std::string>()};
    auto beside = std::filesystem::path(file).parent_path() / one.op;
    if (one.op.ends_with(".op") && std::filesystem::exists(beside)) one.op = beside.string();
    cases.push_back(std::move(one));
  }
  return cases;
}

} // namespace aicf::cli
