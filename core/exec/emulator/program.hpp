// An entry decoded for execution: warp-wide operations in one linear order, operands as byte offsets into the register
// frame of a warp. The order of operations is a reverse post-order of the control flow graph, callees first, so that
// the program counter doubles as the priority by which divergent lanes reconverge (see warp.hpp).
#pragma once
#include "core/exec/emulator/ptx_ast.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace aicf::emulator {

constexpr unsigned lanes = 32;

enum class Code : std::uint16_t {
#define LANE1(name, canonical, D, A, expression) name,
#define LANE2(name, canonical, D, A, B, expression) name,
#define LANE3(name, canonical, D, A, B, C, expression) name,
#define TEST1(name, canonical, A, expression) name,
#define TEST2(name, canonical, A, B, expression) name,
#include "core/exec/emulator/lane_ops.def"
#undef LANE1
#undef LANE2
#undef LANE3
#undef TEST1
#undef TEST2
  first_special,
  select32 = first_special, ///< d = c ? a : b, c a predicate
  select64,
  pred_mov, ///< d = a; flag bit 1: negated
  pred_and, ///< d = a op b; flag bit 0: b negated, bit 1: a negated
  pred_or,
  pred_xor,
  pred_to_mask, ///< vote.ballot: d = predicate a of the members b; flag: a negated
  vote_all,     ///< d = over predicate a of the members b; flag: a negated
  vote_any,
  vote_uni,
  carry32, ///< d = a op b op c; flag: CarryKind and carry_…; imm: the carry predicate
  carry64,
  convert,  ///< d = a by conversions[aux]
  directed, ///< flag bit 0: f64, bit 1: ftz; imm: Rounding << 8 | DirectedKind
  load,     ///< accesses[aux] at [a + imm]
  store,
  atomic,     ///< accesses[aux] at [a + imm]; d: the old value; b, c: operands
  copy_async, ///< imm bytes from global [b] to shared [a], of which c are read and the rest is zero
  async_commit,
  async_wait,   ///< imm: groups that may stay pending; flag: all, committed or not
  param_copy,   ///< thread-private memory: size bytes from aux to imm
  branch,       ///< to aux
  branch_table, ///< to tables[aux][a]
  call,         ///< of the function at aux
  ret,
  exit,
  barrier,   ///< a: number, b: threads; flag: BarrierKind; d = reduction of predicate c (imm: negated)
  warp_sync, ///< a: member mask
  shuffle,   ///< d = a of lane b under clamp c; e: member mask; f: in-range predicate; flag: ShuffleMode
  match_any, ///< d = members (b) with the same a; flag: 64 bits
  match_all, ///< also f: whether all agree
  reduce,    ///< redux.sync: d = over a of the members b; flag: ReduceKind
  active_mask,
  elect, ///< d: the leader, f: whether the lane is it, a: member mask
  fence,
  clock,           ///< flag: 64 bits
  map_shared,      ///< mapa: d = address a in block b of the cluster; flag bit 0: 64 bits, bit 1: shared, not generic
  cluster_barrier, ///< flag: 1 arrive, 2 wait
  trap,
  assertion, ///< __assertfail
  nothing,
  unsupported ///< texts[aux]
};

enum class CarryKind : std::uint8_t { add, sub, mad_lo, mad_hi };
constexpr std::uint8_t carry_in = 8, carry_out = 16, carry_signed = 32;
enum class BarrierKind : std::uint8_t { sync, arrive, red_and, red_or, red_popc };
enum class Rounding : std::uint8_t { none, rn, rz, rm, rp, rni, rzi, rmi, rpi, rna };
enum class ShuffleMode : std::uint8_t { up, down, bfly, idx };
enum class ReduceKind : std::uint8_t { add, min_u, max_u, min_s, max_s, bit_and, bit_or, bit_xor };
enum class AtomicKind : std::uint8_t { add, bit_and, bit_or, bit_xor, exch, cas, min, max, inc, dec };

