#include "core/expr/check_op.hpp"

#include "core/expr/check_call.hpp"
#include "core/expr/check_finish.hpp"
#include "core/expr/check_graph.hpp"
#include "core/expr/check_ranges.hpp"
#include "core/expr/check_recurrence.hpp"

#include <algorithm>

namespace aicf::check {

using lang::Item;
using lang::Step;

namespace {

std::string quoted(std::string_view word) { return "'" + std::string(word) + "'"; }

ElementType element_type(const lang::TypeName& type) { return {type.generic, type.fixed}; }

template <class Visit> void each_expression(const lang::StatementNode& node, Visit visit) {
  visit(node.body);
  for (const lang::InitialNode& initial : node.initial) {
    for (const lang::Expression& index : initial.indices) visit(index);
    visit(initial.value);
  }
}

/// Marks the tensors that expressions load; every node is visited once over all calls.
class Loads {
 public:
  void visit(const Arena& arena, std::vector<ExprId> stack, std::vector<bool>& loaded) {
    seen_.resize(arena.size(), false);
    while (!stack.empty()) {
      ExprId id = stack.back();
      stack.pop_back();
      if (seen_[id]) continue;
      seen_[id] = true;
      if (is_load(arena[id].op)) loaded[arena[id].payload] = true;
      for (ExprId operand : arena.operands(id)) stack.push_back(operand);
    }
  }

 private:
  std::vector<bool> seen_;
};

class OpChecker {
 public:
  OpChecker(FileScope& scope, const lang::OpNode& op) : s_(scope, op), builder_(s_), inliner_(s_, builder_) {}

  std::shared_ptr<Definition> run() {
    std::size_t before = s_.scope->problems->errors();
    s_.d.name = s_.text(s_.op->name);
    s_.d.file = s_.scope->source->file();
    for (const auto& [name, position] : s_.scope->reducers) s_.taken.insert(s_.text(name));
    if (s_.op->broken) return nullptr;
    declare_scalars();
    declare_dims();
    declare_tensors();
    declare_statements();
    in_group_.assign(s_.works.size(), false);
    for (const auto& members : strong_components(edges())) group(members);
    if (failed_ || s_.scope->problems->errors() != before) return nullptr;
    report_unused();
    if (s_.scope->problems->errors() != before) return nullptr;
    return std::make_shared<Definition>(compact(prune()));
  }

 private:
  void declare_scalars() {
    for (const lang::ScalarNode& node : s_.op->scalars) {
      auto id = static_cast<std::uint32_t>(s_.d.scalars.size());
      ElementType type = element_type(node.type);
      s_.d.scalars.push_back({s_.text(node.name), type, node.value, s_.scope->source->span(node.at)});
      s_.scalar_used.push_back(false);
      s_.declare(node.name, {Symbol::Kind::scalar, id, node.at});
      Kind kind = kind_of(type);
      if (kind == Kind::integer && !node.integer)
        s_.error("lang.kind", node.value_at, quoted(s_.text(node.name)) + " is an integer: its default must be one");
      if (kind == Kind::boolean && (!node.integer || (node.value != 0 && node.value != 1)))
        s_.error("lang.kind", node.value_at, "a bool is 0 or 1");
    }
  }

  /// Every name in the shape of an input that is no scalar is a dimension.
  void declare_dims() {
    for (const lang::TensorNode& node : s_.op->inputs) {
      for (const lang::Expression& extent : node.shape) {
        for (std::uint32_t i = extent.begin; i < extent.end; ++i) {
          const Item& it = s_.scope->file->items[i];
          if (it.step != Step::name || s_.names.contains(it.name)) continue;
          s_.d.dims.push_back(s_.text(it.name));
          dim_places_.push_back(it.at);
          s_.declare(it.name, {Symbol::Kind::dim, static_cast<std::uint32_t>(s_.d.dims.size() - 1), it.at});
        }
      }
    }
  }

