#include "core/exec/reference/emit.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace aicf::reference {
namespace {

constexpr std::uint32_t deepest_region = 64; ///< branches nested deeper are evaluated without a skip

bool passes_through(Op op) { return op == Op::floor || op == Op::ceil || op == Op::round; }

} // namespace

Emitter::Emitter(Lowering& lowering, Program& program, Loop& loop) : l_(&lowering), program_(&program), loop_(&loop) {}

bool Emitter::is_lane(VarId v) const {
  return std::find(loop_->vars.begin() + static_cast<std::ptrdiff_t>(loop_->lanes_from), loop_->vars.end(), v) !=
         loop_->vars.end();
}

std::uint32_t Emitter::add(Value value) {
  for (std::uint32_t input : value.inputs) {
    value.uniform = value.uniform && values_[input].uniform;
    value.height = std::max(value.height, values_[input].height + 1);
  }
  values_.push_back(std::move(value));
  return static_cast<std::uint32_t>(values_.size() - 1);
}

Ref Emitter::take(File file, bool uniform) {
  auto f = static_cast<std::size_t>(file);
  auto& free = free_[f][uniform ? 1 : 0];
  if (!free.empty()) {
    std::uint32_t slot = free.back();
    free.pop_back();
    return {file, uniform, slot};
  }
  return {file, uniform, uniform ? loop_->uniform_slots[f]++ : loop_->lane_slots[f]++};
}

std::uint32_t Emitter::leaf(File file, bool uniform, Op op, std::uint32_t payload) {
  auto [it, fresh] = leaves_.try_emplace({file, op, payload, 0}, none);
  if (!fresh) return it->second;
  Value v;
  v.op = op;
  v.file = file;
  v.uniform = uniform;
  v.leaf = true;
  v.payload = payload;
  v.at = take(file, uniform);
  return it->second = add(std::move(v));
}

std::uint32_t Emitter::constant(File file, double value) {
  std::uint32_t id = none;
  if (value == value && !(value == 0 && std::signbit(value))) { // -0 and NaN are no keys
    auto [it, fresh] = leaves_.try_emplace({file, Op::number, 0, value}, none);
    if (!fresh) return it->second;
    id = it->second = static_cast<std::uint32_t>(values_.size());
  }
  Value v;
  v.file = file;
  v.leaf = true;
  v.at = take(file, true);
  loop_->constants.emplace_back(v.at, value);
  std::uint32_t made = add(std::move(v));
  return id == none ? made : id;
}

std::uint32_t Emitter::converted(std::uint32_t value, File file) {
  if (values_[value].file == file) return value;
  auto [it, fresh] = conversions_.try_emplace({value, file}, none);
  if (!fresh) return it->second;
  Value v;
  v.kind = Instruction::Kind::convert;
  v.file = file;
  v.inputs = {value};
  v.source = values_[value].source;
  return it->second = add(std::move(v));
}

std::uint32_t Emitter::lower_variable(VarId var) {
  if (is_lane(var)) {
    std::uint32_t value = leaf(File::integer, false, Op::index, var);
    for (std::size_t k = loop_->lanes_from; k < loop_->vars.size(); ++k)
      if (loop_->vars[k] == var) loop_->lane_vars[k - loop_->lanes_from] = values_[value].at;
    return value;
  }
  auto [it, fresh] = leaves_.try_emplace({File::integer, Op::index, var, 0}, none);
  if (!fresh) return it->second;
  Value v;
  v.kind = Instruction::Kind::variable;
  v.op = Op::index;
  v.file = File::integer;
  v.payload = var;
  return it->second = add(std::move(v));
}

std::vector<ExprId> Emitter::value_operands(ExprId id) {
  const Arena& arena = l_->d_->arena;
  const Node& n = arena[id];
  if (n.op == Op::reduce) return {};
  auto operands = arena.operands(id);
  if (!is_load(n.op)) return {operands.begin(), operands.end()};
  std::vector<ExprId> out;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    bool pad = n.op == Op::padded_load && k + 1 == operands.size();
    if (pad || l_->affine_.of(operands[k]) == nullptr) out.push_back(operands[k]);
  }
  return out;
}

