// A warp-wide interpreter loop with neither masks, counters nor checks, over the same decoded operations: what the
// emulator's own speed is held against. Included behind execute.inl; RUN_BARE names the function.

#define INLINED __attribute__((always_inline))

void RUN_BARE(std::span<const Op> ops, u8* frame, const u8* constants, u64 rounds) {
  const u8* const bases[2] = {frame, constants};
  for (u64 round = 0; round < rounds; ++round)
    for (const Op& op : ops) {
      const auto src = [&](s32 o) { return bases[o & 1] + (o & ~1); };
      [[maybe_unused]] const s64 imm = op.imm;
      const auto each = [&]<class D>(D, auto&& value) INLINED {
        auto* d = reinterpret_cast<Bits<D>*>(frame + op.d);
#pragma GCC ivdep
        for (u32 i = 0; i < lanes; ++i) d[i] = put<D>(value(i));
      };
      const auto test = [&](auto&& value) INLINED {
        u32 bits = 0;
        for (u32 i = 0; i < lanes; ++i) bits |= value(i) ? lane_bit[i] : 0;
        *reinterpret_cast<u32*>(frame + op.d) = bits;
      };
      switch (op.code) {
#define EACH_LANE(D, ...) each(D{}, __VA_ARGS__)
#define EACH_TEST(...) test(__VA_ARGS__)
#include "core/exec/emulator/lane_cases.inl"
#undef EACH_LANE
#undef EACH_TEST
      default: break;
      }
    }
}
#undef INLINED