  /// The extents of the inputs determine every dimension: one after the other, each by an extent that is linear in it
  /// and holds no other that is not known yet.
  void bind_dims() {
    std::vector<bool> bound(s_.d.dims.size(), false);
    std::vector<std::pair<std::uint32_t, ExprId>> equations; // unknown dims, extent
    std::vector<std::vector<std::uint32_t>> of_dim(bound.size());
    for (TensorId t = 0; t < s_.d.inputs; ++t) {
      for (ExprId extent : s_.d.tensors[t].shape) {
        if (extent == no_expr) return;
        std::vector<std::uint32_t> dims = dims_of(extent);
        for (std::uint32_t dim : dims) of_dim[dim].push_back(static_cast<std::uint32_t>(equations.size()));
        equations.emplace_back(static_cast<std::uint32_t>(dims.size()), extent);
      }
    }
    std::vector<std::uint32_t> ready;
    for (std::uint32_t e = 0; e < equations.size(); ++e)
      if (equations[e].first == 1) ready.push_back(e);
    while (!ready.empty()) {
      ExprId extent = equations[ready.back()].second;
      ready.pop_back();
      for (std::uint32_t dim : dims_of(extent)) {
        if (bound[dim] || !s_.extents.linear_in(extent, dim)) continue;
        bound[dim] = true;
        for (std::uint32_t e : of_dim[dim])
          if (--equations[e].first == 1) ready.push_back(e);
      }
    }
    for (std::size_t k = 0; k < bound.size(); ++k)
      if (!bound[k])
        s_.error("lang.dimension", dim_places_[k], "no input determines the dimension " + quoted(s_.d.dims[k]),
                 "give some input the extent " + s_.d.dims[k] + " itself");
  }

  [[nodiscard]] std::vector<std::uint32_t> dims_of(ExprId extent) const {
    std::vector<std::uint32_t> dims;
    std::vector<ExprId> stack{extent};
    while (!stack.empty()) {
      ExprId id = stack.back();
      stack.pop_back();
      if (s_.d.arena[id].op == Op::dim) dims.push_back(s_.d.arena[id].payload);
      for (ExprId operand : s_.d.arena.operands(id)) stack.push_back(operand);
    }
    std::sort(dims.begin(), dims.end());
    dims.erase(std::unique(dims.begin(), dims.end()), dims.end());
    return dims;
  }

  TensorId declare_tensor(const lang::TensorNode& node) {
    ElementType type = element_type(node.type);
    TensorId id = s_.add_tensor(s_.text(node.name), node.at, type, kind_of(type), node.shape.size());
    s_.declare(node.name, {Symbol::Kind::tensor, id, node.at});
    for (std::size_t axis = 0; axis < node.shape.size(); ++axis) {
      ExprId extent = builder_.dim_expression(node.shape[axis]);
      s_.d.tensors[id].shape[axis] = extent;
      s_.tensors[id].lo[axis] = s_.d.arena.integer(0);
      s_.tensors[id].hi[axis] = extent;
      if (extent == no_expr) s_.tensors[id].poison = true;
    }
    return id;
  }

  void declare_tensors() {
    for (const lang::TensorNode& node : s_.op->inputs) declare_tensor(node);
    s_.d.inputs = s_.d.tensors.size();
    bind_dims();
    for (const lang::TensorNode& node : s_.op->results) s_.d.outputs.push_back(declare_tensor(node));
  }

  void declare_statements() {
    s_.works.reserve(s_.op->statements.size());
    for (const lang::StatementNode& node : s_.op->statements) {
      Work& work = s_.works.emplace_back();
      work.node = &node;
      work.broken = node.broken;
      claim(work);
      if (work.target == no_tensor) continue;
      s_.work_of.emplace(work.target, static_cast<std::uint32_t>(s_.works.size() - 1));
    }
    for (Work& work : s_.works) check_binders(work);
    for (std::size_t i = 0; i < s_.d.outputs.size(); ++i) {
      TensorId output = s_.d.outputs[i];
      if (s_.work_of.contains(output)) continue;
      s_.error("lang.missing", s_.op->results[i].at,
               "the result " + quoted(s_.d.tensors[output].name) + " has no statement");
      s_.tensors[output].poison = true;
    }
  }

