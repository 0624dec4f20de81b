#include "probes/kernels.hpp"

#include "probes/findings.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

namespace aicf::probes {
namespace {

constexpr int samples = 33; ///< of one launch; the first is warm-up and dropped by the kernels

std::uint64_t splitmix(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

} // namespace

std::string filled(std::string text, const std::vector<std::pair<std::string, std::string>>& names) {
  for (const auto& [name, value] : names) {
    const std::string mark = "@" + name + "@";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
      text.replace(at, mark.size(), value);
  }
  return text;
}

namespace {

std::vector<std::int64_t> shape_of(const TrialBuffer& buffer) {
  return buffer.shape.empty() ? std::vector{buffer.count} : buffer.shape;
}

} // namespace

Trial trial(const std::string& id, Trial::Reads reads, const KernelText& kernel) {
  Trial t;
  t.id = id;
  t.reads = reads;
  t.expects = kernel.expects;
  Call call;
  call.module.entry = "probe";
  call.module.cuda_source = kernel.source;
  call.module.arch = "sm_90a";
  call.module.launch.grid[0] = {std::to_string(kernel.grid)};
  call.module.launch.block[0] = {std::to_string(kernel.block)};
  call.module.launch.cluster[0] = {std::to_string(kernel.cluster)};
  call.module.launch.dynamic_shared = {std::to_string(kernel.shared)};
  for (const TrialBuffer& b : kernel.buffers) {
    Arg arg{b.name, b.role, b.dtype, {}, {}, b.tile};
    for (const std::int64_t extent : shape_of(b)) arg.shape.push_back({std::to_string(extent)});
    call.module.args.push_back(std::move(arg));
    call.buffers.push_back(call.buffers.size());
  }
  for (const auto& [name, value] : kernel.values) {
    call.module.dim_args.push_back(name);
    call.dims[name] = value;
  }
  t.calls.push_back(std::move(call));
  t.memory = [buffers = kernel.buffers] {
    std::vector<HostTensor> memory;
    for (const TrialBuffer& b : buffers) {
      memory.emplace_back(b.dtype, shape_of(b));
      if (b.fill) b.fill(memory.back());
    }
    return memory;
  };
  return t;
}

Trial exact_trial(const std::string& id, const KernelText& kernel) { return trial(id, Trial::Reads::exact, kernel); }

std::function<void(HostTensor&)> random_fill(std::uint64_t seed) {
  return [seed](HostTensor& tensor) {
    std::uint64_t state = seed;
    if (tensor.dtype != DType::f32 && is_float(tensor.dtype)) {
      const std::size_t count = tensor.element_count(), period = std::min(count, std::size_t{1} << 20U);
      for (std::size_t i = 0; i < period; ++i)
        tensor.set(i, static_cast<double>(static_cast<std::int64_t>(splitmix(state))) * 0x1p-63);
      for (std::size_t at = period * size_of(tensor.dtype), had = at; at < tensor.bytes.size(); at += had)
        std::memcpy(tensor.bytes.data() + at, tensor.bytes.data(), std::min(had, tensor.bytes.size() - at));
      return;
    }
    for (std::size_t at = 0; at < tensor.bytes.size(); at += 8) {
      const std::uint64_t bits = splitmix(state);
      std::array<float, 2> reals{static_cast<float>(static_cast<std::int32_t>(bits)) * 0x1p-31F,
                                 static_cast<float>(static_cast<std::int32_t>(bits >> 32U)) * 0x1p-31F};
      const void* from = tensor.dtype == DType::f32 ? static_cast<const void*>(reals.data()) : &bits;
      std::memcpy(tensor.bytes.data() + at, from, std::min<std::size_t>(8, tensor.bytes.size() - at));
    }
  };
}

std::function<void(HostTensor&)> constant_fill(double value) {
  return [value](HostTensor& tensor) {
    for (std::size_t i = 0; i < tensor.element_count(); ++i) tensor.set(i, value);
  };
}

std::function<void(HostTensor&)> ring_fill(std::int64_t count, std::int64_t stride, std::uint64_t seed,
                                           std::int64_t rings) {
  return [=](HostTensor& tensor) {
    std::vector<std::int64_t> next(static_cast<std::size_t>(count));
    std::uint64_t state = seed;
    for (std::int64_t ring = 0; ring < rings; ++ring) {
      std::iota(next.begin(), next.end(), 0);
      for (std::size_t i = next.size(); i-- > 1;) std::swap(next[i], next[splitmix(state) % i]);
      for (std::int64_t i = 0; i < count; ++i) {
        const auto value = static_cast<std::int32_t>((next[static_cast<std::size_t>(i)] * rings + ring) * stride);
        std::memcpy(tensor.bytes.data() + (i * rings + ring) * stride * 4, &value, 4);
      }
    }
  };
}

Trial chain_trial(const std::string& id, const Chain& chain, const Setting& setting) {
  // Each sample is the time of turns of 96 steps less that of as many turns of 32: what a turn costs beside its steps
  // falls out. A rehearsal takes 12 and 4.
  static const char* const text = R"(@PROLOGUE@
extern "C" __global__ void __launch_bounds__(@BLOCK@) probe(long long* samples, unsigned* sink, long long count,
                                                            long long steps) {
  unsigned* const own = sink + (gridDim.x * blockDim.x + 31) / 32 * 32 + 32 * blockIdx.x;
  @STATE@
  const int turns = static_cast<int>(steps);
  for (int s = -1; s < count; ++s) {
    const long long start = clock64();
#pragma unroll 1
    for (int i = 0; i < turns; ++i) {
#pragma unroll
      for (int u = 0; u < @LESS@; ++u) { @BODY@ }
    }
    const long long middle = clock64();
#pragma unroll 1
    for (int i = 0; i < turns; ++i) {
#pragma unroll
      for (int u = 0; u < @MORE@; ++u) { @BODY@ }
    }
    const long long stop = clock64();
    if (s >= 0 && threadIdx.x == 0 && blockIdx.x % @CLUSTER@ == 0)
      samples[blockIdx.x / @CLUSTER@ * count + s] = (stop - middle) - (middle - start);
  }
  sink[blockIdx.x * blockDim.x + threadIdx.x] = @RESULT@;
}
)";
  const std::int64_t step = setting.device ? 8 : 1;
  const std::int64_t clusters =
      chain.everywhere ? std::max<std::int64_t>(setting.hardware.sm_count / chain.cluster, 1) : 1;
  const std::int64_t count = !setting.device ? 2 : chain.everywhere ? 8 : samples - 1;
  const int less = setting.device ? 32 : 4, more = 3 * less;
  KernelText k;
  k.source = filled(text, {{"PROLOGUE", chain.prologue},
                           {"BLOCK", std::to_string(chain.block)},
                           {"STATE", chain.state},
                           {"BODY", chain.body},
                           {"LESS", std::to_string(less)},
                           {"MORE", std::to_string(more)},
                           {"CLUSTER", std::to_string(chain.cluster)},
                           {"RESULT", chain.result}});
  k.grid = clusters * chain.cluster;
  k.cluster = chain.cluster;
  k.block = chain.block;
  k.shared = chain.shared;
  k.buffers = {{"samples", DType::i64, clusters * count}, {"sink", DType::i32, k.grid * (chain.block + 32) + 31}};
  k.values = {{"count", count}, {"steps", step}};
  k.expects = chain.expects;
  Trial t = trial(id, Trial::Reads::cycles, k);
  t.per = static_cast<double>((more - less) * step) * chain.per_body;
  return t;
}

Trial flood_trial(const std::string& id, const Flood& flood, const Setting& setting) {
  // From the first warp's start to the last warp's end. The first round fetches the code and is dropped.
  static const char* const text = R"(@PROLOGUE@
template <class T, int count> __device__ __forceinline__ unsigned sum_of(const T (&values)[count]) {
  T all = 0;
  for (int i = 0; i < count; ++i) all += values[i];
  return static_cast<unsigned>(all);
}
extern "C" __global__ void __launch_bounds__(@BLOCK@) probe(long long* samples, unsigned* sink, long long count) {
  __shared__ long long first[32], last[32];
  @STATE@
  const int turns = static_cast<int>(count);
  for (int round = 0; round < 4; ++round) {
    __syncthreads();
    const long long start = clock64();
#pragma unroll 1
    for (int i = 0; i < turns; ++i) {
#pragma unroll
      for (int u = 0; u < @UNROLL@; ++u) { @BODY@ }
    }
    const long long stop = clock64();
    if (threadIdx.x % 32 == 0) { first[threadIdx.x / 32] = start; last[threadIdx.x / 32] = stop; }
    __syncthreads();
    if (threadIdx.x == 0) {
      long long begin = first[0], end = last[0];
      for (int w = 1; w < blockDim.x / 32; ++w) { begin = min(begin, first[w]); end = max(end, last[w]); }
      if (round > 0) samples[blockIdx.x * 3 + round - 1] = end - begin;
    }
  }
  sink[blockIdx.x * blockDim.x + threadIdx.x] = @RESULT@;
}
)";
  const std::int64_t blocks = flood.blocks_per_sm * (setting.device ? setting.hardware.sm_count : 1);
  const std::int64_t turns = setting.device ? flood.iterations : 1;
  KernelText k;
  k.source = filled(text, {{"PROLOGUE", flood.prologue},
                           {"BLOCK", std::to_string(flood.block)},
                           {"UNROLL", std::to_string(flood.unroll)},
                           {"STATE", flood.state},
                           {"BODY", flood.body},
                           {"RESULT", flood.result}});
  k.grid = blocks;
  k.block = flood.block;
  k.shared = flood.shared;
  k.buffers = {{"samples", DType::i64, blocks * 3}, {"sink", DType::i32, blocks * flood.block}};
  k.values = {{"count", turns}};
  k.expects = flood.expects;
  Trial t = trial(id, Trial::Reads::cycles, k);
  const double units = static_cast<double>(flood.per_warp ? flood.block / 32 : flood.block);
  t.per = static_cast<double>(turns) * flood.unroll * flood.per_body * units * static_cast<double>(flood.blocks_per_sm);
  return t;
}