struct Conversion {
  ptx::Type to = ptx::Type::none, from = ptx::Type::none;
  Rounding rounding = Rounding::none;
  bool saturate = false, flush = false, relu = false;
  bool extends = false; ///< a signed result of 8 or 16 bits fills a 32-bit register
};

/// A load, store or atomic.
struct Access {
  ptx::Space space = ptx::Space::generic;
  ptx::Type type = ptx::Type::none;
  std::uint8_t bytes = 4, count = 1; ///< of an element; elements
  bool is_store = false, is_atomic = false, sign = false;
  AtomicKind kind = AtomicKind::add;
  std::array<std::int32_t, 8> registers{}; ///< operands; `none` for a sink
  std::array<bool, 8> wide{};              ///< 64-bit lanes
  bool half_width = false;                 ///< the destination register has 16 bits
};

constexpr std::int32_t none = INT32_MIN;

struct Op {
  Code code = Code::nothing;
  std::uint8_t flag = 0;
  bool guard_negated = false;
  bool counted = false;                                ///< stands for its PTX instruction in the counters
  std::int32_t guard = none;                           ///< predicate
  std::int32_t d = none, a = none, b = none, c = none; ///< see lane_ops.def and Code
  std::int32_t e = none, f = none;                     ///< member mask, second destination
  std::uint32_t aux = 0;                               ///< index of a table, or the target of a branch
  std::uint32_t size = 0;                              ///< bytes of a param_copy
  std::int64_t imm = 0;
};

/// Where a value of the constant area comes from at launch.
struct Constant {
  enum class Kind : std::uint8_t { value, parameter, special, address } kind = Kind::value;
  bool wide = false;
  std::uint64_t value = 0;    ///< value, parameter offset, Special, or addend of an address
  std::uint32_t variable = 0; ///< address: index of Program::variables
  std::uint8_t bytes = 4;     ///< parameter: size; sign-extended with `sign`
  bool sign = false;
  bool operator==(const Constant&) const = default;
};

enum class Special : std::uint8_t {
  laneid,
  lanemask_eq,
  lanemask_lt,
  lanemask_le,
  lanemask_gt,
  lanemask_ge,
  ntid_x,
  ntid_y,
  ntid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  dynamic_smem,
  total_smem,
  nwarpid,
  nclusterid_x,
  nclusterid_y,
  nclusterid_z,
  cluster_nctaid_x,
  cluster_nctaid_y,
  cluster_nctaid_z,
  cluster_nctarank,
  zero,
  first_preset, ///< those below differ between warps and live in registers
  tid_x = first_preset,
  tid_y,
  tid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  warpid,
  clusterid_x,
  clusterid_y,
  clusterid_z,
  cluster_ctaid_x,
  cluster_ctaid_y,
  cluster_ctaid_z,
  cluster_ctarank
};

struct Preset {
  Special special = Special::zero;
  std::int32_t offset = 0;
};

struct SourceLine {
  int ptx = 0, cuda = 0;
};

struct Program {
  std::string entry;
  std::vector<Op> ops;
  std::vector<SourceLine> lines; ///< one an op
  std::vector<Access> accesses;
  std::vector<Conversion> conversions;
  std::vector<std::vector<std::uint32_t>> tables; ///< of branch_table
  std::vector<std::string> texts;
  std::uint32_t start = 0; ///< first op of the entry
  std::vector<Constant> constants;
  std::vector<std::uint32_t> constant_offset;
  std::uint32_t constant_bytes = 0;
  std::vector<Preset> presets;
  std::uint32_t frame_bytes = 0;
  std::uint32_t local_bytes = 0, shared_bytes = 0; ///< a thread; static, a block
  std::uint32_t parameter_bytes = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> parameters; ///< offset and size of each, in order
  std::vector<ptx::Variable> variables;                            ///< .global and .const, names owned by `names`
  std::vector<std::string> names;
  std::uint32_t shared_granule = 4; ///< bytes of the smallest access that may touch shared memory, at most 4
  std::uint32_t call_depth = 0;
  std::array<unsigned, 3> cluster{0, 0, 0};
};

} // namespace aicf::emulator
