// aicf bench copy: how a copy kernel is timed from a few KiB to GiB, with the spread: what the clock can tell apart.
#include "app/aicf/bench.hpp"
#include "app/aicf/command.hpp"
#include "app/aicf/copy_kernel.hpp"
#include "core/base/json.hpp"
#include "core/exec/backends.hpp"
#include "core/exec/cuda/device.hpp"
#include "core/exec/nvrtc.hpp"

#include <cstring>

namespace aicf::cli {

KernelModule copy_kernel(int vectors) {
  KernelModule m;
  m.entry = "copy_" + std::to_string(vectors);
  m.arch = "sm_90";
  std::string n = std::to_string(vectors);
  m.cuda_source = "struct alignas(16) Vector { unsigned a, b, c, d; };\n"
                  "extern \"C\" __global__ void __launch_bounds__(256) " +
                  m.entry +
                  "(const Vector* __restrict__ from, Vector* __restrict__ to, long long n) {\n"
                  "  long long first = (long long)blockIdx.x * (256 * " +
                  n +
                  ") + threadIdx.x;\n"
                  "  Vector v[" +
                  n +
                  "];\n"
                  "#pragma unroll\n"
                  "  for (int i = 0; i < " +
                  n +
                  "; ++i) if (first + i * 256 < n / 4) v[i] = from[first + i * 256];\n"
                  "#pragma unroll\n"
                  "  for (int i = 0; i < " +
                  n +
                  "; ++i) if (first + i * 256 < n / 4) to[first + i * 256] = v[i];\n"
                  "}\n";
  m.args = {{"from", Arg::Role::input, DType::f32, {{"n"}}, {}}, {"to", Arg::Role::output, DType::f32, {{"n"}}, {}}};
  m.dim_args = {"n"};
  m.launch.grid[0] = {"ceil(n/" + std::to_string(4 * 256 * vectors) + ")"};
  m.launch.block[0] = {"256"};
  return m;
}

namespace {

using nlohmann::json;

constexpr std::int64_t kib = 1024, mib = 1024 * kib;
constexpr std::int64_t least_cold = 64 * mib; ///< bytes copied; smaller ones are timed hot, in batches
constexpr int batch = 64;                     ///< launches between two events of such a batch
constexpr double event_resolution_us = 0.5;   // CUDA driver API, cuEventElapsedTime

struct CopyOptions {
  std::string backend = "cuda";
  std::int64_t least = 0, most = 4096; // MiB
  int repetitions = 31;
};

class CopyBench {
 public:
  CopyBench(const CopyOptions& options, Backend& cuda, std::stop_token stop)
      : o_(options), cuda_(cuda), stop_(std::move(stop)) {
    const auto bytes = static_cast<std::size_t>(std::max(o_.most * mib, least_cold));
    from_.resize(bytes);
    to_.resize(bytes);
    std::uint32_t word = 1; // no pattern that memory could profit from
    for (std::size_t i = 0; i < std::min<std::size_t>(bytes, mib); i += 4) {
      word = word * 1664525U + 1013904223U;
      std::memcpy(from_.data() + i, &word, 4);
    }
    for (std::size_t i = mib; i < bytes; i += std::min<std::size_t>(i, bytes - i))
      std::memcpy(from_.data() + i, from_.data(), std::min<std::size_t>(i, bytes - i));
  }

  Result<json> run() {
    json document{{"backend", cuda_.id()}, {"rows", json::array()}};
    int best = 0;
    double least = INFINITY;
    for (int vectors : {1, 2, 4, 8}) {
      auto metrics = times(vectors, least_cold, 1);
      if (!metrics) return metrics.failure<json>();
      const double us = std::min(value_of(*metrics, "time_us.cold"), value_of(*metrics, "time_us.cold_batch"));
      if (us < least) least = us, best = vectors;
    }
    const KernelModule kernel = copy_kernel(best);
    auto gap = times(best, 16, batch);
    if (!gap) return gap.failure<json>();
    document["launch_us"] = row(16, batch, *gap); // in every launch of a batch: its gap and the least of a kernel
    document["kernel"] = {{"entry", kernel.entry}, {"source", kernel.cuda_source}, {"block", 256}, {"vectors", best}};
    for (std::int64_t bytes = 64 * kib; bytes <= o_.most * mib && !stop_.stop_requested(); bytes *= 2) {
      if (bytes < o_.least * mib) continue;
      const int launches = bytes < least_cold ? batch : 1;
      auto metrics = times(best, bytes, launches);
      if (!metrics) return metrics.failure<json>();
      document["rows"].push_back(row(bytes, launches, *metrics));
    }
    return document;
  }

 private:
  const CopyOptions& o_;
  Backend& cuda_;
  std::stop_token stop_;
  std::vector<std::byte> from_, to_;

