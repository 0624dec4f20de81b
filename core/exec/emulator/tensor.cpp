// Matrix instructions of a warp: mma.sync, wmma, ldmatrix, stmatrix, movmatrix. Fragment layouts: PTX ISA, "Matrix
// fragments for mma". wmma leaves the layout of its fragments open: here lane l holds elements l * n, l * n + 1 … of
// the matrix in row order, repeated where a fragment holds more than the matrix.
#include "core/exec/emulator/machine.hpp"
#include "core/exec/emulator/tensor_math.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace aicf::emulator {
namespace {

using ptx::Space;
using ptx::Type;

/// Fractional bits kept by one step of a tensor core.
constexpr int fraction_f16 = 25;
/// Of 8-bit floats; an f32 result keeps as many digits (seen on an H200; Xie et al., "MMA-Sim", 2025).
constexpr int fraction_f8 = 13;

struct Spot {
  u32 row, column;
};

/// Element i (of `each` to a register) of register r of lane l in a fragment of A, B (as k, n) or D of mma.
Spot place_a(u32 lane, u32 r, u32 i, u32 each, u32 m) {
  const u32 rows = m == 8 ? 1 : 2;
  return {lane / 4 + 8 * (r % rows), r / rows * 4 * each + lane % 4 * each + i};
}
Spot place_b(u32 lane, u32 r, u32 i, u32 each) { return {r * 4 * each + lane % 4 * each + i, lane / 4}; }
Spot place_d(u32 lane, u32 element) { return {lane / 4 + 8 * (element / 2), lane % 4 * 2 + element % 2}; }

/// Where the index of chunk q of a row of a sparse A lies.
struct SparsePlace {
  u32 lane, bit;
};
/// PTX ISA, "Matrix fragments for multiply-accumulate with sparse matrix A": the metadata's figures, which a warp of
/// wgmma shares with the mma of as many columns.
/// Four chunks of both rows of a lane, or with 8 bits and fewer eight of one row.
SparsePlace sparse_place(u32 row, u32 q, u32 chunks, u32 selector, u32 bits) {
  const u32 quad = row % 8 * 4, half = row / 8;
  if (chunks == 4) return {quad + selector, 16 * half + 4 * q};
  if (bits > 8) return {quad + 2 * selector + q / 4, 16 * half + q % 4 * 4};
  return {quad + 2 * selector + half + q / 8 * 2, q % 8 * 4};
}

s64 integer(Type t, u32 bits) {
  switch (t) {
  case Type::s8: return static_cast<std::int8_t>(bits);
  case Type::s4: return static_cast<s64>((bits & 15) ^ 8) - 8;
  default: return bits & 0xff;
  }
}

u32 clamped(s64 v, bool saturate) { return static_cast<u32>(saturate ? std::clamp<s64>(v, INT32_MIN, INT32_MAX) : v); }

} // namespace

