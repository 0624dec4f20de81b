#include "core/kernel/row_tensors.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace aicf::ir {

RowTensors::RowTensors(Builder& builder, const RowForm& form, const Problem& problem, std::set<std::string> fixed,
                       Type real)
    : b(builder), f(form), problem_(problem), fixed_(std::move(fixed)), real_(real) {
  const Definition& d = *f.canonical->source;
  tensors_.resize(d.tensors.size(), none);
  auto declare = [&](TensorId t, Arg::Role role) {
    Buffer buffer;
    buffer.name = d.tensors[t].name, buffer.space = Space::global, buffer.role = role;
    buffer.dtype = stored(t), buffer.type = type_of(buffer.dtype);
    const bool narrow = buffer.dtype == DType::f16 || buffer.dtype == DType::bf16;
    if (role == Arg::Role::output && narrow) buffer.type = real_; // an f32 in between would be a second rounding
    tensors_[t] = b.buffer(std::move(buffer));
  };
  for (TensorId t = 0; t < d.inputs; ++t) declare(t, Arg::Role::input);
  for (TensorId t : d.outputs) declare(t, Arg::Role::output);
  for (const ScalarDecl& s : d.scalars)
    if (s.type.generic || is_float(s.type.fixed)) b.k.params.push_back({s.name, real_, false});
  for (const std::string& name : d.dims)
    if (!fixed_.contains(name)) b.k.params.push_back({name, Type::i64, true});
  axis_.assign(f.arena.size(), 0);
  data_.assign(f.arena.size(), 0);
  for (ExprId id = 0; id < f.arena.size(); ++id) {
    const auto& n = f.arena[id];
    if (n.op == Op::index && n.payload == axis_var) axis_[id] = 1;
    if (is_load(n.op) || n.op == Op::reduce) data_[id] = 1;
    for (ExprId operand : f.arena.operands(id)) {
      if (axis_[operand] != 0) axis_[id] = 1;
      if (data_[operand] != 0) data_[id] = 1;
    }
  }
}

BufferId RowTensors::output(std::size_t output) const { return tensors_.at(f.canonical->source->outputs.at(output)); }

DType RowTensors::stored(TensorId tensor) const {
  const TensorDecl& t = f.canonical->source->tensors[tensor];
  if (t.type.generic && t.kind == Kind::boolean) return DType::boolean;
  if (t.type.generic && t.kind == Kind::integer) return DType::i64;
  return t.type.bind(problem_.float_type);
}

NodeId RowTensors::scalar(std::size_t scalar) {
  const ScalarDecl& s = f.canonical->source->scalars.at(scalar);
  if (s.type.generic || is_float(s.type.fixed)) return b.param(s.name);
  DimBinding binding{f.canonical->source.get(), nullptr, &problem_.scalars};
  return b.constant(Type::i64, scalar_value(binding, scalar));
}

NodeId RowTensors::dim(const Arena& arena, ExprId extent) {
  Emitter emit(b, arena, real_);
  return emit.value(extent, {}, [&](const Leaf& leaf) {
    const auto& n = arena[leaf.id];
    if (n.op == Op::scalar) return scalar(n.payload);
    if (n.op != Op::dim) throw std::logic_error("an extent that depends on data");
    const std::string& name = f.canonical->source->dims.at(n.payload);
    if (!fixed_.contains(name)) return b.param(name);
    auto value = static_cast<double>(problem_.dims.at(name));
    return b.constant(value < 0x1p31 ? Type::i32 : Type::i64, value);
  });
}

NodeId RowTensors::row_count() {
  NodeId count = b.constant(Type::i64, 1);
  for (ExprId e : f.row_extents) count = b.apply(Op::mul, {count, dim(f.arena, e)});
  return count;
}

std::string RowTensors::row_count_text() const {
  DimBinding names{f.canonical->source.get(), nullptr, &problem_.scalars};
  std::string text;
  for (ExprId e : f.row_extents) text += (text.empty() ? "" : "*") + *dim_text(f.arena, e, names);
  return text.empty() ? "1" : f.row_extents.size() > 1 ? "(" + text + ")" : text;
}

void RowTensors::at_row(NodeId row) {
  row_ = row, within_ = none;
  row_variables_.assign(f.rows.size(), none);
  NodeId rest = row;
  for (std::size_t r = f.rows.size(); r-- > 0;) {
    if (r == 0) {
      row_variables_[0] = rest;
      break;
    }
    NodeId extent = dim(f.arena, f.row_extents[r]);
    row_variables_[r] = b.remainder(rest, extent);
    rest = b.quotient(rest, extent);
  }
}

NodeId RowTensors::row_variable(VarId var) {
  auto found = std::find(f.rows.begin(), f.rows.end(), var);
  if (found == f.rows.end()) throw std::logic_error("an index variable that is no row");
  auto at = static_cast<std::size_t>(found - f.rows.begin());
  if (within_ == none || at + 1 != f.rows.size()) return row_variables_[at];
  return b.apply(Op::add, {row_variables_[at], within_});
}

