// Branches, calls, barriers, and what the lanes of a warp do together.
#include "core/exec/emulator/lower.hpp"

#include <algorithm>

namespace aicf::emulator {

bool Lowering::control() {
  const auto base = opcode();
  if (base == "bra") {
    const Operand& target = at(0);
    if (target.kind != Operand::Kind::label) refuse("the target is no label");
    emit(Code::branch, none).aux = static_cast<std::uint32_t>(target.index);
    return true;
  }
  if (base == "brx") {
    const Operand& list = at(1);
    if (list.kind != Operand::Kind::vector) refuse("the targets are no .branchtargets list");
    std::vector<std::uint32_t> table;
    for (const Operand& o : list.items) table.push_back(static_cast<std::uint32_t>(o.index));
    emit(Code::branch_table, none, use(at(0), Type::u32)).aux = static_cast<std::uint32_t>(program_.tables.size());
    program_.tables.push_back(std::move(table));
    return true;
  }
  if (base == "ret") {
    return_from_function();
    return true;
  }
  if (base == "exit") {
    emit(Code::exit, none);
    return true;
  }
  if (base == "trap" || base == "brkpt") {
    emit(Code::trap, none);
    return true;
  }
  if (base == "setmaxnreg") {
    Wide wide;
    wide.kind = WideKind::registers;
    if (has("inc") == has("dec") || !has("sync") || !has("aligned")) refuse("is .inc or .dec, and .sync.aligned");
    if (has("inc")) wide.flags = wide_increases;
    if (at(0).kind != Operand::Kind::integer) refuse("the number of registers is a constant");
    if (at(0).value < 24 || at(0).value > 256 || at(0).value % 8 != 0)
      refuse("the number of registers is a multiple of 8 from 24 to 256");
    wide.n = static_cast<std::uint16_t>(at(0).value);
    emit_wide(std::move(wide));
    return true;
  }
  if (base == "griddepcontrol" && !has("wait") && !has("launch_dependents")) unsupported();
  // The grids before this one have ended, and none starts early: nothing to wait for.
  if (base == "nanosleep" || base == "pmevent" || base == "griddepcontrol") {
    emit(Code::nothing, none);
    return true;
  }
  if (base == "membar" || base == "fence") {
    const bool proxy = has("proxy");
    if (proxy && !has("async") && !has("async::generic") && !has("async::global") && !has("async::shared::cta") &&
        !has("async::shared::cluster"))
      unsupported();
    if (proxy) program_.async_proxy = true;
    if (!has("cta")) program_.orders_blocks = true;
    emit(Code::fence, none).flag = static_cast<std::uint8_t>((has("cta") ? 0 : 1) | (proxy ? 2 : 0));
    return true;
  }
  if (base == "call") return calls();
  if (base != "bar" && base != "barrier") return false;

  if (has("warp")) {
    emit(Code::warp_sync, none, use(at(0), Type::u32));
    return true;
  }
  if (has("cluster")) {
    if (has("arrive") == has("wait")) unsupported();
    Op& out = emit(Code::cluster_barrier, none);
    out.flag = static_cast<std::uint8_t>(has("arrive") ? 1 | (has("relaxed") ? 4 : 0) : 2);
    out.size = has("aligned") ? 0 : 1;
    return true;
  }
  Op op;
  std::size_t n = 0;
  bool negated = false;
  if (has("red")) {
    const bool population = has("popc");
    op.flag = static_cast<std::uint8_t>(population   ? BarrierKind::red_popc
                                        : has("and") ? BarrierKind::red_and
                                                     : BarrierKind::red_or);
    op.d = define(at(n++), population ? Width::w32 : Width::pred);
  } else {
    op.flag = static_cast<std::uint8_t>(has("arrive") ? BarrierKind::arrive : BarrierKind::sync);
  }
  const bool reduces = op.flag >= static_cast<std::uint8_t>(BarrierKind::red_and);
  op.a = use(at(n++), Type::u32);
  if (now_->operands.size() > n + (reduces ? 1 : 0)) op.b = use(at(n++), Type::u32);
  if (has("arrive") && op.b == none) refuse("arrive names a number of threads");
  if (reduces) op.c = use_predicate(at(n), negated);
  Op& out = emit(Code::barrier, op.d, op.a, op.b, op.c);
  out.flag = op.flag;
  out.imm = negated ? 1 : 0;
  out.size = base == "bar" || has("aligned") ? 0 : 1; // bar is barrier.cta.aligned
  return true;
}

bool Lowering::warp_level() {
  const auto base = opcode();
  if (base == "activemask") {
    emit(Code::active_mask, define(at(0), Width::w32));
    return true;
  }
  if (base == "vote") {
    bool negated = false;
    if (has("ballot")) {
      const std::int32_t d = define(at(0), Width::w32), p = use_predicate(at(1), negated);
      const std::int32_t members = has("sync") ? use(at(2), Type::u32) : none;
      emit(Code::pred_to_mask, d, p, members).flag = negated ? 1 : 0;
      return true;
    }
    const Code code = has("all")   ? Code::vote_all
                      : has("any") ? Code::vote_any
                      : has("uni") ? Code::vote_uni
                                   : Code::nothing;
    if (code == Code::nothing) unsupported();
    const std::int32_t d = define(at(0), Width::pred), p = use_predicate(at(1), negated);
    emit(code, d, p, has("sync") ? use(at(2), Type::u32) : none).flag = negated ? 1 : 0;
    return true;
  }
  if (base == "shfl") {
    if (!has("sync")) unsupported();
    const Operand& to = at(0);
    const bool pair = to.kind == Operand::Kind::pair;
    const std::int32_t d = define(pair ? to.items[0] : to, Width::w32);
    const std::int32_t p = pair ? define(to.items[1], Width::pred) : none;
    const ShuffleMode mode = has("up")     ? ShuffleMode::up
                             : has("down") ? ShuffleMode::down
                             : has("bfly") ? ShuffleMode::bfly
                                           : ShuffleMode::idx;
    const std::int32_t a = use(at(1), Type::b32), b = use(at(2), Type::u32), c = use(at(3), Type::u32);
    const std::int32_t members = use(at(4), Type::u32);
    Op& op = emit(Code::shuffle, d, a, b, c);
    op.flag = static_cast<std::uint8_t>(mode);
    op.e = members;
    op.f = p;
    return true;
  }
  if (base == "match") {
    const bool wide = last_type() == Type::b64;
    const Operand& to = at(0);
    const bool pair = to.kind == Operand::Kind::pair;
    const std::int32_t d = define(pair ? to.items[0] : to, Width::w32);
    const std::int32_t p = pair ? define(to.items[1], Width::pred) : none;
    const std::int32_t a = use(at(1), last_type()), members = use(at(2), Type::u32);
    Op& op = emit(has("any") ? Code::match_any : Code::match_all, d, a, members);
    op.flag = wide ? 1 : 0;
    op.f = p;
    return true;
  }
  if (base == "redux") {
    const Type type = last_type();
    const bool sign = ptx::is_signed(type);
    if (ptx::is_float(type)) unsupported();
    const ReduceKind kind = has("add")   ? ReduceKind::add
                            : has("min") ? (sign ? ReduceKind::min_s : ReduceKind::min_u)
                            : has("max") ? (sign ? ReduceKind::max_s : ReduceKind::max_u)
                            : has("and") ? ReduceKind::bit_and
                            : has("or")  ? ReduceKind::bit_or
                                         : ReduceKind::bit_xor;
    const std::int32_t d = define(at(0), Width::w32), a = use(at(1), type), members = use(at(2), Type::u32);
    emit(Code::reduce, d, a, members).flag = static_cast<std::uint8_t>(kind);
    return true;
  }
  if (base == "elect") {
    const Operand& to = at(0);
    if (to.kind != Operand::Kind::pair) refuse("writes d|p");
    const std::int32_t d = define(to.items[0], Width::w32), p = define(to.items[1], Width::pred);
    Op& op = emit(Code::elect, d, use(at(1), Type::u32));
    op.f = p;
    return true;
  }
  if (base == "mapa") {
    const bool wide = last_type() == Type::u64;
    const std::int32_t d = define(at(0), width_of(last_type()));
    const std::int32_t a = use(at(1), last_type()), rank = use(at(2), Type::u32);
    Op& op = emit(Code::map_shared, d, a, rank);
    op.flag = static_cast<std::uint8_t>((wide ? 1 : 0) | (has("shared::cluster") ? 2 : 0));
    return true;
  }
  unsupported();
}

} // namespace aicf::emulator