void multiply(const Wide& op, const Matrix& a, const Matrix& b, Matrix& d) {
  if (op.a == Type::f64) {
    for (u32 r = 0; r < op.m; ++r)
      for (u32 c = 0; c < op.n; ++c) {
        f64 sum = as_f64(d.at(r, c));
        for (u32 k = 0; k < op.k; ++k) sum = std::fma(as_f64(a.at(r, k)), as_f64(b.at(k, c)), sum);
        d.at(r, c) = as_u64(sum);
      }
    return;
  }
  if (op.a == Type::b1) {
    for (u32 r = 0; r < op.m; ++r)
      for (u32 c = 0; c < op.n; ++c) {
        u64 count = 0;
        for (u32 k = 0; k < op.k; ++k)
          count += op.reduction == AtomicKind::bit_and ? a.at(r, k) & b.at(k, c) : a.at(r, k) ^ b.at(k, c);
        d.at(r, c) = static_cast<u32>(d.at(r, c) + count);
      }
    return;
  }
  if (op.a == Type::s8 || op.a == Type::u8 || op.a == Type::s4 || op.a == Type::u4) {
    for (u32 r = 0; r < op.m; ++r)
      for (u32 c = 0; c < op.n; ++c) {
        s64 sum = static_cast<s32>(d.at(r, c));
        for (u32 k = 0; k < op.k; ++k)
          sum += integer(op.a, static_cast<u32>(a.at(r, k))) * integer(op.b, static_cast<u32>(b.at(k, c)));
        d.at(r, c) = clamped(sum, op.saturate);
      }
    return;
  }
  const auto values = [](Type t, const Matrix& from, u32 rows, u32 columns, bool by_column) {
    std::vector<TensorValue> v(std::size_t{rows} * columns);
    for (u32 r = 0; r < rows; ++r)
      for (u32 c = 0; c < columns; ++c)
        v[by_column ? c * rows + r : r * columns + c] = tensor_value(t, static_cast<u32>(from.at(r, c)));
    return v;
  };
  auto x = values(op.a, a, op.m, op.k, false), y = values(op.b, b, op.k, op.n, true);
  const auto row = [&](u32 r) { return std::span(x).subspan(std::size_t{r} * op.k, op.k); };
  const auto column = [&](u32 c) { return std::span(y).subspan(std::size_t{c} * op.k, op.k); };
  const bool small = op.a == Type::e4m3 || op.a == Type::e5m2;
  // A subnormal e4m3 is a normal f16 once it is widened.
  const auto widened = [&](Type t, std::vector<TensorValue>& all) {
    if (t != Type::e4m3 || op.kind == WideKind::wgmma) return;
    for (TensorValue& v : all)
      if (v.significand != 0)
        v.scale = static_cast<s16>(v.exponent + std::bit_width(static_cast<u32>(std::abs(v.significand))) - 1);
  };
  widened(op.a, x);
  widened(op.b, y);
  for (u32 r = 0; r < op.m; ++r)
    for (u32 c = 0; c < op.n; ++c) {
      const auto addend = static_cast<u32>(d.at(r, c));
      if (!small || op.kind == WideKind::wgmma) {
        u32 sum = tensor_sum(row(r), column(c), op.d, addend, small ? fraction_f8 : fraction_f16);
        if (small && op.d == Type::f32 && (sum & 0x7fffffff) <= 0x7f800000) sum &= ~0u << (23 - fraction_f8);
        d.at(r, c) = sum;
        continue;
      }
      // Compute capability 9.0 has no 8-bit mma.sync: ptxas widens to f16, multiplies the even and then the odd pairs
      // of each four elements, and adds C in f32.
      std::array<TensorValue, 32> p{}, q{};
      u32 sum = 0;
      for (u32 half = 0; half < 2; ++half) {
        u32 n = 0;
        for (u32 k = 0; k < op.k; ++k)
          if (k / 2 % 2 == half) {
            p[n] = row(r)[k];
            q[n++] = column(c)[k];
          }
        sum = tensor_sum({p.data(), n}, {q.data(), n}, Type::f32, sum, fraction_f16);
      }
      d.at(r, c) = op.d == Type::f32 ? as_u32(plus(as_f32(sum), as_f32(addend)))
                                     : to_h16(static_cast<f64>(as_f32(sum)) + from_h16(static_cast<u16>(addend)));
    }
}

