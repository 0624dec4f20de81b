#include "core/exec/emulator/emulator.hpp"

#include "core/exec/emulator/decode.hpp"
#include "core/exec/emulator/machine.hpp"
#include "core/exec/emulator/tensor_map.hpp"
#include "core/exec/tile.hpp"
#include "core/kernel/dim_expr.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>

namespace aicf {
namespace {

using namespace emulator; // NOLINT(google-build-using-namespace): this file joins the two

constexpr u64 default_step_limit = u64{1} << 33; ///< warp instructions: minutes
constexpr u64 max_memory = u64{2} << 30;         ///< registers, shared and private memory of all workers
constexpr u32 max_shared_bytes = 228 * 1024;     ///< an SM of compute capability 9.0
constexpr std::size_t max_cluster = 16;

/// Everything of one launch that must outlive its workers.
struct Prepared {
  LaunchState launch;
  std::vector<u8> constant_storage;
  std::vector<std::vector<std::byte>> variables;
};

Diagnostic call_error(const Call& call, const std::string& message, const char* code = "emulator.call") {
  return error(code, "kernel '" + call.module.entry + "': " + message);
}

bool extents(const Call& call, Prepared& p, std::vector<Diagnostic>& errors) {
  const auto value = [&](const DimExpr& e, const std::string& what, s64 low, s64 high) -> s64 {
    const auto r = evaluate(e, call.dims);
    if (!r) {
      for (const auto& d : r.diagnostics) errors.push_back(call_error(call, what + ": " + d.message));
      return low;
    }
    if (*r < low || *r > high)
      errors.push_back(call_error(
          call, what + " is " + std::to_string(*r) + ", not " + std::to_string(low) + " to " + std::to_string(high),
          "emulator.launch"));
    return *r;
  };
  constexpr std::array<s64, 3> grid_limit{2147483647, 65535, 65535}, block_limit{1024, 1024, 64};
  constexpr const char* axis[3] = {".x", ".y", ".z"};
  LaunchState& l = p.launch;
  for (std::size_t d = 0; d < 3; ++d) {
    l.grid[d] = static_cast<u32>(value(call.module.launch.grid[d], std::string("grid") + axis[d], 0, grid_limit[d]));
    l.block[d] =
        static_cast<u32>(value(call.module.launch.block[d], std::string("block") + axis[d], 1, block_limit[d]));
    l.cluster[d] = static_cast<u32>(value(call.module.launch.cluster[d], std::string("cluster") + axis[d], 1, 16));
  }
  l.dynamic_shared =
      static_cast<u32>(value(call.module.launch.dynamic_shared, "dynamic shared memory", 0, max_shared_bytes));
  return errors.empty();
}

bool shape_launch(const Call& call, const Program& program, Prepared& p, unsigned workers,
                  std::vector<Diagnostic>& errors) {
  LaunchState& l = p.launch;
  const auto refuse = [&](const std::string& m) { errors.push_back(call_error(call, m, "emulator.launch")); };
  for (std::size_t d = 0; d < 3; ++d) {
    if (program.cluster[d] != 0) {
      if (l.cluster[d] != 1 && l.cluster[d] != program.cluster[d])
        refuse("the launch asks for another cluster than the kernel's .reqnctapercluster");
      l.cluster[d] = program.cluster[d];
    }
    if (l.grid[d] % l.cluster[d] != 0) refuse("the grid is not a multiple of the cluster");
  }
  const u64 cluster = u64{l.cluster[0]} * l.cluster[1] * l.cluster[2];
  l.explicit_cluster = cluster > 1 || program.cluster[0] != 0;
  if (cluster > max_cluster) refuse("a cluster has at most 16 blocks");
  if (program.max_cluster_rank != 0 && cluster > program.max_cluster_rank)
    refuse("a cluster of " + std::to_string(cluster) + " blocks: the kernel's .maxclusterrank is " +
           std::to_string(program.max_cluster_rank));
  const u64 threads = u64{l.block[0]} * l.block[1] * l.block[2];
  if (threads > 1024) refuse("a block of " + std::to_string(threads) + " threads: 1024 at most");
  if (program.block[0] != 0 &&
      (l.block[0] != program.block[0] || l.block[1] != program.block[1] || l.block[2] != program.block[2]))
    refuse("the launch asks for another block than the kernel's .reqntid");
  if (program.max_threads != 0 && threads > program.max_threads)
    refuse("a block of " + std::to_string(threads) + " threads: the kernel's .maxntid allows " +
           std::to_string(program.max_threads));
  l.threads = static_cast<u32>(threads);
  l.warps = (l.threads + lanes - 1) / lanes;
  l.registers = program.registers != 0 ? program.registers : static_cast<u32>(std::max(call.compiled.registers, 0));
  l.registers = (l.registers + 7) / 8 * 8; // what is given out
  l.shared_bytes = program.shared_bytes + l.dynamic_shared;
  if (l.shared_bytes > max_shared_bytes)
    refuse(std::to_string(l.shared_bytes) + " bytes of shared memory: 233472 at most");
  l.system_shared = (l.shared_bytes + 15) / 16 * 16;
  const u64 shadow = l.checks ? u64{l.shared_bytes} / program.shared_granule * 16 : 0;
  const u64 warp = u64{program.frame_bytes} + u64{lanes} * program.local_bytes;
  const u64 block = l.warps * warp + l.shared_bytes + shadow;
  const u64 need = block * cluster * workers;
  if (need > max_memory)
    refuse("registers, shared and private memory of the blocks in flight take " + std::to_string(need >> 20) +
           " MiB: the limit is " + std::to_string(max_memory >> 20) + " MiB");
  l.stack_limit = max_memory - std::min(need, max_memory);
  l.trace = l.checks && u64{l.grid[0]} * l.grid[1] * l.grid[2] > 1 && u64{l.grid[0]} * l.grid[1] * l.grid[2] < never;
  l.units = errors.empty() ? u64{l.grid[0]} * l.grid[1] * l.grid[2] / cluster : 0;
  return errors.empty();
}

TensorMap::Element element_of(DType type) {
  using Element = TensorMap::Element;
  switch (type) {
  case DType::f32: return Element::f32;
  case DType::f16: return Element::f16;
  case DType::bf16: return Element::bf16;
  case DType::f64: return Element::f64;
  case DType::i32: return Element::s32;
  case DType::i64: return Element::s64;
  case DType::i8:
  case DType::boolean: break;
  }
  return Element::u8;
}

TensorMap map_of(const TiledTensor& t, u64 address) {
  TensorMap map;
  map.element = element_of(t.dtype);
  map.rank = t.rank;
  map.address = address;
  map.size = t.size;
  map.stride = t.stride;
  map.box = t.box;
  map.step = t.step;
  map.swizzle = t.swizzle;
  map.fill_nan = t.fill_nan;
  return map;
}

/// Kernel parameters: buffers and scalars in order, then the dims.
bool marshal(const Call& call, const Program& program, const std::vector<u64>& addresses,
             std::span<const Buffer> buffers, Prepared& p, std::vector<Diagnostic>& errors) {
  auto& bytes = p.launch.parameters;
  bytes.assign(program.parameter_bytes, 0);
  std::size_t n = 0, buffer = 0;
  const auto put = [&](const std::string& name, const void* data, std::size_t size) {
    if (n >= program.parameters.size()) {
      errors.push_back(call_error(call, "the PTX entry has " + std::to_string(program.parameters.size()) +
                                            " parameters: none is left for '" + name + "'"));
      return;
    }
    const auto [offset, room] = program.parameters[n++];
    if (room != size) {
      errors.push_back(call_error(call, "parameter '" + name + "' has " + std::to_string(size) + " bytes here and " +
                                            std::to_string(room) + " in the PTX text"));
      return;
    }
    std::memcpy(bytes.data() + offset, data, size);
  };
  for (const Arg& a : call.module.args) {
    if (a.role != Arg::Role::scalar) {
      if (buffer >= call.buffers.size() || call.buffers[buffer] >= buffers.size()) {
        errors.push_back(call_error(call, "no buffer for '" + a.name + "'"));
        return false;
      }
      const u64 address = addresses[call.buffers[buffer++]];
      if (!a.tile) {
        put(a.name, &address, sizeof address);
        continue;
      }
      const auto tiled = tiled_tensor(a, call.dims);
      for (const Diagnostic& d : tiled.diagnostics) errors.push_back(call_error(call, d.message, d.code.c_str()));
      if (!tiled) continue;
      if (const auto map = encode(map_of(*tiled, address)))
        put(a.name, map->data(), map->size());
      else
        errors.push_back(call_error(call, "'" + a.name + "' makes no tensor map", "exec.tile"));
      continue;
    }
    const auto it = call.scalars.find(a.name);
    if (it == call.scalars.end()) {
      errors.push_back(call_error(call, "no value for the scalar '" + a.name + "'"));
      continue;
    }
    std::array<std::byte, 8> value{};
    if (a.dtype == DType::i64) {
      if (!(it->second >= -0x1p63 && it->second < 0x1p63)) {
        errors.push_back(call_error(call, "the scalar '" + a.name + "' does not fit 64 bits"));
        continue;
      }
      const auto v = static_cast<s64>(it->second);
      std::memcpy(value.data(), &v, sizeof v);
    } else {
      store_element(a.dtype, value.data(), 0, it->second);
    }
    put(a.name, value.data(), size_of(a.dtype));
  }
  for (const auto& name : call.module.dim_args) {
    const auto it = call.dims.find(name);
    if (it == call.dims.end()) {
      errors.push_back(call_error(call, "no value for the dim '" + name + "'"));
      continue;
    }
    const s64 v = it->second;
    put(name, &v, sizeof v);
  }
  if (errors.empty() && n != program.parameters.size())
    errors.push_back(call_error(call, "the PTX entry has " + std::to_string(program.parameters.size()) +
                                          " parameters, the module gives " + std::to_string(n)));
  return errors.empty();
}

u32 special_value(Special s, u32 lane, const LaunchState& l) {
  const u32 clusters[3] = {l.grid[0] / l.cluster[0], l.grid[1] / l.cluster[1], l.grid[2] / l.cluster[2]};
  switch (s) {
  case Special::laneid: return lane;
  case Special::lanemask_eq: return 1u << lane;
  case Special::lanemask_lt: return (1u << lane) - 1;
  case Special::lanemask_le: return (2u << lane) - 1;
  case Special::lanemask_gt: return ~((2u << lane) - 1);
  case Special::lanemask_ge: return ~((1u << lane) - 1);
  case Special::ntid_x: return l.block[0];
  case Special::ntid_y: return l.block[1];
  case Special::ntid_z: return l.block[2];
  case Special::nctaid_x: return l.grid[0];
  case Special::nctaid_y: return l.grid[1];
  case Special::nctaid_z: return l.grid[2];
  case Special::dynamic_smem: return l.dynamic_shared;
  case Special::total_smem: return l.shared_bytes;
  case Special::system_shared: return l.system_shared;
  case Special::system_shared_end: return l.system_shared + system_shared_bytes;
  case Special::system_shared_bytes: return system_shared_bytes;
  case Special::all_smem: return l.shared_bytes + system_shared_bytes;
  case Special::one: return 1;
  case Special::nwarpid: return 64;
  case Special::nclusterid_x: return clusters[0];
  case Special::nclusterid_y: return clusters[1];
  case Special::nclusterid_z: return clusters[2];
  case Special::cluster_nctaid_x: return l.cluster[0];
  case Special::cluster_nctaid_y: return l.cluster[1];
  case Special::cluster_nctaid_z: return l.cluster[2];
  case Special::explicit_cluster: return l.explicit_cluster ? ~0u : 0;
  case Special::cluster_nctarank: return l.cluster[0] * l.cluster[1] * l.cluster[2];
  default: return 0;
  }
}

void fill_constants(const Program& program, const std::vector<u64>& variable_address, Prepared& p) {
  p.constant_storage.assign(program.constant_bytes + 64, 0);
  u8* base = p.constant_storage.data();
  base += (64 - reinterpret_cast<std::uintptr_t>(base) % 64) % 64;
  p.launch.constants = base;
  for (std::size_t n = 0; n < program.constants.size(); ++n) {
    const Constant& c = program.constants[n];
    for (u32 lane = 0; lane < lanes; ++lane) {
      u64 v = c.value;
      if (c.kind == Constant::Kind::parameter) {
        v = 0;
        std::memcpy(&v, p.launch.parameters.data() + c.value, c.bytes);
        const u32 shift = 64 - 8 * c.bytes;
        if (c.sign) v = static_cast<u64>(static_cast<s64>(v << shift) >> shift);
      } else if (c.kind == Constant::Kind::special) {
        v = special_value(static_cast<Special>(c.value), lane, p.launch);
      } else if (c.kind == Constant::Kind::address) {
        v = variable_address[c.variable] + c.value;
      }
      if (c.wide)
        std::memcpy(base + program.constant_offset[n] + std::size_t{8} * lane, &v, 8);
      else
        std::memcpy(base + program.constant_offset[n] + std::size_t{4} * lane, &v, 4);
    }
  }
}

/// A bijection of the blocks drawn from the seed: i * scale + shift modulo their number.
void order_blocks(LaunchState& l, u64 seed) {
  if (seed == 0 || l.units < 2) return;
  std::mt19937_64 random(seed);
  do l.order_scale = random() % l.units;
  while (std::gcd(l.order_scale, l.units) != 1 || (l.order_scale == 1 && l.units > 2));
  l.order_shift = random() % l.units;
}

/// Sums over the launches of a run.
struct Totals {
  Counters events;  ///< without the counts by operation
  LineCounters all; ///< of every line
  MemoryEvents loads, stores, atomics;
  std::vector<LineCounters> lines;
};

std::vector<Metric> metrics_of(const Totals& t) {
  std::vector<Metric> m;
  const auto add = [&](const std::string& id, const char* unit, u64 v) {
    m.push_back(exact_metric(id, unit, static_cast<double>(v), "PTX emulator"));
  };
  const LineCounters& all = t.all;
  add("thread_instructions", "instructions", all.thread_instructions);
  add("warp_instructions", "instructions", all.warp_instructions);
  m.push_back(exact_metric("active_lane_efficiency", "fraction",
                           all.warp_instructions == 0 ? 0
                                                      : static_cast<double>(all.thread_instructions) /
                                                            (static_cast<double>(all.warp_instructions) * lanes),
                           "PTX emulator"));
  for (std::size_t c = 0; c < instruction_classes; ++c) {
    if (all.by_class[c].warps == 0) continue;
    const std::string name(name_of(static_cast<InstructionClass>(c)));
    add("thread_instructions." + name, "instructions", all.by_class[c].threads);
    add("warp_instructions." + name, "instructions", all.by_class[c].warps);
  }
  add("flops_f32", "operations", all.flops_f32);
  add("flops_f64", "operations", all.flops_f64);
  add("flops_half", "operations", all.flops_half);
  add("tensor_flops", "operations", all.tensor_flops);
  add("tensor_integer_operations", "operations", all.tensor_integer_operations);
  const auto global = static_cast<std::size_t>(MemorySpace::global);
  const auto shared = static_cast<std::size_t>(MemorySpace::shared);
  add("global_load_sectors", "sectors", t.loads.sectors);
  add("global_store_sectors", "sectors", t.stores.sectors);
  add("global_load_lines", "lines", t.loads.lines);
  add("global_store_lines", "lines", t.stores.lines);
  add("global_load_requests", "requests", t.loads.requests);
  add("global_store_requests", "requests", t.stores.requests);
  add("bulk_load_requests", "requests", t.loads.bulk_requests);
  add("bulk_store_requests", "requests", t.stores.bulk_requests);
  add("bulk_load_sectors", "sectors", t.loads.bulk_sectors);
  add("bulk_store_sectors", "sectors", t.stores.bulk_sectors);
  add("global_load_bytes", "bytes", t.loads.read[global]);
  add("global_store_bytes", "bytes", t.stores.written[global]);
  add("global_atomic_requests", "requests", t.atomics.requests);
  add("global_atomic_sectors", "sectors", t.atomics.sectors);
  add("global_atomic_lines", "lines", t.atomics.lines);
  add("global_atomic_bytes", "bytes", t.atomics.written[global]);
  add("shared_load_bytes", "bytes", t.loads.read[shared] + t.stores.read[shared]);
  add("shared_store_bytes", "bytes", t.loads.written[shared] + t.stores.written[shared]);
  add("shared_atomic_bytes", "bytes", t.atomics.written[shared]);
  for (const MemorySpace s : {MemorySpace::local, MemorySpace::constant, MemorySpace::parameter}) {
    const auto n = static_cast<std::size_t>(s);
    const std::string name(name_of(s));
    add(name + "_load_bytes", "bytes", all.bytes_read[n]);
    if (s == MemorySpace::local) add(name + "_store_bytes", "bytes", all.bytes_written[n]);
  }
  add("shared_load_wavefronts", "wavefronts", t.loads.wavefronts);
  add("shared_store_wavefronts", "wavefronts", t.stores.wavefronts);
  add("shared_bank_conflicts", "wavefronts", all.bank_conflicts);
  add("barriers", "warps", t.events.barriers);
  add("atomics", "instructions", t.events.atomics);
  add("divergent_branches", "branches", t.events.divergent_branches);
  add("tensor_instructions", "instructions", t.events.tensor_operations);
  return m;
}

/// What a matrix instruction multiplies and adds, a warp.
u64 tensor_operations_of(const Wide& w) {
  if (w.kind != WideKind::matrix && w.kind != WideKind::wmma_multiply && w.kind != WideKind::wgmma) return 0;
  const u64 all = u64{2} * w.m * w.n * w.k;
  return w.kind == WideKind::wgmma ? all / 4 : all; // a warpgroup's: four warps
}

bool writes_global(const Op& op, const Program& program) {
  if (op.code != Code::wide) return op.code == Code::store;
  switch (program.wides[op.aux].kind) {
  case WideKind::wmma_store:
  case WideKind::store_matrix:
  case WideKind::bulk_store:
  case WideKind::tensor_store: return true;
  default: return false;
  }
}

void count_instruction(const Cost& cost, u64 warps, u64 active, LineCounters& line) {
  line.warp_instructions += warps;
  line.thread_instructions += active;
  auto& of_class = line.by_class[static_cast<std::size_t>(cost.counted_as)];
  of_class.warps += warps;
  of_class.threads += active;
  (cost.counted_as == InstructionClass::f64    ? line.flops_f64
   : cost.counted_as == InstructionClass::half ? line.flops_half
                                               : line.flops_f32) += active * cost.flops;
  line.bytes_read[static_cast<std::size_t>(MemorySpace::parameter)] += active * cost.parameter_bytes;
}

void accumulate(const Program& program, Counters c, Totals& t) {
  s64 warps = 0, threads = 0;
  std::map<int, LineCounters> lines;
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    warps += c.warps[i];
    threads += c.lanes[i];
    LineCounters& line = lines[program.lines[i].ptx];
    if (program.lines[i].cuda != 0) line.cuda_line = program.lines[i].cuda;
    const MemoryEvents& m = c.memory[i];
    line.global_requests += m.requests;
    line.global_sectors += m.sectors;
    line.global_lines += m.lines;
    line.shared_wavefronts += m.wavefronts;
    line.bank_conflicts += m.conflicts;
    for (std::size_t s = 0; s < memory_spaces; ++s) {
      line.bytes_read[s] += m.read[s];
      line.bytes_written[s] += m.written[s];
    }
    (op.code == Code::atomic ? t.atomics : writes_global(op, program) ? t.stores : t.loads).add(m);
    const auto active = static_cast<u64>(threads - c.lanes_off[i]);
    if (op.code == Code::wide) {
      const Wide& w = program.wides[op.aux];
      const bool real = ptx::is_float(w.a);
      (real ? line.tensor_flops : line.tensor_integer_operations) += active / lanes * tensor_operations_of(w);
    }
    if (op.counted) count_instruction(program.costs[i], static_cast<u64>(warps), active, line);
  }
  for (auto& [number, line] : lines) {
    if (line.warp_instructions == 0) continue;
    line.kernel = program.entry;
    line.ptx_line = number;
    t.all.add(line);
    t.lines.push_back(std::move(line));
  }
  c.warps.clear();
  c.lanes.clear();
  c.lanes_off.clear();
  c.memory.clear();
  t.events.add(c);
}

/// Global bytes that two blocks touch with nothing to order them.
void report_races(LaunchState& l, const std::vector<std::unique_ptr<Worker>>& crew) {
  std::vector<GlobalRange> ranges;
  for (const auto& w : crew)
    for (const GlobalTrace& t : w->traces) {
      if (t.full()) return;
      ranges.insert(ranges.end(), t.ranges().begin(), t.ranges().end());
    }
  const auto coordinates = [&](u32 block) {
    return std::array<unsigned, 3>{block % l.grid[0], block / l.grid[0] % l.grid[1], block / l.grid[0] / l.grid[1]};
  };
  const auto name = [&](u32 block) {
    const auto c = coordinates(block);
    return "block (" + std::to_string(c[0]) + ", " + std::to_string(c[1]) + ", " + std::to_string(c[2]) + ")";
  };
  const auto what = [](GlobalUse u) {
    return u == GlobalUse::read || u == GlobalUse::strong_read ? "read" : "written";
  };
  const Program& program = *l.program;
  for (const GlobalRace& race : find_races(std::move(ranges), l.order, 10)) {
    const u64 at = std::max(race.first.begin, race.second.begin);
    Fault f;
    f.kind = "global-race";
    f.kernel = program.entry;
    f.block = coordinates(race.second.block);
    f.ptx_line = program.lines[race.second.pc].ptx;
    f.cuda_line = program.lines[race.second.pc].cuda;
    f.address = at;
    f.message = l.memory->describe(at) + " is " + what(race.second.use) + " by " + name(race.second.block) + " and " +
                what(race.first.use) + " by " + name(race.first.block) + " (PTX line " +
                std::to_string(program.lines[race.first.pc].ptx) + "): nothing orders the two";
    l.fault_order.push_back(u64{race.second.block} * l.threads);
    l.faults.push_back(std::move(f));
  }
}

void execute(Prepared& p, const Program& program, unsigned workers, Totals& totals) {
  LaunchState& l = p.launch;
  workers = static_cast<unsigned>(std::min<u64>(workers, std::max<u64>(l.units, 1)));
  std::vector<std::unique_ptr<Worker>> crew;
  for (unsigned i = 0; i < workers; ++i) crew.push_back(std::make_unique<Worker>(l));
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < workers; ++i) threads.emplace_back([&worker = *crew[i]] { worker.run(); });
    crew[0]->run();
  }
  if (l.trace && l.faults.empty() && !l.cancelled) report_races(l, crew);
  Counters sum;
  for (const auto& w : crew) sum.add(w->counters);
  if (l.counters) accumulate(program, std::move(sum), totals);
}

