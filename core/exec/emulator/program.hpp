// An entry decoded for execution: warp-wide operations in one linear order, operands as byte offsets into the register
// frame of a warp. The order of operations is a reverse post-order of the control flow graph, callees first, so that
// the program counter doubles as the priority by which divergent lanes reconverge (see warp.hpp).
#pragma once
#include "core/exec/emulator/ptx_ast.hpp"
#include "core/exec/line_counters.hpp"

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
  param_copy,   ///< thread-private memory: size bytes from aux to imm; flag: param_…_stack
  stack_room,   ///< for a frame of size bytes of the function texts[aux]
  branch,       ///< to aux
  branch_table, ///< to tables[aux][a]
  call,         ///< of the function at aux; size: its frame on the stack, imm: kept[imm] (-1: nothing is)
  ret,
  exit,
  barrier,   ///< a: number, b: threads; flag: BarrierKind; d = reduction of predicate c (imm: negated)
  warp_sync, ///< a: member mask
  shuffle,   ///< d = a of lane b under clamp c; e: member mask; f: in-range predicate; flag: ShuffleMode
  match_any, ///< d = members (b) with the same a; flag: 64 bits
  match_all, ///< also f: whether all agree
  reduce,    ///< redux.sync: d = over a of the members b; flag: ReduceKind
  active_mask,
  elect,           ///< d: the leader, f: whether the lane is it, a: member mask
  fence,           ///< flag bit 0: of the cluster or wider, bit 1: of the asynchronous proxy
  get_rank,        ///< getctarank: d = rank of the block that address a belongs to; flag bit 0: 64 bits
  clock,           ///< flag 1: 64 bits, 2: the upper 32
  map_shared,      ///< mapa: d = address a in block b of the cluster; flag bit 0: 64 bits, bit 1: shared, not generic
  cluster_barrier, ///< flag: 1 arrive, 2 wait, 4 relaxed
  trap,
  wide, ///< an instruction of many operands: wides[aux]
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
  bool finite = false;  ///< .satfinite: no result is infinite
  bool extends = false; ///< a signed result of 8 or 16 bits fills a 32-bit register
};

/// A load, store or atomic.
struct Access {
  ptx::Space space = ptx::Space::generic;
  ptx::Type type = ptx::Type::none;
  std::uint8_t bytes = 4, count = 1; ///< of an element; elements
  std::uint8_t align = 0;            ///< of a vector atomic, on its first element; 0: of an element
  bool is_store = false, is_atomic = false, sign = false;
  bool strong = false;                     ///< relaxed, acquire, release, volatile: ordered by itself
  bool acquires = false, releases = false; ///< a fence after, before
  bool cluster_scope = false;              ///< of that fence: the cluster or wider
  bool of_function = false;                ///< a parameter of a function, which lies in thread-private memory
  AtomicKind kind = AtomicKind::add;
  /// Operands; `none` for a sink. Of an atomic of 16 bytes the upper halves of d, b and c, whose lower ones are the
  /// operation's.
  std::array<std::int32_t, 8> registers{};
  std::array<bool, 8> wide{}; ///< 64-bit lanes
  bool half_width = false;    ///< the destination register has 16 bits
};

enum class WideKind : std::uint8_t {
  matrix, ///< mma. in: A, B, C [, metadata]
  wmma_multiply,
  wmma_load,    ///< in: address, stride
  wmma_store,   ///< in: address, stride, registers
  load_matrix,  ///< in: address; n: matrices
  store_matrix, ///< in: address, registers
  move_matrix,
  wgmma,     ///< in: [registers of A |] descriptors, D [, metadata] [, scale]; counts[0]: of A
  registers, ///< setmaxnreg. n: the count; flags: wide_increases
  wgmma_commit,
  wgmma_wait,   ///< n: groups that may stay pending
  print,        ///< in: format, arguments; out: the result
  assertion,    ///< in: message, file, line, function
  allocate,     ///< malloc. in: bytes; out: address
  release,      ///< free. in: address
  barrier_init, ///< mbarrier. in: address, count
  barrier_invalidate,
  barrier_arrive,   ///< in: address, count, bytes; out: state; flag: see BarrierFlag
  barrier_expect,   ///< in: address, bytes
  barrier_complete, ///< in: address, bytes
  barrier_test,     ///< in: address, state or parity; out: predicate
  barrier_pending,  ///< in: state; out: count
  barrier_copies,   ///< cp.async.mbarrier.arrive. in: address
  bulk_load,        ///< in: shared, global, bytes, barrier [, mask]
  bulk_store,       ///< in: global, shared, bytes; d: what is reduced
  bulk_between,     ///< shared to the shared memory of a peer. in: to, from, bytes, barrier; d: what is reduced
  bulk_commit,
  bulk_wait,    ///< n: groups that may stay pending
  tensor_load,  ///< in: shared, map, barrier, mask, coordinates [, offsets of im2col]; k: dimensions
  tensor_store, ///< in: map, shared, coordinates
  store_async   ///< st.async, red.async. in: address, barrier, values
};

