#include "core/expr/check_ranges.hpp"

#include <algorithm>
#include <map>

namespace aicf::check {

using lang::Item;
using lang::Step;

namespace {

std::string quoted(std::string_view word) { return "'" + std::string(word) + "'"; }

/// Walks the items of a statement as the builder will, with names only.
class Collector {
 public:
  Collector(State& state, Work& work) : s_(&state), work_(&work) {
    for (std::uint32_t i = 0; i < work.bindings.size(); ++i) scope_.try_emplace(work.bindings[i].name, i);
  }

  void expression(const lang::Expression& e) {
    for (std::uint32_t i = e.begin; i < e.end; ++i) item(i);
  }

 private:
  struct Access {
    TensorId tensor = no_tensor;
    std::uint32_t axis = 0;
    bool padded = false;
  };

  void item(std::uint32_t position) {
    const auto& items = s_->scope->file->items;
    const Item& it = items[position];
    switch (it.step) {
    case Step::access_begin: accesses_.push_back({tensor(it, position), 0, (it.flags & lang::padded) != 0}); break;
    case Step::index_end: {
      Access& access = accesses_.back();
      const Item& index = items[position - 1];
      Step before = items[position - 2].step;
      bool alone = index.step == Step::name && (before == Step::access_begin || before == Step::index_end);
      if (alone && !access.padded) use(index, access);
      ++access.axis;
      break;
    }
    case Step::access_end: accesses_.pop_back(); break;
    case Step::reduce_begin: reductions_.emplace_back(); break;
    case Step::binder: {
      auto position_of = static_cast<std::uint32_t>(work_->bindings.size());
      Binding& binding = work_->bindings.emplace_back();
      binding.name = it.name;
      binding.at = it.at;
      binding.given = it.flags > 0;
      binding.local = true;
      if (scope_.try_emplace(it.name, position_of).second) {
        reductions_.back().push_back(it.name);
      } else {
        binding.poison = true; // it hides another: the builder says so
      }
      break;
    }
    case Step::reduce_end:
      for (lang::NameId name : reductions_.back()) scope_.erase(name);
      reductions_.pop_back();
      break;
    default: break;
    }
  }

  TensorId tensor(const Item& it, std::uint32_t position) const {
    if ((it.flags & lang::of_call) != 0) return s_->calls.at(position - 1);
    auto found = s_->names.find(it.name);
    bool is_tensor = found != s_->names.end() && found->second.kind == Symbol::Kind::tensor;
    return is_tensor ? found->second.id : no_tensor;
  }

  void use(const Item& index, const Access& access) {
    auto binding = scope_.find(index.name);
    if (binding == scope_.end()) return;
    bool axis = access.tensor != no_tensor && access.axis < s_->tensors[access.tensor].lo.size();
    work_->uses.push_back({binding->second, axis ? access.tensor : no_tensor, access.axis, index.at});
  }

  State* s_;
  Work* work_;
  std::unordered_map<lang::NameId, std::uint32_t> scope_;
  std::vector<Access> accesses_;
  std::vector<std::vector<lang::NameId>> reductions_;
};

void bind_written(State& state, Builder& builder, Work& work, std::size_t axis) {
  const lang::BinderNode& node = work.node->binders[axis];
  Binding& binding = work.bindings[axis];
  if (!node.hi.empty()) {
    binding.given = true;
    binding.lo = node.lo.empty() ? state.d.arena.integer(0) : builder.dim_expression(node.lo);
    binding.hi = builder.dim_expression(node.hi);
    if (binding.lo == no_expr || binding.hi == no_expr) {
      binding.lo = binding.hi = no_expr;
      binding.poison = true;
    }
  }
  if (!work.result) return;
  ExprId extent = axis < state.d.tensors[work.target].shape.size() ? state.d.tensors[work.target].shape[axis] : no_expr;
  if (extent == no_expr) {
    binding.poison = true;
    return;
  }
  ExprId zero = state.d.arena.integer(0);
  if (binding.lo != no_expr && (!state.extents.equal(binding.lo, zero) || !state.extents.equal(binding.hi, extent)))
    state.error("lang.range", binding.at,
                quoted(state.text(binding.name)) + " ranges over " + state.show_range(binding.lo, binding.hi) +
                    ", but " + quoted(state.d.tensors[work.target].name) + " is declared with " + state.show(extent));
  binding.lo = zero;
  binding.hi = extent;
}

/// The value of a wrong statement has no range: readers say nothing.
void spoil(State& state, TensorId tensor) { state.tensors[tensor].poison = true; }

class RangeFinder {
 public:
  RangeFinder(State& state, const std::vector<std::uint32_t>& members) : s_(&state), members_(&members) {}

