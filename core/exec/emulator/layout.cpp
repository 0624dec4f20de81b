// From virtual registers in source order to the final program: blocks in reverse post-order, liveness, linear scan.
#include "core/exec/emulator/lower.hpp"

#include <queue>

#include <algorithm>
#include <limits>

namespace aicf::emulator {
namespace {

constexpr std::uint32_t unset = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t max_liveness_bits = std::size_t{1} << 30;
constexpr std::uint32_t max_frame_bytes = 1u << 24;
constexpr std::size_t max_kept_work = std::size_t{1} << 26; ///< registers held against calls

bool ends_block(Code c) {
  return c == Code::branch || c == Code::branch_table || c == Code::ret || c == Code::exit || c == Code::trap;
}

struct Block {
  std::uint32_t first = 0, end = 0; ///< ops of the function, source order
  std::vector<std::uint32_t> next;  ///< fall-through last
  bool falls_through = false;
  std::uint32_t at = unset; ///< position in the final program
};

struct FunctionLayout {
  FunctionCode& code;
  std::vector<Block> blocks;
  std::vector<std::uint32_t> order;

  explicit FunctionLayout(FunctionCode& c, const Program& program) : code(c) {
    split(program);
    sort();
  }
  void split(const Program& program);
  void sort();
};

void FunctionLayout::split(const Program& program) {
  const auto n = static_cast<std::uint32_t>(code.ops.size());
  std::vector<bool> leader(n + 1, false);
  leader[0] = leader[n] = true;
  for (const auto i : code.source->leaders) leader[std::min(code.first_op[i], n)] = true;
  for (std::uint32_t i = 0; i < n; ++i)
    if (ends_block(code.ops[i].code)) leader[i + 1] = true;
  std::vector<std::uint32_t> block_of(n + 1, unset);
  for (std::uint32_t i = 0; i < n;) {
    Block b;
    b.first = i;
    do block_of[i++] = static_cast<std::uint32_t>(blocks.size());
    while (!leader[i]);
    b.end = i;
    blocks.push_back(std::move(b));
  }
  const auto at_instruction = [&](std::uint32_t index) { return block_of[std::min(code.first_op[index], n - 1)]; };
  for (std::uint32_t k = 0; k < blocks.size(); ++k) {
    Block& b = blocks[k];
    const Op& last = code.ops[b.end - 1];
    const bool guarded = last.guard != none;
    if (last.code == Code::branch) {
      b.next.push_back(at_instruction(last.aux));
    } else if (last.code == Code::branch_table) {
      for (const auto t : program.tables[last.aux]) b.next.push_back(at_instruction(t));
    }
    b.falls_through = (guarded || !ends_block(last.code)) && k + 1 < blocks.size();
    if (b.falls_through) b.next.push_back(k + 1);
  }
}

/// Reverse post-order; of several successors the one that comes last in the text is visited first, so that it is placed
/// last: loops stay together and a loop's exit follows its body.
void FunctionLayout::sort() {
  enum class State : std::uint8_t { fresh, open };
  std::vector<State> state(blocks.size(), State::fresh);
  struct Frame {
    std::uint32_t block;
    std::vector<std::uint32_t> next;
  };
  std::vector<Frame> stack;
  const auto open = [&](std::uint32_t b) {
    state[b] = State::open;
    Frame f{b, blocks[b].next};
    std::sort(f.next.begin(), f.next.end()); // taken from the back
    stack.push_back(std::move(f));
  };
  open(0);
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next.empty()) {
      order.push_back(top.block);
      stack.pop_back();
      continue;
    }
    const std::uint32_t b = top.next.back();
    top.next.pop_back();
    if (state[b] == State::fresh) open(b);
  }
  std::reverse(order.begin(), order.end());
}

/// Calls `visit(field, is_definition)` for each register operand, sources first; `once`: no field twice.
template <class F> void each_operand(Op& op, Program& program, F&& visit, bool once = false) {
  if (op.guard != none) visit(op.guard, false);
  const bool defines_first = op.code != Code::store;
  for (std::int32_t* field : {&op.a, &op.b, &op.c, &op.e})
    if (*field != none) visit(*field, false);
  if (op.code == Code::carry32 || op.code == Code::carry64) {
    auto carry = static_cast<std::int32_t>(op.imm);
    if ((op.flag & carry_in) != 0 && !once) visit(carry, false);
    visit(carry, true);
    op.imm = carry;
  }
  if (op.code == Code::load || op.code == Code::store) {
    Access& access = program.accesses[op.aux];
    for (std::size_t k = 0; k < access.count; ++k)
      if (access.registers[k] != none) visit(access.registers[k], defines_first);
  }
  if (op.code == Code::atomic && program.accesses[op.aux].bytes == 16)
    for (const std::size_t k : {1U, 2U, 0U}) visit(program.accesses[op.aux].registers[k], k == 0);
  if (op.code == Code::wide) {
    Wide& wide = program.wides[op.aux];
    for (auto& r : wide.in) visit(r, false);
    for (auto& r : wide.out) visit(r, true);
  }
  if (op.d != none) visit(op.d, true);
  if (op.f != none) visit(op.f, true);
}