/// Faults in the order of blocks and threads, whichever worker found them; step limits last.
void append_faults(LaunchState& l, std::vector<Fault>& out) {
  std::vector<std::size_t> order(l.faults.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Who waits for a warp that a fault has ended waits without end: a step limit comes after all else, whoever met it.
  auto place = [&](std::size_t i) { return std::pair(l.faults[i].kind == "step-limit", l.fault_order[i]); };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return place(a) < place(b); });
  for (const auto i : order) out.push_back(std::move(l.faults[i]));
}

/// Of each buffer, which bytes have a value; empty: all. A buffer that the first call to name it only writes has none.
using Written = std::vector<std::vector<u8>>;
Written written_before(std::span<const Call> calls, std::span<const Buffer> buffers) {
  Written written(buffers.size());
  std::vector<bool> named(buffers.size());
  for (const Call& call : calls) {
    std::size_t next = 0;
    for (const Arg& a : call.module.args) {
      if (a.role == Arg::Role::scalar || next >= call.buffers.size()) continue;
      const std::size_t index = call.buffers[next++];
      if (index >= buffers.size() || named[index]) continue;
      named[index] = true;
      if (a.role == Arg::Role::output || a.role == Arg::Role::workspace)
        written[index].assign(buffers[index].bytes.size(), 0);
    }
  }
  return written;
}