  /// Gives the statement its tensor: a result, or a new one.
  void claim(Work& work) {
    const lang::StatementNode& node = *work.node;
    auto found = s_.names.find(node.name);
    bool tensor = found != s_.names.end() && found->second.kind == Symbol::Kind::tensor;
    if (tensor && found->second.id < s_.d.inputs) {
      s_.error("lang.double", node.at, quoted(s_.text(node.name)) + " is an input and cannot be defined");
      work.broken = true;
    } else if (tensor && s_.work_of.contains(found->second.id)) {
      const Work& other = s_.works[s_.work_of.at(found->second.id)];
      s_.error("lang.double", node.at,
               quoted(s_.text(node.name)) + " is already defined (" + s_.where(other.node->at) + ")");
      work.broken = true;
    } else if (tensor) {
      work.target = found->second.id;
      work.result = true;
      s_.tensors[work.target].shapeless = node.broken && s_.d.tensors[work.target].shape.empty();
      s_.tensors[work.target].poison |= node.broken;
      std::size_t rank = s_.d.tensors[work.target].shape.size();
      if (!node.broken && node.binders.size() != rank) {
        s_.error("lang.rank", node.at,
                 quoted(s_.text(node.name)) + " is declared with " + std::to_string(rank) +
                     (rank == 1 ? " index" : " indices") + " and defined with " + std::to_string(node.binders.size()));
        work.broken = true;
        s_.tensors[work.target].poison = true;
      }
    } else {
      work.target = s_.add_tensor(s_.text(node.name), node.at, {}, Kind::real, node.binders.size());
      s_.tensors[work.target].poison = s_.tensors[work.target].shapeless = node.broken;
      if (!s_.declare(node.name, {Symbol::Kind::tensor, work.target, node.at})) work.broken = true;
    }
  }

  void check_binders(Work& work) {
    std::unordered_map<lang::NameId, lang::Place> seen;
    for (const lang::BinderNode& binder : work.node->binders) {
      if (work.broken) break;
      auto other = s_.names.find(binder.name);
      auto [first, fresh] = seen.try_emplace(binder.name, binder.at);
      if (other != s_.names.end()) {
        s_.error("lang.shadowing", binder.at,
                 "the index " + quoted(s_.text(binder.name)) + " hides " + std::string(name_of(other->second.kind)) +
                     " (" + s_.where(other->second.at) + ")",
                 "give the index another name");
      } else if (!fresh) {
        s_.error("lang.shadowing", binder.at,
                 "the index " + quoted(s_.text(binder.name)) + " is bound twice (" + s_.where(first->second) + ")");
      } else {
        continue;
      }
      work.broken = true;
    }
    if (work.broken && work.target != no_tensor) s_.tensors[work.target].poison = true;
  }

  std::vector<std::vector<std::uint32_t>> edges() {
    std::vector<std::vector<std::uint32_t>> edges(s_.works.size());
    for (std::size_t w = 0; w < s_.works.size(); ++w) {
      if (s_.works[w].node->broken) continue;
      each_expression(*s_.works[w].node, [&](const lang::Expression& e) {
        for (std::uint32_t i = e.begin; i < e.end; ++i) {
          const Item& it = s_.scope->file->items[i];
          bool reads = it.step == Step::name || it.step == Step::access_begin || it.step == Step::tensor_arg;
          auto found = reads && it.name != lang::no_name ? s_.names.find(it.name) : s_.names.end();
          if (found == s_.names.end() || found->second.kind != Symbol::Kind::tensor) continue;
          s_.tensors[found->second.id].used = true;
          if (auto work = s_.work_of.find(found->second.id); work != s_.work_of.end()) edges[w].push_back(work->second);
        }
      });
      std::sort(edges[w].begin(), edges[w].end());
      edges[w].erase(std::unique(edges[w].begin(), edges[w].end()), edges[w].end());
    }
    return edges_ = edges;
  }

