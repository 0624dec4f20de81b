// The members of Evaluation. Included by evaluate.hpp.
#pragma once
#include "core/exec/reference/evaluate.hpp"

#include <stdexcept>

namespace aicf::reference {

/// visit(index) for each index of a shape in row-major order.
template <class Visit> void for_each_index(const std::vector<std::int64_t>& shape, Visit visit) {
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t e) { return e <= 0; })) return;
  std::vector<std::int64_t> at(shape.size(), 0);
  while (true) {
    visit(at);
    std::size_t k = shape.size();
    while (k > 0 && ++at[k - 1] == shape[k - 1]) at[--k] = 0;
    if (k == 0) return;
  }
}

/// The element of an index, nothing outside the box.
[[nodiscard]] inline std::optional<std::size_t> element_of(const Box& box, const std::vector<std::int64_t>& at) {
  std::size_t e = 0;
  for (std::size_t k = 0; k < at.size(); ++k) {
    std::int64_t offset = at[k] - box.lo[k];
    if (offset < 0 || offset >= box.extent[k]) return std::nullopt;
    e = e * static_cast<std::size_t>(box.extent[k]) + static_cast<std::size_t>(offset);
  }
  return e;
}

[[nodiscard]] inline std::string element_text(const std::string& name, const std::vector<std::int64_t>& at) {
  std::string out = name;
  for (std::size_t k = 0; k < at.size(); ++k) out += (k == 0 ? "[" : ", ") + std::to_string(at[k]);
  return at.empty() ? out : out + "]";
}

template <NumberField F> void Evaluation<F>::place(TensorId t, Box box, File file) {
  constexpr std::size_t most = std::size_t{1} << 31U; // elements: 16 GiB of f64
  std::size_t count = 1;
  for (std::int64_t e : box.extent)
    if (__builtin_mul_overflow(count, static_cast<std::size_t>(std::max<std::int64_t>(e, 0)), &count)) count = most + 1;
  if (count > most) {
    problems_.push_back(error("evaluate.size", d_.tensors[t].name + " has too many elements", d_.tensors[t].at));
    std::fill(box.extent.begin(), box.extent.end(), 0);
  }
  lowering_.place(t, box, file);
  arrays_[t].allocate(std::move(box), file);
}

template <NumberField F> Array<typename F::Value>& Evaluation<F>::input(TensorId t) {
  std::vector<std::int64_t> shape = shape_of(d_, names_, d_.tensors[t], problems_);
  place(t, {std::vector<std::int64_t>(shape.size(), 0), shape}, file_for(d_.tensors[t].kind));
  return arrays_[t];
}

template <NumberField F> template <class Visit> void Evaluation<F>::each(TensorId t, Visit visit) {
  const Array<T>& a = arrays_[t];
  std::vector<std::int64_t> shape = result_shape(t);
  if (a.box.starts_at_zero() && a.box.extent == shape) {
    for (std::size_t e = 0; e < a.box.count(); ++e) visit(a, e);
    return;
  }
  for_each_index(shape, [&](const auto& at) { visit(a, *element_of(a.box, at)); });
}

template <NumberField F> bool Evaluation<F>::run() {
  place_reducers();
  Liveness live = liveness(d_);
  for (std::size_t i = 0; i < d_.statements.size() && problems_.empty();) {
    Group group;
    std::size_t begin = i;
    for (std::uint32_t g = d_.statements[i].group; i < d_.statements.size() && d_.statements[i].group == g; ++i)
      if (live.needed[d_.statements[i].target]) group.push_back(&d_.statements[i]);
    if (group.empty()) continue;
    if (std::any_of(group.begin(), group.end(), [](const Statement* s) { return !s->initial.empty(); }))
      run_recurrence(group);
    else
      for (const Statement* s : group) run_map(*s);
    for (; begin < i && !poisoned_; ++begin)
      for (TensorId t : live.dies_after[begin]) arrays_[t] = {};
  }
  for (TensorId t : d_.outputs)
    if (problems_.empty()) check_result(t);
  return problems_.empty();
}

/// Identities are values of their own: statements without axes of tensors beyond the definition's.
template <NumberField F> void Evaluation<F>::place_reducers() {
  for (const UserReducer& r : d_.reducers) combines_.push_back(lowering_.compile_combine(r));
  for (const UserReducer& r : d_.reducers) {
    Statement identity;
    identity.target = static_cast<TensorId>(arrays_.size());
    arrays_.emplace_back().allocate({}, File::real);
    lowering_.place(identity.target, {}, File::real);
    run_program(lowering_.compile(identity, {}, {}, r.identity));
    identities_.push_back(arrays_.back().reals[0]);
    arrays_.pop_back();
  }
}

template <NumberField F> void Evaluation<F>::run_program(const Program& program) {
  Machine<F> machine(f_, program, arrays_, combines_, identities_, env_, nullptr);
  run_machine(machine);
}

