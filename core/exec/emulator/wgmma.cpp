// wgmma: descriptors of matrices in shared memory and the product of a warpgroup. Each of its four warps owns 16 rows
// of D. Source of the layouts: PTX ISA, "Asynchronous warpgroup level matrix instructions". The product is computed
// when the instruction is issued; that its registers may be read only after wgmma.wait_group is the text's own
// business.
#include "core/exec/emulator/machine.hpp"

#include <bit>
#include <cstring>

namespace aicf::emulator {
namespace {

using ptx::Type;

/// The fields of a matrix descriptor, in bytes.
struct Descriptor {
  u32 start, leading, stride, swizzle; ///< swizzle: bytes of a row of its atom; 16: none
  explicit Descriptor(u64 bits)
      : start(static_cast<u32>(bits & 0x3fff) << 4), leading(static_cast<u32>((bits >> 16) & 0x3fff) << 4),
        stride(static_cast<u32>((bits >> 32) & 0x3fff) << 4) {
    constexpr std::array<u32, 4> widths{16, 128, 64, 32};
    swizzle = widths[bits >> 62];
  }
  /// Where the element at `outer` (m or n) and byte `inner` of k lies, k contiguous.
  [[nodiscard]] u32 along_k(u32 outer, u32 inner) const {
    u32 at = start + outer / 8 * stride;
    at += swizzle == 16 ? outer % 8 * 16 + inner / 16 * leading + inner % 16 : outer % 8 * swizzle + inner;
    return swizzled(at);
  }
  /// The same for m or n contiguous: `outer` in bytes, k counts rows.
  [[nodiscard]] u32 along_outer(u32 outer, u32 k) const {
    if (swizzle == 16) return start + outer / 16 * stride + k / 8 * leading + k % 8 * 16 + outer % 16;
    return swizzled(start + outer / swizzle * leading + k / 8 * stride + k % 8 * swizzle + outer % swizzle);
  }
  /// Address bits 4, 5, 6 get bits 7, 8, 9 added without carry, as many as the atom has units of 16 bytes.
  [[nodiscard]] u32 swizzled(u32 at) const { return at ^ (((at >> 7) & (swizzle / 16 - 1)) << 4); }
};

} // namespace

void Worker::warpgroup_multiply(Warp& w, const Wide& op, u32 pc) {
  const u32 bits = ptx::bits_of(op.a), bytes = bits / 8, each = bits >= 32 ? 1 : 32 / bits, group_warp = w.index % 4;
  const bool sparse = (op.flags & wide_sparse) != 0;
  const u32 held = sparse ? op.k / 2u : op.k; // elements of a row of A
  Matrix a(16, held), b(op.k, op.n), d(16, op.n);
  Block& block = *w.block;
  const u32 queue = queue_of(block, Queue::wgmma_groups, w.index);
  std::vector<bool> seen;
  /// One element of shared memory, checked once for each 16 bytes.
  const auto read = [&](u32 at) -> u64 {
    if (at + bytes > launch.shared_bytes) {
      fault(w, pc, 0, "out-of-bounds",
            "wgmma reads offset " + std::to_string(at) + " (the block has " + std::to_string(launch.shared_bytes) +
                " bytes of shared memory)",
            at);
      return 0;
    }
    if (block.shadow.enabled()) {
      if (seen.empty()) seen.resize(launch.shared_bytes / 16 + 1);
      if (!seen[at / 16]) {
        seen[at / 16] = true;
        const u32 from = at / 16 * 16, size = std::min(16u, launch.shared_bytes - from);
        const auto o = block.shadow.queue_read(w.agent, queue, from, size);
        if (o.problem != Shadow::Problem::none) shared_fault(w, pc, 0, o, "wgmma load", size, from);
      }
    }
    u64 v = 0;
    std::memcpy(&v, block.shared.data() + at, bytes);
    return v;
  };
  std::size_t next = 0;
  if ((op.flags & wide_a_registers) != 0) {
    for (u32 lane = 0; lane < lanes; ++lane)
      for (u32 r = 0; r < op.counts[0]; ++r)
        for (u32 i = 0; i < each; ++i) {
          const u32 v = value32(w, op.in[r], lane);
          const u32 row = lane / 4 + 8 * (r % 2), column = r / 2 * 4 * each + lane % 4 * each + i;
          a.at(row, column) = bits >= 32 ? v : (v >> (i * bits)) & ((1u << bits) - 1);
        }
    next = op.counts[0];
  } else {
    const Descriptor from(value64(w, op.in[next++], 0));
    for (u32 r = 0; r < 16; ++r)
      for (u32 k = 0; k < held; ++k) {
        const u32 row = 16 * group_warp + r;
        a.at(r, k) =
            read((op.flags & wide_trans_a) != 0 ? from.along_outer(row * bytes, k) : from.along_k(row, k * bytes));
        if (stopped()) return;
      }
  }
  const Descriptor from(value64(w, op.in[next++], 0));
  for (u32 c = 0; c < op.n; ++c)
    for (u32 k = 0; k < op.k; ++k) {
      b.at(k, c) = read((op.flags & wide_trans_b) != 0 ? from.along_outer(c * bytes, k) : from.along_k(c, k * bytes));
      if (stopped()) return;
    }
  bool accumulate = true;
  if ((op.flags & wide_scaled) != 0) accumulate = (predicate(w, op.in.back()) & 1) != 0;
  const u64 sign = u64{1} << (bits - 1);
  if ((op.flags & wide_negate_a) != 0)
    for (u64& v : a.values) v ^= sign;
  if ((op.flags & wide_negate_b) != 0)
    for (u64& v : b.values) v ^= sign;
  const u32 pack_of = op.d == Type::f16 ? 2 : 1;
  const auto place = [&](u32 lane, u32 element) -> u64& {
    return d.at(lane / 4 + 8 * (element / 2 % 2), 8 * (element / 4) + lane % 4 * 2 + element % 2);
  };
  if (accumulate)
    for (u32 lane = 0; lane < lanes; ++lane)
      for (u32 r = 0; r < op.out.size(); ++r)
        for (u32 i = 0; i < pack_of; ++i) {
          const u32 v = value32(w, op.in[next + r], lane);
          place(lane, pack_of * r + i) = pack_of == 2 ? (v >> (16 * i)) & 0xffff : v;
        }
  Wide step = op;
  step.m = 16;
  if (sparse)
    multiply_sparse(w, step, pc, op.in[op.in.size() - ((op.flags & wide_scaled) != 0 ? 2 : 1)], a, b, d);
  else
    multiply(step, a, b, d);
  if (launch.counters) { // its rows of A; B serves four warps at once
    const u64 rows = (op.flags & wide_a_registers) != 0 ? 0 : u64{16} * held * bytes;
    count_bytes(pc, false, MemorySpace::shared, rows + u64{op.k} * op.n * bytes / 4);
  }
  for (u32 lane = 0; lane < lanes; ++lane)
    for (u32 r = 0; r < op.out.size(); ++r) {
      u64 v = place(lane, pack_of * r);
      if (pack_of == 2) v |= place(lane, 2 * r + 1) << 16;
      set32(w, op.out[r], lane, static_cast<u32>(v));
    }
  w.tensor_open = clocks_.own(queue);
  queue_uses(block, queue, w, pc, 0);
  clocks_.advance(queue);
}

/// wgmma.commit_group, wgmma.wait_group: what the asynchronous proxy read is known to be read.
void Worker::warpgroup_wait(Warp& w, const Wide& op) {
  if (op.kind == WideKind::wgmma_commit) {
    commit(w.tensor, std::exchange(w.tensor_open, 0));
    return;
  }
  const std::size_t keep = op.n;
  while (w.tensor.size() > keep) {
    clocks_.see(w.agent, queue_of(*w.block, Queue::wgmma_groups, w.index), w.tensor.front());
    w.tensor.pop_front();
  }
}

} // namespace aicf::emulator
