// Operations lane by lane that are too rare to be vectorised.
#include "core/exec/emulator/machine.hpp"
#include "core/exec/emulator/scalar_math.hpp"

#include <bit>

namespace aicf::emulator {
void Worker::scalar(Warp& w, const Op& op, u32 pc, u32 exec) {
  const auto leader = static_cast<u32>(std::countr_zero(exec));
  switch (op.code) {
  case Code::convert: {
    const Conversion& c = program.conversions[op.aux];
    const bool from_wide = ptx::bits_of(c.from) == 64, to_wide = ptx::bits_of(c.to) == 64;
    const bool narrow = ptx::bits_of(c.to) <= 16;
    for (u32 i = 0; i < lanes; ++i) {
      if (!has_lane(exec, i)) continue;
      const u64 r = converted(c, from_wide ? value64(w, op.a, i) : value32(w, op.a, i));
      if (to_wide)
        set64(w, op.d, i, r);
      else
        set32(w, op.d, i, static_cast<u32>(narrow && !c.extends ? r & 0xffff : r));
    }
    return;
  }
  case Code::directed: {
    const auto mode = static_cast<Rounding>(op.imm >> 8);
    const auto kind = static_cast<DirectedKind>(op.imm & 0xff);
    for (u32 i = 0; i < lanes; ++i) {
      if (!has_lane(exec, i)) continue;
      if ((op.flag & 1) != 0)
        set64(w, op.d, i, directed_f64(kind, mode, value64(w, op.a, i), value64(w, op.b, i), value64(w, op.c, i)));
      else
        set32(w, op.d, i,
              directed_f32(kind, mode, (op.flag & 2) != 0, value32(w, op.a, i), value32(w, op.b, i),
                           value32(w, op.c, i)));
    }
    return;
  }
  case Code::carry32:
  case Code::carry64: {
    const bool wide = op.code == Code::carry64;
    const u32 bits = wide ? 64 : 32;
    u32* flags = reg<u32>(w, static_cast<s32>(op.imm));
    const auto kind = static_cast<CarryKind>(op.flag & 7);
    for (u32 i = 0; i < lanes; ++i) {
      if (!has_lane(exec, i)) continue;
      const auto value = [&](s32 o) { return wide ? value64(w, o, i) : u64{value32(w, o, i)}; };
      const u128 in = (op.flag & carry_in) != 0 ? (*flags >> i) & 1 : 0;
      u64 a = value(op.a), b = value(op.b);
      u128 r = 0;
      if (kind == CarryKind::sub) {
        // a + ~b + 1: the flag says that nothing was borrowed. The PTX manual says the opposite, devices and NVRTC's
        // own division of 128 bits, where an addc follows a subc.cc, have it so.
        const u128 one = (op.flag & carry_in) != 0 ? in : 1;
        r = static_cast<u128>(a) + (wide ? ~b : static_cast<u32>(~b)) + one;
      } else {
        if (kind != CarryKind::add) {
          const bool sign = (op.flag & carry_signed) != 0;
          const auto extend = [&](u64 v) {
            return static_cast<s128>(wide ? static_cast<s64>(v) : static_cast<s64>(static_cast<s32>(v)));
          };
          const u128 product = sign ? static_cast<u128>(extend(a) * extend(b)) : static_cast<u128>(a) * b;
          const u64 part = static_cast<u64>(kind == CarryKind::mad_hi ? product >> bits : product);
          a = wide ? part : static_cast<u32>(part);
          b = value(op.c);
        }
        r = static_cast<u128>(a) + b + in;
      }
      if (wide)
        set64(w, op.d, i, static_cast<u64>(r));
      else
        set32(w, op.d, i, static_cast<u32>(r));
      if ((op.flag & carry_out) != 0) *flags = (*flags & ~(1u << i)) | (((r >> bits) & 1) != 0 ? 1u << i : 0);
    }
    return;
  }
  case Code::active_mask:
    for (u32 i = 0; i < lanes; ++i)
      if (has_lane(exec, i)) set32(w, op.d, i, exec);
    return;
  case Code::fence:
    fence(w, (op.flag & 1) != 0);
    if ((op.flag & 2) != 0) clocks_.fence_proxy(w.agent);
    return;
  case Code::get_rank:
    for (u32 i = 0; i < lanes; ++i) {
      if (!has_lane(exec, i)) continue;
      const u64 a = (op.flag & 1) != 0 ? value64(w, op.a, i) : value32(w, op.a, i);
      const u32 rank = static_cast<u32>(a) >> shared_rank_shift;
      set32(w, op.d, i, rank == 0 ? w.block->rank : rank - 1);
    }
    return;
  case Code::clock:
    for (u32 i = 0; i < lanes; ++i) {
      if (!has_lane(exec, i)) continue;
      const u64 now = ++clock_;
      if (op.flag == 1)
        set64(w, op.d, i, now);
      else
        set32(w, op.d, i, static_cast<u32>(op.flag == 2 ? now >> 32 : now));
    }
    return;
  case Code::map_shared:
    for (u32 i = 0; i < lanes; ++i) {
      if (!has_lane(exec, i)) continue;
      const u64 rank = value32(w, op.b, i);
      if (rank >= w.block->cluster->size()) {
        fault(w, pc, i, "cluster-rank",
              "mapa to block " + std::to_string(rank) + " of a cluster of " + std::to_string(w.block->cluster->size()));
        continue;
      }
      const u64 a = (op.flag & 1) != 0 ? value64(w, op.a, i) : value32(w, op.a, i);
      const u64 mapped = (a & ~(u64{0xff} << shared_rank_shift)) | ((rank + 1) << shared_rank_shift);
      if ((op.flag & 1) != 0)
        set64(w, op.d, i, mapped);
      else
        set32(w, op.d, i, static_cast<u32>(mapped));
    }
    return;
  case Code::trap: fault(w, pc, leader, "trap", "the kernel executed trap"); break;
  default: fault(w, pc, leader, "unsupported", program.texts[op.aux]); break;
  }
  launch.abort = true; // the last two end the launch
}

} // namespace aicf::emulator
