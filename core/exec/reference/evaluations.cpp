#include "core/exec/evaluations.hpp"

#include "core/exec/reference.hpp"
#include "core/exec/reference/binding.hpp"
#include "core/expr/free_vars.hpp"

#include <algorithm>

namespace aicf {
namespace {

class Work {
 public:
  Work(const Definition& d, BoundNames names, std::int64_t longest)
      : d_(d), names_(std::move(names)), longest_(longest), free_(d.arena) {}

  double of(const Statement& s) {
    intervals_.clear();
    double times = 1;
    for (std::size_t k = 0; k < s.vars.size(); ++k) times *= extent(s.vars[k], s.lo[k], s.hi[k]);
    std::vector<ExprId> roots{s.body};
    for (const Initial& initial : s.initial) roots.push_back(initial.value);
    const std::vector<ExprId> all = reachable(d_.arena, roots);
    for (auto id = all.rbegin(); id != all.rend(); ++id) // users first: their variables bound those of their operands
      if (d_.arena[*id].op == Op::reduce) times += of_reduction(*id);
    return times;
  }

 private:
  const Definition& d_;
  BoundNames names_;
  std::int64_t longest_;
  FreeVars free_;
  std::unordered_map<VarId, Interval> intervals_;

  double of_reduction(ExprId id) {
    double times = 1;
    const std::vector<VarId>& vars = d_.arena.reduction(id).vars;
    for (std::size_t k = 0; k < vars.size(); ++k)
      times *= extent(vars[k], d_.arena.operand(id, 2 * k), d_.arena.operand(id, 2 * k + 1));
    for (VarId outer : free_.of(id))
      if (auto at = intervals_.find(outer); at != intervals_.end()) times *= length(at->second);
    return times;
  }

  static double length(Interval i) { return static_cast<double>(std::max<std::int64_t>(0, i.hi - i.lo + 1)); }

  double extent(VarId var, ExprId lo, ExprId hi) {
    const auto from = IntegerCode::compile(d_, names_, lo), to = IntegerCode::compile(d_, names_, hi);
    const auto a = from ? from->range(intervals_) : std::nullopt, b = to ? to->range(intervals_) : std::nullopt;
    const Interval range = a && b ? Interval{a->lo, b->hi - 1} : Interval{0, longest_ - 1};
    intervals_[var] = range;
    return length(range);
  }
};

} // namespace

double evaluations(const Definition& d, const std::map<std::string, std::int64_t>& dims,
                   const std::map<std::string, double>& scalars) {
  const auto shapes = shapes_for(d, dims, scalars);
  if (!shapes) return 0;
  std::int64_t longest = 1;
  for (const auto& [name, shape] : *shapes)
    for (std::int64_t extent : shape) longest = std::max(longest, extent);
  std::vector<Diagnostic> ignored;
  BoundNames names{{}, reference::bind_scalars(d, scalars, ignored)};
  for (const std::string& dim : d.dims) names.dims.push_back(dims.at(dim));
  Work work(d, std::move(names), longest);
  double times = 0;
  for (const Statement& statement : d.statements) times += work.of(statement);
  return times;
}

} // namespace aicf