void Emitter::lower_all(std::span<const ExprId> roots) {
  std::unordered_map<ExprId, bool> seen;
  std::vector<ExprId> stack(roots.begin(), roots.end()), nodes;
  while (!stack.empty()) {
    ExprId id = stack.back();
    stack.pop_back();
    if (!seen.emplace(id, true).second) continue;
    nodes.push_back(id);
    for (ExprId operand : value_operands(id)) stack.push_back(operand);
  }
  std::sort(nodes.begin(), nodes.end());
  for (ExprId id : nodes) of_[id] = lower(id);
}

std::uint32_t Emitter::lower(ExprId id) {
  const Definition& d = *l_->d_;
  const Node& n = d.arena[id];
  File file = l_->file_of(id);
  switch (n.op) {
  case Op::number: return constant(file, d.arena.value(id));
  case Op::dim: return constant(file, static_cast<double>(l_->names_->dims[n.payload]));
  case Op::scalar: return constant(file, l_->names_->scalars[n.payload]);
  case Op::index: return lower_variable(n.payload);
  case Op::symbol: return leaf(File::real, true, Op::symbol, n.payload);
  case Op::load:
  case Op::padded_load: return lower_access(id);
  case Op::reduce: {
    auto position = static_cast<std::uint32_t>(program_->loops.size());
    program_->loops.emplace_back();
    reductions_.emplace_back(id, position);
    Value v;
    v.kind = Instruction::Kind::reduce;
    v.file = file;
    v.payload = position;
    v.source = id;
    for (VarId var : l_->free_.of(id)) v.uniform = v.uniform && !is_lane(var);
    for (VarId var : std::vector<VarId>(l_->free_.of(id)))
      if (is_lane(var)) lower_variable(var); // its value sets the reduction's variable
    return add(std::move(v));
  }
  default: return lower_operation(id);
  }
}

std::uint32_t Emitter::lower_operation(ExprId id) {
  const Arena& arena = l_->d_->arena;
  const Node& n = arena[id];
  auto operands = arena.operands(id);
  File file = l_->file_of(id), operand_file = file;
  switch (n.op) {
  case Op::lt:
  case Op::le:
  case Op::eq:
  case Op::ne:
    operand_file = File::integer;
    for (ExprId e : operands)
      if (l_->file_of(e) == File::real) operand_file = File::real;
    break;
  case Op::isnan:
    if (l_->file_of(operands[0]) != File::real) return constant(File::truth, 0);
    operand_file = File::real;
    break;
  default: break;
  }
  if (passes_through(n.op) && file == File::integer) return of_.at(operands[0]);
  Value v;
  v.op = n.op;
  v.file = file;
  v.payload = n.payload;
  v.source = id;
  if (n.op == Op::select) {
    v.inputs = {converted(of_.at(operands[0]), File::truth), converted(of_.at(operands[1]), file),
                converted(of_.at(operands[2]), file)};
    return add(std::move(v));
  }
  v.inputs = {converted(of_.at(operands[0]), operand_file)};
  if (operands.size() == 1) return add(std::move(v));
  std::uint32_t chain = none;
  for (std::size_t k = 1; k < operands.size(); ++k) { // left to right, as it is written
    Value step = v;
    if (chain != none) step.inputs = {chain};
    step.inputs.push_back(converted(of_.at(operands[k]), operand_file));
    chain = add(std::move(step));
  }
  return chain;
}

/// Variables in lanes that an index reads get their registers.
void Emitter::touch(const Affine& form) {
  for (auto [v, c] : form.terms)
    if (is_lane(v)) lower_variable(v);
}

AxisIndex Emitter::axis_index(ExprId id) {
  AxisIndex axis;
  if (const Affine* form = l_->affine_.of(id)) {
    axis.form = *form;
    touch(*form);
  } else {
    axis.affine = false;
  }
  return axis;
}

