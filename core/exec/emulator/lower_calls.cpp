// Calls: of functions of the text, of one of several by address, and of what CUDA's device runtime offers.
#include "core/exec/emulator/address_space.hpp"
#include "core/exec/emulator/lower.hpp"

namespace aicf::emulator {

using ptx::Space;

namespace {

std::size_t count(const ptx::Operand* o) { return o == nullptr ? 0 : o->items.size(); }

} // namespace

/// call[.uni] [(results),] target[, (arguments)][, prototype or list of targets]
bool Lowering::calls() {
  std::size_t n = 0;
  const Operand* results = at(0).kind == Operand::Kind::vector ? &at(n++) : nullptr;
  const Operand& target = at(n++);
  const Operand* arguments = now_->operands.size() > n && at(n).kind == Operand::Kind::vector ? &at(n) : nullptr;
  if (target.kind == Operand::Kind::reg) {
    indirect_call(results, target, arguments);
    return true;
  }
  if (target.kind != Operand::Kind::function) refuse("the target is no function");
  const auto found = function_named_.find(target.name);
  if (found != function_named_.end() && module_.functions[found->second].defined) {
    call_function(code_of_.at(found->second), results, arguments);
    return true;
  }
  if (!call_of_system(results, target.name, arguments))
    unsupported("'" + std::string(target.name) + "' is not defined in this text");
  return true;
}

/// Parameters are copied between thread-private places.
void Lowering::call_function(std::size_t index, const Operand* results, const Operand* arguments) {
  const FunctionCode& callee = functions[index];
  const ptx::Function& f = *callee.source;
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
    const std::int32_t number = ~theirs;
    const auto& r = f.registers[static_cast<std::size_t>(number)];
    const std::int32_t reg = callee.first_register + number;
    const Width w = width_of(r.type);
    const std::int32_t own = in ? use(mine, w, r.type) : define(mine, w);
    emit(w == Width::pred  ? Code::pred_mov
         : w == Width::w64 ? Code::mov_b64
                           : Code::mov_b32,
         in ? reg : own, in ? own : reg);
  };
  for (std::size_t k = 0; k < count(arguments); ++k) copy(arguments->items[k], f.params[k], true);
  primary_ = true;
  emit(Code::call, none).aux = static_cast<std::uint32_t>(index);
  code_->calls.push_back(index);
  for (std::size_t k = 0; k < count(results); ++k) copy(results->items[k], f.results[k], false);
}

/// A chain over the functions whose address is taken and whose parameters fit: each is called by the lanes that mean
/// it.
void Lowering::indirect_call(const Operand* results, const Operand& target, const Operand* arguments) {
  const std::int32_t address = use(target, Type::u64), outer = guard_;
  const bool outer_negated = guard_negated_;
  const auto fits = [&](const ptx::Function& f) {
    if (f.params.size() != count(arguments) || f.results.size() < count(results)) return false;
    const auto same = [&](const Operand& mine, std::int32_t theirs) {
      return theirs >= 0 && mine.kind == Operand::Kind::variable && mine.index >= 0 &&
             variable(mine).bytes >= f.variables[static_cast<std::size_t>(theirs)].bytes;
    };
    for (std::size_t k = 0; k < count(arguments); ++k)
      if (!same(arguments->items[k], f.params[k])) return false;
    for (std::size_t k = 0; k < count(results); ++k)
      if (!same(results->items[k], f.results[k])) return false;
    return true;
  };
  primary_ = false;
  const std::int32_t left = fresh(Width::pred);
  if (outer == none)
    emit(Code::pred_mov, left, constant32(~0u));
  else {
    guard_ = none;
    emit(Code::pred_mov, left, outer).flag = outer_negated ? 2 : 0;
  }
  guard_negated_ = false;
  for (const std::size_t function : addressed_) {
    const auto it = code_of_.find(function);
    if (it == code_of_.end() || it->second >= static_cast<std::size_t>(code_ - functions.data()) ||
        !fits(module_.functions[function]))
      continue;
    guard_ = none;
    const std::int32_t mine = fresh(Width::pred);
    emit(Code::eq_u64, mine, address, constant64(code_address(function)));
    emit(Code::pred_and, mine, mine, left);
    emit(Code::pred_and, left, left, mine).flag = 1; // left and not mine
    guard_ = mine;
    call_function(it->second, results, arguments);
    primary_ = false;
  }
  guard_ = left;
  Op& op = emit(Code::unsupported, none);
  op.aux = static_cast<std::uint32_t>(program_.texts.size());
  program_.texts.push_back("an indirect call of an address that is no function of this text with these parameters");
  guard_ = outer;
  guard_negated_ = outer_negated;
}