  static double value_of(const std::vector<Metric>& metrics, const std::string& id) {
    for (const Metric& m : metrics)
      if (m.id == id && m.source == Metric::Source::measured) return m.value;
    return INFINITY;
  }

  Result<std::vector<Metric>> times(int vectors, std::int64_t bytes, int launches) {
    const KernelModule module = copy_kernel(vectors);
    auto compiled = compile(module);
    if (!compiled) return compiled.failure<std::vector<Metric>>();
    const std::int64_t n = bytes / 4;
    const std::vector<Call> calls(static_cast<std::size_t>(launches), {module, *compiled, {{"n", n}}, {}, {0, 1}});
    const std::span<std::byte> from = std::span(from_).first(static_cast<std::size_t>(bytes)),
                               to = std::span(to_).first(from.size());
    std::vector<Buffer> buffers{{from, DType::f32, {n}, {1}}, {to, DType::f32, {n}, {1}}};
    RunOptions how;
    how.checks = false;
    how.repetitions = o_.repetitions;
    how.cold = how.cold_batch = launches == 1;
    auto run = cuda_.run(calls, buffers, how, stop_);
    if (!run) return run.failure<std::vector<Metric>>();
    if (run->status != RunResult::Status::ok || std::memcmp(from.data(), to.data(), from.size()) != 0)
      return error("bench.copy",
                   run->faults.empty() ? "the copy kernel did not run as it should" : run->faults.front().message);
    return std::move(run->metrics);
  }

  /// `launches` between two events that the calls are; a cold batch has as many as its metric says.
  static json row(std::int64_t bytes, int launches, const std::vector<Metric>& metrics) {
    const bool apart = std::isfinite(value_of(metrics, "time_us.cold_batch"));
    const std::string id = launches > 1 ? "time_us.hot" : apart ? "time_us.cold_batch" : "time_us.cold";
    json out{{"bytes", bytes}, {"metrics", json::array()}, {"cold", launches == 1}};
    for (const Metric& m : metrics)
      if (apart && m.id == "time_us.cold_batch_runs") launches = static_cast<int>(m.value);
    out["launches"] = launches;
    const bool calls = !apart && launches > 1;
    for (Metric m : metrics) {
      if (m.id == id) {
        if (calls) {
          m.value /= launches, m.lo /= launches, m.hi /= launches;
          m.id = "time_us.batch";
          m.method += "; " + std::to_string(launches) + " launches between two events, divided by as many";
        }
        out["time_us"] = m.value;
        out["spread"] = (m.hi - m.lo) / m.value; // between the quartiles
        out["gb_per_s"] = 2e-3 * static_cast<double>(bytes) / m.value;
        out["resolution_us"] = event_resolution_us / launches;
      } else if (calls && m.id.starts_with("time_us.")) {
        continue;
      }
      out["metrics"].push_back(aicf::to_json(m));
    }
    return out;
  }
};

BenchOutcome copy_outcome(const CopyOptions& o, std::stop_token stop) {
  BenchOutcome out;
  auto backend = make_backend(o.backend);
  if (!backend) {
    out.status = report(backend);
    return out;
  }
  auto device = cuda::device_at(0);
  auto document = CopyBench(o, **backend, std::move(stop)).run();
  if (!document) {
    out.status = report(document);
    return out;
  }
  out.value = std::move(*document);
  if (device) out.value["device"] = cuda::to_json(*device);
  std::vector<std::vector<std::string>> rows;
  for (const json& r : out.value["rows"])
    rows.push_back({std::to_string(r["bytes"].get<std::int64_t>() / kib), r["time_us"].dump(),
                    std::to_string(100 * r["spread"].get<double>()), r["gb_per_s"].dump(),
                    (r["cold"] ? "cold x" : "hot x") + r["launches"].dump(), r["resolution_us"].dump()});
  out.text = table({"KiB", "us", "spread %", "GB/s", "launches", "resolution us"}, rows) +
             "a launch of one block takes " + out.value["launch_us"]["time_us"].dump() + " us in such a batch\n";
  return out;
}

const RegisterBench copy_bench{
    {"copy", "a copy kernel by size: cold from 64 MiB (in batches where it is short), in hot batches below", false,
     [](CLI::App& app) {
       auto o = std::make_shared<CopyOptions>();
       app.add_option("--backend", o->backend, "a device's: cuda")->check(CLI::IsMember({"cuda"}));
       app.add_option("--from", o->least, "least size in MiB; 0: 64 KiB")->check(CLI::Range(0, 65536));
       app.add_option("--to", o->most, "largest size in MiB")->check(CLI::Range(1, 65536));
       app.add_option("--repetitions", o->repetitions, "the fewest samples")->check(CLI::Range(7, 10000));
       return [o](std::stop_token stop, const BenchKeep&) { return copy_outcome(*o, std::move(stop)); };
     }}};

} // namespace
} // namespace aicf::cli