struct Interval {
  std::int32_t reg = 0;
  std::uint32_t first = unset, last = 0;
};

/// Blocks of bits, one row a block of code.
class Bits {
 public:
  Bits(std::size_t rows, std::size_t columns) : words_((columns + 63) / 64), data_(rows * words_) {}
  std::uint64_t* row(std::size_t r) { return data_.data() + r * words_; }
  [[nodiscard]] std::size_t words() const { return words_; }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> data_;
};

class Allocator {
 public:
  Allocator(Lowering& lowering, Program& program)
      : lowering_(lowering), program_(program), places(lowering.width.size(), unset) {}
  /// Final positions are [begin, end) of program.ops; `order` gives each block's range there.
  bool run(const FunctionLayout& layout, std::uint32_t begin, std::uint32_t end);
  /// A place of its own for a register that is set before the first operation.
  void pin(std::int32_t r) {
    places[static_cast<std::size_t>(r)] = take(lowering_.width[static_cast<std::size_t>(r)]);
    pinned_.push_back(r);
  }

 private:
  void live_ranges(const FunctionLayout& layout, std::uint32_t begin, std::uint32_t end, std::vector<Interval>& out);
  std::uint32_t take(Width w);
  void give(Width w, std::uint32_t offset);
  bool keep_across_calls(const std::vector<Interval>& intervals, std::uint32_t begin, std::uint32_t end);

  Lowering& lowering_;
  Program& program_;

 public:
  std::vector<std::uint32_t> places; ///< byte offset of each virtual register
  std::uint32_t frame = 0;

 private:
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free_[3];
  std::uint32_t next_predicate_ = 0;
  std::size_t kept_work_ = 0;
  std::vector<std::int32_t> pinned_;
  std::vector<std::int32_t> dense_; ///< by register: its number in the function at hand, -1 between functions
};

std::uint32_t Allocator::take(Width w) {
  auto& pool = free_[static_cast<std::size_t>(w)];
  if (!pool.empty()) {
    const auto offset = pool.top();
    pool.pop();
    return offset;
  }
  if (w == Width::pred) {
    if (next_predicate_ % 128 == 0) {
      next_predicate_ = frame;
      frame += 128;
    }
    const auto offset = next_predicate_;
    next_predicate_ += 4;
    return offset;
  }
  const auto offset = frame;
  frame += w == Width::w64 ? 256 : 128;
  return offset;
}

void Allocator::give(Width w, std::uint32_t offset) { free_[static_cast<std::size_t>(w)].push(offset); }