/// Where the indices hold all row variables in order, over a packed stretch of the shape, the flat row number serves:
/// no division. Gives the position of the last of them, or npos.
std::size_t RowTensors::collapsed(const Arena& arena, std::span<const ExprId> shape,
                                  std::span<const ExprId> indices) const {
  constexpr auto npos = static_cast<std::size_t>(-1);
  DimBinding names{f.canonical->source.get(), nullptr, &problem_.scalars};
  std::size_t rank = f.rows.size();
  if (rank < 2 || shape.size() < rank) return npos;
  for (std::size_t p = 0; p + rank <= shape.size(); ++p) {
    bool fits = true;
    for (std::size_t r = 0; r < rank && fits; ++r) {
      const auto& n = f.arena[indices[p + r]];
      fits = n.op == Op::index && n.payload == f.rows[r] &&
             (r == 0 || dim_text(arena, shape[p + r], names) == dim_text(f.arena, f.row_extents[r], names));
    }
    if (fits) return p + rank - 1;
  }
  return npos;
}

Address RowTensors::place(BufferId buffer, const std::vector<Part>& parts, const std::vector<NodeId>& extents,
                          std::size_t flat_at) {
  NodeId row_offset = b.constant(Type::i64, 0), along = b.integer(0);
  NodeId stride = b.integer(1);
  bool neighbour = false; // rows next to each other lie next to each other here
  for (std::size_t i = parts.size(); i-- > 0;) {
    bool in_flat = flat_at < parts.size() && i <= flat_at && i + f.rows.size() > flat_at;
    if (in_flat) {
      if (i == flat_at) {
        NodeId flat = b.convert(row_, Type::i64);
        bool unit = b.known(stride) == 1;
        if (within_ != none && unit) neighbour = true;
        if (within_ != none && !unit) flat = b.apply(Op::add, {flat, b.convert(within_, Type::i64)});
        row_offset = b.apply(Op::add, {row_offset, b.apply(Op::mul, {flat, stride})});
      }
    } else if (parts[i].last_row && within_ != none && b.known(stride) == 1) {
      neighbour = true;
      row_offset = b.apply(Op::add, {row_offset, b.convert(row_variables_.back(), Type::i64)});
    } else if (parts[i].along) {
      bool unit = b.known(stride) == 1;
      NodeId value = unit ? parts[i].value : b.convert(parts[i].value, Type::i64);
      along = b.apply(Op::add, {along, b.apply(Op::mul, {value, stride})});
    } else {
      row_offset = b.apply(Op::add, {row_offset, b.apply(Op::mul, {b.convert(parts[i].value, Type::i64), stride})});
    }
    if (i > 0) stride = b.apply(Op::mul, {b.convert(stride, Type::i64), extents[i]});
  }
  if (neighbour) along = b.apply(Op::add, {along, within_});
  if (b.k.nodes[row_offset].name.empty()) b.k.nodes[row_offset].name = "row_start";
  bool walked = b.k.buffers[buffer].role == Arg::Role::input && !b.known(along);
  bool again = walked && first_sweep_.emplace(buffer, sweep_).first->second != sweep_;
  return {b.view(buffer, row_offset, again ? sweep_ : 0), along, none};
}

Address RowTensors::address(TensorId tensor, std::span<const ExprId> indices, std::span<const NodeId> values,
                            bool checked) {
  const Definition& d = *f.canonical->source;
  const std::vector<ExprId>& shape = d.tensors[tensor].shape;
  std::vector<Part> parts;
  std::vector<NodeId> extents;
  NodeId inside = none;
  DimBinding names{&d, nullptr, &problem_.scalars};
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto& n = f.arena[indices[i]];
    parts.push_back({values[i], reads_axis(indices[i]), n.op == Op::index && is_last_row(n.payload)});
    extents.push_back(dim(d.arena, shape[i]));
    bool proven = false;
    if (n.op == Op::index) {
      auto same = [&](ExprId extent) {
        auto text = dim_text(f.arena, extent, names);
        return text && text == dim_text(d.arena, shape[i], names);
      };
      if (n.payload == axis_var) proven = f.extent != no_expr && same(f.extent);
      for (std::size_t r = 0; r < f.rows.size(); ++r)
        proven = proven || (n.payload == f.rows[r] && same(f.row_extents[r]));
    }
    if (proven || !checked) continue;
    NodeId within =
        b.apply(Op::and_, {b.apply(Op::le, {b.integer(0), values[i]}), b.apply(Op::lt, {values[i], extents.back()})});
    inside = inside == none ? within : b.apply(Op::and_, {inside, within});
  }
  Address a = place(input(tensor), parts, extents, collapsed(d.arena, shape, indices));
  a.inside = inside;
  return a;
}