/// mma.sync: the fragments of all lanes make the matrices.
void Worker::matrix_multiply(Warp& w, const Wide& op, u32 pc) {
  const u32 bits = ptx::bits_of(op.a), each = bits >= 32 ? 1 : 32 / bits;
  const u32 part = bits == 64 ? 64 : bits, mask = part >= 32 ? ~0u : (1u << part) - 1;
  const auto get = [&](s32 o, u32 lane) { return bits == 64 ? value64(w, o, lane) : value32(w, o, lane); };
  const bool sparse = (op.flags & wide_sparse) != 0;
  Matrix a(op.m, sparse ? op.k / 2U : op.k), b(op.k, op.n), d(op.m, op.n);
  const std::size_t of_a = op.counts[0], of_b = op.counts[1], of_c = op.in.size() - of_a - of_b - (sparse ? 1 : 0);
  for (u32 lane = 0; lane < lanes; ++lane) {
    for (u32 r = 0; r < of_a; ++r)
      for (u32 i = 0; i < each; ++i) {
        const u64 v = get(op.in[r], lane);
        const Spot p = place_a(lane, r, i, each, op.m);
        a.at(p.row, p.column) = bits >= 32 ? v : (v >> (i * part)) & mask;
      }
    for (u32 r = 0; r < of_b; ++r)
      for (u32 i = 0; i < each; ++i) {
        const u64 v = get(op.in[of_a + r], lane);
        const Spot p = place_b(lane, r, i, each);
        b.at(p.row, p.column) = bits >= 32 ? v : (v >> (i * part)) & mask;
      }
    for (u32 r = 0; r < of_c; ++r) {
      const s32 o = op.in[of_a + of_b + r];
      if (op.c == Type::f16) {
        const u32 v = value32(w, o, lane);
        for (u32 i = 0; i < 2; ++i) {
          const Spot p = place_d(lane, 2 * r + i);
          d.at(p.row, p.column) = (v >> (16 * i)) & 0xffff;
        }
      } else {
        const Spot p = place_d(lane, r);
        d.at(p.row, p.column) = op.c == Type::f64 ? value64(w, o, lane) : value32(w, o, lane);
      }
    }
  }
  convert_accumulator(op, d);
  if (sparse)
    multiply_sparse(w, op, pc, op.in.back(), a, b, d);
  else
    multiply(op, a, b, d);
  for (u32 lane = 0; lane < lanes; ++lane)
    for (u32 r = 0; r < op.out.size(); ++r) {
      if (op.d == Type::f16) {
        const Spot p = place_d(lane, 2 * r), q = place_d(lane, 2 * r + 1);
        set32(w, op.out[r], lane, static_cast<u32>(d.at(p.row, p.column) | d.at(q.row, q.column) << 16));
        continue;
      }
      const Spot p = place_d(lane, r);
      if (op.d == Type::f64)
        set64(w, op.out[r], lane, d.at(p.row, p.column));
      else
        set32(w, op.out[r], lane, static_cast<u32>(d.at(p.row, p.column)));
    }
}

/// Each row of A names the rows of B that its elements meet; the others of B take no part.
void Worker::multiply_sparse(Warp& w, const Wide& op, u32 pc, s32 metadata, const Matrix& a, const Matrix& b,
                             Matrix& d) {
  const u32 bits = ptx::bits_of(op.a), chunk = sparse_chunk(bits), chunks = op.k / chunk;
  Wide one = op;
  one.m = 1;
  one.k = static_cast<u16>(a.columns);
  Matrix x(1, a.columns), y(a.columns, op.n), sum(1, op.n);
  for (u32 row = 0; row < op.m; ++row) {
    u32 column = 0;
    for (u32 q = 0; q < chunks; ++q) {
      const SparsePlace at = sparse_place(row, q, chunks, op.selector, bits);
      const u32 index = value32(w, metadata, at.lane) >> at.bit & 15;
      const bool sound = bits == 32 ? index == 0b0100 || index == 0b1110 : (index & 3) != index >> 2;
      if (!sound && launch.checks) {
        fault(w, pc, at.lane, "sparse-metadata",
              "the index " + std::to_string(index) + " of columns " + std::to_string(q * chunk) + " to " +
                  std::to_string((q + 1) * chunk - 1) + " in row " + std::to_string(row) +
                  " of A is none of those that PTX defines");
        return;
      }
      for (u32 e = 0; e < chunk / 2; ++e, ++column) {
        const u32 from = bits == 32  ? q * chunk + (index & 3) / 2
                         : bits == 4 ? q * chunk + (index >> (e & 2) & 3) * 2 + e % 2
                                     : q * chunk + (index >> 2 * e & 3);
        x.at(0, column) = a.at(row, column);
        for (u32 n = 0; n < op.n; ++n) y.at(column, n) = b.at(from, n);
      }
    }
    for (u32 n = 0; n < op.n; ++n) sum.at(0, n) = d.at(row, n);
    multiply(one, x, y, sum);
    for (u32 n = 0; n < op.n; ++n) d.at(row, n) = sum.at(0, n);
  }
}