void Allocator::live_ranges(const FunctionLayout& layout, std::uint32_t begin, std::uint32_t end,
                            std::vector<Interval>& out) {
  // Registers of this function, numbered densely.
  dense_.resize(lowering_.width.size(), -1);
  auto& dense = dense_;
  for (std::uint32_t p = begin; p < end; ++p)
    each_operand(program_.ops[p], program_, [&](std::int32_t& r, bool) {
      if (r < 0 || dense[static_cast<std::size_t>(r)] >= 0) return;
      dense[static_cast<std::size_t>(r)] = static_cast<std::int32_t>(out.size());
      out.push_back({r, unset, 0});
    });
  const auto named = layout.code.first_register + layout.code.register_count;
  const auto touch = [&](std::size_t d, std::uint32_t p) {
    out[d].first = std::min(out[d].first, p);
    out[d].last = std::max(out[d].last, p);
  };
  const std::size_t n = layout.order.size();
  const auto whole = [&] { // one place for each register
    for (std::size_t d = 0; d < out.size(); ++d) {
      touch(d, begin);
      touch(d, end);
    }
  };
  if (n * out.size() > max_liveness_bits) {
    whole();
    return;
  }
  Bits live(n, out.size()), uses(n, out.size()), kills(n, out.size());
  std::vector<std::uint32_t> rank(layout.blocks.size(), unset);
  for (std::uint32_t k = 0; k < n; ++k) rank[layout.order[k]] = k;
  const auto stop = [&](std::size_t k) { return k + 1 < n ? layout.blocks[layout.order[k + 1]].at : end; };
  for (std::size_t k = 0; k < n; ++k) {
    auto *u = uses.row(k), *d = kills.row(k);
    for (std::uint32_t p = layout.blocks[layout.order[k]].at; p < stop(k); ++p) {
      Op& op = program_.ops[p];
      each_operand(op, program_, [&](std::int32_t& r, bool definition) {
        if (r < 0) return;
        const auto i = static_cast<std::size_t>(dense[static_cast<std::size_t>(r)]);
        touch(i, p);
        const std::uint64_t bit = std::uint64_t{1} << (i % 64);
        // A guarded definition keeps the old value of other lanes; temporaries of an expansion have none to keep.
        if ((!definition || (op.guard != none && r < named)) && (d[i / 64] & bit) == 0) u[i / 64] |= bit;
        if (definition) d[i / 64] |= bit;
      });
    }
  }
  // live-in = uses | (live-out & ~kills), to the fixed point.
  std::size_t work = 0;
  for (bool changed = true; changed;) {
    changed = false;
    work += n * live.words();
    if (work > max_liveness_bits) { // no such program comes from a compiler
      whole();
      return;
    }
    for (std::size_t k = n; k-- > 0;) {
      auto* in = live.row(k);
      const auto *u = uses.row(k), *d = kills.row(k);
      for (std::size_t w = 0; w < live.words(); ++w) {
        std::uint64_t after = 0;
        for (const auto s : layout.blocks[layout.order[k]].next) after |= live.row(rank[s])[w];
        const std::uint64_t now = u[w] | (after & ~d[w]);
        changed = changed || now != in[w];
        in[w] = now;
      }
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint32_t from = layout.blocks[layout.order[k]].at;
    const auto extend = [&](std::size_t row, std::uint32_t p) {
      for (std::size_t w = 0; w < live.words(); ++w)
        for (std::uint64_t bits = live.row(row)[w]; bits != 0; bits &= bits - 1)
          touch(w * 64 + static_cast<std::size_t>(__builtin_ctzll(bits)), p);
    };
    extend(k, from);
    for (const auto s : layout.blocks[layout.order[k]].next) extend(rank[s], stop(k));
  }
}

/// What is live across a call that may enter this function again; false: too much.
bool Allocator::keep_across_calls(const std::vector<Interval>& intervals, std::uint32_t begin, std::uint32_t end) {
  for (std::uint32_t p = begin; p < end; ++p) {
    Op& op = program_.ops[p];
    if (op.code != Code::call || op.flag == 0) continue;
    kept_work_ += intervals.size();
    if (kept_work_ > max_kept_work) return false;
    std::vector<Kept> kept;
    for (const Interval& i : intervals) {
      if (i.first >= p || i.last <= p || std::find(pinned_.begin(), pinned_.end(), i.reg) != pinned_.end()) continue;
      const Width w = lowering_.width[static_cast<std::size_t>(i.reg)];
      kept.push_back({w == Width::w64    ? Kept::wide
                      : w == Width::pred ? Kept::predicate
                                         : Kept::narrow,
                      static_cast<std::int32_t>(places[static_cast<std::size_t>(i.reg)])});
    }
    if (kept.empty()) continue;
    op.imm = static_cast<std::int64_t>(program_.kept.size());
    program_.kept.push_back(std::move(kept));
  }
  return true;
}

bool Allocator::run(const FunctionLayout& layout, std::uint32_t begin, std::uint32_t end) {
  std::vector<Interval> intervals;
  live_ranges(layout, begin, end, intervals);
  for (const Interval& i : intervals) dense_[static_cast<std::size_t>(i.reg)] = -1;
  // Registers that other functions touch keep their place throughout.
  const auto shared_register = [&](std::int32_t r) {
    const auto own = layout.code.first_register, count = layout.code.register_count;
    const auto& f = *layout.code.source;
    const auto parameter = [&](std::int32_t p) { return p < 0 && own + ~p == r; };
    if (std::any_of(f.params.begin(), f.params.end(), parameter)) return true;
    if (std::any_of(f.results.begin(), f.results.end(), parameter)) return true;
    const bool mine = r >= own && r < own + count;
    const FunctionCode& last = lowering_.functions.back(); // those that functions name come first of all
    return !mine && r < last.first_register + last.register_count;
  };
  std::vector<Interval> free_choice;
  for (const Interval& i : intervals) {
    const auto r = static_cast<std::size_t>(i.reg);
    if (places[r] != unset) continue;
    if (shared_register(i.reg))
      places[r] = take(lowering_.width[r]);
    else
      free_choice.push_back(i);
  }
  std::sort(free_choice.begin(), free_choice.end(), [](const Interval& a, const Interval& b) {
    return a.first != b.first ? a.first < b.first : a.reg < b.reg;
  });
  using End = std::pair<std::uint32_t, std::int32_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> active;
  for (const Interval& i : free_choice) {
    while (!active.empty() && active.top().first < i.first) {
      const auto r = static_cast<std::size_t>(active.top().second);
      give(lowering_.width[r], places[r]);
      active.pop();
    }
    places[static_cast<std::size_t>(i.reg)] = take(lowering_.width[static_cast<std::size_t>(i.reg)]);
    active.emplace(i.last, i.reg);
    if (frame > max_frame_bytes) return false;
  }
  if (layout.code.recursive && !keep_across_calls(intervals, begin, end)) return false;
  // The next function's registers must not share: callers stay live across it.
  for (auto& pool : free_) pool = {};
  next_predicate_ = 0;
  return true;
}

} // namespace

