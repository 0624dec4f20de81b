#include "core/exec/emulator/lower.hpp"

#include "core/exec/emulator/address_space.hpp"
#include "core/exec/emulator/lane_math.hpp"

#include <algorithm>

namespace aicf::emulator {
namespace {

template <class T> constexpr Width lane_width = sizeof(T) == 8 ? Width::w64 : Width::w32;

struct Named {
  std::string_view canonical;
  LaneInfo info;
};

// sqrt, abs and the like are enumerators of Code here, never the functions of <cmath>.
const std::vector<Named>& lane_table() {
  static const std::vector<Named> table{
#define LANE1(name, canonical, D, A, expression)                                                                       \
  {canonical, {Code::name, false, 1, lane_width<D>, {lane_width<A>, Width::w32, Width::w32}}},
#define LANE2(name, canonical, D, A, B, expression)                                                                    \
  {canonical, {Code::name, false, 2, lane_width<D>, {lane_width<A>, lane_width<B>, Width::w32}}},
#define LANE3(name, canonical, D, A, B, C, expression)                                                                 \
  {canonical, {Code::name, false, 3, lane_width<D>, {lane_width<A>, lane_width<B>, lane_width<C>}}},
#define TEST1(name, canonical, A, expression)                                                                          \
  {canonical, {Code::name, true, 1, Width::pred, {lane_width<A>, Width::w32, Width::w32}}},
#define TEST2(name, canonical, A, B, expression)                                                                       \
  {canonical, {Code::name, true, 2, Width::pred, {lane_width<A>, lane_width<B>, Width::w32}}},
#include "core/exec/emulator/lane_ops.def"
#undef LANE1
#undef LANE2
#undef LANE3
#undef TEST1
#undef TEST2
  };
  return table;
}

constexpr std::uint64_t max_frame_memory = std::uint64_t{1} << 26; ///< bytes of static shared or private memory
constexpr std::uint64_t max_variable_memory = std::uint64_t{1} << 30;
constexpr std::uint32_t max_parameter_bytes = 32764; ///< of a kernel
constexpr std::size_t max_operations = std::size_t{1} << 20;
constexpr std::uint32_t frame_align = 32; ///< of a function's frame, and of the stack: no access is larger

} // namespace

const LaneInfo* lane_info(std::string_view canonical) {
  static const auto index = [] {
    std::unordered_map<std::string_view, const LaneInfo*> map;
    for (const auto& n : lane_table())
      if (!n.canonical.empty()) map.emplace(n.canonical, &n.info);
    return map;
  }();
  const auto it = index.find(canonical);
  return it == index.end() ? nullptr : it->second;
}

const LaneInfo* lane_info(Code code) {
  return code < Code::first_special ? &lane_table()[static_cast<std::size_t>(code)].info : nullptr;
}

void Lowering::refuse(const std::string& message) {
  if (errors_.size() < 20)
    errors_.push_back(error("ptx.operand", std::string(now_->text) + ": " + message, Span{"ptx", now_->line, 0, 0}));
  throw Refused{};
}

void Lowering::unsupported(const std::string& why) { throw Unsupported{why}; }

void Lowering::place_variables(const ptx::Function& f, FunctionCode& code) {
  const auto place = [&](std::uint32_t& size, const ptx::Variable& v) {
    const std::uint64_t at = (std::uint64_t{size} + v.align - 1) / v.align * v.align;
    if (at + v.bytes > max_frame_memory) {
      errors_.push_back(error("ptx.memory", "the variables of '" + std::string(f.name) + "' take more than 64 MiB",
                              Span{"ptx", v.line, 0, 0}));
      return std::uint32_t{0};
    }
    size = static_cast<std::uint32_t>(at + v.bytes);
    return static_cast<std::uint32_t>(at);
  };
  code.variable_offset.assign(f.variables.size(), 0);
  std::vector<bool> kernel_parameter(f.variables.size(), false);
  if (f.entry)
    for (const auto p : f.params) {
      if (p < 0) continue;
      const auto n = static_cast<std::size_t>(p);
      kernel_parameter[n] = true;
      code.variable_offset[n] = place(program_.parameter_bytes, f.variables[n]);
      program_.parameters.emplace_back(code.variable_offset[n], static_cast<std::uint32_t>(f.variables[n].bytes));
      if (program_.parameter_bytes > max_parameter_bytes) {
        errors_.push_back(error("ptx.memory",
                                "the parameters of '" + std::string(f.name) + "' take " +
                                    std::to_string(program_.parameter_bytes) +
                                    " bytes: " + std::to_string(max_parameter_bytes) + " at most",
                                Span{"ptx", f.variables[n].line, 0, 0}));
        return;
      }
    }
  for (std::size_t n = 0; n < f.variables.size(); ++n) {
    const auto& v = f.variables[n];
    if (kernel_parameter[n]) continue;
    if (v.space == ptx::Space::shared && !v.dynamic)
      code.variable_offset[n] = place(program_.shared_bytes, v);
    else if (v.space == ptx::Space::local || v.space == ptx::Space::param)
      code.variable_offset[n] = place(code.recursive ? code.frame_bytes : program_.local_bytes, v);
    else if (v.space == ptx::Space::global || v.space == ptx::Space::constant) {
      code.variable_offset[n] = static_cast<std::uint32_t>(program_.variables.size());
      program_.variables.push_back(v);
    }
  }
  if (code.recursive) place_parameters(f, code);
}

/// Parameters of a recursive function that are registers pass through its frame.
void Lowering::place_parameters(const ptx::Function& f, FunctionCode& code) {
  code.register_slot.assign(f.registers.size(), 0);
  for (const auto* list : {&f.params, &f.results})
    for (const std::int32_t p : *list) {
      if (p >= 0) continue;
      const std::int32_t number = ~p;
      const auto n = static_cast<std::size_t>(number);
      const Type type = f.registers[n].type;
      if (type == Type::pred || type == Type::b128)
        errors_.push_back(error("ptx.operand",
                                "'" + std::string(f.registers[n].name) + "' of '" + std::string(f.name) +
                                    "', which is recursive, is no parameter of 16 to 64 bits",
                                Span{"ptx", f.line, 0, 0}));
      code.frame_bytes = (code.frame_bytes + 7) / 8 * 8;
      code.register_slot[n] = code.frame_bytes;
      code.frame_bytes += 8;
    }
  std::uint32_t align = frame_align;
  for (const auto& v : f.variables) align = std::max(align, v.align);
  program_.stack_align = std::max(program_.stack_align, align);
  if (stack_pointer == none) stack_pointer = fresh(Width::w64);
}

bool Lowering::run(std::string_view entry) {
  CallOrder calls;
  if (!order_functions(entry, calls)) return false;
  const auto& order = calls.functions;
  program_.entry = std::string(entry);
  program_.variables = module_.variables;
  std::uint32_t size = 0;
  for (auto& v : program_.variables) {
    if (v.space != ptx::Space::shared || v.dynamic) continue;
    size = (size + v.align - 1) / v.align * v.align;
    const auto at = size;
    if (size + v.bytes > max_frame_memory) {
      errors_.push_back(error("ptx.memory", "the shared variables take more than 64 MiB", Span{"ptx", v.line, 0, 0}));
      return false;
    }
    size += static_cast<std::uint32_t>(v.bytes);
    v.bytes = at; // from here on the offset: shared variables have no initial value
  }
  program_.shared_bytes = size;
  functions.resize(order.size());
  for (std::size_t n = 0; n < order.size(); ++n) {
    const auto& f = module_.functions[order[n]];
    FunctionCode& code = functions[n];
    code_of_[order[n]] = n;
    code.source = &f;
    code.component = calls.component[order[n]];
    code.recursive = calls.recursive[order[n]];
    code.first_register = static_cast<std::int32_t>(width.size());
    for (const auto& r : f.registers) width.push_back(width_of(r.type));
    for (const auto& r : f.registers)
      if (r.type == Type::b128) width.push_back(Width::w64);
    code.register_count = static_cast<std::int32_t>(width.size()) - code.first_register;
  }
  for (std::size_t n = 0; n < order.size(); ++n) place_variables(module_.functions[order[n]], functions[n]);
  if (stack_pointer != none) {
    const auto whole = [&](std::uint32_t bytes) {
      return (bytes + program_.stack_align - 1) / program_.stack_align * program_.stack_align;
    };
    program_.local_bytes = whole(program_.local_bytes);
    for (FunctionCode& code : functions) code.frame_bytes = whole(code.frame_bytes);
  }
  program_.shared_bytes = (program_.shared_bytes + 15) / 16 * 16;
  std::uint64_t stored = 0;
  for (const auto& v : program_.variables) {
    if (v.space != ptx::Space::global && v.space != ptx::Space::constant) continue;
    stored += v.bytes;
    if (stored <= max_variable_memory) continue;
    errors_.push_back(
        error("ptx.memory", "the variables in global memory take more than 1 GiB", Span{"ptx", v.line, 0, 0}));
    return false;
  }
  std::copy_n(module_.functions[order.back()].cluster, 3, program_.cluster.begin());
  const ptx::Function& kernel = module_.functions[order.back()];
  program_.max_cluster_rank = kernel.max_cluster_rank;
  program_.registers = kernel.max_registers;
  std::copy_n(kernel.block, 3, program_.block.begin());
  program_.max_threads = kernel.max_threads;
  for (std::size_t n = 0; n < order.size() && operations_ <= max_operations; ++n) function(n);
  return errors_.empty();
}

void Lowering::function(std::size_t index) {
  code_ = &functions[index];
  source_ = code_->source;
  carry_ = none;
  load_register_parameters();
  for (const Instruction& i : source_->body) {
    code_->first_op.push_back(static_cast<std::uint32_t>(code_->ops.size()));
    instruction(i);
    if (operations_ + code_->ops.size() <= max_operations) continue;
    errors_.push_back(error("ptx.size", "the program makes more than 1048576 operations", Span{"ptx", i.line, 0, 0}));
    operations_ = max_operations + 1;
    return;
  }
  operations_ += code_->ops.size();
  code_->first_op.push_back(static_cast<std::uint32_t>(code_->ops.size()));
  const Instruction end{};
  now_ = &end;
  guard_ = none;
  guard_negated_ = false;
  primary_ = false;
  return_from_function();
}

void Lowering::instruction(const Instruction& i) {
  now_ = &i;
  guard_ = i.guard >= 0 ? code_->first_register + i.guard : none;
  guard_negated_ = i.guard_negated;
  primary_ = true;
  const std::size_t before = code_->ops.size();
  std::string why;
  try {
    if (move() || memory() || tensor() || control() || arithmetic() || comparison() || conversion() || warp_level())
      return;
  } catch (const Refused&) {
    return;
  } catch (const Unsupported& u) {
    why = u.why;
  }
  code_->ops.resize(before);
  code_->lines.resize(before);
  code_->costs.resize(before);
  guard_ = i.guard >= 0 ? code_->first_register + i.guard : none;
  guard_negated_ = i.guard_negated;
  primary_ = true;
  Op& op = emit(Code::unsupported, none);
  op.aux = static_cast<std::uint32_t>(program_.texts.size());
  program_.texts.push_back("instruction '" + std::string(i.text) + "' is not supported" +
                           (why.empty() ? "" : ": " + why));
}

Op& Lowering::emit(Code code, std::int32_t d, std::int32_t a, std::int32_t b, std::int32_t c) {
  Op op;
  op.code = code;
  op.guard = guard_;
  op.guard_negated = guard_negated_;
  op.d = d;
  op.a = a;
  op.b = b;
  op.c = c;
  op.counted = primary_;
  primary_ = false;
  code_->ops.push_back(op);
  code_->lines.push_back({now_->line, now_->cuda_line});
  code_->costs.push_back(op.counted ? cost_of(*now_) : Cost{});
  return code_->ops.back();
}

void Lowering::emit_lane(std::string_view canonical, std::int32_t d, std::int32_t a, std::int32_t b, std::int32_t c) {
  const LaneInfo* info = lane_info(canonical);
  if (info == nullptr) unsupported();
  emit(info->code, d, a, b, c);
}

bool Lowering::has(std::string_view part) const {
  return std::find(now_->parts.begin() + 1, now_->parts.end(), part) != now_->parts.end();
}

ptx::Type Lowering::last_type() const { return ptx::type_from(now_->parts.back()); }

std::uint32_t Lowering::vector_count() const { return has("v2") ? 2 : has("v4") ? 4 : has("v8") ? 8 : 1; }

Rounding Lowering::rounding_from(std::string_view p) {
  using R = Rounding;
  return p == "rn"    ? R::rn
         : p == "rz"  ? R::rz
         : p == "rm"  ? R::rm
         : p == "rp"  ? R::rp
         : p == "rni" ? R::rni
         : p == "rzi" ? R::rzi
         : p == "rmi" ? R::rmi
         : p == "rpi" ? R::rpi
         : p == "rna" ? R::rna
                      : R::none;
}

Width Lowering::width_of(Type t) {
  return t == Type::pred ? Width::pred : ptx::bits_of(t) >= 64 ? Width::w64 : Width::w32;
}

const ptx::Operand& Lowering::at(std::size_t n) {
  if (n >= now_->operands.size()) refuse("operand " + std::to_string(n + 1) + " is missing");
  return now_->operands[n];
}

std::int32_t Lowering::fresh(Width w) {
  width.push_back(w);
  return static_cast<std::int32_t>(width.size()) - 1;
}

std::int32_t Lowering::constant(const Constant& c) {
  const auto key = std::make_tuple(static_cast<int>(c.kind), c.wide, c.value, c.variable, int{c.bytes}, c.sign);
  const auto [it, fresh] = constant_index_.try_emplace(key, ~static_cast<std::int32_t>(program_.constants.size()));
  if (fresh) program_.constants.push_back(c);
  return it->second;
}

std::int32_t Lowering::special(std::string_view name) {
  static const std::unordered_map<std::string_view, Special> names{
      {"%laneid", Special::laneid},
      {"%lanemask_eq", Special::lanemask_eq},
      {"%lanemask_lt", Special::lanemask_lt},
      {"%lanemask_le", Special::lanemask_le},
      {"%lanemask_gt", Special::lanemask_gt},
      {"%lanemask_ge", Special::lanemask_ge},
      {"%ntid.x", Special::ntid_x},
      {"%ntid.y", Special::ntid_y},
      {"%ntid.z", Special::ntid_z},
      {"%nctaid.x", Special::nctaid_x},
      {"%nctaid.y", Special::nctaid_y},
      {"%nctaid.z", Special::nctaid_z},
      {"%dynamic_smem_size", Special::dynamic_smem},
      {"%total_smem_size", Special::total_smem},
      {"%nwarpid", Special::nwarpid},
      {"%nclusterid.x", Special::nclusterid_x},
      {"%nclusterid.y", Special::nclusterid_y},
      {"%nclusterid.z", Special::nclusterid_z},
      {"%cluster_nctaid.x", Special::cluster_nctaid_x},
      {"%cluster_nctaid.y", Special::cluster_nctaid_y},
      {"%cluster_nctaid.z", Special::cluster_nctaid_z},
      {"%cluster_nctarank", Special::cluster_nctarank},
      {"%is_explicit_cluster", Special::explicit_cluster},
      {"%aggr_smem_size", Special::all_smem},
      {"%reserved_smem_offset_begin", Special::system_shared},
      {"%reserved_smem_offset_0", Special::system_shared},
      {"%reserved_smem_offset_1", Special::system_shared}, // where cooperative groups keep theirs
      {"%reserved_smem_offset_end", Special::system_shared_end},
      {"%reserved_smem_offset_cap", Special::system_shared_bytes},
      {"%smid", Special::zero},
      {"%nsmid", Special::one},
      {"%gridid", Special::zero},
      {"%current_graph_exec", Special::zero},
      {"%tid.x", Special::tid_x},
      {"%tid.y", Special::tid_y},
      {"%tid.z", Special::tid_z},
      {"%ctaid.x", Special::ctaid_x},
      {"%ctaid.y", Special::ctaid_y},
      {"%ctaid.z", Special::ctaid_z},
      {"%warpid", Special::warpid},
      {"%clusterid.x", Special::clusterid_x},
      {"%clusterid.y", Special::clusterid_y},
      {"%clusterid.z", Special::clusterid_z},
      {"%cluster_ctaid.x", Special::cluster_ctaid_x},
      {"%cluster_ctaid.y", Special::cluster_ctaid_y},
      {"%cluster_ctaid.z", Special::cluster_ctaid_z},
      {"%cluster_ctarank", Special::cluster_ctarank},
  };
  // No launch here is cooperative, nor is any counter of %pm set up: the driver's words and these are zero.
  if (name.starts_with("%envreg") || name.starts_with("%pm"))
    return constant({Constant::Kind::special, false, static_cast<std::uint64_t>(Special::zero)});
  program_.system_shared = program_.system_shared || name.starts_with("%reserved_smem");
  const auto it = names.find(name);
  if (it == names.end()) unsupported("special register " + std::string(name));
  if (it->second < Special::first_preset)
    return constant({Constant::Kind::special, false, static_cast<std::uint64_t>(it->second)});
  const auto [at, fresh_one] = preset_register.try_emplace(it->second, 0);
  if (fresh_one) at->second = fresh(Width::w32);
  return at->second;
}

const ptx::Variable& Lowering::variable(const Operand& o) const {
  return o.index >= 0 ? source_->variables[static_cast<std::size_t>(o.index)]
                      : module_.variables[~static_cast<std::uint32_t>(o.index)];
}

ptx::Type Lowering::register_type(const Operand& o) const {
  return o.kind == Operand::Kind::reg ? source_->registers[static_cast<std::size_t>(o.index)].type : Type::none;
}

/// The address of a variable in its own state space.
std::int32_t Lowering::address_of(const Operand& o) {
  const auto& v = variable(o);
  const auto offset = static_cast<std::uint64_t>(o.value);
  if (v.space == ptx::Space::global || v.space == ptx::Space::constant) {
    const std::uint32_t index =
        o.index >= 0 ? code_->variable_offset[static_cast<std::size_t>(o.index)] : static_cast<std::uint32_t>(~o.index);
    return constant({Constant::Kind::address, true, offset, index});
  }
  if (v.dynamic) return constant64(program_.shared_bytes + offset);
  if (o.index < 0) return constant64(program_.variables[~static_cast<std::uint32_t>(o.index)].bytes + offset);
  if (v.space == ptx::Space::shared)
    return constant64(code_->variable_offset[static_cast<std::size_t>(o.index)] + offset);
  return private_address(static_cast<std::size_t>(o.index), offset);
}

/// The address in private memory of a variable of this function: in the frame on the stack, if it has one.
std::int32_t Lowering::private_address(std::size_t variable, std::uint64_t addend) {
  const std::uint64_t offset = code_->variable_offset[variable] + addend;
  if (!code_->recursive) return constant64(offset);
  const std::int32_t address = fresh(Width::w64);
  emit(Code::add_u64, address, stack_pointer, constant64(offset - code_->frame_bytes));
  return address;
}

std::int32_t Lowering::use(const Operand& o, Width w, Type literal) {
  using Kind = Operand::Kind;
  switch (o.kind) {
  case Kind::reg: {
    const std::int32_t r = code_->first_register + o.index;
    if (width[static_cast<std::size_t>(r)] != w)
      refuse("the size of register '" + std::string(source_->registers[static_cast<std::size_t>(o.index)].name) +
             "' does not fit");
    return r;
  }
  case Kind::integer: {
    if (w == Width::pred) return constant32(o.value != 0 ? ~0u : 0);
    if (literal == Type::f32) return constant32(as_u32(static_cast<f32>(o.value)));
    if (literal == Type::f64) return constant64(as_u64(static_cast<f64>(o.value)));
    const auto v = static_cast<std::uint64_t>(o.value);
    const unsigned bits = ptx::bits_of(literal);
    if (w == Width::w64) return constant64(v);
    return constant32(static_cast<u32>(bits == 8 ? v & 0xff : bits == 16 ? v & 0xffff : v));
  }
  case Kind::real32:
    return w == Width::w64 ? constant64(as_u64(as_f32(static_cast<u32>(o.bits))))
                           : constant32(static_cast<u32>(o.bits));
  case Kind::real64: return w == Width::w64 ? constant64(o.bits) : constant32(as_u32(static_cast<f32>(as_f64(o.bits))));
  case Kind::special: {
    const std::int32_t r = special(o.name);
    if (w != Width::w64) return r;
    const std::int32_t wide = fresh(Width::w64);
    emit(Code::zext32, wide, r);
    return wide;
  }
  case Kind::variable: {
    const std::int32_t a = address_of(o);
    if (w == Width::w64) return a;
    const std::int32_t narrow = fresh(Width::w32);
    if (a < 0) {
      const Constant& c = program_.constants[~static_cast<std::uint32_t>(a)];
      if (c.kind == Constant::Kind::value) return constant32(static_cast<u32>(c.value));
    }
    emit(Code::low32, narrow, a);
    return narrow;
  }
  default: refuse("an operand of another kind was expected");
  }
}

std::int32_t Lowering::use_predicate(const Operand& o, bool& negated) {
  negated = o.negated;
  return use(o, Width::pred, Type::pred);
}

std::int32_t Lowering::define(const Operand& o, Width w) {
  if (o.kind == Operand::Kind::sink) return fresh(w);
  if (o.kind != Operand::Kind::reg) refuse("the destination is no register");
  return use(o, w, Type::none);
}

std::int32_t Lowering::upper_half(const Operand& o) {
  if (register_type(o) != Type::b128) refuse("a register of 128 bits was expected");
  auto at = code_->first_register + static_cast<std::int32_t>(source_->registers.size());
  for (std::int32_t r = 0; r < o.index; ++r)
    at += source_->registers[static_cast<std::size_t>(r)].type == Type::b128 ? 1 : 0;
  return at;
}

} // namespace aicf::emulator