NodeId RowTensors::load(const Leaf& leaf) {
  const auto& n = f.arena[leaf.id];
  const Definition& d = *f.canonical->source;
  auto operands = f.arena.operands(leaf.id);
  std::size_t rank = d.tensors[n.payload].shape.size();
  std::span<const ExprId> indices = operands.first(rank);
  bool padded = n.op == Op::padded_load;
  bool gather = std::any_of(indices.begin(), indices.end(), [&](ExprId i) { return reads_data(i); });
  Address a = address(n.payload, indices, leaf.operands, padded || gather || leaf.conditional);
  BufferId buffer = input(n.payload);
  if (a.inside == none) return b.load(buffer, {a.pointer, a.offset});
  if (gather && !padded && !leaf.conditional) {
    Node trap;
    trap.code = Code::trap, trap.args = {b.apply(Op::not_, {a.inside})};
    trap.comment = "an id out of range is an error at run time";
    b.statement(std::move(trap));
  }
  Type type = b.k.buffers[buffer].type;
  NodeId otherwise = padded ? b.convert(leaf.operands.back(), type)
                            : b.constant(type, is_real(type) ? std::numeric_limits<double>::quiet_NaN() : 0);
  return b.guarded_load(buffer, {a.pointer, a.offset}, a.inside, otherwise);
}

/// The part's own index; where positions are equally far apart, the innermost part stands for all.
NodeId RowTensors::part_value(std::size_t part, NodeId position, bool whole) {
  bool innermost = part + 1 == f.parts.size();
  if (whole) return innermost ? position : b.integer(0);
  NodeId rest = position;
  for (std::size_t k = f.parts.size(); k-- > part + 1;)
    rest = b.quotient(rest, b.convert(dim(f.arena, f.parts[k].extent), Type::i32));
  return part == 0 ? rest : b.remainder(rest, b.convert(dim(f.arena, f.parts[part].extent), Type::i32));
}

Address RowTensors::axis_address(ExprId load, NodeId position) {
  auto operands = f.arena.operands(load);
  std::vector<ExprId> indices(operands.begin(), operands.end());
  std::vector<NodeId> values;
  const AxisLoad* along = axis_load(f, load);
  for (ExprId index : indices) {
    if (auto part = part_of(f, index)) {
      values.push_back(part_value(*part, position, along->whole));
      continue;
    }
    VarId var = f.arena[index].payload;
    values.push_back(var == axis_var ? position : row_variable(var));
  }
  return address(f.arena[load].payload, indices, values, false);
}

NodeId RowTensors::computed(NodeId element) {
  if (b.type(element) == Type::i32) return b.convert(element, Type::i64);
  return is_real(b.type(element)) ? b.convert(element, real_) : element;
}

NodeId RowTensors::leaf(const Leaf& leaf, NodeId position, const std::unordered_map<std::uint32_t, NodeId>& symbols) {
  const auto& n = f.arena[leaf.id];
  switch (n.op) {
  case Op::index: return n.payload == axis_var ? position : row_variable(n.payload);
  case Op::scalar: return scalar(n.payload);
  case Op::dim: return dim(f.arena, leaf.id);
  case Op::symbol: return symbols.at(n.payload);
  case Op::load:
  case Op::padded_load: return computed(load(leaf));
  default: throw std::logic_error("a reduction that is not computed yet");
  }
}

Address RowTensors::output_address(const RowOutput& output, NodeId position) {
  const CanonicalValue& out = f.canonical->outputs[output.output];
  std::vector<Part> parts;
  std::vector<NodeId> extents;
  std::size_t rank = out.hi.size(), flat_at = static_cast<std::size_t>(-1);
  bool rows_first = !output.along_axis || (is_whole(output) && (output.axis + 1 == rank || output.axes[0] == 0));
  if (f.rows.size() >= 2 && rows_first)
    flat_at = output.along_axis && output.axis + 1 == rank ? rank - 1 - output.axes.size() : rank - 1;
  for (std::size_t v = 0; v < rank; ++v) {
    auto at = std::find(output.axes.begin(), output.axes.end(), v);
    bool axis = at != output.axes.end();
    VarId row = 0;
    if (!axis) {
      auto own = std::find(output.rows.begin(), output.rows.end(), v);
      row = f.rows.at(static_cast<std::size_t>(own - output.rows.begin()));
    }
    NodeId value = !axis ? row_variable(row)
                   : f.parts.empty()
                       ? position
                       : part_value(static_cast<std::size_t>(at - output.axes.begin()), position, is_whole(output));
    parts.push_back({value, axis, !axis && is_last_row(row)});
    extents.push_back(dim(f.arena, out.hi[v]));
  }
  return place(this->output(output.output), parts, extents, flat_at);
}

} // namespace aicf::ir