Trial alu_chain_control(const Setting& setting) {
  return chain_trial("control.alu",
                     {.state = "float a = __uint_as_float(sink[0]), b = a + 1.0f;",
                      .body = R"(asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a) : "f"(b));)",
                      .result = "__float_as_uint(a)",
                      .expects = {{"fma.rn.f32", 16}}},
                     setting);
}

Trial fma_rate_control(const Setting& setting) {
  return flood_trial("control.fma",
                     {.state = "float a[4] = {1.0f, 2.0f, 3.0f, 4.0f}, b = __uint_as_float(sink[threadIdx.x]);",
                      .body = R"(for (int j = 0; j < 4; ++j)
          asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a[j]) : "f"(b));)",
                      .result = "__float_as_uint(a[0] + a[1] + a[2] + a[3])",
                      .per_body = 4,
                      .expects = {{"fma.rn.f32", 64}}},
                     setting);
}

Trial wait_control() {
  KernelText k;
  k.source = R"(extern "C" __global__ void probe(unsigned* sink, long long nanoseconds) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  int turns = 0;
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    ++turns;
  } while (now - begin < nanoseconds);
  sink[threadIdx.x] = turns;
}
)";
  k.buffers = {{"sink", DType::i32, 32, Arg::Role::output}};
  k.values = {{"nanoseconds", 20000}};
  k.expects = {{"%globaltimer", 2}};
  return trial("control.wait", Trial::Reads::time, k);
}

