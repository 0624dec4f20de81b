// Loads, stores, atomics, cp.async, address conversions.
#include "core/exec/emulator/address_space.hpp"
#include "core/exec/emulator/lower.hpp"

#include <algorithm>

namespace aicf::emulator {
namespace {

using ptx::Space;

bool space_from(std::string_view part, Space& space) {
  const auto word = part.substr(0, part.find("::"));
  if (word == "global")
    space = Space::global;
  else if (word == "shared")
    space = part == "shared::cluster" ? Space::shared_cluster : Space::shared;
  else if (word == "local")
    space = Space::local;
  else if (word == "param")
    space = Space::param;
  else if (word == "const")
    space = Space::constant;
  else
    return false;
  return true;
}

bool is_shared(Space space) { return space == Space::shared || space == Space::shared_cluster; }

/// Qualifiers that change neither value nor order in this machine: memory is sequentially consistent here.
bool is_hint(std::string_view p) {
  constexpr std::string_view hints[] = {"nc",      "ca",      "cg",      "cs",      "lu",       "cv",    "wb",
                                        "wt",      "weak",    "cta",     "cluster", "gpu",      "sys",   "relaxed",
                                        "acquire", "release", "acq_rel", "sc",      "volatile", "noftz", "mmio"};
  return std::find(std::begin(hints), std::end(hints), p) != std::end(hints) || p.starts_with("L1::") ||
         p.starts_with("L2::");
}

/// What the qualifiers of an access say of its order.
void order_from(const std::vector<std::string_view>& parts, Access& access) {
  const auto has = [&](std::string_view p) { return std::find(parts.begin(), parts.end(), p) != parts.end(); };
  access.acquires = has("acquire") || has("acq_rel");
  access.releases = has("release") || has("acq_rel");
  access.strong = access.acquires || access.releases || has("relaxed") || has("volatile") || has("mmio");
  access.cluster_scope = !has("cta");
}

} // namespace

/// True when the operand names a variable of thread-private memory or a kernel parameter.
bool Lowering::frame_address(const Operand& o, std::uint32_t& offset, bool& kernel_parameter) const {
  if (o.kind != Operand::Kind::address || o.items[0].kind != Operand::Kind::variable || o.items[0].index < 0)
    return false;
  const auto n = static_cast<std::size_t>(o.items[0].index);
  const auto& v = source_->variables[n];
  if (v.space != Space::param && v.space != Space::local) return false;
  kernel_parameter = source_->entry && std::find(source_->params.begin(), source_->params.end(), o.items[0].index) !=
                                           source_->params.end();
  offset = static_cast<std::uint32_t>(code_->variable_offset[n] + static_cast<std::uint64_t>(o.items[0].value) +
                                      static_cast<std::uint64_t>(o.value));
  return true;
}

/// Sets op.a (64-bit lanes) and op.imm.
void Lowering::address(const Operand& o, Space space, Op& op) {
  if (o.kind != Operand::Kind::address || o.items.size() != 1) unsupported("this form of address");
  const Operand& base = o.items[0];
  op.imm = o.value;
  if (base.kind == Operand::Kind::variable) {
    op.a = address_of(base);
    const Space at = variable(base).space;
    if (space == Space::generic && (at == Space::shared || at == Space::local))
      op.imm += static_cast<std::int64_t>(at == Space::shared ? shared_window : local_window);
  } else if (base.kind == Operand::Kind::integer) {
    op.a = constant64(static_cast<std::uint64_t>(base.value));
  } else if (base.kind == Operand::Kind::reg && width_of(register_type(base)) == Width::w32 &&
             ptx::bits_of(register_type(base)) == 32) {
    op.a = fresh(Width::w64);
    emit(Code::zext32, op.a, use(base, Type::u32));
  } else {
    op.a = use(base, Type::u64);
  }
}

bool Lowering::atomic_from(std::string_view part, AtomicKind& kind) {
  constexpr std::pair<std::string_view, AtomicKind> kinds[] = {{"add", AtomicKind::add},   {"and", AtomicKind::bit_and},
                                                               {"or", AtomicKind::bit_or}, {"xor", AtomicKind::bit_xor},
                                                               {"exch", AtomicKind::exch}, {"cas", AtomicKind::cas},
                                                               {"min", AtomicKind::min},   {"max", AtomicKind::max},
                                                               {"inc", AtomicKind::inc},   {"dec", AtomicKind::dec}};
  const auto* k = std::find_if(std::begin(kinds), std::end(kinds), [&](const auto& e) { return e.first == part; });
  if (k == std::end(kinds)) return false;
  kind = k->second;
  return true;
}

bool Lowering::memory() {
  const auto base = opcode();
  if ((base == "cp" && (has("bulk") || has("mbarrier"))) || base == "mbarrier" || base == "wgmma" ||
      ((base == "st" || base == "red") && has("async")))
    return hopper();
  if (base == "multimem") unsupported("it acts on the memory of several devices at once");
  if (base == "ld" || base == "ldu" || base == "st") return load_store(base == "st");
  if (base == "atom" || base == "red") return atomics();
  if (base == "cp") return async_copies();
  if (base == "getctarank") {
    const std::int32_t d = define(at(0), Width::w32), a = use(at(1), last_type());
    emit(Code::get_rank, d, a).flag = last_type() == Type::u64 ? 1 : 0;
    return true;
  }
  if (base == "cvta") {
    Space space = Space::generic;
    const bool to = has("to");
    space_from(now_->parts.at(to ? 2 : 1), space);
    const std::uint64_t window = is_shared(space)        ? shared_window
                                 : space == Space::local ? local_window
                                 : space == Space::param ? parameter_window
                                                         : 0;
    if (last_type() != Type::u64) unsupported("32-bit addresses");
    const std::int32_t d = define(at(0), Width::w64), a = use(at(1), Type::u64);
    if (window == 0)
      emit(Code::mov_b64, d, a);
    else
      emit(to ? Code::sub_u64 : Code::add_u64, d, a, constant64(window));
    return true;
  }
  if (base == "isspacep") {
    Space space = Space::generic;
    space_from(now_->parts.at(1), space);
    const std::int32_t d = define(at(0), Width::pred), a = use(at(1), Type::u64), top = fresh(Width::w32);
    emit(Code::high32, top, a);
    const auto window = [&](std::uint64_t w) { return constant32(static_cast<std::uint32_t>(w >> 32)); };
    if (space == Space::shared) { // of this block: the rank in the address is absent or its own
      const std::int32_t low = fresh(Width::w32), owner = fresh(Width::w32), own = fresh(Width::w32);
      const std::int32_t here = fresh(Width::pred), mine = fresh(Width::pred), in = fresh(Width::pred);
      emit(Code::low32, low, a);
      emit(Code::shr_u32, owner, low, constant32(shared_rank_shift));
      emit(Code::add_u32, own, special("%cluster_ctarank"), constant32(1));
      emit(Code::eq_u32, here, owner, constant32(0));
      emit(Code::eq_u32, mine, owner, own);
      emit(Code::pred_or, here, here, mine);
      emit(Code::eq_u32, in, top, window(shared_window));
      emit(Code::pred_and, d, here, in);
    } else if (space == Space::shared_cluster || space == Space::local || space == Space::param)
      emit(Code::eq_u32, d, top,
           window(space == Space::shared_cluster ? shared_window
                  : space == Space::local        ? local_window
                                                 : parameter_window));
    else if (space == Space::global)
      emit(Code::lt_u32, d, window(global_base - window_bytes), top);
    else
      unsupported();
    return true;
  }
  if (base == "prefetch" || base == "prefetchu" || base == "applypriority" || base == "discard" ||
      base == "createpolicy") {
    // Caches are not modelled: a policy is any value, and what is discarded may stay.
    if (base == "createpolicy")
      emit(Code::mov_b64, define(at(0), Width::w64), constant64(0));
    else
      emit(Code::nothing, none);
    return true;
  }
  return false;
}

bool Lowering::load_store(bool is_store) {
  Access access;
  access.is_store = is_store;
  access.type = last_type();
  order_from(now_->parts, access);
  program_.orders_blocks = program_.orders_blocks || (access.releases && access.cluster_scope);
  for (std::size_t n = 1; n + 1 < now_->parts.size(); ++n) {
    const auto p = now_->parts[n];
    if (space_from(p, access.space) || is_hint(p) || p == "v2" || p == "v4" || p == "v8") continue;
    unsupported();
  }
  if (access.type == Type::none || access.type == Type::pred) unsupported();
  const bool halves = access.type == Type::b128; // two words of 64 bits at a multiple of 16 bytes
  if (halves) {
    if (vector_count() != 1) unsupported();
    access.type = Type::b64;
  }
  const unsigned bits = ptx::bits_of(access.type);
  access.bytes = static_cast<std::uint8_t>(bits / 8);
  access.count = static_cast<std::uint8_t>(halves ? 2 : vector_count());
  access.sign = ptx::is_signed(access.type);
  const Operand &value = at(is_store ? 1 : 0), &where = at(is_store ? 0 : 1);
  std::vector<const Operand*> items;
  if (value.kind == Operand::Kind::vector)
    for (const auto& o : value.items) items.push_back(&o);
  else
    items.push_back(&value);
  if (items.size() != vector_count()) refuse("the vector has " + std::to_string(access.count) + " elements");

  // Kernel parameters at a fixed place are constants of the launch.
  std::uint32_t offset = 0;
  bool kernel_parameter = false;
  if (!is_store && frame_address(where, offset, kernel_parameter) && kernel_parameter && !halves) {
    for (std::size_t k = 0; k < items.size(); ++k) {
      const bool wide = width_of(register_type(*items[k])) == Width::w64;
      if (offset + (k + 1) * access.bytes > program_.parameter_bytes) refuse("reads past the parameters");
      const std::int32_t c = constant({Constant::Kind::parameter, wide, offset + k * access.bytes, 0, access.bytes,
                                       access.sign && ptx::bits_of(register_type(*items[k])) > 16});
      emit(wide ? Code::mov_b64 : Code::mov_b32, define(*items[k], wide ? Width::w64 : Width::w32), c);
      if (k == 0) code_->costs.back().parameter_bytes = static_cast<std::uint8_t>(access.bytes * access.count);
    }
    return true;
  }
  // A function's own parameters lie in thread-private memory.
  if (access.space == Space::param)
    access.of_function = frame_address(where, offset, kernel_parameter) && !kernel_parameter;
  if (access.of_function) access.space = Space::local;

  Op address_op;
  address(where, access.space, address_op);
  if (halves) {
    access.wide[0] = access.wide[1] = true;
    access.registers[1] = upper_half(value);
    access.registers[0] = is_store ? use(value, Width::w64, access.type) : define(value, Width::w64);
  }
  for (std::size_t k = 0; k < items.size() && !halves; ++k) {
    const Operand& o = *items[k];
    if (o.kind == Operand::Kind::sink && !is_store) {
      access.registers[k] = none;
      continue;
    }
    const Type rt = register_type(o);
    access.wide[k] = o.kind == Operand::Kind::reg ? width_of(rt) == Width::w64 : bits == 64;
    const Width w = access.wide[k] ? Width::w64 : Width::w32;
    if (o.kind == Operand::Kind::reg && ptx::bits_of(rt) < bits) refuse("the register is too small");
    access.half_width = access.half_width || ptx::bits_of(rt) == 16;
    access.registers[k] = is_store ? use(o, w, access.type) : define(o, w);
  }
  Op& op = emit(is_store ? Code::store : Code::load, none, address_op.a);
  op.imm = address_op.imm;
  op.aux = static_cast<std::uint32_t>(program_.accesses.size());
  program_.accesses.push_back(access);
  if (is_shared(access.space) || access.space == Space::generic)
    program_.shared_granule = std::min<std::uint32_t>(program_.shared_granule, access.bytes);
  return true;
}

bool Lowering::atomics() {
  Access access;
  access.is_atomic = true;
  for (const auto p : now_->parts)
    if (const Type t = ptx::type_from(p); t != Type::none) access.type = t;
  order_from(now_->parts, access);
  program_.orders_blocks = program_.orders_blocks || (access.releases && access.cluster_scope);
  const bool reduce = opcode() == "red";
  bool known = false;
  for (std::size_t n = 1; n < now_->parts.size(); ++n) {
    const auto p = now_->parts[n];
    if (space_from(p, access.space) || is_hint(p) || ptx::type_from(p) != Type::none || p == "v2" || p == "v4" ||
        p == "v8")
      continue;
    if (!atomic_from(p, access.kind)) unsupported();
    known = true;
  }
  const unsigned bits = ptx::bits_of(access.type);
  const bool swaps = access.kind == AtomicKind::cas || access.kind == AtomicKind::exch;
  if (!known || (bits != 16 && bits != 32 && bits != 64 && (bits != 128 || reduce || !swaps))) unsupported();
  if (ptx::is_float(access.type)) {
    const bool extremes = access.kind == AtomicKind::min || access.kind == AtomicKind::max;
    if (access.kind != AtomicKind::add && !(extremes && access.type != Type::f32 && access.type != Type::f64))
      unsupported();
  } else if (bits == 16 && !swaps) {
    unsupported();
  }
  access.bytes = static_cast<std::uint8_t>(bits / 8);
  access.sign = ptx::is_signed(access.type);
  const std::size_t first = reduce ? 0 : 1;
  Op where;
  address(at(first), access.space, where);
  const Width w = width_of(access.type);
  const auto one = [&](const Operand* to, const Operand& value, std::int64_t offset) {
    const std::int32_t b = use(value, access.type);
    const std::int32_t c = access.kind == AtomicKind::cas ? use(at(first + 2), access.type) : b;
    const std::int32_t d = to == nullptr ? fresh(w) : define(*to, w);
    Op& op = emit(Code::atomic, d, where.a, b, c);
    op.imm = where.imm + offset;
    op.aux = static_cast<std::uint32_t>(program_.accesses.size());
    program_.accesses.push_back(access);
  };
  const Operand& value = at(first + 1);
  if (bits == 128) { // a sink is no register of 128 bits: its upper half is nobody's either
    access.registers[0] = at(0).kind == Operand::Kind::sink ? fresh(w) : upper_half(at(0));
    access.registers[1] = upper_half(value);
    access.registers[2] = access.kind == AtomicKind::cas ? upper_half(at(first + 2)) : access.registers[1];
  }
  const std::uint32_t count = vector_count();
  if (value.kind == Operand::Kind::vector) {
    if (value.items.size() != count || (!reduce && at(0).items.size() != count))
      refuse("the vector has " + std::to_string(count) + " elements");
    access.align = static_cast<std::uint8_t>(access.bytes * count);
    for (std::uint32_t k = 0; k < count; ++k, access.align = 0)
      one(reduce ? nullptr : &at(0).items[k], value.items[k], std::int64_t{k} * access.bytes);
  } else {
    one(reduce ? nullptr : &at(0), value, 0);
  }
  if (is_shared(access.space) || access.space == Space::generic)
    program_.shared_granule = std::min<std::uint32_t>(program_.shared_granule, access.bytes);
  return true;
}

/// cp.async.{ca,cg}.shared.global [d], [s], size[, source size]; cp.async.commit_group; cp.async.wait_group n;
/// wait_all.
bool Lowering::async_copies() {
  if (now_->parts.size() < 2 || now_->parts[1] != "async") unsupported();
  if (has("commit_group")) {
    emit(Code::async_commit, none);
    return true;
  }
  if (has("wait_group") || has("wait_all")) {
    const bool all = has("wait_all");
    Op& op = emit(Code::async_wait, none);
    op.flag = all ? 1 : 0;
    op.imm = all ? 0 : at(0).value;
    return true;
  }
  if (now_->parts.size() < 5) unsupported();
  if (at(2).kind != Operand::Kind::integer) refuse("the size is a constant");
  const auto size = at(2).value;
  if (size != 4 && size != 8 && size != 16) refuse("copies 4, 8 or 16 bytes");
  Op to, from;
  address(at(0), Space::shared, to);
  address(at(1), Space::global, from);
  const auto absolute = [&](Op& o) {
    if (o.imm == 0) return o.a;
    const std::int32_t t = fresh(Width::w64);
    emit(Code::add_u64, t, o.a, constant64(static_cast<std::uint64_t>(o.imm)));
    return t;
  };
  const std::int32_t a = absolute(to), b = absolute(from);
  std::int32_t bytes = constant32(static_cast<std::uint32_t>(size));
  if (now_->operands.size() > (has("L2::cache_hint") ? 4 : 3)) { // the last one is the policy
    const Operand& o = at(3);
    if (o.kind == Operand::Kind::reg && register_type(o) == Type::pred) { // ignore-src
      bool negated = false;
      const std::int32_t p = use_predicate(o, negated);
      const std::int32_t t = fresh(Width::w32), zero = constant32(0);
      emit(Code::select32, t, negated ? bytes : zero, negated ? zero : bytes, p);
      bytes = t;
    } else {
      bytes = use(o, Type::u32);
    }
  }
  emit(Code::copy_async, none, a, b, bytes).imm = size;
  return true;
}

} // namespace aicf::emulator