std::uint32_t Emitter::lower_access(ExprId id) {
  const Node& n = l_->d_->arena[id];
  auto operands = l_->d_->arena.operands(id);
  auto position = static_cast<std::uint32_t>(loop_->accesses.size());
  File file = l_->file_of(id);
  Access access;
  access.tensor = n.payload;
  access.padded = n.op == Op::padded_load;
  const Box& box = l_->box(access.tensor);
  Value v;
  v.kind = Instruction::Kind::load;
  v.op = n.op;
  v.file = l_->file(access.tensor);
  v.payload = position;
  v.source = id;
  std::int64_t stride = 1;
  for (std::size_t k = box.lo.size(); k-- > 0;) {
    AxisIndex axis = axis_index(operands[k]);
    axis.lo = box.lo[k];
    axis.extent = box.extent[k];
    axis.stride = stride;
    stride *= std::max<std::int64_t>(axis.extent, 1);
    access.axes.push_back(std::move(axis));
  }
  std::reverse(access.axes.begin(), access.axes.end());
  for (std::size_t k = 0; k < access.axes.size(); ++k) {
    const AxisIndex& axis = access.axes[k];
    if (!axis.affine) {
      v.inputs.push_back(converted(of_.at(operands[k]), File::integer));
      access.affine = false;
      continue;
    }
    for (auto [var, c] : axis.form.terms) v.uniform = v.uniform && !is_lane(var);
  }
  if (access.affine) {
    std::map<VarId, std::int64_t> terms;
    for (const AxisIndex& axis : access.axes) {
      access.offset.constant += (axis.form.constant - axis.lo) * axis.stride;
      for (auto [var, c] : axis.form.terms) terms[var] += c * axis.stride;
    }
    access.offset.terms.assign(terms.begin(), terms.end());
  }
  // The pad value is taken in the file of the tensor when that holds it, else the whole access is real.
  if (access.padded) {
    v.file = file;
    v.inputs.push_back(converted(of_.at(operands.back()), file));
  }
  loop_->accesses.push_back(std::move(access));
  std::uint32_t made = add(std::move(v));
  return file == values_[made].file ? made : converted(made, file);
}

std::uint32_t Emitter::common(std::uint32_t a, std::uint32_t b) const {
  while (a != b) {
    if (regions_[a].depth < regions_[b].depth) std::swap(a, b);
    a = regions_[a].parent;
  }
  return a;
}

void Emitter::assign_regions(const std::vector<std::uint32_t>& roots, std::uint32_t guarded) {
  auto use = [&](std::uint32_t value, std::uint32_t region) {
    std::uint32_t& r = values_[value].region;
    r = r == none ? region : common(r, region);
  };
  auto branch = [&](std::uint32_t parent, std::uint32_t condition, bool want) {
    regions_.push_back({parent, regions_[parent].depth + 1, condition, want, {}});
    return static_cast<std::uint32_t>(regions_.size() - 1);
  };
  regions_.push_back({});
  std::uint32_t body = guarded == none ? 0 : branch(0, guarded, true);
  if (guarded != none) use(guarded, 0);
  for (std::uint32_t root : roots)
    if (root != guarded) use(root, body);
  for (auto id = static_cast<std::uint32_t>(values_.size()); id-- > 0;) {
    std::uint32_t region = values_[id].region;
    if (region == none || values_[id].leaf) continue;
    const std::vector<std::uint32_t> inputs = values_[id].inputs;
    bool select = values_[id].kind == Instruction::Kind::compute && values_[id].op == Op::select;
    if (select && regions_[region].depth < deepest_region) {
      use(inputs[0], region);
      use(inputs[1], branch(region, inputs[0], true));
      use(inputs[2], branch(region, inputs[0], false));
      values_[id].payload = static_cast<std::uint32_t>(regions_.size() - 2); // its branches: this one and the next
    } else {
      if (select) values_[id].payload = none;
      for (std::uint32_t input : inputs) use(input, region);
    }
  }
}

void Emitter::order(const std::vector<std::uint32_t>& roots) {
  std::vector<std::uint8_t> seen(values_.size(), 0);
  std::vector<std::pair<std::uint32_t, bool>> stack;
  for (std::uint32_t root : roots) {
    stack.emplace_back(root, false);
    while (!stack.empty()) {
      auto [id, finished] = stack.back();
      stack.pop_back();
      if (finished) {
        if (!values_[id].leaf) regions_[values_[id].region].values.push_back(id);
        continue;
      }
      if (seen[id] != 0) continue;
      seen[id] = 1;
      stack.emplace_back(id, true);
      std::vector<std::uint32_t> inputs = values_[id].inputs;
      // The tallest operand first: a deep chain then holds few registers.
      std::stable_sort(inputs.begin(), inputs.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return values_[a].height < values_[b].height; });
      for (std::uint32_t input : inputs) stack.emplace_back(input, false);
    }
  }
}