/// Buffers, then the module's variables, which get their initial values in `variables`.
std::vector<Allocation> allocate(const Call& call, const Program& program, std::span<const Buffer> buffers,
                                 std::vector<std::vector<std::byte>>& variables, Written& written) {
  std::vector<Allocation> allocations;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    allocations.push_back({"buffer " + std::to_string(i), buffers[i].bytes.data(), buffers[i].bytes.size(), false});
    if (i < written.size() && !written[i].empty()) allocations.back().written = written[i].data();
  }
  for (std::size_t i = 0, next = 0; i < call.module.args.size(); ++i) {
    if (call.module.args[i].role == Arg::Role::scalar) continue;
    if (next < call.buffers.size() && call.buffers[next] < buffers.size())
      allocations[call.buffers[next]].name = "'" + call.module.args[i].name + "'";
    ++next;
  }
  variables.resize(program.variables.size());
  for (std::size_t i = 0; i < program.variables.size(); ++i) {
    const auto& v = program.variables[i];
    const bool stored = v.space == ptx::Space::global || v.space == ptx::Space::constant;
    variables[i].assign(stored ? v.bytes : 0, std::byte{0});
    std::copy(v.init.begin(),
              v.init.begin() + static_cast<std::ptrdiff_t>(std::min(v.init.size(), variables[i].size())),
              variables[i].begin());
    allocations.push_back({"variable '" + program.names[i] + "'", variables[i].data(), variables[i].size(),
                           v.space == ptx::Space::constant});
  }
  return allocations;
}

} // namespace