bool lay_out(Lowering& lowering, Program& program, std::vector<Diagnostic>& errors) {
  std::vector<FunctionLayout> layouts;
  std::vector<std::uint32_t> starts;
  layouts.reserve(lowering.functions.size());
  for (FunctionCode& code : lowering.functions) {
    layouts.emplace_back(code, program);
    FunctionLayout& layout = layouts.back();
    starts.push_back(static_cast<std::uint32_t>(program.ops.size()));
    struct Fix {
      std::uint32_t op, block;
    };
    std::vector<Fix> fixes;
    for (std::size_t k = 0; k < layout.order.size(); ++k) {
      Block& b = layout.blocks[layout.order[k]];
      b.at = static_cast<std::uint32_t>(program.ops.size());
      program.ops.insert(program.ops.end(), code.ops.begin() + b.first, code.ops.begin() + b.end);
      program.lines.insert(program.lines.end(), code.lines.begin() + b.first, code.lines.begin() + b.end);
      program.costs.insert(program.costs.end(), code.costs.begin() + b.first, code.costs.begin() + b.end);
      if (program.ops.back().code == Code::branch)
        fixes.push_back({static_cast<std::uint32_t>(program.ops.size()) - 1, b.next.front()});
      const std::uint32_t after = layout.order[k] + 1;
      if (b.falls_through && (k + 1 == layout.order.size() || layout.order[k + 1] != after)) {
        Op jump;
        jump.code = Code::branch;
        fixes.push_back({static_cast<std::uint32_t>(program.ops.size()), after});
        program.ops.push_back(jump);
        program.lines.push_back(program.lines.back());
        program.costs.emplace_back();
      }
    }
    for (const Fix& f : fixes) program.ops[f.op].aux = layout.blocks[f.block].at;
    const auto instruction_block = [&](std::uint32_t index) {
      const std::uint32_t op =
          std::min<std::uint32_t>(code.first_op[index], static_cast<std::uint32_t>(code.ops.size()) - 1);
      const auto it = std::upper_bound(layout.blocks.begin(), layout.blocks.end(), op,
                                       [](std::uint32_t o, const Block& b) { return o < b.first; });
      return (it - 1)->at;
    };
    for (std::size_t p = starts.back(); p < program.ops.size(); ++p)
      if (program.ops[p].code == Code::branch_table)
        for (auto& t : program.tables[program.ops[p].aux]) t = instruction_block(t);
  }
  for (Op& op : program.ops)
    if (op.code == Code::call) op.aux = starts[op.aux];
  program.start = starts.back();

  Allocator allocator(lowering, program);
  for (const auto& [special, reg] : lowering.preset_register) allocator.pin(reg);
  if (lowering.stack_pointer != none) allocator.pin(lowering.stack_pointer);
  for (std::size_t f = 0; f < layouts.size(); ++f) {
    const auto end = f + 1 < layouts.size() ? starts[f + 1] : static_cast<std::uint32_t>(program.ops.size());
    if (!allocator.run(layouts[f], starts[f], end)) {
      errors.push_back(error("ptx.registers",
                             "the registers of '" + program.entry +
                                 "' take more than 16 MiB a warp, or its recursive calls keep too many",
                             Span{"ptx", layouts[f].code.source->line, 0, 0}));
      return false;
    }
  }
  program.frame_bytes = allocator.frame;
  for (const Constant& c : program.constants) {
    program.constant_offset.push_back(program.constant_bytes);
    program.constant_bytes += c.wide ? 256 : 128;
  }
  const auto final_operand = [&](std::int32_t& r) {
    const bool is_register = r >= 0;
    const auto index = static_cast<std::size_t>(is_register ? r : -1 - r);
    r = static_cast<std::int32_t>(is_register ? allocator.places[index] : program.constant_offset[index] | 1);
  };
  for (Op& op : program.ops)
    each_operand(
        op, program, [&](std::int32_t& r, bool) { final_operand(r); }, true);
  for (const auto& [special, reg] : lowering.preset_register)
    program.presets.push_back({special, static_cast<std::int32_t>(allocator.places[static_cast<std::size_t>(reg)])});
  if (lowering.stack_pointer != none)
    program.stack_pointer =
        static_cast<std::int32_t>(allocator.places[static_cast<std::size_t>(lowering.stack_pointer)]);
  return true;
}

} // namespace aicf::emulator