/// wmma and mma may take C in another type than D.
void convert_accumulator(const Wide& op, Matrix& c) {
  if (op.c == op.d) return;
  for (u64& v : c.values)
    v = op.c == Type::f16 ? as_u32(static_cast<f32>(from_h16(static_cast<u16>(v))))
                          : to_h16f(as_f32(static_cast<u32>(v)));
}

/// Index of element j of a wmma fragment with `count` elements a lane.
static std::size_t wmma_index(u32 lane, std::size_t j, std::size_t count, std::size_t total) {
  return (lane * count + j) % total;
}

void Worker::wmma_multiply(Warp& w, const Wide& op) {
  const auto gather_matrix = [&](Matrix& into, Type t, std::size_t first, std::size_t registers) {
    const u32 bits = ptx::bits_of(t);
    const std::size_t each = bits >= 32 ? 1 : 32 / bits, count = registers * each;
    for (u32 lane = 0; lane < lanes; ++lane)
      for (std::size_t j = 0; j < count; ++j) {
        const s32 o = op.in[first + j / each];
        const u64 v = bits == 64 ? value64(w, o, lane) : value32(w, o, lane);
        into.values[wmma_index(lane, j, count, into.values.size())] =
            bits >= 32 ? v : (v >> (j % each * bits)) & ((1u << bits) - 1);
      }
  };
  Matrix a(op.m, op.k), b(op.k, op.n), d(op.m, op.n);
  gather_matrix(a, op.a, 0, op.counts[0]);
  gather_matrix(b, op.b, op.counts[0], op.counts[1]);
  gather_matrix(d, op.c, op.counts[0] + op.counts[1], op.in.size() - op.counts[0] - op.counts[1]);
  convert_accumulator(op, d);
  multiply(op, a, b, d);
  const u32 bits = ptx::bits_of(op.d);
  const std::size_t each = bits >= 32 ? 1 : 32 / bits, count = op.out.size() * each;
  for (u32 lane = 0; lane < lanes; ++lane)
    for (std::size_t r = 0; r < op.out.size(); ++r) {
      u64 v = 0;
      for (std::size_t i = 0; i < each; ++i)
        v |= d.values[wmma_index(lane, r * each + i, count, d.values.size())] << (i * bits % 64);
      if (bits == 64)
        set64(w, op.out[r], lane, v);
      else
        set32(w, op.out[r], lane, static_cast<u32>(v));
    }
}

/// wmma.load and wmma.store: in[0] the address (64 bits), in[1] the stride in elements, then the registers of a store.
void Worker::wmma_memory(Warp& w, const Wide& op, u32 pc) {
  const bool store = op.kind == WideKind::wmma_store;
  const u32 bits = ptx::bits_of(op.d), bytes = bits < 8 ? 1 : bits / 8;
  const std::size_t registers = store ? op.in.size() - 2 : op.out.size(), each = bits >= 32 ? 1 : 32 / bits;
  const std::size_t count = registers * each, total = std::size_t{op.m} * op.n;
  for (u32 lane = 0; lane < lanes; ++lane) {
    const u64 base = value64(w, op.in[0], lane);
    const u32 stride = value32(w, op.in[1], lane);
    for (std::size_t r = 0; r < registers; ++r) {
      u64 v = store ? (bits == 64 ? value64(w, op.in[2 + r], lane) : value32(w, op.in[2 + r], lane)) : 0;
      for (std::size_t i = 0; i < each; ++i) {
        const std::size_t index = wmma_index(lane, r * each + i, count, total);
        const u64 row = index / op.n, column = index % op.n;
        const u64 bit = (op.transposed ? column * stride + row : row * stride + column) * bits;
        const u64 address = base + bit / 8;
        std::byte* host = touch(w, pc, lane, op.space, address, bytes, store ? "wmma store" : "wmma load", store);
        if (host == nullptr) {
          if (stopped()) return;
          continue;
        }
        const u64 at = i * bits % 64;
        if (store) {
          const u64 element = v >> at;
          std::memcpy(host, &element, bytes);
        } else {
          u64 element = 0;
          std::memcpy(&element, host, bytes);
          if (bits < 8) element = element >> bit % 8 & ((1u << bits) - 1);
          v |= element << at;
        }
      }
      if (store) continue;
      if (bits == 64)
        set64(w, op.out[r], lane, v);
      else
        set32(w, op.out[r], lane, static_cast<u32>(v));
    }
  }
  if (launch.counters) count_fragment(w, op, pc);
}

