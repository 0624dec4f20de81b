// Lowering of PTX instructions to operations on virtual registers. Internal to decode().
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/exec/emulator/program.hpp"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace aicf::emulator {

enum class Width : std::uint8_t { w32, w64, pred };

/// What lane_ops.def says of an operation.
struct LaneInfo {
  Code code = Code::nothing;
  bool test = false; ///< d is a predicate
  std::uint8_t sources = 0;
  Width d = Width::w32;
  std::array<Width, 3> source{};
};
[[nodiscard]] const LaneInfo* lane_info(std::string_view canonical); ///< null: no such operation
[[nodiscard]] const LaneInfo* lane_info(Code code);                  ///< null: a special operation

/// The operations of one function, in source order, on virtual registers (>= 0) and constants (~index).
struct FunctionCode {
  const ptx::Function* source = nullptr;
  std::vector<Op> ops;
  std::vector<SourceLine> lines;
  std::vector<Cost> costs;
  std::vector<std::uint32_t> first_op;        ///< of each instruction; one more for the end
  std::int32_t first_register = 0;            ///< virtual number of register 0
  std::int32_t register_count = 0;            ///< declared ones, then the upper halves of those of 128 bits
  std::vector<std::uint32_t> variable_offset; ///< of shared, local and param variables
  std::size_t component = 0;                  ///< functions of one component may call each other
  bool recursive = false;                     ///< a thread may enter it before it returns: it has a frame
  std::uint32_t frame_bytes = 0;              ///< of its variables, and of parameters that are registers
  std::vector<std::uint32_t> register_slot;   ///< by register: its place in the frame, where it is a parameter
};

/// Of a list of arguments or results; 0 where there is none.
[[nodiscard]] inline std::size_t item_count(const ptx::Operand* list) {
  return list == nullptr ? 0 : list->items.size();
}

/// The operands of a call; null where it has none.
struct CallOperands {
  const ptx::Operand *results = nullptr, *target = nullptr, *arguments = nullptr;
};
[[nodiscard]] CallOperands call_operands(const ptx::Instruction& call);
/// The parameters of `f` fit an indirect call in `caller`.
[[nodiscard]] bool may_call(const ptx::Function& caller, const CallOperands& call, const ptx::Function& f);

/// Functions of a module, callees first.
struct CallOrder {
  static constexpr std::size_t unseen = SIZE_MAX, closed = SIZE_MAX - 1;
  std::vector<std::size_t> functions;
  std::vector<std::size_t> component; ///< of each function of the module
  std::vector<bool> recursive;
  // While it is found.
  std::vector<std::size_t> number, lowest, stack;
  std::size_t opened = 0, components = 0, work = 0;
};

/// What one execution of an instruction counts as (instruction_cost.cpp).
[[nodiscard]] Cost cost_of(const ptx::Instruction& instruction);

class Lowering {
 public:
  Lowering(const ptx::Module& module, Program& program, std::vector<Diagnostic>& errors)
      : module_(module), program_(program), errors_(errors) {}
  /// What a pointer to a function holds; `function` indexes the module's functions.
  [[nodiscard]] static std::uint64_t code_address(std::size_t function);
  /// Lowers the entry and what it calls; callees come first in `functions`. False: errors were added.
  bool run(std::string_view entry);
  std::vector<FunctionCode> functions;
  std::vector<Width> width;                        ///< of each virtual register
  std::map<Special, std::int32_t> preset_register; ///< virtual registers that are set when a warp starts
  std::int32_t stack_pointer = none;               ///< virtual register; none: no function needs a stack

 private:
  friend struct Rules;
  using Instruction = ptx::Instruction;
  using Operand = ptx::Operand;
  using Type = ptx::Type;

  struct Refused {}; ///< thrown by error_at, caught in instruction()
  struct Unsupported {
    std::string why;
  };

  void take_addresses();
  bool order_functions(std::string_view entry, CallOrder& order);
  bool order_component(std::size_t root, CallOrder& order);
  [[nodiscard]] std::vector<std::size_t> callees(std::size_t caller, std::size_t& work) const;
  void place_parameters(const ptx::Function& f, FunctionCode& code);
  void place_variables(const ptx::Function& f, FunctionCode& code);
  void function(std::size_t index);
  void instruction(const Instruction& i);
  [[noreturn]] void refuse(const std::string& message);
  [[noreturn]] void unsupported(const std::string& why = {});