/// Bits of Wide::flags.
enum WideFlag : std::uint32_t {
  wide_drop = 1,    ///< arrive_drop
  wide_expects = 2, ///< arrive.expect_tx
  wide_no_complete = 4,
  wide_parity = 8,
  wide_no_order = 16, ///< .relaxed
  wide_may_wait = 32, ///< try_wait
  wide_no_increment = 64,
  wide_a_registers = 128,
  wide_negate_a = 256,
  wide_negate_b = 512,
  wide_trans_a = 1024,
  wide_trans_b = 2048,
  wide_scaled = 4096, ///< the last operand of wgmma is the predicate scale-d
  wide_red = 8192,
  wide_im2col = 32768,
  wide_increases = 65536,
  wide_sparse = 16384 ///< half of A and its metadata, which is the last operand of mma
};

constexpr std::int32_t none = INT32_MIN;
/// Of a block's shared memory the system keeps these on compute capability 8.0 and later (CUDA C++ Programming Guide,
/// compute capabilities). Here they follow what the launch names, and hold zero at first.
constexpr std::uint32_t system_shared_bytes = 1024;
/// Which places of a param_copy are counted from the top of the thread's stack.
constexpr std::uint8_t param_to_stack = 1, param_from_stack = 2;

/// Elements of a row of A that one four-bit index of a sparse mma is about (PTX ISA, "Sparse matrix storage"): two of
/// four are held, one of two where they have 32 bits, two pairs of four where they have 4.
[[nodiscard]] constexpr unsigned sparse_chunk(unsigned bits) { return bits == 32 ? 2 : bits == 4 ? 8 : 4; }

/// An instruction of many operands: registers in the order that its kind says.
struct Wide {
  WideKind kind = WideKind::matrix;
  ptx::Space space = ptx::Space::generic;
  std::uint16_t m = 0, n = 0, k = 0;
  ptx::Type a = ptx::Type::none, b = ptx::Type::none, c = ptx::Type::none, d = ptx::Type::none;
  AtomicKind reduction = AtomicKind::add;
  bool transposed = false, saturate = false;
  std::uint32_t flags = 0;
  std::uint8_t selector = 0;             ///< of a sparse mma: which lanes of each four hold the metadata
  std::array<std::uint16_t, 2> counts{}; ///< registers of A and of B
  std::vector<std::int32_t> in, out;
};

struct Op {
  Code code = Code::nothing;
  std::uint8_t flag = 0;
  bool guard_negated = false;
  bool counted = false;                                ///< stands for its PTX instruction in the counters
  std::int32_t guard = none;                           ///< predicate
  std::int32_t d = none, a = none, b = none, c = none; ///< see lane_ops.def and Code
  std::int32_t e = none, f = none;                     ///< member mask, second destination
  std::uint32_t aux = 0;                               ///< index of a table, or the target of a branch
  std::uint32_t size = 0; ///< bytes of a param_copy or a frame; of a barrier: 1, not .aligned
  std::int64_t imm = 0;
};

/// A register that a call keeps on the thread's stack, and its width.
struct Kept {
  enum Width : std::uint8_t { narrow, wide, predicate } width = narrow;
  std::int32_t offset = 0;
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
  explicit_cluster,
  system_shared,
  system_shared_end,
  system_shared_bytes,
  all_smem,
  one,
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

/// What one execution of an instruction counts as; of its `counted` operation.
struct Cost {
  InstructionClass counted_as = InstructionClass::control;
  std::uint8_t flops = 0;           ///< a lane, in the type that `counted_as` says
  std::uint8_t parameter_bytes = 0; ///< a lane: a kernel parameter at a fixed place is a constant of the launch
};

struct Program {
  std::string entry;
  std::vector<Op> ops;
  std::vector<SourceLine> lines; ///< one an op
  std::vector<Cost> costs;       ///< one an op
  std::vector<Access> accesses;
  std::vector<Conversion> conversions;
  std::vector<Wide> wides;
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
  std::uint32_t shared_granule = 4;    ///< bytes of the smallest access that may touch shared memory, at most 4
  std::vector<std::vector<Kept>> kept; ///< by calls of what may call the caller
  std::uint32_t stack_align = 1;       ///< of frames
  std::int32_t stack_pointer = none;   ///< 64-bit lanes: the end of the lane's stack; none: no function needs one
  bool orders_blocks = false;          ///< has a release or a fence beyond the cluster: see GlobalOrder
  bool system_shared = false;          ///< asks where the system keeps its part of shared memory
  bool async_proxy = false;            ///< has instructions of the asynchronous proxy
  unsigned max_cluster_rank = 0;       ///< .maxclusterrank; 0: not given
  unsigned registers = 0;              ///< a thread, by .maxnreg; 0: not given
  std::array<unsigned, 3> block{};     ///< .reqntid; 0: not given
  unsigned max_threads = 0;            ///< of .maxntid; 0: not given
  std::array<unsigned, 3> cluster{0, 0, 0};
};

} // namespace aicf::emulator
