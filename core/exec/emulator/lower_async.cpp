// What came with Hopper: mbarriers, bulk and tensor copies, st.async, wgmma.
#include "core/exec/emulator/lower.hpp"

#include <algorithm>

namespace aicf::emulator {

using ptx::Space;

/// The reduction of red.async, cp.reduce.async.bulk and its tensor form, by their tables in the PTX ISA. Elements of
/// tensors have the type that the map says.
void Lowering::asynchronous_reduction(Wide& wide, Type type, bool to_shared) {
  if (std::none_of(now_->parts.begin(), now_->parts.end(),
                   [&](std::string_view p) { return atomic_from(p, wide.reduction); }))
    unsupported();
  const bool tensor = has("tensor");
  const auto among = [&](std::initializer_list<Type> of) { return std::find(of.begin(), of.end(), type) != of.end(); };
  bool known = false;
  switch (wide.reduction) {
  case AtomicKind::add:
    known = among({Type::u32, Type::s32, Type::u64}) ||
            (!to_shared && among({Type::s64, Type::f16, Type::bf16, Type::f32, Type::f64}));
    break;
  case AtomicKind::min:
  case AtomicKind::max:
    known = among({Type::u32, Type::s32}) || (!to_shared && among({Type::u64, Type::s64, Type::f16, Type::bf16}));
    break;
  case AtomicKind::inc:
  case AtomicKind::dec: known = type == Type::u32; break;
  case AtomicKind::bit_and:
  case AtomicKind::bit_or:
  case AtomicKind::bit_xor: known = type == Type::b32 || (type == Type::b64 && !to_shared); break;
  case AtomicKind::exch:
  case AtomicKind::cas: refuse("reduces by add, min, max, inc, dec, and, or or xor"); break;
  }
  if (!known && !tensor) refuse("no such reduction of this type");
  wide.d = tensor ? Type::none : type;
}

bool Lowering::hopper() {
  const auto base = opcode();
  if (base == "mbarrier") return mbarriers();
  program_.async_proxy = true;
  if (base == "wgmma") return warpgroup();
  if (base == "cp" && has("mbarrier")) { // cp.async.mbarrier.arrive[.noinc]
    Wide wide;
    wide.kind = WideKind::barrier_copies;
    wide.space = space_of(Space::generic);
    if (has("noinc")) wide.flags = wide_no_increment;
    wide.in.push_back(whole_address(at(0), wide.space));
    emit_wide(std::move(wide));
    return true;
  }
  if (base == "cp") return has("tensor") ? tensor_copies() : bulk_copies();
  // st.async and red.async: [address], value, [mbarrier]
  Wide wide;
  wide.kind = WideKind::store_async;
  const auto t = types();
  if (t.size() != 1) unsupported();
  wide.d = t[0];
  if (base == "red") {
    wide.flags |= wide_red;
    if (has("release") || has("global")) unsupported();
    asynchronous_reduction(wide, t[0], true);
  }
  wide.in.push_back(whole_address(at(0), Space::shared_cluster));
  wide.in.push_back(whole_address(at(2), Space::shared_cluster));
  use_all(at(1), width_of(wide.d), wide.d, wide.in);
  program_.shared_granule = std::min<std::uint32_t>(program_.shared_granule, ptx::bits_of(wide.d) / 8);
  emit_wide(std::move(wide));
  return true;
}

bool Lowering::mbarriers() {
  if (now_->parts.size() < 3) unsupported();
  const auto what = now_->parts[1];
  Wide wide;
  wide.space = space_of(Space::generic);
  if (has("relaxed")) wide.flags |= wide_no_order;
  const std::int32_t one = constant32(1), zero = constant32(0);
  if (what == "pending_count") {
    wide.kind = WideKind::barrier_pending;
    wide.in.push_back(use(at(1), Type::b64));
    wide.out.push_back(define(at(0), Width::w32));
  } else if (what == "init") {
    wide.kind = WideKind::barrier_init;
    wide.in = {whole_address(at(0), wide.space), use(at(1), Type::u32)};
  } else if (what == "inval") {
    wide.kind = WideKind::barrier_invalidate;
    wide.in.push_back(whole_address(at(0), wide.space));
  } else if (what == "expect_tx" || what == "complete_tx") {
    wide.kind = what == "expect_tx" ? WideKind::barrier_expect : WideKind::barrier_complete;
    wide.in = {whole_address(at(0), wide.space), use(at(1), Type::u32)};
  } else if (what == "arrive" || what == "arrive_drop") {
    wide.kind = WideKind::barrier_arrive;
    if (what == "arrive_drop") wide.flags |= wide_drop;
    const std::size_t first = at(0).kind == Operand::Kind::address ? 0 : 1;
    wide.in.push_back(whole_address(at(first), wide.space));
    const bool more = now_->operands.size() > first + 1;
    if (has("expect_tx")) {
      wide.flags |= wide_expects;
      wide.in.insert(wide.in.end(), {one, use(at(first + 1), Type::u32)});
    } else {
      wide.in.insert(wide.in.end(), {more ? use(at(first + 1), Type::u32) : one, zero});
    }
    if (first == 1 && at(0).kind != Operand::Kind::sink) wide.out.push_back(define(at(0), Width::w64));
  } else if (what == "test_wait" || what == "try_wait") {
    wide.kind = WideKind::barrier_test;
    wide.in.push_back(whole_address(at(1), wide.space));
    if (has("parity")) {
      wide.flags |= wide_parity;
      wide.in.push_back(use(at(2), Type::u32));
    } else {
      wide.in.push_back(use(at(2), Type::b64));
    }
    wide.out.push_back(define(at(0), Width::pred));
  } else {
    unsupported();
  }
  emit_wide(std::move(wide));
  return true;
}

bool Lowering::bulk_copies() {
  Wide wide;
  if (has("prefetch")) {
    emit(Code::nothing, none);
    return true;
  }
  if (has("commit_group")) {
    wide.kind = WideKind::bulk_commit;
    emit_wide(std::move(wide));
    return true;
  }
  if (has("wait_group")) {
    if (at(0).kind != Operand::Kind::integer) refuse("the number of groups is a constant");
    wide.kind = WideKind::bulk_wait;
    wide.n = static_cast<std::uint16_t>(std::clamp<std::int64_t>(at(0).value, 0, 65535));
    emit_wide(std::move(wide));
    return true;
  }
  const auto from = std::find(now_->parts.begin(), now_->parts.end(), "bulk");
  if (from == now_->parts.end() || now_->parts.end() - from < 3) unsupported();
  const auto to = from[1], source = from[2];
  const bool reduces = has("reduce");
  if (reduces) {
    const auto t = types();
    if (t.size() != 1) unsupported();
    asynchronous_reduction(wide, t[0], to != "global");
  }
  if (to == "global") {
    wide.kind = WideKind::bulk_store;
    wide.in = {whole_address(at(0), Space::global), whole_address(at(1), Space::shared), use(at(2), Type::u32)};
    emit_wide(std::move(wide));
    return true;
  }
  if ((to != "shared::cluster" && to != "shared::cta") || (reduces && source != "shared::cta")) unsupported();
  const bool between = source == "shared::cta";
  wide.kind = between ? WideKind::bulk_between : WideKind::bulk_load;
  wide.in = {whole_address(at(0), Space::shared_cluster), whole_address(at(1), between ? Space::shared : Space::global),
             use(at(2), Type::u32), whole_address(at(3), Space::shared_cluster)};
  if (has("multicast::cluster")) {
    const std::int32_t mask = fresh(Width::w32);
    emit(Code::zext16, mask, use(at(4), Type::u16));
    wide.in.push_back(mask);
  }
  emit_wide(std::move(wide));
  return true;
}

/// cp.async.bulk.tensor.Nd: shared from global [d], [map, {c}], [mbarrier] [, {offsets}]; global from shared [map,
/// {c}], [s]; cp.reduce.async.bulk.tensor likewise.
bool Lowering::tensor_copies() {
  Wide wide;
  if (has("prefetch")) {
    emit(Code::nothing, none);
    return true;
  }
  for (const auto p : now_->parts) {
    if (p.size() == 2 && p[1] == 'd' && p[0] >= '1' && p[0] <= '5') wide.k = static_cast<std::uint16_t>(p[0] - '0');
    if (p.starts_with("im2col::") || p.starts_with("tile::")) unsupported();
    if (p == "im2col" || p == "im2col_no_offs") wide.flags |= wide_im2col;
  }
  const auto to = std::find_if(now_->parts.begin(), now_->parts.end(), [](std::string_view p) {
    return p == "global" || p == "shared::cluster" || p == "shared::cta";
  });
  if (wide.k == 0 || to == now_->parts.end()) unsupported();
  const bool store = *to == "global", offsets = (wide.flags & wide_im2col) != 0 && !store;
  const Operand &map = at(store ? 0 : 1), &shared = at(store ? 1 : 0);
  if (map.kind != Operand::Kind::address || map.items.size() != wide.k + 1u)
    refuse("takes " + std::to_string(wide.k) + " coordinates");
  Operand base = map;
  base.items.resize(1);
  const std::int32_t m = whole_address(base, Space::generic);
  const std::int32_t s = whole_address(shared, store ? Space::shared : Space::shared_cluster);
  if (store) {
    if (has("reduce")) {
      wide.flags |= wide_red;
      asynchronous_reduction(wide, Type::none, false);
    }
    wide.kind = WideKind::tensor_store;
    wide.in = {m, s};
  } else {
    wide.kind = WideKind::tensor_load;
    std::int32_t mask = constant32(0);
    if (has("multicast::cluster")) {
      mask = fresh(Width::w32);
      emit(Code::zext16, mask, use(at(offsets ? 4 : 3), Type::u16));
    }
    wide.in = {s, m, whole_address(at(2), Space::shared_cluster), mask};
  }
  for (std::size_t d = 1; d < map.items.size(); ++d) wide.in.push_back(use(map.items[d], Type::s32));
  if (offsets) {
    const std::size_t before = wide.in.size();
    use_all(at(3), Width::w32, Type::u16, wide.in);
    if (wide.k < 3 || wide.in.size() - before != wide.k - 2u) refuse("takes offsets of the middle dimensions");
  }
  emit_wide(std::move(wide));
  return true;
}

bool Lowering::warpgroup() {
  Wide wide;
  if (has("fence")) {
    emit(Code::nothing, none); // registers are written when an instruction is issued
    return true;
  }
  if (has("commit_group") || has("wait_group")) {
    wide.kind = has("commit_group") ? WideKind::wgmma_commit : WideKind::wgmma_wait;
    if (has("wait_group")) {
      if (at(0).kind != Operand::Kind::integer) refuse("the number of groups is a constant");
      wide.n = static_cast<std::uint16_t>(std::clamp<std::int64_t>(at(0).value, 0, 65535));
    }
    emit_wide(std::move(wide));
    return true;
  }
  const auto t = types();
  const bool sparse = has("sp");
  if (!has("mma_async") || t.size() != 3 || !matrix_shape(wide) || wide.m != 64 || wide.n % 8 != 0) unsupported();
  wide.kind = WideKind::wgmma;
  wide.d = wide.c = t[0];
  wide.a = t[1];
  wide.b = t[2];
  const unsigned bits = ptx::bits_of(wide.a);
  const bool whole = wide.a == Type::s8 || wide.a == Type::u8, half = wide.a == Type::f16 || wide.a == Type::bf16;
  if (bits < 8 || bits > 32 || wide.k * bits != (sparse ? 512 : 256) ||
      (wide.d != Type::f32 && wide.d != Type::f16 && wide.d != Type::s32))
    unsupported();
  wide.saturate = has("satfinite");
  const Operand &to = at(0), &a = at(1);
  if (to.kind != Operand::Kind::vector) refuse("D is a vector of registers");
  if (a.kind == Operand::Kind::vector) {
    wide.flags |= wide_a_registers;
    use_all(a, Width::w32, Type::b32, wide.in);
    if (wide.in.size() != 4) refuse("A has four registers");
    wide.counts[0] = 4;
  } else {
    wide.in.push_back(use(a, Type::b64));
  }
  wide.in.push_back(use(at(2), Type::b64));
  use_all(to, Width::w32, wide.d, wide.in);
  define_all(to, Width::w32, wide.out);
  if (wide.out.size() * (wide.d == Type::f16 ? 2 : 1) * 2 != wide.n) refuse("D does not fit the shape");
  std::size_t after = 3; // the operands that both forms end with
  if (sparse) {
    after = 5;
    wide.in.push_back(use(at(3), Type::b32));
    if (at(4).kind != Operand::Kind::integer) refuse("the sparsity selector is a constant");
    if (at(4).value < 0 || at(4).value > (bits == 8 ? 0 : 1)) refuse("no such sparsity selector");
    wide.flags |= wide_sparse;
    wide.selector = static_cast<std::uint8_t>(at(4).value);
  }
  const auto immediate = [&](std::size_t n) -> std::int64_t {
    n += after - 3;
    if (n >= now_->operands.size()) return 0;
    if (at(n).kind != Operand::Kind::integer) refuse("scales and transpositions are constants");
    return at(n).value;
  };
  if (now_->operands.size() > after) {
    bool negated = false;
    wide.in.push_back(use_predicate(at(after), negated));
    wide.flags |= wide_scaled;
  }
  if (!whole) {
    if (immediate(4) < 0) wide.flags |= wide_negate_a;
    if (immediate(5) < 0) wide.flags |= wide_negate_b;
    if (half) {
      const bool registers = (wide.flags & wide_a_registers) != 0;
      if (!registers && immediate(6) != 0) wide.flags |= wide_trans_a;
      if (immediate(registers ? 6 : 7) != 0) wide.flags |= wide_trans_b;
    }
  }
  emit_wide(std::move(wide));
  return true;
}

} // namespace aicf::emulator