void Emitter::sequence(std::uint32_t region) { // nests at most `deepest_region` deep
  auto nested = [&](std::uint32_t r) {
    if (regions_[r].values.empty()) return;
    std::size_t skip = entries_.size();
    entries_.push_back({none, regions_[r].condition, 0, regions_[r].want});
    sequence(r);
    entries_[skip].target = static_cast<std::uint32_t>(entries_.size());
  };
  for (std::uint32_t id : regions_[region].values) {
    const Value& v = values_[id];
    if (v.kind == Instruction::Kind::compute && v.op == Op::select && v.payload != none) {
      nested(v.payload);
      nested(v.payload + 1);
    }
    entries_.push_back({id, none, 0, true});
  }
}

void Emitter::allocate(const std::vector<std::uint32_t>& roots) {
  for (std::uint32_t at = 0; at < entries_.size(); ++at) {
    const Entry& e = entries_[at];
    if (e.value == none) {
      values_[e.condition].last = at;
      continue;
    }
    const Value& v = values_[e.value];
    for (std::uint32_t input : v.inputs) values_[input].last = at;
    if (v.kind == Instruction::Kind::reduce && regions_[v.region].condition != none)
      values_[regions_[v.region].condition].last = std::max(values_[regions_[v.region].condition].last, at);
  }
  for (std::uint32_t root : roots) values_[root].last = static_cast<std::uint32_t>(entries_.size());
  std::map<std::uint32_t, std::vector<std::uint32_t>> dying; // a skip or a mask may be the last reader
  for (std::uint32_t id = 0; id < values_.size(); ++id)
    if (!values_[id].leaf) dying[values_[id].last].push_back(id);
  for (std::uint32_t at = 0; at < entries_.size(); ++at) {
    const Entry& e = entries_[at];
    Instruction i;
    if (e.value == none) {
      i.kind = Instruction::Kind::skip;
      i.a = values_[e.condition].at;
      i.want = e.want;
      i.payload = e.target;
    } else {
      Value& v = values_[e.value];
      i.kind = v.kind;
      i.op = v.op;
      i.payload = v.payload;
      i.source = v.source;
      i.out = v.at = take(v.file, v.uniform);
      if (v.kind == Instruction::Kind::load) {
        Access& access = loop_->accesses[v.payload];
        std::size_t next = 0;
        for (AxisIndex& axis : access.axes)
          if (!axis.affine) axis.value = values_[v.inputs[next++]].at;
        if (access.padded) access.pad = values_[v.inputs[next]].at;
      } else {
        if (!v.inputs.empty()) i.a = values_[v.inputs[0]].at;
        if (v.inputs.size() > 1) i.b = values_[v.inputs[1]].at;
        if (v.inputs.size() > 2) i.c = values_[v.inputs[2]].at;
      }
      const Region& region = regions_[v.region];
      if (v.kind == Instruction::Kind::reduce && region.condition != none) {
        i.mask = values_[region.condition].at;
        i.want = region.want;
      }
    }
    loop_->code.push_back(i);
    if (auto dead = dying.find(at); dead != dying.end())
      for (std::uint32_t id : dead->second) {
        const Ref& r = values_[id].at;
        if (!r.none()) free_[static_cast<std::size_t>(r.file)][r.uniform ? 1 : 0].push_back(r.slot);
      }
  }
}

void Emitter::emit(ExprId predicate, ExprId value, File as) {
  loop_->lane_vars.resize(loop_->vars.size() - loop_->lanes_from);
  std::vector<ExprId> sources{value};
  if (predicate != no_expr) sources.push_back(predicate);
  for (const AxisIndex& axis : loop_->at) touch(axis.form);
  lower_all(sources);
  std::uint32_t guarded = predicate == no_expr ? none : converted(of_.at(predicate), File::truth);
  std::uint32_t result = converted(of_.at(value), as);
  std::vector<std::uint32_t> roots;
  if (guarded != none) roots.push_back(guarded);
  roots.push_back(result);
  assign_regions(roots, guarded);
  order(roots);
  sequence(0);
  if (guarded != none && !regions_[1].values.empty()) {
    std::size_t skip = entries_.size();
    entries_.push_back({none, guarded, 0, true});
    sequence(1);
    entries_[skip].target = static_cast<std::uint32_t>(entries_.size());
  }
  allocate(roots);
  loop_->result = values_[result].at;
  if (guarded != none) loop_->predicate = values_[guarded].at;
}

Ref Emitter::symbol(std::uint32_t id) const {
  auto found = leaves_.find({File::real, Op::symbol, id, 0});
  return found == leaves_.end() ? Ref{} : values_[found->second].at;
}

} // namespace aicf::reference
