// PTX text as the parser leaves it: names resolved, nothing interpreted. Views point into the text, which must outlive
// the module.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aicf::ptx {

enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  bf16,
  f16x2,
  bf16x2,
  f32,
  f64,
  tf32,
  e4m3,
  e5m2,
  e4m3x2,
  e5m2x2,
  // Of matrix fragments alone: no register, variable or memory access has them, and type_from() does not give them.
  b1,
  u4,
  s4
};

[[nodiscard]] Type type_from(std::string_view name); ///< "u32" …; none when it is no fundamental type
[[nodiscard]] std::string_view name_of(Type type);
[[nodiscard]] unsigned bits_of(Type type); ///< 1 for pred, 0 for none
[[nodiscard]] inline bool is_signed(Type t) { return t >= Type::s8 && t <= Type::s64; }
[[nodiscard]] inline bool is_float(Type t) { return t >= Type::f16 && t < Type::b1; }

/// shared: of the block itself; shared_cluster: of any block of the cluster.
enum class Space : std::uint8_t { generic, global, shared, local, param, constant, shared_cluster };

/// An initialiser word that holds the address of a variable.
struct Relocation {
  std::uint64_t offset = 0;
  std::string_view symbol;
  std::int32_t target = -1;                   ///< index of the variable, once decoded
  static constexpr std::int32_t of_code = -2; ///< a function: the addend is its address
  std::int64_t addend = 0;
  bool generic = false;
};

struct Variable {
  std::string_view name;
  Space space = Space::global;
  Type type = Type::b8;
  std::uint32_t align = 1;
  std::uint64_t bytes = 0;
  bool dynamic = false; ///< `.extern .shared x[]`: lies at the start of the dynamic shared memory
  int line = 0;
  std::vector<std::byte> init;
  std::vector<Relocation> relocations;
};

struct Register {
  std::string_view name;
  Type type = Type::none;
};

struct Operand {
  enum class Kind : std::uint8_t {
    reg,      ///< index: register of the function
    special,  ///< name: %tid.x …
    integer,  ///< value
    real32,   ///< bits: 0f…
    real64,   ///< bits: 0d… or a decimal literal
    variable, ///< index: variable of the function, or ~index of the module; value: byte offset
    address,  ///< [items[0] + value]
    vector,   ///< {items}
    pair,     ///< items[0] | items[1]
    label,    ///< name; index: instruction
    function, ///< name
    sink      ///< _
  } kind = Kind::sink;
  bool negated = false; ///< !%p
  std::int32_t index = -1;
  std::int64_t value = 0;
  std::uint64_t bits = 0;
  std::string_view name;
  std::vector<Operand> items;
};

struct Instruction {
  std::string_view text;               ///< the opcode with its modifiers
  std::vector<std::string_view> parts; ///< split at dots; parts[0] is the opcode
  std::int32_t guard = -1;             ///< predicate register, -1: none
  bool guard_negated = false;
  int line = 0, cuda_line = 0;
  std::vector<Operand> operands;
};

struct Function {
  std::string_view name;
  bool entry = false, defined = false;
  int line = 0;
  std::vector<Register> registers;
  std::vector<Variable> variables;
  std::vector<std::int32_t> params, results; ///< indices of variables; ~index of a register for .reg parameters
  std::vector<Instruction> body;
  std::vector<std::uint32_t> leaders; ///< instruction indices that carry a label
  unsigned cluster[3] = {0, 0, 0};    ///< .reqnctapercluster; 0: not given
  unsigned max_cluster_rank = 0;      ///< .maxclusterrank; 0: not given
  unsigned max_registers = 0;         ///< .maxnreg; 0: not given
  unsigned block[3] = {0, 0, 0};      ///< .reqntid; 0: not given
  unsigned max_threads = 0;           ///< of .maxntid; 0: not given
};

struct Module {
  std::string_view version, target;
  std::vector<Variable> variables;
  std::vector<Function> functions;
};

} // namespace aicf::ptx
