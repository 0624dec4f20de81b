// What four warps do together: the check that they execute the same wgmma and setmaxnreg, and the registers that
// setmaxnreg moves between them.
#include "core/exec/emulator/machine.hpp"

#include <algorithm>

namespace aicf::emulator {

/// The warp executes the next instruction that is the whole warpgroup's.
void Worker::warpgroup_step(Warp& w, u32 pc) {
  if (!launch.checks) return;
  const u32 first = w.index / 4 * 4;
  if (first + 4 > launch.warps) {
    fault(w, pc, 0, "warpgroup-divergence",
          "an instruction of a warpgroup, four warps from one divisible by four on: the block ends at warp " +
              std::to_string(launch.warps - 1));
    launch.abort = true;
    return;
  }
  Warpgroup& g = w.block->warpgroups[w.index / 4];
  u64& executed = g.executed[w.index % 4];
  const u64 step = executed++ - g.before;
  if (step == g.steps.size()) g.steps.push_back(pc);
  if (g.steps[step] != pc) {
    fault(w, pc, 0, "warpgroup-divergence",
          "all warps of the warpgroup must execute this instruction, but another of them has executed the one at PTX "
          "line " +
              std::to_string(program.lines[g.steps[step]].ptx));
    launch.abort = true;
    return;
  }
  const u64 all = *std::min_element(g.executed.begin(), g.executed.end());
  if (all - g.before < 64) return;
  g.steps.erase(g.steps.begin(), g.steps.begin() + static_cast<std::ptrdiff_t>(all - g.before));
  g.before = all;
}

void Worker::check_warpgroups(Block& b) {
  for (std::size_t n = 0; n < b.warpgroups.size(); ++n) {
    const Warpgroup& g = b.warpgroups[n];
    for (std::size_t i = 0; i < g.executed.size(); ++i) {
      if (g.executed[i] - g.before == g.steps.size()) continue;
      const u32 pc = g.steps[g.executed[i] - g.before];
      fault(b.warps[4 * n + i], pc, 0, "warpgroup-divergence",
            "this warp has ended without this instruction, which another warp of its warpgroup has executed");
      break;
    }
  }
}

/// PTX ISA, setmaxnreg: dec gives registers to the block's pool, inc waits until the pool has enough.
void Worker::set_registers(Warp& w, const Wide& op, u32 pc) {
  warpgroup_step(w, pc);
  if (w.registers == 0 || stopped()) return;
  const bool more = (op.flags & wide_increases) != 0;
  if (more ? op.n < w.registers : op.n > w.registers) {
    fault(w, pc, 0, "register-count",
          std::string(more ? "setmaxnreg.inc" : "setmaxnreg.dec") + " to " + std::to_string(op.n) +
              " registers in a warp whose threads have " + std::to_string(w.registers));
    return;
  }
  w.requested = op.n;
  w.barrier_pc = pc;
  w.state = Warp::State::at_registers;
  grant_registers(*w.block);
}

void Worker::grant_registers(Block& b) {
  for (bool again = true; again;) {
    again = false;
    for (Warp& w : b.warps) {
      if (w.state != Warp::State::at_registers || w.requested > w.registers + b.free_registers) continue;
      again = w.requested < w.registers;
      b.free_registers = b.free_registers + w.registers - w.requested;
      w.registers = w.requested;
      w.state = Warp::State::ready;
    }
  }
}

} // namespace aicf::emulator
