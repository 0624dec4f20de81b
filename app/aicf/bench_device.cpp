// aicf bench device: generated kernels and a copy of the same bytes, timed on a device in one run.
#include "app/aicf/bench.hpp"
#include "app/aicf/bench_cases.hpp"
#include "app/aicf/command.hpp"
#include "app/aicf/copy_kernel.hpp"
#include "core/evidence/evidence.hpp"
#include "core/exec/backends.hpp"
#include "core/exec/cuda/device.hpp"
#include "core/exec/nvrtc.hpp"
#include "synth/planning.hpp"
#include "synth/search.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace aicf::cli {
namespace {

using nlohmann::json;

/// Of each result: 64 rows, of long ones as many as half a million elements make (the reference takes about 10 us
/// each).
int judged_rows(const std::map<std::string, HostTensor>& inputs) {
  std::int64_t longest = 1;
  for (const auto& [name, tensor] : inputs)
    if (tensor.shape.size() > 1 && tensor.shape.front() > 0)
      longest = std::max(longest, static_cast<std::int64_t>(tensor.element_count()) / tensor.shape.front());
  return static_cast<int>(std::clamp<std::int64_t>((1 << 19) / longest, 4, 64));
}

struct DeviceOptions {
  std::vector<std::string> ops;
  std::string shape = "M=8192,N=4096", dtype = "bf16", choices, cases, from;
  int plans = 48;
};

class DeviceBench {
 public:
  DeviceBench(const DeviceOptions& options, Backend& cuda, std::stop_token stop, json earlier)
      : o_(options), cuda_(cuda), stop_(std::move(stop)), earlier_(std::move(earlier)) {}

  Result<json> copy(std::int64_t bytes) {
    std::int64_t n = bytes / 16 * 4; // whole vectors
    HostTensor from(DType::f32, {n}), to(DType::f32, {n});
    for (std::size_t i = 0; i < from.element_count(); ++i)
      from.set(i, static_cast<double>(i * 2654435761U % 4096) - 2048);
    json best;
    for (int vectors : {1, 2, 4, 8}) {
      KernelModule m = copy_kernel(vectors);
      auto compiled = compile(m);
      if (!compiled) return compiled.failure<json>();
      std::vector<Call> calls{{m, *compiled, {{"n", n}}, {}, {0, 1}}};
      std::vector<Buffer> buffers{{from.bytes, DType::f32, {n}, {1}}, {to.bytes, DType::f32, {n}, {1}}};
      RunOptions how;
      how.checks = false;
      how.repetitions = 31;
      auto run = cuda_.run(calls, buffers, how, stop_);
      if (!run) return run.failure<json>();
      const Metric* cold = cold_time(*run);
      if (cold == nullptr || to.bytes != from.bytes)
        return error("bench.copy", "the copy kernel did not run as it should");
      if (best.is_null() || cold->value < best["time_us"]["value"].get<double>())
        best = {{"kernel", m.entry}, {"bytes", 2 * bytes}, {"time_us", aicf::to_json(*cold)}};
    }
    return best;
  }

