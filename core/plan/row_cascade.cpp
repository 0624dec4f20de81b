// The family `row_cascade`: operators whose reductions all run over one axis, and maps over rows × axis. What fits,
// which combinations can be built for a problem, and what they are likely to cost.
#include "core/plan/cascade_facts.hpp"
#include "core/plan/choice.hpp"

#include <algorithm>
#include <cmath>

namespace aicf {
namespace {

constexpr std::int64_t block_shared = 232448;
constexpr std::int64_t least_walkers = 64;         ///< blocks that work through rows: with fewer, no GPU is full
constexpr std::int64_t ahead_registers = 12;       ///< beside the second tile: its addresses, and the row's own
constexpr std::int64_t least_others = 14;          ///< beside a tile, where registers are bounded
constexpr std::int64_t least_ahead = 16384;        ///< bytes of a row: blocks of shorter ones overlap each other
constexpr std::int64_t shortest_shared_row = 4096; ///< what a meeting of a cluster costs (about 1 us) reads as much

using Facts = CascadeFacts;

std::string mismatch(const StructureProfile& profile) { return row_form(profile).mismatch; }

std::int64_t rows_in_block(const Plan& plan) {
  if (chosen(plan, "cooperation", "thread")) return number(plan, "threads");
  return chosen(plan, "cooperation", "warp") ? number(plan, "threads") / warp : 1;
}

/// 32-bit registers that a resident tile takes: what several sweeps read and share, and what the last one reads
/// besides.
std::int64_t tile_registers(const Facts& f, const Plan& plan, std::int64_t elements) {
  auto saved = chosen(plan, "intermediates", "keep") ? static_cast<std::int64_t>(f.form.saved.size()) : 0;
  std::int64_t wide = f.wide ? 2 : 1, tiles = turns_of(plan) > 1 ? 2 : 1;
  return (elements * (tiles * f.kept_bytes + f.streamed_bytes) + 3) / 4 + elements * wide * saved;
}

bool in_shared(const Plan& plan) { return has(plan, "staging") && word(plan, "staging").starts_with("shared"); }

std::string refuse_words(const Facts& f, const CompilerProfile& rules, const Plan& plan) {
  bool online = keeps_state(plan), resident = keeps_row(plan);
  if (online && f.form.levels.empty()) return "online: there is no reduction";
  if (online && !f.mergeable) return "online: there is no state of builtin reducers, or its indices are too large";
  if (resident && f.sweeps < 2) return "resident: one sweep reads the row once already";
  if (has(plan, "state_form") && has(plan, "staging") && resident == chosen(plan, "staging", "none"))
    return resident ? "staging: a resident row is in registers or in shared memory"
                    : "staging: only a resident row waits on chip";
  if (has(plan, "state_form") && has(plan, "staging") && has(plan, "intermediates")) {
    bool shares = resident && chosen(plan, "staging", "registers") && !f.form.saved.empty();
    if (shares == chosen(plan, "intermediates", "none"))
      return shares ? "intermediates: values that sweeps share are kept or computed again"
                    : "intermediates: there is no row in registers whose sweeps share a value of a library function";
    if (online && chosen(plan, "intermediates", "keep"))
      return "intermediates: a state computes them under its own running values";
    if (chosen(plan, "intermediates", "recompute") && !rules.allow_recomputation)
      return "intermediates: the profile allows no recomputation";
  }
  if (has(plan, "cooperation") && has(plan, "reduction_tree")) {
    bool alone = chosen(plan, "cooperation", "thread"), tree = chosen(plan, "reduction_tree", "shuffle");
    if (alone && tree) return "reduction_tree: a thread alone has no lanes to merge";
    if (!alone && !tree && !f.form.levels.empty()) return "reduction_tree: lanes that share a row merge in a tree";
    if (tree && f.form.levels.empty()) return "reduction_tree: there is no reduction";
    if (!tree && !f.form.parts.empty()) return other_order;
  }
  if (has(plan, "cooperation") && has(plan, "row_blocks")) {
    std::int64_t blocks = number(plan, "row_blocks");
    bool cluster = chosen(plan, "cooperation", "cluster"), split = chosen(plan, "cooperation", "split");
    if ((cluster || split) != (blocks > 1))
      return "row_blocks: several blocks share a row exactly when cooperation=cluster or split";
    if (cluster && blocks > largest_cluster) return "row_blocks: a cluster has at most 8 blocks";
  }
  if (chosen(plan, "cooperation", "split")) {
    if (f.form.levels.empty()) return "cooperation: blocks share a row for its reductions alone";
    if (resident) return "cooperation: no row stays on chip from one launch to the next";
    if (has(plan, "row_blocks"))
      if (std::int64_t bytes = f.sizes.rows * number(plan, "row_blocks") * 2 * f.wide_state;
          bytes > rules.workspace_bytes)
        return "workspace_bytes: the states of all parts are more than the profile grants";
  }
  if (chosen(plan, "cooperation", "cluster")) {
    if (f.form.levels.empty()) return "cooperation: blocks share a row for its reductions alone";
    if (!has_clusters(f.problem.target)) return "cooperation: clusters need sm_90 or later";
  }
  if (has(plan, "accumulate"))
    if (std::string why = refuse_accumulator(f, rules, plan); !why.empty()) return why;
  if (in_shared(plan) && chosen(plan, "row_length", "dynamic"))
    return "staging: a row in shared memory has a static length";
  if (in_shared(plan) && chosen(plan, "cooperation", "thread"))
    return "staging: a thread's own row in shared memory meets the banks of all others";
  return {};
}

/// What working through several rows, the next one read ahead, asks of a plan.
std::string refuse_turns(const Facts& f, const Plan& plan) {
  if (turns_of(plan) == 1) return {};
  if (f.form.kept.empty() || f.sizes.length * f.kept_bytes < least_ahead)
    return "turns: blocks of short rows overlap each other";
  if ((has(plan, "state_form") && !keeps_row(plan)) || (has(plan, "staging") && !chosen(plan, "staging", "registers")))
    return "turns: a row is read ahead into registers";
  if (has(plan, "cooperation") && !chosen(plan, "cooperation", "block") && !chosen(plan, "cooperation", "cluster"))
    return "turns: blocks work through rows";
  if (has(plan, "row_blocks") && f.sizes.rows * number(plan, "row_blocks") < least_walkers * turns_of(plan))
    return "turns: too few blocks are left";
  return {};
}

/// Registers of a thread, where the plan asks for warps that leave no more; all that there are without.
std::int64_t bounded_registers(const Plan& plan) {
  const std::int64_t warps = resident_warps_of(plan);
  return warps == 0 ? 255 : register_file / (warps * warp) / 8 * 8;
}

/// Registers are bounded where a row in registers would take more, and its tile leaves enough for the rest.
std::string refuse_residence(const Facts& f, const Plan& plan) {
  const std::int64_t warps = resident_warps_of(plan);
  if (warps == 0) return {};
  if ((has(plan, "state_form") && !keeps_row(plan)) || (has(plan, "staging") && !chosen(plan, "staging", "registers")))
    return "resident_warps: it bounds the registers of a row that waits in them";
  if (has(plan, "threads") && warps * warp % number(plan, "threads") != 0)
    return "resident_warps: no whole number of blocks";
  if (has(plan, "threads") && number(plan, "threads") < 2 * warp)
    return "resident_warps: there is room for 32 blocks of a warp each";
  if (turns_of(plan) > 1) return "resident_warps: rows in turn keep two tiles";
  if (!has(plan, "vector") || !has(plan, "vectors_per_thread") || !has(plan, "intermediates")) return {};
  const std::int64_t elements = number(plan, "vector") * number(plan, "vectors_per_thread");
  const std::int64_t registers = bounded_registers(plan);
  if (tile_registers(f, plan, elements) + other_registers <= registers)
    return "resident_warps: they come without being asked for";
  if (elements * f.kept_bytes / 4 + least_others > registers)
    return "resident_warps: the tile of a thread leaves none for the rest";
  return {};
}

/// Of a block's rows, or of its part of one.
std::int64_t shared_row_bytes(const Facts& f, const Plan& plan) {
  return rows_in_block(plan) * (f.sizes.length / number(plan, "row_blocks") + 15) * f.kept_bytes;
}

/// What asynchronous copies ask of a row in shared memory.
std::string refuse_copies(const Facts& f, const Plan& plan) {
  if (!has(plan, "staging") || !in_shared(plan) || !has(plan, "cooperation") || !has(plan, "row_blocks")) return {};
  bool bulk = chosen(plan, "staging", "shared_bulk"), async = chosen(plan, "staging", "shared_async");
  std::int64_t size = f.bytes.smallest, blocks = number(plan, "row_blocks"), part = f.sizes.length / blocks;
  if (blocks > 1 && (f.sizes.length % blocks != 0 || (has(plan, "vector") && part % number(plan, "vector") != 0)))
    return "row_blocks: the row does not part evenly";
  bool contiguous = std::all_of(f.form.loads.begin(), f.form.loads.end(), [&](const AxisLoad& l) {
    return !f.form.kept.contains(l.load) || (l.unit_stride && l.whole);
  });
  if (bulk) {
    if (!has_clusters(f.problem.target)) return "staging: bulk copies need sm_90 or later";
    if (chosen(plan, "cooperation", "warp")) return "staging: a bulk copy fills the row of a block";
    if (!contiguous || f.form.kept.empty()) return "staging: a bulk copy reads contiguous rows";
    if (part * size % access_bytes != 0 || f.sizes.start_multiple * size % access_bytes != 0 || part == 0)
      return "staging: a bulk copy moves whole aligned 16 bytes";
  }
  if (async && has(plan, "vector") && (number(plan, "vector") * size < 4 || !contiguous))
    return "staging: cp.async moves 4, 8 or 16 neighbouring bytes";
  return {};
}

std::string refuse_vector(const Facts& f, const Plan& plan) {
  if (!has(plan, "vector")) return {};
  std::int64_t v = number(plan, "vector");
  if (v == 1) return {};
  if (f.bytes.smallest == 0) return "vector: nothing is read or written along the axis";
  if (v * f.bytes.smallest > access_bytes) return "vector: more than 16 bytes of the smallest element";
  bool unit = std::any_of(f.form.loads.begin(), f.form.loads.end(), [](const AxisLoad& l) { return l.unit_stride; });
  for (const RowOutput& o : f.form.outputs)
    unit = unit || (o.along_axis && o.axis + 1 == f.form.canonical->outputs[o.output].hi.size());
  if (!unit) return "vector: neighbours on the axis are not neighbours in memory";
  if (f.sizes.length % v != 0 || f.sizes.start_multiple % v != 0)
    return "vector: rows do not start at a multiple of it";
  return {};
}

std::string refuse_sizes(const Facts& f, const CompilerProfile& rules, const Plan& plan) {
  if (!has(plan, "threads") || !has(plan, "cooperation") || !has(plan, "row_blocks")) return {};
  std::int64_t threads = number(plan, "threads");
  if (threads == warp && (chosen(plan, "cooperation", "block") || chosen(plan, "cooperation", "split")))
    return "threads: a block of one warp is cooperation=warp";
  if (chosen(plan, "cooperation", "warp") && threads > 256)
    return "threads: warps that share nothing need no block above 256";
  if (chosen(plan, "cooperation", "thread") && threads > 256)
    return "threads: threads that share nothing need no block above 256";
  if (!has(plan, "vector") || !has(plan, "vectors_per_thread") || !has(plan, "state_form")) return {};
  std::int64_t v = number(plan, "vector"), u = number(plan, "vectors_per_thread"), n = f.sizes.length;
  bool shared_row = number(plan, "row_blocks") > 1;
  std::int64_t tile = row_lanes(plan) * v * u;
  bool resident = keeps_row(plan);
  if (resident && (!has(plan, "staging") || !has(plan, "intermediates"))) return {};
  bool registers = resident && chosen(plan, "staging", "registers");
  if (registers && tile < n) return "resident: the row does not fit into the registers of its lanes";
  // A tile that half of itself could do without is another plan's kernel with idle lanes.
  if (u > 1 && tile / 2 >= n) return "vectors_per_thread: half of them hold the row";
  if (!chosen(plan, "cooperation", "thread") && u == 1 && threads > 2 * warp && tile / 2 >= n)
    return "threads: half of them hold the row";
  if (shared_row && n < shortest_shared_row) return "cooperation: a row this short is one block's";
  std::int64_t elements = v * u;
  std::int64_t limit = std::min<std::int64_t>({rules.registers, 255, register_file / threads});
  std::int64_t tiles = registers ? tile_registers(f, plan, elements) : elements * (f.bytes.read + 3) / 4;
  std::int64_t others = other_registers + (turns_of(plan) > 1 ? ahead_registers : 0);
  if (tiles + others > limit) return "registers: the tile of a thread leaves none for the rest";
  if (resident && !registers) {
    // Beside the rows: the parts of the warps, an array a reduction, and a barrier.
    std::int64_t parts = (chosen(plan, "accumulate", "compensated") ? 2 : 1) * f.wide_state * (threads / warp) *
                             number(plan, "row_blocks") +
                         access_bytes;
    if (shared_row_bytes(f, plan) + parts > std::min(rules.shared_bytes, block_shared))
      return "shared_bytes: the rows of a block do not fit";
  }
  return {};
}

std::string refusal(const StructureProfile& profile, const Problem& problem, const CompilerProfile& rules,
                    const Plan& plan) {
  const Facts& f = cascade_facts(profile, problem);
  if (std::string why = refuse_problem(f); !why.empty()) return why;
  if (std::string why = refuse_turns(f, plan); !why.empty()) return why;
  if (std::string why = refuse_residence(f, plan); !why.empty()) return why;
  if (std::string why = refuse_words(f, rules, plan); !why.empty()) return why;
  if (std::string why = refuse_copies(f, plan); !why.empty()) return why;
  if (std::string why = refuse_vector(f, plan); !why.empty()) return why;
  return refuse_sizes(f, rules, plan);
}

bool chosen_flag(const Plan& plan, std::string_view param) { return has(plan, param) && flag(plan, param); }

/// Nanoseconds by a roofline: bytes against memory and what must be in flight to saturate it, instructions against what
/// the multiprocessors issue, and the meetings of threads. It orders plans until something is measured.
double estimate(const StructureProfile& profile, const Problem& problem, const Plan& plan, const MachineModel& m) {
  const Facts& f = cascade_facts(profile, problem);
  double rows = static_cast<double>(std::max<std::int64_t>(f.sizes.rows, 1));
  double n = static_cast<double>(std::max<std::int64_t>(f.sizes.length, 1));
  auto threads = static_cast<double>(number(plan, "threads"));
  auto v = static_cast<double>(number(plan, "vector")), u = static_cast<double>(number(plan, "vectors_per_thread"));
  double l = static_cast<double>(row_lanes(plan));
  double levels = static_cast<double>(f.form.levels.size());
  bool resident = keeps_row(plan), online = keeps_state(plan);
  double along = static_cast<double>(f.sweeps) - levels;
  double reads = resident ? 1 : online ? 1 + along : levels + along;

  // A row read again soon comes from L2 unless the rows in flight outgrow it; what all rows read alike, from a cache.
  auto of_row = static_cast<double>(f.kept_bytes + f.streamed_bytes);
  double read_bytes = of_row * (1 + m.reread * (reads - 1)) + static_cast<double>(f.bytes.written);
  double memory = rows * n * read_bytes / m.memory_rate;

  double elements = v * u;
  bool cluster = chosen(plan, "cooperation", "cluster");
  double registers = static_cast<double>(other_registers) + (resident && chosen(plan, "staging", "registers")
                                                                 ? static_cast<double>(tile_registers(f, plan, v * u))
                                                                 : elements);
  registers = std::min(registers, static_cast<double>(bounded_registers(plan)));
  double shared = in_shared(plan) ? static_cast<double>(shared_row_bytes(f, plan)) : 0;
  double blocks_per_sm =
      std::max(1.0, std::min({std::floor(2048 / threads), 32.0, std::floor(65536 / (threads * registers)),
                              shared > 0 ? std::floor(static_cast<double>(block_shared) / shared) : 32.0}));
  double active = std::min(blocks_per_sm * threads, 2048.0);
  double blocks = rows / static_cast<double>(rows_in_block(plan)) * static_cast<double>(number(plan, "row_blocks"));
  active = std::min(active, std::max(1.0, blocks / m.multiprocessors) * threads);
  double access = std::min(16.0, v * static_cast<double>(std::max<std::int64_t>(f.bytes.smallest, 1)));
  bool copied = chosen(plan, "staging", "shared_bulk") || chosen(plan, "staging", "shared_async");
  double in_flight =
      copied ? active / threads * shared : active * access * std::min(u, 8.0) * std::min(1.0, n / (l * v));
  // `in_flight` reaches 95 % of the rate. The rest comes with more: of a map nothing else tells how many to ask for.
  double starved = m.in_flight / std::max(in_flight, 1.0);
  double latency = memory * std::max(1.0, starved);
  if (f.form.levels.empty()) latency = memory * (starved > 1 ? 1.05 * starved : 1 + 0.05 * starved);

  double padded = std::ceil(n / (l * v)) * l * v; // idle lanes issue too
  double kept = chosen(plan, "accumulate", "compensated") ? 6.0 * levels : 0;
  double again = chosen(plan, "intermediates", "recompute") ? 3.0 * static_cast<double>(f.form.saved.size()) : 0;
  double body = f.form.levels.empty() ? f.operations : (chosen_flag(plan, "contract_fma") ? 2.5 : 3.0) * levels;
  double work = 4.0 + again + kept + body + (chosen(plan, "exp", "precise") ? m.library_exp * f.exps : 0) +
                (chosen(plan, "erf", "precise") ? m.library_erf * f.erfs : 0) +
                (chosen(plan, "divide", "ieee") ? 8 : 0) + (online ? 48.0 / elements : 0) + 8.0 / v * reads;
  double merge = (online ? 3.0 : 1.0) * levels * 12 * l;
  double issue = rows * (padded * work + merge) / (m.multiprocessors * m.issue);
  // Levels of a row follow each other: what a lane does alone, and what all warps wait for, hides behind other rows
  // only in part.
  double alone = f.form.levels.empty() ? 1 : 1 + 0.0008 * n / l;
  bool split = chosen(plan, "cooperation", "split"), blocked = chosen(plan, "cooperation", "block") || split;
  double together =
      (cluster ? m.cluster_meeting : 0) + (blocked || cluster ? m.block_meeting * (1 + threads / 256) : 0);
  double meetings = online ? std::min(levels, 1.0) : levels;
  double waits = meetings * blocks / (m.multiprocessors * blocks_per_sm) * together;
  // Lanes that walk the axis share sectors where it is contiguous; lanes with a row each, where rows are.
  bool contiguous = f.form.loads.empty() || std::any_of(f.form.loads.begin(), f.form.loads.end(),
                                                        [](const AxisLoad& x) { return x.unit_stride; });
  double apart = 32.0 / static_cast<double>(std::max<std::int64_t>(f.bytes.smallest, 1));
  bool alone_in_row = chosen(plan, "cooperation", "thread");
  double coalesced = n <= 1 || alone_in_row != contiguous ? 1.0 : contiguous ? std::min(n, 8.0) : apart;
  double factor = (chosen(plan, "row_length", "dynamic") ? 1.02 : 1.0) * (in_shared(plan) ? 1.06 : 1.0);
  // Evict-first stores cost; a kernel that only reads gains a little.
  if (chosen(plan, "cache_hint", "streaming")) factor *= f.bytes.written > 0 ? m.streaming : 0.995;
  // An H200: blocks of a cluster start when there are places for all of them. Working through rows spares that, but its
  // second tile takes the registers of other blocks, behind which the chains of a lane's own folds would hide: softmax
  // of 2048 x 65536 in bf16 took 142 us and more so, 138 us by a cluster a row.
  auto turns = static_cast<double>(turns_of(plan));
  if (resident_warps_of(plan) > 0) factor *= 1.01; // what does not fit waits in memory
  if (turns > 1) {
    double walkers = std::ceil(rows / turns) * static_cast<double>(number(plan, "row_blocks"));
    double places = m.multiprocessors * blocks_per_sm;
    if (number(plan, "row_blocks") > 2) places *= 0.91; // of an H200: no cluster lies in two of its groups of 16 or 18
    double idle =
        std::ceil(walkers / places) * places * turns / (rows * static_cast<double>(number(plan, "row_blocks")));
    factor *= 1.1 * std::clamp(idle, 1.0, 2.0) * (1 + 0.6 / turns); // the first row is under way alone
    alone = 1;
    waits *= 0.5; // the next row is read meanwhile
  } else {
    if (cluster) factor *= 1.05;
    if (resident && blocks_per_sm < 2) factor *= 1.4; // reads, reduces and writes by turns
  }
  return (std::max(latency * coalesced, issue) + 0.15 * std::min(latency, issue)) * alone * factor + waits +
         (split ? meetings * m.second_kernel : 0);
}

const RegisterFamily row_cascade{
    {"row_cascade", "Rows of one axis: cascades of reductions and maps", mismatch, refusal, estimate}};

} // namespace
} // namespace aicf