  void group(const std::vector<std::uint32_t>& all) {
    std::vector<std::uint32_t> members;
    for (std::uint32_t m : all)
      if (!s_.works[m].broken) members.push_back(m);
    bool cyclic = all.size() > 1 || std::binary_search(edges_[all[0]].begin(), edges_[all[0]].end(), all[0]);
    bool right = members.size() == all.size();
    if (cyclic)
      for (std::uint32_t m : members) in_group_[m] = true;
    for (std::uint32_t m : members) inliner_.inline_calls(s_.works[m], in_group_);
    for (std::uint32_t m : members) collect(s_, builder_, s_.works[m]);
    find_ranges(s_, members);
    std::vector<GroupRead> reads;
    if (cyclic && right) guess_kinds(members);
    for (std::uint32_t m : members) right = build(m, reads) && right;
    std::vector<std::uint32_t> order = members;
    if (right && cyclic) {
      order = order_recurrence(s_, members, reads);
      right = !order.empty();
    } else if (right && !members.empty() && !s_.works[members[0]].node->initial.empty()) {
      const lang::InitialNode& initial = s_.works[members[0]].node->initial[0];
      s_.error("lang.recurrence", initial.at,
               "'from' belongs to a recurrence, and " + quoted(s_.text(initial.name)) + " does not read itself");
      right = false;
    }
    for (std::uint32_t m : members) in_group_[m] = false;
    for (std::uint32_t m : order) emit(s_.works[m]);
    if (right) {
      ++s_.groups;
      return;
    }
    failed_ = true;
    for (std::uint32_t m : all)
      if (s_.works[m].target != no_tensor) s_.tensors[s_.works[m].target].poison = true;
  }

  bool build(std::uint32_t member, std::vector<GroupRead>& reads) {
    bool right = Builder(s_).statement(member, in_group_, reads);
    return right && !s_.works[member].broken;
  }

  /// Whether a value that is defined by itself is an integer, a condition or a real: integer is tried first, and given
  /// up for what the right sides then turn out to be. What was found wrong meanwhile is forgotten.
  void guess_kinds(const std::vector<std::uint32_t>& members) {
    lang::Problems& problems = *s_.scope->problems;
    auto mark = problems.mark();
    for (std::uint32_t m : members)
      if (!s_.works[m].result) s_.d.tensors[s_.works[m].target].kind = Kind::integer;
    constexpr int rounds = 4;
    bool changed = true;
    for (int round = 0; changed && round < rounds; ++round) {
      changed = false;
      for (std::uint32_t m : members) {
        Work& work = s_.works[m];
        if (work.result) continue;
        Kind before = s_.d.tensors[work.target].kind;
        std::vector<GroupRead> reads;
        build(m, reads);
        Kind after = before;
        if (work.built.body != no_expr) after = s_.d.arena[work.built.body].kind;
        if (work.built.body == no_expr && !work.built.initial.empty() &&
            s_.d.arena[work.built.initial[0].value].kind == Kind::boolean)
          after = Kind::boolean;
        if (before == Kind::real || round + 1 == rounds) after = before == Kind::integer ? Kind::real : before;
        changed = changed || after != before;
        s_.d.tensors[work.target].kind = after;
      }
    }
    problems.rewind(mark);
  }

  /// Leaves out what calls brought along and nothing reads.
  Definition& prune() {
    std::vector<bool> needed(s_.d.tensors.size(), false);
    for (const Work& work : s_.works) needed[work.target] = true;
    for (std::size_t i = s_.d.statements.size(); i-- > 0;) {
      const Statement& last = s_.d.statements[i];
      std::size_t first = i; // of its group
      bool wanted = needed[last.target];
      while (first > 0 && s_.d.statements[first - 1].group == last.group)
        wanted = needed[s_.d.statements[--first].target] || wanted;
      std::vector<ExprId> roots;
      for (std::size_t k = first; k <= i && wanted; ++k) {
        needed[s_.d.statements[k].target] = true;
        roots.push_back(s_.d.statements[k].body);
        for (const Initial& initial : s_.d.statements[k].initial) roots.push_back(initial.value);
      }
      loads_.visit(s_.d.arena, roots, needed);
      i = first;
    }
    std::erase_if(s_.d.statements, [&](const Statement& s) { return !needed[s.target]; });
    return s_.d;
  }

