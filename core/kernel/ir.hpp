// Kernel IR: what a kernel does, before it is text. A tree of regions of nodes; values are typed and single-assignment,
// what changes lives in buffers (a scalar accumulator is a register buffer of rank 0). Every family builds it, passes
// rewrite it, a verifier reads it after each pass, and the CUDA printer knows nothing else.
#pragma once
#include "core/base/dtype.hpp"
#include "core/expr/expr.hpp"
#include "core/kernel/layout.hpp"
#include "core/kernel/module.hpp"

#include <string>
#include <vector>

namespace aicf::ir {

using NodeId = std::uint32_t;
using BufferId = std::uint32_t;
using BarrierId = std::uint32_t;
inline constexpr std::uint32_t none = 0xffffffff;

enum class Type : std::uint8_t { none, pred, i32, i64, f32, f64, pointer };

/// What the iterations of a loop are: hardware coordinates (grid … lane), one packed access (vector), or time.
enum class Binding : std::uint8_t { grid, cluster, block, warp, lane, vector, sequential };

enum class Code : std::uint8_t {
  // values
  constant, ///< number
  param,    ///< [index] Kernel::params
  var,      ///< a parameter of a region
  apply,    ///< op(args), with an accuracy
  fma,      ///< a * b + c, rounded once
  convert,  ///< to the node's type
  round,    ///< to the storage type and back
  view,     ///< [buffer] pointer into global memory at an element offset: args {offset}; index: see Builder::view
  load,     ///< [buffer] args: indices {, guard, value otherwise}
  extreme,  ///< [buffer] op (max, min) over a packed group of f16 or bf16: args as of the load of its first; NaN wins
  result,   ///< [index] of the collective args[0]
  shuffle,  ///< args {value, lane mask or delta or source lane}, shuffle kind
  // statements
  note,       ///< the rule and the reason behind what follows
  alloc,      ///< [buffer] begins its lifetime, which ends with the region it stands in
  store,      ///< [buffer] args: indices, value
  store_peer, ///< [buffer] args: rank of a block of the cluster, indices, value: into that block's shared memory
  send_peer,  ///< [buffer, barrier] args: rank, stage, indices, value: likewise, and the barrier there counts its bytes
  renew,      ///< [buffer] args as of the load of a packed group's first element: from here on, what was derived of the
              ///< group before is not known to be the same
  copy,       ///< [buffer <- source] width elements: args: indices there, indices here {, bytes for a bulk copy}
  loop,       ///< args {lo, hi}: lo <= v < hi, or halving: hi, hi / 2, … lo; region 0 takes the variable
  branch,     ///< args {condition}; region 0, else region 1 where there is one
  role,       ///< warps [first, first + count) of the block run region 0, with so many registers a thread
  reduce,     ///< args: a tuple; region 0 takes left and right tuples and gives the merged one; see `result`
  sync,       ///< all threads of the scope meet; a cluster may arrive first and wait later
  arrive,     ///< [barrier] args {stage {, expected bytes}}
  wait,       ///< [barrier] args {stage, parity}
  commit,     ///< closes a group of asynchronous copies
  wait_group, ///< [index] waits until at most that many groups are in flight
  mma,        ///< [buffer += source * source2] fragments
  trap,       ///< args {condition}: the launch fails
};

enum class Scope : std::uint8_t { warp, block, cluster };
enum class Accuracy : std::uint8_t {
  named,
  fast
}; ///< as the device library rounds it, or the hardware's approximation
enum class Transfer : std::uint8_t { direct, async, bulk }; ///< through registers, cp.async, cp.async.bulk
enum class Shuffle : std::uint8_t { exchange, down, broadcast };
enum class Hint : std::uint8_t { none, streaming };
enum class Meeting : std::uint8_t { whole, arrive, wait }; ///< a sync at one place, or its two halves

struct Region {
  std::vector<NodeId> params, body, results;
};

struct Node {
  Code code = Code::constant;
  Type type = Type::none;
  Op op = Op::number; ///< of apply
  Accuracy accuracy = Accuracy::named;
  bool nonnegative = false;             ///< floordiv, mod: both operands are known to be
  bool unroll = false, halving = false; ///< of a loop
  Binding binding = Binding::sequential;
  Scope scope = Scope::block;
  Transfer transfer = Transfer::direct;
  Shuffle shuffle = Shuffle::exchange;
  Hint hint = Hint::none;
  Meeting meeting = Meeting::whole;                  ///< of a sync of the cluster
  DType dtype = DType::f32;                          ///< of round
  std::uint32_t index = 0;                           ///< see Code
  std::uint32_t first = 0, count = 0, registers = 0; ///< of a role
  std::uint32_t width = 1;                           ///< elements of a copy
  BufferId buffer = none, source = none, source2 = none;
  BarrierId barrier = none;
  double number = 0;
  bool symmetric = false; ///< reduce: swapping the operands changes no bit of the merge
  std::vector<NodeId> args;
  std::vector<Region> regions;
  std::vector<double> identity;    ///< of a reduce, for each component
  std::string name, rule, comment; ///< the rule (an id of atlas/) behind the node, and why in words
};

enum class Space : std::uint8_t { global, shared, reg, fragment };

struct Buffer {
  std::string name;
  Space space = Space::reg;
  DType dtype = DType::f32;          ///< how elements are stored
  bool computed = false;             ///< registers that hold values of `type` rather than stored elements
  Type type = Type::f32;             ///< of the values that loads give
  Layout layout;                     ///< rank 0: one value; global memory is linear
  Fragment fragment;                 ///< of a fragment
  std::uint32_t stages = 1;          ///< of a ring: the first index is the stage
  bool dynamic = false;              ///< shared memory whose size the launch gives
  Arg::Role role = Arg::Role::input; ///< of global memory
  std::vector<std::string> extents;  ///< of a workspace, as a DimExpr takes them
};

/// A barrier in shared memory with a phase a stage (mbarrier): `arrivals` of them complete a phase.
struct Barrier {
  std::string name;
  std::uint32_t stages = 1, arrivals = 1;
};

struct KernelParam {
  std::string name;
  Type type = Type::i64;
  bool dim = true; ///< a size rather than a scalar of the operator
};

struct Kernel {
  std::string name;
  std::vector<std::string> about; ///< lines at the head of the source
  std::vector<Node> nodes;
  std::vector<Buffer> buffers; ///< global ones in the order of the arguments
  std::vector<Barrier> barriers;
  std::vector<KernelParam> params;
  Region body;
  std::uint32_t threads = 1, cluster = 1; ///< of a block; blocks of a cluster
  std::uint32_t resident_blocks = 0;      ///< that a multiprocessor must have room for; 0: whatever comes out
  Launch launch;
  std::vector<std::string> options;
};

[[nodiscard]] std::string_view name_of(Type type);
[[nodiscard]] std::string_view name_of(Code code);
[[nodiscard]] std::string_view name_of(Binding binding);
[[nodiscard]] Type type_of(DType stored); ///< of the values that loads of it give: f16 and bf16 compute in f32
[[nodiscard]] bool is_real(Type type);
[[nodiscard]] bool is_statement(Code code);    ///< has an effect and no value
[[nodiscard]] bool is_pure(const Node& node);  ///< depends on its operands alone: may move, merge and vanish
[[nodiscard]] bool iterates(const Node& node); ///< a loop in time, or over the elements of a packed access
/// Registers that hold stored elements side by side in 32-bit words.
[[nodiscard]] bool is_packed(const Buffer& buffer);
[[nodiscard]] bool is_packed_halves(const Buffer& buffer); ///< of f16 or bf16
/// How many leading arguments address an element of the buffer: pointer and offset in global memory, else the rank.
[[nodiscard]] std::size_t index_count(const Buffer& buffer);
/// The global buffers that the kernel takes, in the order of its arguments: all of them, or, where launches hand on
/// parts through a workspace, those that this launch touches.
[[nodiscard]] std::vector<BufferId> arguments(const Kernel& kernel);

} // namespace aicf::ir