  // Operands.
  std::int32_t fresh(Width w);
  std::int32_t constant(const Constant& c);
  std::int32_t constant32(std::uint32_t v) { return constant({Constant::Kind::value, false, v}); }
  std::int32_t constant64(std::uint64_t v) { return constant({Constant::Kind::value, true, v}); }
  std::int32_t special(std::string_view name);
  std::int32_t use(const Operand& o, Width w, Type literal);
  std::int32_t use(const Operand& o, Type t) { return use(o, width_of(t), t); }
  std::int32_t use_predicate(const Operand& o, bool& negated);
  std::int32_t define(const Operand& o, Width w);
  std::int32_t upper_half(const Operand& o); ///< of a 128-bit register, whose own number is its lower half
  std::int32_t address_of(const Operand& variable);
  std::int32_t private_address(std::size_t variable, std::uint64_t addend = 0);
  [[nodiscard]] const ptx::Variable& variable(const Operand& o) const;
  [[nodiscard]] Type register_type(const Operand& o) const;
  [[nodiscard]] static Width width_of(Type t);
  [[nodiscard]] const Operand& at(std::size_t n);
  Op& emit(Code code, std::int32_t d, std::int32_t a = none, std::int32_t b = none, std::int32_t c = none);
  void emit_lane(std::string_view canonical, std::int32_t d, std::int32_t a, std::int32_t b = none,
                 std::int32_t c = none);

  // Instructions by topic; each returns false when the opcode is not its own.
  bool arithmetic();
  bool lane_instruction(std::string canonical, bool sat, bool relu, bool flush_half, Type type);
  static Code flush_code(Type type);
  std::int32_t flushed_half(std::int32_t a, Type type);
  bool directed_arithmetic(Rounding mode, bool flushed, bool sat, Type type);
  bool carry_arithmetic();
  bool comparison();
  bool select();
  bool logic();
  bool move();
  void move_wide();
  bool conversion();
  bool packed_conversion();
  std::int32_t converted_part(const Conversion& c, std::int32_t a);
  void join_pair(std::int32_t d, std::int32_t low, std::int32_t high, unsigned bits);
  void convert_integers(Type to, Type from, std::int32_t d, Width dw, unsigned register_bits, std::int32_t a, Width aw);
  bool memory();
  bool load_store(bool is_store);
  bool atomics();
  bool async_copies();
  bool hopper(); ///< lower_async.cpp
  bool mbarriers();
  bool bulk_copies();
  void asynchronous_reduction(Wide& wide, Type type, bool to_shared);
  bool tensor_copies();
  bool warpgroup();
  static bool atomic_from(std::string_view part, AtomicKind& kind);
  bool tensor();
  bool multiply_matrices();
  std::int32_t sparse_matrix(Wide& wide, unsigned bits); ///< the register of the metadata
  bool wmma();
  bool matrix_shape(Wide& op) const;
  bool control();
  bool barriers();
  bool calls();
  bool call_of_system(const Operand* results, std::string_view name, const Operand* arguments);
  void call_function(std::size_t function, const CallOperands& call);
  void move_parameter(const FunctionCode& callee, const Operand& mine, std::int32_t theirs, bool in);
  void access_slot(const FunctionCode& code, std::int32_t number, std::int32_t value, std::int64_t from_top,
                   bool store);
  void load_register_parameters();
  void return_from_function();
  std::int32_t parameter_value(const Operand& o, Width w);
  void indirect_call(const CallOperands& call);
  bool warp_level();
  void address(const Operand& o, ptx::Space space, Op& op);
  std::int32_t whole_address(const Operand& o, ptx::Space space);
  [[nodiscard]] ptx::Space space_of(ptx::Space otherwise) const;
  [[nodiscard]] std::vector<Type> types() const;
  [[nodiscard]] std::vector<Type> element_types() const;
  void use_all(const Operand& o, Width w, Type literal, std::vector<std::int32_t>& into);
  void define_all(const Operand& o, Width w, std::vector<std::int32_t>& into);
  Op& emit_wide(Wide wide);
  bool frame_address(const Operand& o, std::uint32_t& offset, bool& kernel_parameter) const;
  [[nodiscard]] bool has(std::string_view part) const;
  [[nodiscard]] std::string_view opcode() const { return now_->parts[0]; }
  [[nodiscard]] Type last_type() const;
  std::uint32_t vector_count() const;
  static Rounding rounding_from(std::string_view part);

  const ptx::Module& module_;
  Program& program_;
  std::vector<Diagnostic>& errors_;
  std::unordered_map<std::string_view, std::size_t> function_named_;
  std::map<std::size_t, std::size_t> code_of_; ///< function to index in `functions`
  std::map<std::tuple<int, bool, std::uint64_t, std::uint32_t, int, bool>, std::int32_t> constant_index_;
  FunctionCode* code_ = nullptr;
  const ptx::Function* source_ = nullptr;
  const Instruction* now_ = nullptr;
  std::int32_t guard_ = none, carry_ = none;
  bool guard_negated_ = false;
  std::vector<std::size_t> addressed_; ///< functions whose address is taken
  std::size_t operations_ = 0;         ///< of the functions before
  bool primary_ = true;                ///< the next operation is the one that counts as the instruction
};

/// Linear order, register allocation and final operands; fills program.ops and the frame. False: a limit was passed.
bool lay_out(Lowering& lowering, Program& program, std::vector<Diagnostic>& errors);

} // namespace aicf::emulator
