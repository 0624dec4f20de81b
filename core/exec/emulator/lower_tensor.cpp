// Matrix instructions: mma, wmma, ldmatrix, stmatrix, movmatrix.
#include "core/exec/emulator/lower.hpp"

#include <algorithm>
#include <charconv>

namespace aicf::emulator {

using ptx::Space;

/// m16n8k16
bool Lowering::matrix_shape(Wide& op) const {
  for (const auto part : now_->parts) {
    if (part.size() < 6 || part[0] != 'm' || part[1] < '0' || part[1] > '9') continue;
    const auto n = part.find('n'), k = part.find('k');
    if (n == std::string_view::npos || k == std::string_view::npos || k < n) continue;
    const auto number = [&](std::size_t from, std::size_t to, std::uint16_t& v) {
      const auto r = std::from_chars(part.data() + from, part.data() + to, v);
      return r.ec == std::errc{} && r.ptr == part.data() + to && v > 0 && v <= 256;
    };
    return number(1, n, op.m) && number(n + 1, k, op.n) && number(k + 1, part.size(), op.k);
  }
  return false;
}

std::vector<ptx::Type> Lowering::types() const {
  std::vector<Type> found;
  for (const auto p : now_->parts)
    if (const Type t = ptx::type_from(p); t != Type::none) found.push_back(t);
  return found;
}

/// Those of fragments, which may have elements of less than a byte.
std::vector<ptx::Type> Lowering::element_types() const {
  std::vector<Type> found;
  for (const auto p : now_->parts) {
    const Type small = p == "b1" ? Type::b1 : p == "s4" ? Type::s4 : p == "u4" ? Type::u4 : Type::none;
    if (const Type t = small != Type::none ? small : ptx::type_from(p); t != Type::none) found.push_back(t);
  }
  return found;
}

void Lowering::use_all(const Operand& o, Width w, Type literal, std::vector<std::int32_t>& into) {
  if (o.kind != Operand::Kind::vector) {
    into.push_back(use(o, w, literal));
    return;
  }
  for (const Operand& item : o.items) into.push_back(use(item, w, literal));
}

void Lowering::define_all(const Operand& o, Width w, std::vector<std::int32_t>& into) {
  if (o.kind != Operand::Kind::vector) {
    into.push_back(define(o, w));
    return;
  }
  for (const Operand& item : o.items) into.push_back(define(item, w));
}

Op& Lowering::emit_wide(Wide wide) {
  Op& op = emit(Code::wide, none);
  op.aux = static_cast<std::uint32_t>(program_.wides.size());
  program_.wides.push_back(std::move(wide));
  return op;
}

/// The whole address of an operand as a 64-bit register.
std::int32_t Lowering::whole_address(const Operand& o, Space space) {
  Op where;
  address(o, space, where);
  if (where.imm == 0) return where.a;
  const std::int32_t t = fresh(Width::w64);
  emit(Code::add_u64, t, where.a, constant64(static_cast<std::uint64_t>(where.imm)));
  return t;
}

ptx::Space Lowering::space_of(Space otherwise) const {
  Space space = otherwise;
  for (const auto p : now_->parts)
    if (p == "global")
      space = Space::global;
    else if (p == "shared" || p == "shared::cta")
      space = Space::shared;
    else if (p == "shared::cluster")
      space = Space::shared_cluster;
  return space;
}

bool Lowering::tensor() {
  const auto base = opcode();
  if (base == "mma") return multiply_matrices();
  if (base == "wmma") return wmma();
  if (base == "ldmatrix" || base == "stmatrix") {
    const bool store = base == "stmatrix";
    if (!has("m8n8") || last_type() != Type::b16) unsupported();
    Wide wide;
    wide.kind = store ? WideKind::store_matrix : WideKind::load_matrix;
    wide.n = static_cast<std::uint16_t>(has("x4") ? 4 : has("x2") ? 2 : 1);
    wide.transposed = has("trans");
    wide.space = space_of(Space::generic);
    const Operand &value = at(store ? 1 : 0), &where = at(store ? 0 : 1);
    wide.in.push_back(whole_address(where, wide.space));
    if (store)
      use_all(value, Width::w32, Type::b32, wide.in);
    else
      define_all(value, Width::w32, wide.out);
    if ((store ? wide.in.size() - 1 : wide.out.size()) != wide.n)
      refuse("the vector has " + std::to_string(wide.n) + " elements");
    program_.shared_granule = std::min<std::uint32_t>(program_.shared_granule, 4);
    emit_wide(std::move(wide));
    return true;
  }
  if (base == "movmatrix") {
    if (!has("m8n8") || !has("trans") || last_type() != Type::b16) unsupported();
    Wide wide;
    wide.kind = WideKind::move_matrix;
    wide.in.push_back(use(at(1), Type::b32));
    wide.out.push_back(define(at(0), Width::w32));
    emit_wide(std::move(wide));
    return true;
  }
  return false;
}

/// mma[.sp[::ordered_metadata]].sync.aligned.shape.row.col[.satfinite].dtype.atype.btype.ctype[.{and,xor}.popc]
/// d, a, b, c[, metadata, selector]
bool Lowering::multiply_matrices() {
  Wide wide;
  wide.kind = WideKind::matrix;
  const auto t = element_types();
  const bool sparse = has("sp") || has("sp::ordered_metadata");
  if (now_->parts.size() < 5 || now_->parts[sparse ? 2 : 1] != "sync" || !matrix_shape(wide) || t.size() != 4)
    unsupported();
  wide.d = t[0];
  wide.a = t[1];
  wide.b = t[2];
  wide.c = t[3];
  wide.saturate = has("satfinite");
  const unsigned bits = ptx::bits_of(wide.a);
  const bool real = wide.a == Type::f16 || wide.a == Type::bf16 || wide.a == Type::tf32 || wide.a == Type::e4m3 ||
                    wide.a == Type::e5m2;
  const bool bits_only = wide.a == Type::b1, wide_type = wide.a == Type::f64;
  const bool whole = wide.a == Type::s8 || wide.a == Type::u8 || wide.a == Type::s4 || wide.a == Type::u4 || bits_only;
  const bool row_column = has("row") && has("col");
  const bool accumulator =
      wide_type ? wide.d == Type::f64 && wide.c == Type::f64
      : whole   ? wide.d == Type::s32 && wide.c == Type::s32
                : (wide.d == Type::f32 || wide.d == Type::f16) && (wide.c == Type::f32 || wide.c == Type::f16);
  if (!(real || whole || wide_type) || ptx::bits_of(wide.b) != bits || !accumulator || !row_column || wide.n != 8 ||
      (wide.m != 16 && wide.m != 8) || (!wide_type && wide.k * bits % 128 != 0))
    unsupported();
  if (bits_only) {
    if (!has("popc") || has("and") == has("xor")) unsupported();
    wide.reduction = has("and") ? AtomicKind::bit_and : AtomicKind::bit_xor;
  }
  const std::int32_t metadata = sparse ? sparse_matrix(wide, bits) : none;
  const Width w = wide_type ? Width::w64 : Width::w32;
  const auto width_of_sum = [&](Type type) { return type == Type::f64 ? Width::w64 : Width::w32; };
  use_all(at(1), w, Type::b32, wide.in);
  wide.counts[0] = static_cast<std::uint16_t>(wide.in.size());
  use_all(at(2), w, Type::b32, wide.in);
  wide.counts[1] = static_cast<std::uint16_t>(wide.in.size() - wide.counts[0]);
  use_all(at(3), width_of_sum(wide.c), wide.c, wide.in);
  define_all(at(0), width_of_sum(wide.d), wide.out);
  const unsigned each = bits >= 32 ? 1 : 32 / bits;
  const auto registers_of = [&](Type type) { return wide.m * 8u / 32 / (type == Type::f16 ? 2 : 1); };
  if (wide.counts[0] * 32 * each * (sparse ? 2 : 1) != unsigned{wide.m} * wide.k ||
      wide.counts[1] * 32 * each != 8u * wide.k ||
      wide.in.size() - wide.counts[0] - wide.counts[1] != registers_of(wide.c) ||
      wide.out.size() != registers_of(wide.d))
    refuse("the fragments do not fit the shape");
  if (sparse) wide.in.push_back(metadata);
  emit_wide(std::move(wide));
  return true;
}

/// A holds half of its elements; metadata of some lanes of each four say which.
std::int32_t Lowering::sparse_matrix(Wide& wide, unsigned bits) {
  const unsigned chunks = wide.k / sparse_chunk(bits);
  if (wide.m != 16 || bits == 64 || wide.a == Type::b1 || (chunks != 4 && chunks != 8 && chunks != 16)) unsupported();
  if (at(5).kind != Operand::Kind::integer) refuse("the sparsity selector is a constant");
  if (at(5).value < 0 || at(5).value >= 16 / static_cast<std::int64_t>(chunks)) refuse("no such sparsity selector");
  wide.flags |= wide_sparse;
  wide.selector = static_cast<std::uint8_t>(at(5).value);
  return use(at(4), Type::b32);
}

/// wmma.load.{a,b,c}.sync.aligned.layout.shape[.ss].type r, [p], stride; wmma.store.d likewise; wmma.mma[.{and,xor}
/// .popc].
bool Lowering::wmma() {
  Wide wide;
  const auto t = element_types();
  if (!matrix_shape(wide) || now_->parts.size() < 6) unsupported();
  if (now_->parts[1] == "mma") {
    wide.kind = WideKind::wmma_multiply;
    if (t.size() == 2) {
      wide.d = t[0];
      wide.c = t[1];
      wide.a = wide.b = Type::f16;
    } else if (t.size() == 4) {
      wide.d = t[0];
      wide.a = t[1];
      wide.b = t[2];
      wide.c = t[3];
    } else {
      unsupported();
    }
    const unsigned bits = ptx::bits_of(wide.a);
    if (wide.a != wide.b || (bits < 8 && (wide.m != 8 || wide.n != 8 || wide.k * bits != 128 || !has("row") ||
                                          !has("col") || wide.c != Type::s32 || wide.d != Type::s32)))
      unsupported();
    if (wide.a == Type::b1) {
      if (!has("popc") || has("and") == has("xor")) unsupported();
      wide.reduction = has("and") ? AtomicKind::bit_and : AtomicKind::bit_xor;
    }
    wide.saturate = has("satfinite");
    const Width w = wide.a == Type::f64 ? Width::w64 : Width::w32;
    use_all(at(1), w, Type::b32, wide.in);
    wide.counts[0] = static_cast<std::uint16_t>(wide.in.size());
    use_all(at(2), w, Type::b32, wide.in);
    wide.counts[1] = static_cast<std::uint16_t>(wide.in.size() - wide.counts[0]);
    use_all(at(3), w, wide.c, wide.in);
    define_all(at(0), w, wide.out);
    // A fragment may hold its matrix several times over, as f16's do.
    const auto fits = [&](Type type, std::size_t registers, unsigned rows, unsigned columns) {
      const std::size_t held = registers * lanes * (ptx::bits_of(type) >= 32 ? 1 : 32 / ptx::bits_of(type));
      return held != 0 && held % (std::size_t{rows} * columns) == 0;
    };
    if (!fits(wide.a, wide.counts[0], wide.m, wide.k) || !fits(wide.b, wide.counts[1], wide.k, wide.n) ||
        !fits(wide.c, wide.in.size() - wide.counts[0] - wide.counts[1], wide.m, wide.n) ||
        !fits(wide.d, wide.out.size(), wide.m, wide.n))
      refuse("the fragments do not fit the shape");
    emit_wide(std::move(wide));
    return true;
  }
  const bool store = now_->parts[1] == "store";
  if ((!store && now_->parts[1] != "load") || t.size() != 1) unsupported();
  wide.kind = store ? WideKind::wmma_store : WideKind::wmma_load;
  wide.d = t[0];
  wide.space = space_of(Space::generic);
  const auto which = now_->parts[2];
  // m x n of the memory's matrix: A is m x k, B is k x n.
  const std::uint16_t rows = which == "b" ? wide.k : wide.m, columns = which == "a" ? wide.k : wide.n;
  wide.m = rows;
  wide.n = columns;
  wide.transposed = has("col");
  if (!has("row") && !has("col")) unsupported();
  const Operand &value = at(store ? 1 : 0), &where = at(store ? 0 : 1);
  wide.in.push_back(whole_address(where, wide.space));
  wide.in.push_back(now_->operands.size() > 2 ? use(at(2), Type::u32) : constant32(wide.transposed ? rows : columns));
  const Width w = wide.d == Type::f64 ? Width::w64 : Width::w32;
  if (store)
    use_all(value, w, wide.d, wide.in);
  else
    define_all(value, w, wide.out);
  const unsigned bits = ptx::bits_of(wide.d), each = bits >= 32 ? 1 : 32 / bits;
  const std::size_t held = (store ? wide.in.size() - 2 : wide.out.size()) * each * lanes;
  if (bits < 8 && (which == "a" ? wide.transposed : which != "b" || !wide.transposed)) unsupported();
  if (held == 0 || held % (std::size_t{rows} * columns) != 0) refuse("the fragment does not fit the shape");
  if (wide.space != Space::global)
    program_.shared_granule = std::min<std::uint32_t>(program_.shared_granule, bits < 8 ? 1 : bits / 8);
  emit_wide(std::move(wide));
  return true;
}

} // namespace aicf::emulator
