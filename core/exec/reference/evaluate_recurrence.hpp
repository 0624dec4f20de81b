// Recurrences: first values, then step by step along the shifted axes. Included by evaluate_statements.hpp.
#pragma once
#include "core/exec/reference/evaluate_statements.hpp"

namespace aicf::reference {

/// Where the first values lie: along each axis one place, or (nothing) the whole range of the statement's variable.
template <NumberField F>
std::vector<std::optional<std::int64_t>> Evaluation<F>::fixed_axes(const Statement& s, const Initial& initial) {
  std::vector<std::optional<std::int64_t>> out;
  for (std::size_t k = 0; k < initial.indices.size(); ++k) {
    const Node& n = d_.arena[initial.indices[k]];
    if (n.op == Op::index && n.payload == s.vars[k]) {
      out.emplace_back();
      continue;
    }
    auto code = IntegerCode::compile(d_, names_, initial.indices[k]);
    if (!code || !code->constant())
      problems_.push_back(
          error("evaluate.first-value", "a first value of " + d_.tensors[s.target].name + " has no fixed place", s.at));
    out.emplace_back(code && code->constant() ? code->run({}) : 0);
  }
  return out;
}

template <NumberField F> void Evaluation<F>::place_recurrence(const Statement& s) {
  auto ranges = ranges_of(s);
  if (!ranges) return;
  std::vector<Interval> hull = *ranges;
  for (const Initial& initial : s.initial) {
    auto fixed = fixed_axes(s, initial);
    for (std::size_t k = 0; k < fixed.size(); ++k) {
      if (!fixed[k]) continue;
      bool empty = hull[k].lo > hull[k].hi;
      hull[k].lo = empty ? *fixed[k] : std::min(hull[k].lo, *fixed[k]);
      hull[k].hi = empty ? *fixed[k] : std::max(hull[k].hi, *fixed[k]);
    }
  }
  Box box;
  for (const Interval& i : hull) {
    box.lo.push_back(i.lo);
    box.extent.push_back(std::max<std::int64_t>(i.hi - i.lo + 1, 0));
  }
  // Integers as reals: whether the body stays within 64 bits is known only once the tensors that it reads are placed.
  Kind kind = d_.tensors[s.target].kind;
  std::size_t count = box.count();
  place(s.target, std::move(box), kind == Kind::boolean ? File::truth : File::real);
  if (problems_.empty()) arrays_[s.target].defined.assign(count, 0);
  ranges_[&s] = std::move(*ranges);
}

template <NumberField F> void Evaluation<F>::run_initial(const Statement& s, const Initial& initial) {
  auto fixed = fixed_axes(s, initial);
  std::vector<VarId> vars;
  std::vector<Affine> indices;
  for (std::size_t k = 0; k < fixed.size(); ++k) {
    if (!fixed[k]) vars.push_back(s.vars[k]);
    indices.push_back(fixed[k] ? Affine{*fixed[k], {}} : Affine{0, {{s.vars[k], 1}}});
  }
  run_program(lowering_.compile(s, vars, indices, initial.value));
}

template <NumberField F> void Evaluation<F>::run_recurrence(const Group& group) {
  for (const Statement* s : group) place_recurrence(*s);
  if (!problems_.empty()) return;
  auto steps = schedule(d_, affine_, group);
  if (!steps) {
    problems_.push_back(
        error("evaluate.order", "no axis orders the recurrence of " + d_.tensors[group[0]->target].name, group[0]->at));
    return;
  }
  for (const Statement* s : group)
    for (const Initial& initial : s->initial) run_initial(*s, initial);
  run_steps(*steps);
  leaves_.clear();
}

// Nests as deep as there are shifted axes.
template <NumberField F> void Evaluation<F>::run_steps(const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    if (!problems_.empty()) return;
    if (step.statement == nullptr) {
      loop_over(step);
      continue;
    }
    const Statement& s = *step.statement;
    const std::vector<std::size_t>& axes = sequential_[&s];
    bool inside = true;
    for (std::size_t a : axes) {
      const Interval& range = ranges_.at(&s)[a];
      inside = inside && env_[s.vars[a]] >= range.lo && env_[s.vars[a]] <= range.hi;
    }
    if (!inside) continue;
    std::unique_ptr<Leaf>& leaf = leaves_[&s];
    if (!leaf) {
      std::vector<VarId> vars;
      std::vector<Affine> indices;
      for (std::size_t k = 0; k < s.vars.size(); ++k) {
        if (std::find(axes.begin(), axes.end(), k) == axes.end()) vars.push_back(s.vars[k]);
        indices.push_back({0, {{s.vars[k], 1}}});
      }
      leaf = std::make_unique<Leaf>();
      leaf->program = lowering_.compile(s, vars, indices, s.body);
      leaf->machine = std::make_unique<Machine<F>>(f_, leaf->program, arrays_, combines_, identities_, env_, nullptr);
    }
    run_machine(*leaf->machine);
  }
}

template <NumberField F> void Evaluation<F>::loop_over(const Step& step) {
  Interval all{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  for (auto [s, axis] : step.axes) {
    sequential_[s].push_back(axis);
    const Interval& range = ranges_.at(s)[axis];
    if (range.lo > range.hi) continue;
    all = {std::min(all.lo, range.lo), std::max(all.hi, range.hi)};
  }
  if (all.lo <= all.hi) {
    std::int64_t count = all.hi - all.lo + 1;
    for (std::int64_t k = 0; k < count && problems_.empty(); ++k) {
      for (auto [s, axis] : step.axes) env_[s->vars[axis]] = step.backward ? all.hi - k : all.lo + k;
      run_steps(step.inside);
    }
  }
  for (auto [s, axis] : step.axes) sequential_[s].pop_back();
}

} // namespace aicf::reference