Trial copy_trial(const std::string& id, std::int64_t bytes, const Setting& setting) {
  KernelText k;
  k.source = R"(extern "C" __global__ void __launch_bounds__(512) probe(const uint4* __restrict__ from,
                                                         uint4* __restrict__ to, long long n) {
  const long long first = blockIdx.x * 2048ll + threadIdx.x;
  uint4 v[4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (first + 512 * i < n) v[i] = from[first + 512 * i];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (first + 512 * i < n) to[first + 512 * i] = v[i];
}
)";
  const std::int64_t n = (setting.device ? bytes : 65536) / 16;
  k.grid = (n + 2047) / 2048;
  k.block = 512;
  k.buffers = {{"from", DType::f32, 4 * n, Arg::Role::input, random_fill(1)},
               {"to", DType::f32, 4 * n, Arg::Role::output}};
  k.values = {{"n", n}};
  k.expects = {{"ld.global.nc.v4", 4}, {"st.global.v4", 4}};
  return trial(id, Trial::Reads::time, k);
}

void check_alu_chain(const Observations& seen, Findings& findings) {
  findings.control_device(seen.at("control.alu"), 3.5, 4.5, "cycles of a dependent fma");
}
void check_fma_rate(const Observations& seen, Findings& findings) {
  findings.control_device(seen.at("control.fma"), 1 / 129.0, 1 / 118.0, "cycles of an fma of a multiprocessor");
}
void check_wait(const Observations& seen, Findings& findings) {
  findings.control_device(seen.at("control.wait"), 20, 30, "microseconds of a kernel that waits 20");
}

void check_copy(const Setting& setting, const Observations& seen, Findings& findings, const std::string& id,
                std::int64_t bytes) {
  if (!setting.device) return;
  const double peak = setting.hardware.memory_clock_mhz * 1e6 * 2 * setting.hardware.memory_bus_bits / 8;
  if (!(peak > 0)) return findings.control_device(false, "the driver states no memory clock to hold a copy against");
  const double us = 2e6 * static_cast<double>(bytes) / peak;
  findings.control_device(seen.at(id), us, us / 0.6,
                          "microseconds of a copy, at 100 to 60 percent of bus width times clock,");
}

} // namespace aicf::probes
