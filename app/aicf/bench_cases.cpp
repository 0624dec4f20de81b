#include "app/aicf/bench_cases.hpp"

#include "core/validate/inputs.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <future>

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

const Metric* cold_time(const RunResult& run) {
  for (const Metric& m : run.metrics)
    if (m.id == "time_us.cold" && m.source == Metric::Source::measured) return &m;
  return nullptr;
}

Result<bool> VariantTimer::make_inputs() {
  auto made = aicf::make_inputs(*structure_.canonical->source, problem_, InputKind::random, 1);
  if (!made) return made.failure<bool>();
  inputs_ = std::move(*made);
  return true;
}

std::vector<Result<Variant>> VariantTimer::build(const std::vector<const Plan*>& plans) const {
  std::vector<std::future<Result<Variant>>> building;
  for (const Plan* plan : plans)
    building.push_back(
        std::async(std::launch::async, [this, plan] { return build_variant(structure_, *plan, problem_); }));
  std::vector<Result<Variant>> built;
  for (auto& one : building) built.push_back(one.get());
  return built;
}

Result<Metric> VariantTimer::cold(const Variant& variant, int repetitions) {
  RunOptions how;
  how.checks = false;
  how.repetitions = repetitions;
  auto calls = calls_of(structure_, variant, problem_, inputs_, memory_);
  if (!calls) return calls.failure<Metric>();
  std::vector<Buffer> buffers = memory_.buffers();
  auto run = device_.run(*calls, buffers, how, stop_);
  if (!run) return run.failure<Metric>();
  if (const Metric* cold = cold_time(*run)) return *cold;
  return error("bench.time", run->faults.empty() ? "no timing" : run->faults.front().message);
}

} // namespace aicf::cli
