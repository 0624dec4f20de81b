// The family `column_cascade`: the axis of the reductions runs across memory and rows lie next to each other (a sum of
// columns, statistics over a batch, softmax over channels). What fits, what can be built, and what it is likely to
// cost.
#include "core/plan/cascade_facts.hpp"
#include "core/plan/choice.hpp"

#include <algorithm>
#include <cmath>

namespace aicf {
namespace {

constexpr std::int64_t static_shared = std::int64_t{48} * 1024;

using Facts = CascadeFacts;

/// Packed groups of rows stay within it.
std::int64_t last_row_extent(const Facts& f) {
  DimBinding binding{f.canonical->source.get(), &f.problem.dims, &f.problem.scalars};
  return f.form.row_extents.empty() ? 1 : dim_value(f.form.arena, f.form.row_extents.back(), binding).value_or(1);
}

std::string mismatch(const StructureProfile& profile) {
  RowForm form = row_form(profile);
  if (!form.mismatch.empty()) return form.mismatch;
  if (form.levels.empty()) return "there is no reduction";
  bool adjoin = std::any_of(form.loads.begin(), form.loads.end(), [](const AxisLoad& l) { return l.rows_adjoin; });
  return adjoin ? "" : "neighbouring rows are not neighbours in memory";
}

std::string refusal(const StructureProfile& profile, const Problem& problem, const CompilerProfile& rules,
                    const Plan& plan) {
  const Facts& f = cascade_facts(profile, problem);
  if (std::string why = refuse_problem(f); !why.empty()) return why;
  if (chosen(plan, "state_form", "online") && !f.mergeable)
    return "online: there is no state of builtin reducers, or its indices are too large";
  if (has(plan, "accumulate"))
    if (std::string why = refuse_accumulator(f, rules, plan); !why.empty()) return why;
  if (!has(plan, "threads") || !has(plan, "column_lanes")) return {};
  std::int64_t threads = number(plan, "threads"), lanes = number(plan, "column_lanes");
  if (threads % lanes != 0 || threads < lanes) return "column_lanes: more than the block has threads";
  std::int64_t slices = threads / lanes;
  if (has(plan, "reduction_tree") && has(plan, "row_blocks")) {
    bool tree = chosen(plan, "reduction_tree", "slices");
    if (tree != (slices * number(plan, "row_blocks") > 1))
      return tree ? "reduction_tree: there is one slice" : "reduction_tree: slices of the axis merge";
    if (!tree && !f.form.parts.empty()) return other_order;
  }
  if (has(plan, "row_blocks") && number(plan, "row_blocks") > 1) {
    if (number(plan, "row_blocks") > largest_cluster) return "row_blocks: a cluster has at most 8 blocks";
    if (!has_clusters(problem.target)) return "row_blocks: clusters need sm_90 or later";
    if (slices == 1) return "row_blocks: blocks share an axis that their threads share already";
    if (f.sizes.length < slices * number(plan, "row_blocks")) return "row_blocks: more slices than the axis is long";
  }
  if (f.sizes.length < slices && slices > 1) return "threads: more slices than the axis is long";
  if (!has(plan, "vector")) return {};
  std::int64_t v = number(plan, "vector");
  if (v > 1) {
    if (v * f.bytes.smallest > access_bytes) return "vector: more than 16 bytes of the smallest element";
    std::int64_t neighbours = last_row_extent(f);
    if (neighbours % v != 0) return "vector: the rows are no multiple of it";
    if (neighbours < v * lanes / 2) return "column_lanes: half of them hold all rows";
  }
  if (lanes * v > threads && lanes * v % threads != 0)
    return "column_lanes: the columns of a block do not spread evenly";
  if (has(plan, "row_blocks")) {
    bool f64 = f.wide || chosen(plan, "accumulate", "f64");
    std::int64_t shared = (slices + number(plan, "row_blocks")) * lanes * v * (f64 ? f.wide_state : f.state) *
                          (chosen(plan, "accumulate", "compensated") ? 2 : 1);
    if (shared > std::min(rules.shared_bytes, static_shared)) return "shared_bytes: the parts of the slices do not fit";
  }
  if (!has(plan, "vectors_per_thread")) return {};
  std::int64_t u = number(plan, "vectors_per_thread");
  if (u > 1 && slices * u / 2 >= f.sizes.length) return "vectors_per_thread: half of them hold the axis";
  std::int64_t limit = std::min<std::int64_t>({rules.registers, 255, register_file / threads});
  std::int64_t registers = u * v * (f.bytes.read + 3) / 4 + v * f.components * (f.wide ? 4 : 2);
  return registers + other_registers > limit ? "registers: the tile of a thread leaves none for the rest" : "";
}

/// Nanoseconds, by the same roofline as row_cascade: it orders plans until something is measured.
double estimate(const StructureProfile& profile, const Problem& problem, const Plan& plan, const MachineModel& m) {
  const Facts& f = cascade_facts(profile, problem);
  auto choice = [&](const char* id) { return static_cast<double>(number(plan, id)); };
  double rows = static_cast<double>(std::max<std::int64_t>(f.sizes.rows, 1));
  double n = static_cast<double>(std::max<std::int64_t>(f.sizes.length, 1));
  double threads = choice("threads"), lanes = choice("column_lanes"), v = choice("vector");
  double u = choice("vectors_per_thread"), blocks_of_row = choice("row_blocks");
  double along = static_cast<double>(f.sweeps) - static_cast<double>(f.form.levels.size());
  double reads = chosen(plan, "state_form", "online") ? 1 + along : static_cast<double>(f.sweeps);
  double memory =
      rows * n *
      (static_cast<double>(f.bytes.read) * (1 + m.reread * (reads - 1)) + static_cast<double>(f.bytes.written)) /
      m.memory_rate;
  double groups = std::ceil(rows / (lanes * v)), blocks = groups * blocks_of_row;
  double registers = static_cast<double>(other_registers) + u * v * static_cast<double>(f.bytes.read) / 4 +
                     v * static_cast<double>(f.components) * 2;
  double resident =
      std::max(1.0, std::min({std::floor(2048 / threads), 32.0, std::floor(65536 / (threads * registers))}));
  double active = std::min(resident, std::max(1.0, blocks / m.multiprocessors)) * threads;
  double steps = std::max(1.0, n / (threads / lanes * blocks_of_row));
  double in_flight = active * v * static_cast<double>(f.bytes.smallest) * std::min({u, 8.0, steps});
  double idle = blocks < m.multiprocessors ? m.multiprocessors / blocks : 1; // multiprocessors without a block
  double width = lanes * v * static_cast<double>(f.bytes.smallest);
  double coalesced = width >= 128 ? 1 : 128 / std::max(width, 1.0) * 0.75;
  double latency = memory * std::max(1.0, m.in_flight / std::max(in_flight, 1.0)) * coalesced * std::sqrt(idle);
  double issue = rows * n * (6.0 + 4.0 / v) * reads / (m.multiprocessors * m.issue);
  double merges = static_cast<double>(f.components) *
                  (blocks_of_row > 1 ? m.second_kernel
                   : threads > lanes ? 600
                                     : 0) *
                  std::ceil(blocks / (m.multiprocessors * resident));
  double tail =
      std::ceil(blocks / (m.multiprocessors * resident)) / std::max(blocks / (m.multiprocessors * resident), 1e-9);
  return std::max(latency * std::min(tail, 2.0), issue) + merges +
         (chosen(plan, "row_length", "dynamic") ? 0.02 * memory : 0);
}

const RegisterFamily column_cascade{{"column_cascade",
                                     "Neighbouring rows of an axis across memory: cascades of reductions", mismatch,
                                     refusal, estimate}};

} // namespace
} // namespace aicf