std::uint64_t Lowering::code_address(std::size_t function) { return code_base + 16 * function; }

/// The value of an argument, a .param variable of this function or a register.
std::int32_t Lowering::parameter_value(const Operand& o, Width w) {
  if (o.kind != Operand::Kind::variable || o.index < 0) return use(o, w, w == Width::w64 ? Type::u64 : Type::u32);
  Access access;
  access.space = Space::local;
  access.type = w == Width::w64 ? Type::u64 : Type::u32;
  access.bytes = w == Width::w64 ? 8 : 4;
  if (variable(o).bytes < access.bytes) refuse("an argument is too small");
  access.wide[0] = w == Width::w64;
  access.registers[0] = fresh(w);
  const std::int32_t d = access.registers[0];
  Op& op = emit(Code::load, none, constant64(code_->variable_offset[static_cast<std::size_t>(o.index)]));
  op.aux = static_cast<std::uint32_t>(program_.accesses.size());
  program_.accesses.push_back(access);
  return d;
}

/// vprintf(format, arguments) -> int; __assertfail(message, file, line, function, size); malloc(bytes) -> p; free(p).
bool Lowering::call_of_system(const Operand* results, std::string_view name, const Operand* arguments) {
  struct Service {
    std::string_view name;
    WideKind kind;
    std::vector<Width> arguments;
    bool result;
    Width width;
  };
  static const std::vector<Service> services{
      {"vprintf", WideKind::print, {Width::w64, Width::w64}, true, Width::w32},
      {"__assertfail", WideKind::assertion, {Width::w64, Width::w64, Width::w32, Width::w64}, false, Width::w32},
      {"malloc", WideKind::allocate, {Width::w64}, true, Width::w64},
      {"free", WideKind::release, {Width::w64}, false, Width::w32}};
  for (const Service& s : services) {
    if (s.name != name) continue;
    if (count(arguments) < s.arguments.size()) refuse("the arguments do not fit '" + std::string(name) + "'");
    Wide wide;
    wide.kind = s.kind;
    primary_ = false;
    for (std::size_t k = 0; k < s.arguments.size(); ++k)
      wide.in.push_back(parameter_value(arguments->items[k], s.arguments[k]));
    primary_ = true;
    const std::int32_t d = fresh(s.width);
    if (s.result) wide.out.push_back(d);
    emit_wide(std::move(wide));
    if (!s.result || count(results) == 0) return true;
    const Operand& to = results->items[0];
    if (to.kind != Operand::Kind::variable || to.index < 0) {
      emit(s.width == Width::w64 ? Code::mov_b64 : Code::mov_b32, define(to, s.width), d);
      return true;
    }
    Access access;
    access.is_store = true;
    access.space = Space::local;
    access.type = s.width == Width::w64 ? Type::u64 : Type::u32;
    access.bytes = s.width == Width::w64 ? 8 : 4;
    access.wide[0] = s.width == Width::w64;
    access.registers[0] = d;
    Op& op = emit(Code::store, none, constant64(code_->variable_offset[static_cast<std::size_t>(to.index)]));
    op.aux = static_cast<std::uint32_t>(program_.accesses.size());
    program_.accesses.push_back(access);
    return true;
  }
  return false;
}

} // namespace aicf::emulator