/// The matrix once, as one request where it lies in global memory: which lane touches what is not published.
void Worker::count_fragment(Warp& w, const Wide& op, u32 pc) {
  const bool store = op.kind == WideKind::wmma_store;
  const u64 base = value64(w, op.in[0], 0), bits = ptx::bits_of(op.d), stride = value32(w, op.in[1], 0);
  Place place;
  if (stopped() || !resolve(w, pc, 0, op.space, base, 1, "wmma", store, place)) return;
  const bool global = place.space == Space::global;
  const u64 along = op.transposed ? op.m : op.n, across = op.transposed ? op.n : op.m;
  count_bytes(pc, store, global ? MemorySpace::global : MemorySpace::shared, along * across * bits / 8);
  if (!global) return;
  std::vector<u64> sectors;
  for (u64 i = 0; i < across; ++i)
    for (u64 s = (base + i * stride * bits / 8) >> 5; s <= (base + (i * stride + along) * bits / 8 - 1) >> 5; ++s)
      sectors.push_back(s);
  count_sectors(pc, sectors);
}

/// ldmatrix, stmatrix: in[0] the row addresses (64 bits), then the registers of a store; n matrices of 8 x 8 b16.
void Worker::matrix_memory(Warp& w, const Wide& op, u32 pc) {
  const bool store = op.kind == WideKind::store_matrix;
  std::array<u64, lanes> offset{};
  std::array<std::byte*, lanes> row{};
  for (u32 lane = 0; lane < 8u * op.n; ++lane) {
    const u64 address = value64(w, op.in[0], lane);
    offset[lane] = address & 0xffffff;
    row[lane] = touch(w, pc, lane, op.space, address, 16, store ? "stmatrix row" : "ldmatrix row", store);
    if (row[lane] == nullptr && stopped()) return;
  }
  for (u32 i = 0; i < op.n; ++i)
    for (u32 lane = 0; lane < lanes; ++lane) {
      u32 v = store ? value32(w, op.in[1 + i], lane) : 0;
      for (u32 k = 0; k < 2; ++k) {
        const u32 r = op.transposed ? lane % 4 * 2 + k : lane / 4, c = op.transposed ? lane / 4 : lane % 4 * 2 + k;
        std::byte* host = row[8 * i + r];
        if (host == nullptr) continue;
        u16 element = static_cast<u16>(v >> (16 * k));
        if (store) {
          std::memcpy(host + std::size_t{2} * c, &element, 2);
        } else {
          std::memcpy(&element, host + std::size_t{2} * c, 2);
          v |= u32{element} << (16 * k);
        }
      }
      if (!store) set32(w, op.out[i], lane, v);
    }
  const u32 given = op.n == 4 ? all_lanes : (1u << (8 * op.n)) - 1;
  if (!launch.counters) return;
  count_shared(pc, offset.data(), given, 16);
  count_bytes(pc, store, MemorySpace::shared, u64{16} * 8 * op.n);
}

void Worker::matrix_move(Warp& w, const Wide& op) {
  std::array<u16, 64> m{};
  for (u32 lane = 0; lane < lanes; ++lane)
    for (u32 k = 0; k < 2; ++k)
      m[lane / 4 * 8 + lane % 4 * 2 + k] = static_cast<u16>(value32(w, op.in[0], lane) >> (16 * k));
  for (u32 lane = 0; lane < lanes; ++lane)
    set32(w, op.out[0], lane, pack(m[lane % 4 * 16 + lane / 4], m[lane % 4 * 16 + 8 + lane / 4]));
}

} // namespace aicf::emulator
