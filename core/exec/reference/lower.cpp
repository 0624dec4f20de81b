#include "core/exec/reference/lower.hpp"

#include "core/exec/reference/emit.hpp"
#include "core/expr/normal.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace aicf::reference {
namespace {

constexpr std::uint8_t unknown = 0xff;
constexpr std::int64_t most_kept = std::int64_t{1} << 24U; ///< values of one reduction that are kept for reuse

} // namespace

std::size_t Box::count() const {
  std::size_t n = 1;
  for (std::int64_t e : extent) n *= static_cast<std::size_t>(std::max<std::int64_t>(e, 0));
  return n;
}

bool Box::starts_at_zero() const {
  return std::all_of(lo.begin(), lo.end(), [](std::int64_t v) { return v == 0; });
}

Lowering::Lowering(const Definition& definition, const BoundNames& names, std::int64_t lanes)
    : d_(&definition), names_(&names), lanes_(lanes), affine_(definition, names), free_(definition.arena),
      file_(definition.arena.size(), unknown) {}

void Lowering::place(TensorId tensor, Box box, File file) {
  boxes_[tensor] = std::move(box);
  files_[tensor] = file;
}

File Lowering::file_of(ExprId root) {
  if (file_[root] != unknown) return static_cast<File>(file_[root]);
  for (ExprId id : nodes_below(d_->arena, std::array{root})) {
    if (file_[id] != unknown) continue;
    const Node& n = d_->arena[id];
    auto operands = d_->arena.operands(id);
    auto all_integer = [&](std::span<const ExprId> ids) {
      return std::all_of(ids.begin(), ids.end(),
                         [&](ExprId e) { return static_cast<File>(file_[e]) == File::integer; });
    };
    File f = File::real;
    switch (n.op) {
    case Op::number:
      if (n.kind == Kind::boolean)
        f = File::truth;
      else if (n.kind == Kind::integer && std::fabs(d_->arena.value(id)) < 0x1p53)
        f = File::integer;
      break;
    case Op::index:
    case Op::dim: f = File::integer; break;
    case Op::scalar: {
      const ElementType& t = d_->scalars[n.payload].type;
      if (!t.generic && !is_float(t.fixed)) f = t.fixed == DType::boolean ? File::truth : File::integer;
      break;
    }
    case Op::load: f = files_.at(n.payload); break;
    case Op::padded_load:
      f = files_.at(n.payload);
      if (f != static_cast<File>(file_[operands.back()])) f = File::real;
      break;
    case Op::neg:
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::floordiv:
    case Op::mod:
    case Op::abs:
    case Op::sign:
    case Op::min:
    case Op::max:
    case Op::floor:
    case Op::ceil:
    case Op::round:
      if (all_integer(operands)) f = File::integer;
      break;
    case Op::isnan:
    case Op::lt:
    case Op::le:
    case Op::eq:
    case Op::ne:
    case Op::and_:
    case Op::or_:
    case Op::not_: f = File::truth; break;
    case Op::select:
      if (file_[operands[1]] == file_[operands[2]]) f = static_cast<File>(file_[operands[1]]);
      break;
    case Op::reduce:
      switch (static_cast<Builtin>(d_->arena.reduction(id).reducer)) {
      case Builtin::any:
      case Builtin::all: f = File::truth; break;
      case Builtin::argmax:
      case Builtin::argmin: f = File::integer; break;
      case Builtin::sum:
      case Builtin::prod:
        if (all_integer(operands.last(1))) f = File::integer;
        break;
      default: f = n.kind == Kind::boolean ? File::truth : File::real; // the maximum of no integers is -inf
      }
      break;
    default: break;
    }
    file_[id] = static_cast<std::uint8_t>(f);
  }
  return static_cast<File>(file_[root]);
}

struct Lowering::Job {
  std::uint32_t loop = 0;
  ExprId reduction = no_expr, bound = no_expr; ///< neither: the statement
  std::size_t enclosing = 0;                   ///< variables of the loops around it
};