  /// Every plan once, the fastest ones again at length, and the fastest of all judged.
  Result<json> op(const std::string& name, const std::string& shape) {
    int status = done;
    auto structure = analysed(name, "", status);
    if (!structure) return error("bench.op", "cannot analyse it", {name, 0, 0, 0});
    auto dims = parse_shape(shape, *structure->canonical->source);
    if (!dims) return dims.failure<json>();
    Problem problem{*dims, {}, *dtype_from(o_.dtype), "sm_90"};
    CompilerProfile rules;
    PlanSpace space = plan(*structure, judge(*structure, rules), rules, problem, machine_);
    auto choices = parse_choices(o_.choices);
    if (!choices) return choices.failure<json>();
    if (auto problems = restrict_to(space, *choices); !problems.empty()) return problems;
    if (space.plans.empty()) return error("bench.op", "no legal plan", {name, 0, 0, 0});
    VariantTimer timer(*structure, problem, cuda_, stop_);
    if (auto made = timer.make_inputs(); !made) return made.failure<json>();
    struct Timed {
      Variant variant;
      Metric cold;
    };
    std::vector<Timed> timed;
    json failures = json::array();
    PlanSearch search(space);
    for (const auto& choices : earlier(name, shape)) search.prefer(choices);
    std::size_t count = std::min<std::size_t>(space.plans.size(), static_cast<std::size_t>(o_.plans));
    for (std::size_t i = 0; i < count && !stop_.stop_requested();) {
      std::vector<const Plan*> batch;
      for (; batch.size() < VariantTimer::at_once && i < count; ++i) batch.push_back(search.next());
      std::vector<Result<Variant>> built = timer.build(batch);
      for (std::size_t b = 0; b < batch.size(); ++b) {
        Result<Variant>& variant = built[b];
        if (variant.missing) return variant.failure<json>();
        auto cold = variant ? timer.cold(*variant, 7) : variant.failure<Metric>();
        search.measured(*batch[b], cold ? cold->value : INFINITY);
        if (cold)
          timed.push_back({std::move(*variant), std::move(*cold)});
        else if (!cold.diagnostics.empty())
          failures.push_back(cold.diagnostics.front().message);
      }
    }
    auto faster = [](const Timed& a, const Timed& b) { return a.cold.value < b.cold.value; };
    std::sort(timed.begin(), timed.end(), faster);
    for (std::size_t i = 0; i < std::min<std::size_t>(6, timed.size()); ++i)
      if (auto again = timer.cold(timed[i].variant, 41)) timed[i].cold = std::move(*again);
    std::sort(timed.begin(), timed.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(6, timed.size())),
              faster);
    if (timed.empty())
      return error("bench.op", failures.empty() ? "nothing was timed" : failures.front().get<std::string>(),
                   {name, 0, 0, 0});
    auto rebuild = [&](const Plan& p, const Problem& other) {
      return build_legal_variant(*structure, rules, p, other);
    };
    ValidationOptions judging;
    judging.counters = false;
    judging.edge_shapes = false;
    judging.row_limit = judged_rows(timer.inputs());
    auto verdict = validate(*structure, rules, timed.front().variant, problem, cuda_, rebuild, judging, stop_);
    json all = json::array();
    for (const Timed& t : timed)
      all.push_back({{"plan", aicf::to_json(t.variant.plan)},
                     {"time_us", aicf::to_json(t.cold)},
                     {"registers", t.variant.compiled.front().registers}});
    json row{{"op", name},          {"shape", shape},  {"structure_hash", to_hex(structure->canonical->structure_hash)},
             {"best", all.front()}, {"variants", all}, {"not_timed", failures}};
    row["correct"] = verdict && verdict->passed;
    if (verdict) row["validation"] = aicf::to_json(*verdict);
    const VariantMemory& memory = timer.memory();
    std::int64_t bytes = 0; // read and written once each
    for (const auto& [unused, tensor] : timer.inputs()) bytes += static_cast<std::int64_t>(tensor.bytes.size());
    row["input_bytes"] = bytes;
    for (TensorId t : structure->canonical->source->outputs)
      bytes += static_cast<std::int64_t>(
          memory.tensors[memory.place.at(structure->canonical->source->tensors[t].name)].bytes.size());
    row["bytes"] = bytes;
    return row;
  }

  [[nodiscard]] bool stopped() const { return stop_.stop_requested(); }

 private:
  /// The plans that an earlier run found fastest, the fastest last.
  [[nodiscard]] std::vector<std::map<std::string, std::string>> earlier(const std::string& op,
                                                                        const std::string& shape) const {
    std::vector<std::map<std::string, std::string>> found;
    for (const json& row : earlier_) {
      if (!row.is_object()) continue;
      auto stem = [](const std::string& path) { return std::filesystem::path(path).stem().string(); };
      if (stem(row.value("op", "")) != stem(op) || row.value("shape", "") != shape) continue;
      std::size_t most = 0;
      for (const json& v : row.value("variants", json::array())) {
        if (++most > 6) break; // they come fastest first
        if (!v.is_object() || !v.contains("plan")) continue;
        const json& made = v["plan"].contains("choices") ? v["plan"]["choices"] : v["plan"];
        std::map<std::string, std::string> choices;
        for (const auto& [id, value] : made.items())
          choices[id] = value.is_string() ? value.get<std::string>() : value.dump();
        found.insert(found.begin(), std::move(choices));
      }
    }
    return found;
  }

  const DeviceOptions& o_;
  const MachineModel machine_ = planning_machine(CompilerProfile{}, "cuda", "sm_90");
  Backend& cuda_;
  std::stop_token stop_;
  json earlier_; ///< rows of an earlier run
};