  void emit(Work& work) {
    TensorDecl& decl = s_.d.tensors[work.target];
    if (work.built.body == no_expr) return;
    for (std::size_t axis = 0; axis < decl.shape.size() && !work.result; ++axis) {
      ExprId lo = work.built.lo[axis], hi = work.built.hi[axis];
      if (lo == no_expr || hi == no_expr) return;
      decl.shape[axis] = s_.d.arena.is_number(lo, 0) ? hi : s_.d.arena.make(Op::sub, Kind::integer, {hi, lo});
    }
    work.built.group = s_.groups;
    s_.d.statements.push_back(work.built);
  }

  /// Dims that statements or shapes of results name, and that are no extent of an input which is read.
  std::vector<bool> dims_wanted() {
    std::vector<bool> wanted(s_.d.dims.size(), false);
    auto name = [&](const lang::Expression& e) {
      for (std::uint32_t i = e.begin; i < e.end; ++i) {
        const Item& it = s_.scope->file->items[i];
        auto found = it.step == Step::name ? s_.names.find(it.name) : s_.names.end();
        if (found != s_.names.end() && found->second.kind == Symbol::Kind::dim) wanted[found->second.id] = true;
      }
    };
    for (const lang::StatementNode& node : s_.op->statements) {
      each_expression(node, name);
      for (const lang::BinderNode& binder : node.binders) {
        name(binder.lo);
        name(binder.hi);
      }
    }
    for (const lang::TensorNode& node : s_.op->results)
      for (const lang::Expression& extent : node.shape) name(extent);
    for (std::size_t t = 0; t < s_.d.inputs; ++t)
      for (ExprId extent : s_.d.tensors[t].shape)
        if (s_.tensors[t].used && s_.d.arena[extent].op == Op::dim) wanted[s_.d.arena[extent].payload] = false;
    return wanted;
  }

  /// An input is used if it is read, or if it alone gives a dimension that is: the gradient of a sum reads no element.
  void report_unused() {
    std::vector<bool> wanted = dims_wanted();
    for (std::size_t t = 0; t < s_.d.inputs; ++t) {
      for (ExprId extent : s_.d.tensors[t].shape)
        for (std::uint32_t dim : dims_of(extent)) {
          s_.tensors[t].used = s_.tensors[t].used || wanted[dim];
          wanted[dim] = false;
        }
      if (!s_.tensors[t].used)
        s_.error("lang.unused", s_.tensors[t].at, "the input " + quoted(s_.d.tensors[t].name) + " is not used");
    }
    for (std::size_t i = 0; i < s_.d.scalars.size(); ++i)
      if (!s_.scalar_used[i])
        s_.error("lang.unused", s_.op->scalars[i].at, "the scalar " + quoted(s_.d.scalars[i].name) + " is not used");
    for (const Work& work : s_.works)
      if (!work.result && !s_.tensors[work.target].used)
        s_.scope->problems->warning("lang.unused", work.node->at,
                                    quoted(s_.d.tensors[work.target].name) + " is not used");
  }

  State s_;
  Builder builder_;
  Inliner inliner_;
  std::vector<lang::Place> dim_places_;
  std::vector<std::vector<std::uint32_t>> edges_;
  std::vector<bool> in_group_;
  Loads loads_;
  bool failed_ = false; ///< a statement is wrong, or calls an operator that is
};

} // namespace

std::shared_ptr<Definition> check_op(FileScope& scope, const lang::OpNode& op) { return OpChecker(scope, op).run(); }

std::vector<std::uint32_t> callees(const FileScope& scope, const lang::OpNode& op) {
  std::vector<std::uint32_t> found;
  for (const lang::StatementNode& node : op.statements) {
    if (node.broken) continue;
    each_expression(node, [&](const lang::Expression& e) {
      for (std::uint32_t i = e.begin; i < e.end; ++i) {
        const Item& it = scope.file->items[i];
        auto callee = it.step == Step::call_begin ? scope.ops.find(it.name) : scope.ops.end();
        if (callee != scope.ops.end()) found.push_back(callee->second);
      }
    });
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

} // namespace aicf::check