void Lowering::set_bounds(Program& program, Loop& loop, std::span<const ExprId> lo, std::span<const ExprId> hi,
                          std::unordered_map<VarId, Interval>& intervals, std::vector<Job>& jobs) {
  auto bound = [&](ExprId id) {
    BoundOf b{IntegerCode::compile(*d_, *names_, id), 0};
    if (!b.code) {
      b.loop = static_cast<std::uint32_t>(program.loops.size());
      program.loops.emplace_back();
      jobs.push_back({b.loop, no_expr, id, 0});
    }
    return b;
  };
  for (std::size_t k = 0; k < loop.vars.size(); ++k) {
    loop.lo.push_back(bound(lo[k]));
    loop.hi.push_back(bound(hi[k]));
    if (!loop.lo[k].code || !loop.hi[k].code) continue;
    auto from = loop.lo[k].code->range(intervals), to = loop.hi[k].code->range(intervals);
    if (!from || !to) continue;
    Interval all{from->lo, to->hi - 1};
    auto [it, fresh] = intervals.try_emplace(loop.vars[k], all);
    if (!fresh) it->second = {std::min(it->second.lo, all.lo), std::max(it->second.hi, all.hi)};
  }
}

void Lowering::choose_lanes(Loop& loop, const std::unordered_map<VarId, Interval>& intervals) {
  loop.lanes_from = loop.vars.size();
  if (loop.vars.empty()) return;
  auto extent = [&](std::size_t k) -> std::int64_t { // 0: not known
    auto found = intervals.find(loop.vars[k]);
    return found == intervals.end() ? 0 : std::max<std::int64_t>(found->second.hi - found->second.lo + 1, 1);
  };
  auto constant = [&](std::size_t k) {
    return loop.lo[k].code && loop.lo[k].code->constant() && loop.hi[k].code && loop.hi[k].code->constant();
  };
  std::size_t from = loop.vars.size() - 1;
  while (from > 0 && constant(from) && loop.inner * extent(from) * 2 <= lanes_) loop.inner *= extent(from--);
  loop.lanes_from = from;
  loop.chunk = std::max<std::int64_t>(1, lanes_ / loop.inner);
  if (std::int64_t e = extent(from); e > 0) loop.chunk = std::min(loop.chunk, e);
}

void Lowering::lower_loop(Program& program, const Job& job, std::unordered_map<VarId, Interval>& intervals,
                          std::vector<Job>& jobs) {
  Loop& loop = program.loops[job.loop];
  Emitter emitter(*this, program, loop);
  if (job.reduction == no_expr) {
    loop.sink = Loop::Sink::bound;
    loop.folded = File::integer;
    loop.source = job.bound;
    loop.free = free_.of(job.bound);
    choose_lanes(loop, intervals);
    emitter.emit(no_expr, job.bound, File::integer);
  } else {
    const Reduce& what = d_->arena.reduction(job.reduction);
    loop.sink = Loop::Sink::fold;
    loop.source = job.reduction;
    loop.folded = file_of(job.reduction);
    loop.reducer = what.reducer;
    loop.free = free_.of(job.reduction);
    loop.vars = what.vars;
    keep_values(loop, job.enclosing, intervals);
    std::vector<ExprId> lo, hi;
    for (std::size_t k = 0; k < what.vars.size(); ++k) {
      lo.push_back(d_->arena.operand(job.reduction, 2 * k));
      hi.push_back(d_->arena.operand(job.reduction, 2 * k + 1));
    }
    set_bounds(program, loop, lo, hi, intervals, jobs);
    choose_lanes(loop, intervals);
    ExprId predicate = d_->arena.predicate(job.reduction), body = d_->arena.body(job.reduction);
    bool always = d_->arena[predicate].op == Op::number && d_->arena.value(predicate) != 0;
    auto builtin = static_cast<Builtin>(loop.reducer);
    File as = File::real;
    if (builtin == Builtin::any || builtin == Builtin::all)
      as = File::truth;
    else if (loop.folded == File::integer && file_of(body) != File::real)
      as = File::integer;
    emitter.emit(always ? no_expr : predicate, body, as);
  }
  for (auto [reduction, position] : emitter.reductions())
    jobs.push_back({position, reduction, no_expr, job.enclosing + loop.vars.size()});
}