Result<std::uint64_t> EmulatorBackend::address_of(const Call& call, std::span<const Buffer> buffers,
                                                  std::size_t index) {
  const auto program = decode(call.compiled.ptx, call.module.entry);
  if (!program) return program.failure<std::uint64_t>();
  std::vector<std::vector<std::byte>> variables;
  Written all;
  return Memory(allocate(call, *program, buffers, variables, all)).address_of(index);
}

Result<RunResult> EmulatorBackend::run(std::span<const Call> calls, std::span<Buffer> buffers,
                                       const RunOptions& options, std::stop_token stop) {
  const unsigned workers = threads_ != 0 ? threads_ : std::max(1u, std::thread::hardware_concurrency());
  RunResult result;
  Totals totals;
  Written written;
  if (options.checks) written = written_before(calls, buffers);
  for (const Call& call : calls) {
    auto program = decode(call.compiled.ptx, call.module.entry);
    if (!program) return program.failure<RunResult>();
    std::vector<Diagnostic> errors;
    Prepared p;
    LaunchState& l = p.launch;
    l.program = &*program;
    l.checks = options.checks;
    l.counters = options.counters;
    l.step_limit = options.step_limit != 0 ? options.step_limit : default_step_limit;
    l.stop = stop;
    if (!extents(call, p, errors) || !shape_launch(call, *program, p, workers, errors)) return errors;

    auto allocations = allocate(call, *program, buffers, p.variables, written);
    const Memory memory(std::move(allocations));
    l.memory = &memory;
    std::vector<u64> addresses, variable_addresses;
    for (std::size_t i = 0; i < buffers.size(); ++i) addresses.push_back(memory.address_of(i));
    for (std::size_t i = 0; i < program->variables.size(); ++i)
      variable_addresses.push_back(memory.address_of(buffers.size() + i));
    for (std::size_t i = 0; i < program->variables.size(); ++i)
      for (const auto& r : program->variables[i].relocations) {
        const u64 base =
            r.target == ptx::Relocation::of_code ? 0 : variable_addresses[static_cast<std::size_t>(r.target)];
        const u64 v = base + static_cast<u64>(r.addend);
        if (r.offset + sizeof v <= p.variables[i].size()) std::memcpy(p.variables[i].data() + r.offset, &v, sizeof v);
      }
    if (!marshal(call, *program, addresses, buffers, p, errors)) return errors;
    fill_constants(*program, variable_addresses, p);
    order_blocks(l, options.block_order_seed);
    execute(p, *program, workers, totals);
    append_faults(l, result.faults);
    result.printed += l.printed;
    if (l.cancelled) {
      result.status = RunResult::Status::cancelled;
      break;
    }
    if (!result.faults.empty()) {
      result.status = RunResult::Status::faulted;
      break;
    }
  }
  if (options.counters) {
    result.metrics = metrics_of(totals);
    result.lines = std::move(totals.lines);
  }
  return result;
}

std::unique_ptr<Backend> make_emulator(unsigned threads) { return std::make_unique<EmulatorBackend>(threads); }

} // namespace aicf
