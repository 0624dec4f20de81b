// Instructions of many operands: which need the whole warp, and who executes them.
#include "core/exec/emulator/machine.hpp"

#include <bit>

namespace aicf::emulator {
namespace {

bool needs_the_warp(WideKind k) { return k <= WideKind::registers; }

} // namespace

bool Worker::wide(Warp& w, const Op& o, u32 pc, u32 mask, u32 exec) {
  const Wide& op = program.wides[o.aux];
  if (needs_the_warp(op.kind)) {
    if ((w.live & ~exec) != 0 && exec == mask) return false; // until the others come
    if (exec != all_lanes) {
      const u32 lane = static_cast<u32>(std::countr_zero(~exec));
      fault(w, pc, lane, "inactive-lane", "an instruction of the whole warp without lane " + std::to_string(lane));
      launch.abort = true;
      return true;
    }
    if (launch.counters && op.kind != WideKind::registers) ++counters.tensor_operations;
  }
  switch (op.kind) {
  case WideKind::matrix: matrix_multiply(w, op, pc); break;
  case WideKind::wmma_multiply: wmma_multiply(w, op); break;
  case WideKind::wmma_load:
  case WideKind::wmma_store: wmma_memory(w, op, pc); break;
  case WideKind::load_matrix:
  case WideKind::store_matrix: matrix_memory(w, op, pc); break;
  case WideKind::move_matrix: matrix_move(w, op); break;
  case WideKind::print: print(w, op, pc, exec); break;
  case WideKind::assertion: assertion(w, op, pc, exec); break;
  case WideKind::allocate:
  case WideKind::release: heap(w, op, pc, exec); break;
  case WideKind::wgmma:
    warpgroup_step(w, pc);
    if (!stopped()) warpgroup_multiply(w, op, pc);
    break;
  case WideKind::registers: set_registers(w, op, pc); break;
  case WideKind::wgmma_commit:
  case WideKind::wgmma_wait: warpgroup_wait(w, op); break;
  case WideKind::store_async: store_async(w, op, pc, exec); break;
  default:
    if (op.kind < WideKind::bulk_load)
      mbarrier(w, op, pc, exec);
    else
      bulk(w, op, pc, exec);
  }
  return true;
}

} // namespace aicf::emulator
