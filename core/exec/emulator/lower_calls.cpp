// Calls: of functions of the text, of one of several by address, and of what CUDA's device runtime offers.
#include "core/exec/emulator/address_space.hpp"
#include "core/exec/emulator/lower.hpp"

#include <utility>

namespace aicf::emulator {

using ptx::Space;

bool Lowering::calls() {
  const CallOperands call = call_operands(*now_);
  if (call.target == nullptr) refuse("the target is missing");
  const Operand& target = *call.target;
  if (target.kind == Operand::Kind::reg) {
    indirect_call(call);
    return true;
  }
  if (target.kind != Operand::Kind::function) refuse("the target is no function");
  const auto found = function_named_.find(target.name);
  if (found != function_named_.end() && module_.functions[found->second].defined) {
    if (module_.functions[found->second].entry) refuse("the target is a kernel");
    call_function(code_of_.at(found->second), call);
    return true;
  }
  if (!call_of_system(call.results, target.name, call.arguments))
    unsupported("'" + std::string(target.name) + "' is not defined in this text");
  return true;
}

/// Parameters are copied between thread-private places; those of a frame on the stack are counted from its end.
void Lowering::call_function(std::size_t index, const CallOperands& call) {
  const FunctionCode& callee = functions[index];
  const ptx::Function& f = *callee.source;
  if (item_count(call.arguments) != f.params.size() || item_count(call.results) > f.results.size())
    refuse("the arguments do not fit '" + std::string(f.name) + "'");
  primary_ = false; // the copies are part of the call
  if (callee.recursive) {
    Op& op = emit(Code::stack_room, none);
    op.size = callee.frame_bytes;
    op.aux = static_cast<std::uint32_t>(program_.texts.size());
    program_.texts.emplace_back(f.name);
  }
  for (std::size_t k = 0; k < item_count(call.arguments); ++k)
    move_parameter(callee, call.arguments->items[k], f.params[k], true);
  primary_ = true;
  Op& op = emit(Code::call, none);
  op.aux = static_cast<std::uint32_t>(index);
  op.size = callee.recursive ? callee.frame_bytes : 0;
  op.flag = callee.recursive && callee.component == code_->component ? 1 : 0;
  op.imm = -1;
  for (std::size_t k = 0; k < item_count(call.results); ++k)
    move_parameter(callee, call.results->items[k], f.results[k], false);
}

/// One argument or result; outside the call the callee's frame, if it has one, lies at the end of the stack.
void Lowering::move_parameter(const FunctionCode& callee, const Operand& mine, std::int32_t theirs, bool in) {
  const ptx::Function& f = *callee.source;
  if (theirs >= 0) {
    const auto& v = f.variables[static_cast<std::size_t>(theirs)];
    const std::uint32_t other = callee.variable_offset[static_cast<std::size_t>(theirs)];
    if (mine.kind != Operand::Kind::variable || mine.index < 0 || variable(mine).bytes < v.bytes)
      refuse("an argument does not fit '" + std::string(v.name) + "'");
    std::uint32_t own = code_->variable_offset[static_cast<std::size_t>(mine.index)];
    if (code_->recursive) own -= code_->frame_bytes; // below the end of the stack
    const bool to_stack = in ? callee.recursive : code_->recursive;
    const bool from_stack = in ? code_->recursive : callee.recursive;
    Op& op = emit(Code::param_copy, none);
    op.imm = static_cast<std::int32_t>(in ? other : own);
    op.aux = in ? own : other;
    op.size = static_cast<std::uint32_t>(v.bytes);
    op.flag = static_cast<std::uint8_t>((to_stack ? param_to_stack : 0) | (from_stack ? param_from_stack : 0));
    return;
  }
  const std::int32_t number = ~theirs;
  const auto& r = f.registers[static_cast<std::size_t>(number)];
  const Width w = width_of(r.type);
  const std::int32_t own = in ? use(mine, w, r.type) : define(mine, w);
  if (callee.recursive) {
    access_slot(callee, number, own, 0, in);
    return;
  }
  const std::int32_t reg = callee.first_register + number;
  emit(w == Width::pred  ? Code::pred_mov
       : w == Width::w64 ? Code::mov_b64
                         : Code::mov_b32,
       in ? reg : own, in ? own : reg);
}

/// The place of a register parameter in a frame of `code` that begins `from_top` bytes from the end of the stack.
void Lowering::access_slot(const FunctionCode& code, std::int32_t number, std::int32_t value, std::int64_t from_top,
                           bool store) {
  const auto n = static_cast<std::size_t>(number);
  const bool wide = width_of(code.source->registers[n].type) == Width::w64;
  Access access;
  access.is_store = store;
  access.of_function = true;
  access.space = Space::local;
  access.type = wide ? Type::u64 : Type::u32;
  access.bytes = wide ? 8 : 4;
  access.wide[0] = wide;
  access.registers[0] = value;
  Op& op = emit(store ? Code::store : Code::load, none, stack_pointer);
  op.imm = from_top + code.register_slot[n];
  op.aux = static_cast<std::uint32_t>(program_.accesses.size());
  program_.accesses.push_back(access);
}

void Lowering::load_register_parameters() {
  if (!code_->recursive) return;
  Instruction begin{};
  begin.line = source_->line;
  now_ = &begin;
  guard_ = none;
  guard_negated_ = primary_ = false;
  for (const std::int32_t p : source_->params)
    if (p < 0) access_slot(*code_, ~p, code_->first_register + ~p, -std::int64_t{code_->frame_bytes}, false);
}

void Lowering::return_from_function() {
  const bool counts = std::exchange(primary_, false);
  if (code_->recursive)
    for (const std::int32_t p : source_->results)
      if (p < 0) access_slot(*code_, ~p, code_->first_register + ~p, -std::int64_t{code_->frame_bytes}, true);
  primary_ = counts;
  emit(source_->entry ? Code::exit : Code::ret, none);
}

/// A chain over the functions whose address is taken and whose parameters fit: each is called by the lanes that mean
/// it.
void Lowering::indirect_call(const CallOperands& call) {
  const std::int32_t address = use(*call.target, Type::u64), outer = guard_;
  const bool outer_negated = guard_negated_;
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
    if (!may_call(*source_, call, module_.functions[function])) continue;
    guard_ = none;
    const std::int32_t mine = fresh(Width::pred);
    emit(Code::eq_u64, mine, address, constant64(code_address(function)));
    emit(Code::pred_and, mine, mine, left);
    emit(Code::pred_and, left, left, mine).flag = 1; // left and not mine
    guard_ = mine;
    call_function(code_of_.at(function), call);
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
  const std::int32_t from = private_address(static_cast<std::size_t>(o.index));
  Op& op = emit(Code::load, none, from);
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
    if (item_count(arguments) < s.arguments.size()) refuse("the arguments do not fit '" + std::string(name) + "'");
    Wide wide;
    wide.kind = s.kind;
    primary_ = false;
    for (std::size_t k = 0; k < s.arguments.size(); ++k)
      wide.in.push_back(parameter_value(arguments->items[k], s.arguments[k]));
    primary_ = true;
    const std::int32_t d = fresh(s.width);
    if (s.result) wide.out.push_back(d);
    emit_wide(std::move(wide));
    if (!s.result || item_count(results) == 0) return true;
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
    const std::int32_t at = private_address(static_cast<std::size_t>(to.index));
    Op& op = emit(Code::store, none, at);
    op.aux = static_cast<std::uint32_t>(program_.accesses.size());
    program_.accesses.push_back(access);
    return true;
  }
  return false;
}

} // namespace aicf::emulator