template <NumberField F> void Evaluation<F>::run_machine(Machine<F>& machine) {
  if (!problems_.empty()) return;
  if (!machine.run(stop_))
    problems_.push_back(error("evaluate.cancelled", "evaluation of " + d_.name + " was stopped"));
  poisoned_ = poisoned_ || machine.poisoned();
}

template <NumberField F> std::optional<std::vector<Interval>> Evaluation<F>::ranges_of(const Statement& s) {
  auto ranges = lowering_.ranges(s);
  if (!ranges)
    problems_.push_back(error("evaluate.range", "the range of " + d_.tensors[s.target].name + " has no value", s.at));
  return ranges;
}

template <NumberField F> void Evaluation<F>::run_map(const Statement& s) {
  auto ranges = ranges_of(s);
  if (!ranges) return;
  Box box;
  bool rectangular = true;
  for (std::size_t k = 0; k < s.vars.size(); ++k) {
    box.lo.push_back((*ranges)[k].lo);
    box.extent.push_back(std::max<std::int64_t>((*ranges)[k].hi - (*ranges)[k].lo + 1, 0));
    for (ExprId bound : {s.lo[k], s.hi[k]}) {
      auto code = IntegerCode::compile(d_, names_, bound);
      rectangular = rectangular && code && code->constant();
    }
  }
  std::size_t count = box.count();
  place(s.target, std::move(box), lowering_.file_of(s.body));
  if (!problems_.empty()) return;
  if (!rectangular) arrays_[s.target].defined.assign(count, 0);
  std::vector<Affine> indices;
  for (VarId v : s.vars) indices.push_back({0, {{v, 1}}});
  run_program(lowering_.compile(s, s.vars, indices, s.body));
}

template <NumberField F> void Evaluation<F>::check_result(TensorId t) {
  const Array<T>& a = arrays_[t];
  std::vector<std::int64_t> shape = result_shape(t);
  if (a.poison.empty() && a.defined.empty() && a.box.starts_at_zero() && a.box.extent == shape) return;
  std::optional<std::vector<std::int64_t>> missing, poisoned;
  for_each_index(shape, [&](const auto& at) {
    if (missing || poisoned) return;
    auto e = element_of(a.box, at);
    if (!e || (!a.defined.empty() && a.defined[*e] == 0))
      missing = at;
    else if (!a.poison.empty() && a.poison[*e] != 0)
      poisoned = at;
  });
  if (missing)
    problems_.push_back(
        error("evaluate.missing", element_text(d_.tensors[t].name, *missing) + " has no value", d_.tensors[t].at));
  if (poisoned) explain(t, std::move(*poisoned));
}

/// Evaluates a bad element once more, alone, and follows it to where the error arose.
template <NumberField F> void Evaluation<F>::explain(TensorId t, std::vector<std::int64_t> element) {
  Lowering single = lowering_.single_lane();
  while (problems_.empty()) {
    const Statement& s = *statement_of(d_, t);
    Failures failures;
    for (const TensorDecl& tensor : d_.tensors) failures.tensor_names.push_back(tensor.name);
    ExprId value = s.body;
    std::vector<bool> fixed(s.vars.size(), false);
    for (const Initial& initial : s.initial) {
      auto axes = fixed_axes(s, initial);
      bool here = true;
      for (std::size_t k = 0; k < axes.size(); ++k) here = here && (!axes[k] || *axes[k] == element[k]);
      if (!here) continue;
      value = initial.value;
      for (std::size_t k = 0; k < axes.size(); ++k) fixed[k] = axes[k].has_value();
    }
    std::vector<VarId> vars;
    std::vector<std::int64_t> values;
    std::vector<Affine> indices;
    for (std::size_t k = 0; k < s.vars.size(); ++k) {
      indices.push_back(fixed[k] ? Affine{element[k], {}} : Affine{0, {{s.vars[k], 1}}});
      if (fixed[k]) continue;
      vars.push_back(s.vars[k]);
      values.push_back(element[k]);
    }
    Program program = single.compile(s, vars, indices, value);
    Machine<F> machine(f_, program, arrays_, combines_, identities_, env_, &failures);
    machine.only(std::move(values));
    run_machine(machine);
    const Array<T>& a = arrays_[t];
    const Failure* failure = failures.at(a.poison.at(*element_of(a.box, element)));
    if (failure == nullptr) throw std::logic_error("an element whose error does not come back");
    if (!failure->elsewhere) {
      problems_.push_back(
          error("evaluate.failed", element_text(d_.tensors[t].name, element) + ": " + failure->message, s.at));
      return;
    }
    t = failure->tensor;
    element = failure->element;
  }
}

} // namespace aicf::reference

#include "core/exec/reference/evaluate_recurrence.hpp"
