// What atomics and asynchronous reductions leave in memory.
#include "core/exec/emulator/machine.hpp"

#include <bit>
#include <cstring>

namespace aicf::emulator {
namespace {

using ptx::Type;

/// The value that an atomic leaves, given the one it finds. PTX ISA, atom: sums of f32 in global memory flush
/// subnormals, those in shared memory keep them.
u64 combined(const Access& a, u64 old, u64 b, u64 c, bool shared) {
  const Type t = a.type;
  const bool real = ptx::is_float(t);
  const bool wide = a.bytes == 8;
  const auto half = [&](auto&& fn) {
    const bool bf = t == Type::bf16 || t == Type::bf16x2;
    const auto one = [&](u16 x, u16 y) {
      return bf ? to_b16(fn(from_b16(x), from_b16(y))) : to_h16(fn(from_h16(x), from_h16(y)));
    };
    const auto x = static_cast<u32>(old), y = static_cast<u32>(b);
    return static_cast<u64>(t == Type::f16 || t == Type::bf16 ? one(low(x), low(y))
                                                              : pack(one(low(x), low(y)), one(high(x), high(y))));
  };
  const auto less = [&](u64 x, u64 y) {
    if (!a.sign) return x < y;
    return wide ? static_cast<s64>(x) < static_cast<s64>(y) : static_cast<s32>(x) < static_cast<s32>(y);
  };
  switch (a.kind) {
  case AtomicKind::add:
    if (t == Type::f32) {
      const f32 x = as_f32(static_cast<u32>(old)), y = as_f32(static_cast<u32>(b));
      return as_u32(shared ? plus(x, y) : flush(plus(flush(x), flush(y))));
    }
    if (t == Type::f64) return as_u64(as_f64(old) + as_f64(b));
    if (real) return half([](f64 x, f64 y) { return x + y; });
    return old + b;
  case AtomicKind::bit_and: return old & b;
  case AtomicKind::bit_or: return old | b;
  case AtomicKind::bit_xor: return old ^ b;
  case AtomicKind::exch: return b;
  case AtomicKind::cas: return old == b ? c : old;
  case AtomicKind::min:
    if (real) return half([](f64 x, f64 y) { return min_number(x, y); });
    return less(b, old) ? b : old;
  case AtomicKind::max:
    if (real) return half([](f64 x, f64 y) { return max_number(x, y); });
    return less(old, b) ? b : old;
  case AtomicKind::inc: return old >= b ? 0 : old + 1;
  case AtomicKind::dec: return old == 0 || old > b ? b : old - 1;
  }
  return old;
}

template <class T> u64 atomic_update(std::byte* host, const Access& a, u64 b, u64 c, bool shared) {
  auto* p = reinterpret_cast<T*>(host);
  T old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (true) {
    const T next = static_cast<T>(combined(a, old, b, c, shared));
    if (__atomic_compare_exchange_n(p, &old, next, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) return old;
  }
}

} // namespace

#if defined(__x86_64__)
__attribute__((target("cx16")))
#endif
std::array<u64, 2>
exchange_halves(std::byte* host, bool compares, std::array<u64, 2> b, std::array<u64, 2> c) {
  auto* p = reinterpret_cast<u128*>(host);
  const u128 wanted = std::bit_cast<u128>(b), next = compares ? std::bit_cast<u128>(c) : wanted;
  std::array<u64, 2> seen{};
  std::memcpy(seen.data(), host, sizeof seen);
  u128 old = std::bit_cast<u128>(seen);
  while (true) {
    const u128 found = __sync_val_compare_and_swap(p, old, compares && old != wanted ? old : next);
    if (found == old) return std::bit_cast<std::array<u64, 2>>(old);
    old = found;
  }
}

u64 update(std::byte* host, const Access& a, u64 b, u64 c, bool shared) {
  return a.bytes == 8   ? atomic_update<u64>(host, a, b, c, shared)
         : a.bytes == 4 ? atomic_update<u32>(host, a, b, c, shared)
                        : atomic_update<u16>(host, a, b, c, shared);
}

} // namespace aicf::emulator