  void run() {
    for (std::uint32_t member : *members_) {
      Work& work = s_->works[member];
      for (std::uint32_t b = 0; b < work.node->binders.size() && !work.broken; ++b)
        if (work.bindings[b].lo != no_expr) publish(work, b);
    }
    for (std::uint32_t member : *members_) {
      const Work& work = s_->works[member];
      for (const Use& use : work.uses) {
        if (use.binding >= work.node->binders.size() || use.tensor == no_tensor) continue;
        if (known(use)) {
          resolve(member, use);
        } else {
          waiting_[{use.tensor, use.axis}].emplace_back(member, use);
        }
      }
    }
    while (!found_.empty()) {
      auto axis = found_.back();
      found_.pop_back();
      for (const auto& [member, use] : waiting_[axis]) resolve(member, use);
    }
    for (std::uint32_t member : *members_) settle(s_->works[member]);
  }

 private:
  [[nodiscard]] bool known(const Use& use) const {
    return use.tensor != no_tensor && !s_->tensors[use.tensor].poison &&
           s_->tensors[use.tensor].hi[use.axis] != no_expr;
  }

  void publish(Work& work, std::uint32_t axis) {
    TensorState& tensor = s_->tensors[work.target];
    if (axis >= tensor.lo.size()) return;
    tensor.lo[axis] = work.bindings[axis].lo;
    tensor.hi[axis] = work.bindings[axis].hi;
    found_.emplace_back(work.target, axis);
  }

  void resolve(std::uint32_t member, const Use& use) {
    Work& work = s_->works[member];
    Binding& binding = work.bindings[use.binding];
    if (binding.lo != no_expr || binding.poison) return;
    binding.lo = s_->tensors[use.tensor].lo[use.axis];
    binding.hi = s_->tensors[use.tensor].hi[use.axis];
    publish(work, use.binding);
  }

  void settle(Work& work) {
    std::vector<const Use*> first(work.bindings.size(), nullptr);
    for (const Use& use : work.uses) {
      Binding& binding = work.bindings[use.binding];
      if (binding.given || binding.poison) continue;
      if (!known(use)) {
        bool wrong = use.tensor == no_tensor || s_->tensors[use.tensor].poison;
        if (wrong && binding.lo == no_expr) binding.poison = true;
        continue;
      }
      ExprId lo = s_->tensors[use.tensor].lo[use.axis], hi = s_->tensors[use.tensor].hi[use.axis];
      const Use*& before = first[use.binding];
      if (binding.lo == no_expr) {
        binding.lo = lo;
        binding.hi = hi;
      } else if (!s_->extents.equal(lo, binding.lo) || !s_->extents.equal(hi, binding.hi)) {
        conflict(work, binding, use, before);
        work.broken = true;
        binding.poison = true;
      }
      if (before == nullptr) before = &use;
    }
    for (std::size_t b = 0; b < work.bindings.size(); ++b) {
      Binding& binding = work.bindings[b];
      if (binding.lo != no_expr || binding.poison || (binding.given && binding.local)) continue;
      binding.poison = true;
      std::string name = s_->text(binding.name);
      s_->error("lang.range", binding.at,
                "the range of the index " + quoted(name) + " is not known: it indexes nothing",
                "write " + name + " in n, or " + name + " in lo .. hi");
    }
    for (std::size_t b = 0; b < work.node->binders.size() && b < work.bindings.size(); ++b)
      if (work.bindings[b].poison) spoil(*s_, work.target);
  }

  void conflict(const Work& work, const Binding& binding, const Use& use, const Use* before) {
    std::string source = before != nullptr
                             ? "in " + quoted(s_->d.tensors[before->tensor].name) + " (" + s_->where(before->at) + ")"
                             : "in the result " + quoted(s_->d.tensors[work.target].name);
    const TensorState& tensor = s_->tensors[use.tensor];
    std::string message = "the index ";
    message.append(quoted(s_->text(binding.name))).append(" ranges over ");
    message.append(s_->show_range(tensor.lo[use.axis], tensor.hi[use.axis])).append(" in ");
    message.append(quoted(s_->d.tensors[use.tensor].name)).append(" but over ");
    message.append(s_->show_range(binding.lo, binding.hi)).append(" ").append(source);
    s_->error("lang.range", use.at, std::move(message), "write its range where it is bound, if that is meant");
  }

  State* s_;
  const std::vector<std::uint32_t>* members_;
  std::map<std::pair<TensorId, std::uint32_t>, std::vector<std::pair<std::uint32_t, Use>>> waiting_;
  std::vector<std::pair<TensorId, std::uint32_t>> found_;
};

} // namespace

void collect(State& state, Builder& builder, Work& work) {
  for (const lang::BinderNode& node : work.node->binders) {
    Binding& binding = work.bindings.emplace_back();
    binding.name = node.name;
    binding.at = node.at;
  }
  for (std::size_t axis = 0; axis < work.node->binders.size(); ++axis) bind_written(state, builder, work, axis);
  Collector collector(state, work);
  collector.expression(work.node->body);
  for (const lang::InitialNode& initial : work.node->initial) {
    for (const lang::Expression& index : initial.indices) collector.expression(index);
    collector.expression(initial.value);
  }
}

void find_ranges(State& state, const std::vector<std::uint32_t>& members) { RangeFinder(state, members).run(); }

} // namespace aicf::check