/// Of --cases; else every --op at --shape.
Result<std::vector<BenchDeviceCase>> device_cases(const DeviceOptions& o) {
  if (!o.cases.empty()) return read_bench_cases(o.cases);
  std::vector<BenchDeviceCase> cases;
  for (const std::string& op : o.ops) cases.push_back({op, o.shape});
  return cases;
}

/// The rows of --from, of which a run takes what it finds there; an empty list without it.
Result<json> earlier_rows(const DeviceOptions& o) {
  if (o.from.empty()) return json::array();
  std::ifstream in(o.from);
  json document = json::parse(in, nullptr, false);
  if (!document.is_object() || !document.contains("device") || !document["device"].is_object())
    return error("bench.from", "is no result of aicf bench device", {o.from, 0, 0, 0});
  return document["device"].value("ops", json::array());
}

/// Device, versions and date go with the numbers.
Result<json> bench_device(const DeviceOptions& o, std::stop_token stop, const BenchKeep& keep) {
  auto device = cuda::device_at(0);
  if (!device) return device.failure<json>();
  auto backend = make_backend("cuda");
  if (!backend) return backend.failure<json>();
  auto cases = device_cases(o);
  if (!cases) return cases.failure<json>();
  auto earlier = earlier_rows(o);
  if (!earlier) return earlier;
  DeviceBench bench(o, **backend, std::move(stop), std::move(*earlier));
  json document{{"date", utc_now()},
                {"device", cuda::to_json(*device)},
                {"dtype", o.dtype},
                {"timer", "CUDA events, cold L2, median of 41"},
                {"ops", json::array()}};
  if (auto info = nvrtc_info()) document["nvrtc"] = std::to_string(info->major) + "." + std::to_string(info->minor);
  std::map<std::int64_t, json> copies; // by bytes read and written
  for (const BenchDeviceCase& one : *cases) {
    if (bench.stopped()) break;
    auto row = bench.op(one.op, one.shape);
    if (row.missing) return row;
    if (!row) {
      std::string why = row.diagnostics.empty() ? "nothing was timed" : row.diagnostics.front().message;
      std::cerr << one.op << " " << one.shape << ": " << why << "\n";
      document["ops"].push_back({{"op", one.op}, {"shape", one.shape}, {"error", why}});
      document["failed"] = true;
      continue;
    }
    std::int64_t bytes = (*row)["bytes"].get<std::int64_t>();
    if (!copies.contains(bytes)) {
      auto copy = bench.copy(bytes / 2);
      if (!copy) return copy;
      copies[bytes] = std::move(*copy);
    }
    double ours = (*row)["best"]["time_us"]["value"].get<double>();
    double floor = copies[bytes]["time_us"]["value"].get<double>();
    (*row)["copy"] = copies[bytes];
    (*row)["ratio_to_copy"] = ours / floor;
    std::cerr << one.op << " " << one.shape << " " << o.dtype << ": " << ours << " us, copy of as many bytes " << floor
              << " us, ratio " << ours / floor << ((*row)["correct"].get<bool>() ? "" : "  NOT CORRECT") << "  "
              << (*row)["best"]["plan"]["choices"].dump() << "\n";
    document["ops"].push_back(std::move(*row));
    keep(document);
  }
  return document;
}

const RegisterBench registered{
    {"device", "Generated kernels on a device, beside a copy", false, [](CLI::App& app) {
       auto o = std::make_shared<DeviceOptions>();
       app.add_option("--op", o->ops, "operators");
       app.add_option("--shape", o->shape, "sizes")->capture_default_str();
       app.add_option("--cases", o->cases, "a JSON list of {op, shape}");
       app.add_option("--from", o->from, "results of an earlier run: its fastest plans come first");
       app.add_option("--dtype", o->dtype, "what `float` is")->check(CLI::IsMember({"f32", "f16", "bf16"}));
       app.add_option("--plan", o->choices, "only plans that chose this: state_form=online");
       app.add_option("--plans", o->plans, "plans to time an operator")->check(CLI::Range(1, 10000));
       return [o](std::stop_token stop, const BenchKeep& keep) {
         BenchOutcome out;
         auto result = bench_device(*o, std::move(stop), keep);
         if (!result) {
           out.status = report(result);
           return out;
         }
         if (result->contains("failed")) out.status = negative;
         out.value = std::move(*result);
         return out;
       };
     }}};

} // namespace
} // namespace aicf::cli