void Lowering::keep_values(Loop& loop, std::size_t enclosing, const std::unordered_map<VarId, Interval>& intervals) {
  if (loop.free.size() >= enclosing) return; // every value is asked for once
  std::int64_t count = 1;
  for (VarId v : loop.free) {
    auto found = intervals.find(v);
    if (found == intervals.end()) return loop.memo_box.clear();
    std::int64_t extent = std::max<std::int64_t>(found->second.hi - found->second.lo + 1, 1);
    if (extent > most_kept / count) return loop.memo_box.clear();
    count *= extent;
    loop.memo_box.push_back(found->second);
  }
}

Program Lowering::compile(const Statement& statement, std::span<const VarId> vars, std::span<const Affine> indices,
                          ExprId value) {
  Program program;
  program.statement = &statement;
  std::unordered_map<VarId, Interval> intervals;
  std::vector<Job> jobs;
  std::vector<ExprId> lo, hi;
  Loop& root = program.loops.emplace_back();
  root.target = statement.target;
  root.source = value;
  std::optional<std::vector<Interval>> all = ranges(statement);
  for (std::size_t k = 0; k < statement.vars.size(); ++k) { // the loop order is the statement's
    VarId v = statement.vars[k];
    if (std::find(vars.begin(), vars.end(), v) == vars.end()) {
      if (all) intervals[v] = (*all)[k];
      continue;
    }
    root.vars.push_back(v);
    lo.push_back(statement.lo[k]);
    hi.push_back(statement.hi[k]);
  }
  set_bounds(program, root, lo, hi, intervals, jobs);
  choose_lanes(root, intervals);
  Emitter emitter(*this, program, root);
  const Box& box = boxes_.at(statement.target);
  std::int64_t stride = 1;
  root.at.resize(indices.size());
  for (std::size_t k = indices.size(); k-- > 0;) {
    root.at[k] = {true, indices[k], {}, box.lo[k], box.extent[k], stride};
    stride *= std::max<std::int64_t>(box.extent[k], 1);
  }
  emitter.emit(no_expr, value, files_.at(statement.target));
  for (auto [reduction, position] : emitter.reductions())
    jobs.push_back({position, reduction, no_expr, statement.vars.size()});
  for (std::size_t next = 0; next < jobs.size(); ++next) {
    Job job = jobs[next];
    lower_loop(program, job, intervals, jobs);
  }
  return program;
}

Combine Lowering::compile_combine(const UserReducer& reducer) {
  Combine combine;
  Program program;
  combine.loop.inner = combine.loop.chunk = 1;
  Emitter emitter(*this, program, combine.loop);
  emitter.emit(no_expr, reducer.combine, File::real);
  combine.a = emitter.symbol(0);
  combine.b = emitter.symbol(1);
  return combine;
}

Lowering Lowering::single_lane() const {
  Lowering single = *this;
  single.lanes_ = 1;
  return single;
}

std::optional<std::vector<Interval>> Lowering::ranges(const Statement& statement) {
  std::unordered_map<VarId, Interval> intervals;
  std::vector<Interval> out;
  for (std::size_t k = 0; k < statement.vars.size(); ++k) {
    auto from = IntegerCode::compile(*d_, *names_, statement.lo[k]);
    auto to = IntegerCode::compile(*d_, *names_, statement.hi[k]);
    auto a = from ? from->range(intervals) : std::nullopt, b = to ? to->range(intervals) : std::nullopt;
    if (!a || !b) return std::nullopt;
    out.push_back({a->lo, b->hi - 1});
    intervals[statement.vars[k]] = out.back();
  }
  return out;
}

} // namespace aicf::reference
