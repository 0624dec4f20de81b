// Branches, calls, barriers, and what the lanes of a warp do together.
#include "core/exec/emulator/lower.hpp"

#include <algorithm>

namespace aicf::emulator {

using ptx::Type;

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
    emit(source_->entry ? Code::exit : Code::ret, none);
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
  if (base == "nanosleep" || base == "pmevent" || base == "setmaxnreg" || base == "griddepcontrol") {
    emit(Code::nothing, none); // no effect on what is computed here
    return true;
  }
  if (base == "membar" || base == "fence") {
    if (has("proxy") || has("mbarrier_init")) unsupported();
    emit(Code::fence, none);
    return true;
  }
  if (base == "call") return calls();
  if (base != "bar" && base != "barrier") return false;

  if (has("warp")) {
    emit(Code::warp_sync, none, use(at(0), Type::u32));
    return true;
  }
  if (has("cluster")) {
    emit(Code::cluster_barrier, none).flag = has("arrive") ? 1 : 2;
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
  if (reduces) op.c = use_predicate(at(n), negated);
  Op& out = emit(Code::barrier, op.d, op.a, op.b, op.c);
  out.flag = op.flag;
  out.imm = negated ? 1 : 0;
  return true;
}

/// call[.uni] [(results),] name[, (arguments)]: parameters are copied between thread-private places.
bool Lowering::calls() {
  std::size_t n = 0;
  const Operand* results = at(0).kind == Operand::Kind::vector ? &at(n++) : nullptr;
  const Operand& name = at(n++);
  const Operand* arguments = now_->operands.size() > n ? &at(n) : nullptr;
  if (name.kind != Operand::Kind::function) unsupported("an indirect call");
  const auto found = function_named_.find(name.name);
  if (name.name == "__assertfail") {
    emit(Code::assertion, none);
    return true;
  }
  if (found == function_named_.end() || !module_.functions[found->second].defined)
    unsupported("'" + std::string(name.name) + "' is not defined in this text");
  const std::size_t callee_index = code_of_.at(found->second);
  const FunctionCode& callee = functions[callee_index];
  const ptx::Function& f = *callee.source;
  const auto count = [](const Operand* o) { return o == nullptr ? 0 : o->items.size(); };
  if (count(arguments) != f.params.size() || count(results) > f.results.size())
    refuse("the arguments do not fit '" + std::string(f.name) + "'");
  primary_ = false; // the copies are part of the call
  const auto copy = [&](const Operand& mine, std::int32_t theirs, bool in) {
    if (theirs >= 0) {
      const auto& v = f.variables[static_cast<std::size_t>(theirs)];
      const std::uint32_t other = callee.variable_offset[static_cast<std::size_t>(theirs)];
      if (mine.kind != Operand::Kind::variable || mine.index < 0 || variable(mine).bytes < v.bytes)
        refuse("an argument does not fit '" + std::string(v.name) + "'");
      const std::uint32_t own = code_->variable_offset[static_cast<std::size_t>(mine.index)];
      Op& op = emit(Code::param_copy, none);
      op.imm = in ? other : own;
      op.aux = in ? own : other;
      op.size = static_cast<std::uint32_t>(v.bytes);
      return;
    }
    const auto& r = f.registers[static_cast<std::size_t>(~theirs)];
    const std::int32_t reg = callee.first_register + ~theirs;
    const Width w = width_of(r.type);
    const std::int32_t own = in ? use(mine, w, r.type) : define(mine, w);
    emit(w == Width::pred  ? Code::pred_mov
         : w == Width::w64 ? Code::mov_b64
                           : Code::mov_b32,
         in ? reg : own, in ? own : reg);
  };
  for (std::size_t k = 0; k < count(arguments); ++k) copy(arguments->items[k], f.params[k], true);
  primary_ = true;
  emit(Code::call, none).aux = static_cast<std::uint32_t>(callee_index);
  code_->calls.push_back(callee_index);
  for (std::size_t k = 0; k < count(results); ++k) copy(results->items[k], f.results[k], false);
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
