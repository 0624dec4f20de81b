#include "core/kernel/builder.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

namespace aicf::ir {
namespace {

bool is_comparison(Op op) { return op == Op::lt || op == Op::le || op == Op::eq || op == Op::ne; }
bool is_logic(Op op) { return op == Op::and_ || op == Op::or_ || op == Op::not_ || op == Op::isnan; }

/// The value of an integer operation on constants, where it has one.
std::optional<double> folded(Op op, const std::vector<double>& v) {
  switch (op) {
  case Op::add: return v[0] + v[1];
  case Op::sub: return v[0] - v[1];
  case Op::mul: return v[0] * v[1];
  case Op::neg: return -v[0];
  case Op::min: return std::min(v[0], v[1]);
  case Op::max: return std::max(v[0], v[1]);
  case Op::floordiv: return v[1] == 0 ? std::nullopt : std::optional(std::floor(v[0] / v[1]));
  case Op::mod: return v[1] == 0 ? std::nullopt : std::optional(v[0] - std::floor(v[0] / v[1]) * v[1]);
  case Op::lt: return v[0] < v[1];
  case Op::le: return v[0] <= v[1];
  case Op::eq: return v[0] == v[1];
  case Op::ne: return v[0] != v[1];
  case Op::and_: return v[0] != 0 && v[1] != 0;
  case Op::or_: return v[0] != 0 || v[1] != 0;
  case Op::not_: return v[0] == 0;
  default: return std::nullopt;
  }
}

} // namespace

Region& region_of(Kernel& kernel, NodeId owner, std::size_t region) {
  return owner == none ? kernel.body : kernel.nodes.at(owner).regions.at(region);
}

void Builder::because(std::string rule, std::string comment) {
  Node n;
  n.code = Code::note, n.rule = std::move(rule), n.comment = std::move(comment);
  append(std::move(n));
}

std::optional<double> Builder::known(NodeId id) const {
  const Node& n = k.nodes[id];
  return n.code == Code::constant ? std::optional(n.number) : std::nullopt;
}

NodeId Builder::append(Node node) {
  auto id = static_cast<NodeId>(k.nodes.size());
  k.nodes.push_back(std::move(node));
  region_of(k, at_.back().owner, at_.back().region).body.push_back(id);
  return id;
}

NodeId Builder::constant(Type type, double value) {
  Node n;
  n.code = Code::constant, n.type = type, n.number = value;
  return append(std::move(n));
}

NodeId Builder::param(const std::string& name) {
  auto found = std::find_if(k.params.begin(), k.params.end(), [&](const KernelParam& p) { return p.name == name; });
  if (found == k.params.end()) throw std::logic_error("no kernel parameter " + name);
  Node n;
  n.code = Code::param, n.type = found->type, n.index = static_cast<std::uint32_t>(found - k.params.begin());
  return append(std::move(n));
}

NodeId Builder::make_apply(Op op, Type type, std::vector<NodeId> args, Accuracy accuracy, bool nonnegative) {
  bool integers = true, constants = true;
  std::vector<double> values;
  for (NodeId a : args) {
    integers = integers && !is_real(k.nodes[a].type);
    constants = constants && k.nodes[a].code == Code::constant;
    values.push_back(k.nodes[a].number);
  }
  if (integers && constants)
    if (auto value = folded(op, values); value && std::abs(*value) < 0x1p31) return constant(type, *value);
  auto is = [&](std::size_t i, double v) { return k.nodes[args[i]].code == Code::constant && values[i] == v; };
  if (integers && args.size() == 2) { // exact, so that these hold
    if (op == Op::add && is(0, 0)) return args[1];
    if ((op == Op::add || op == Op::sub) && is(1, 0)) return args[0];
    if (op == Op::mul && (is(0, 0) || is(1, 0))) return constant(type, 0);
    if (op == Op::mul && is(0, 1)) return args[1];
    if ((op == Op::mul || op == Op::floordiv) && is(1, 1)) return args[0];
    if (op == Op::mod && is(1, 1)) return constant(type, 0);
    if (op == Op::and_ && is(0, 1)) return args[1];
    if (op == Op::and_ && is(1, 1)) return args[0];
  }
  if (op == Op::mul && args.size() == 2 && (is(0, 1) || is(1, 1))) return is(0, 1) ? args[1] : args[0];
  if (op == Op::select && k.nodes[args[0]].code == Code::constant) return values[0] != 0 ? args[1] : args[2];
  Node n;
  n.code = Code::apply, n.op = op, n.type = type, n.args = std::move(args), n.accuracy = accuracy;
  n.nonnegative = nonnegative;
  return append(std::move(n));
}

NodeId Builder::apply(Op op, std::vector<NodeId> args, Accuracy accuracy) {
  std::size_t from = op == Op::select ? 1 : 0;
  Type meet = Type::none;
  for (std::size_t i = from; i < args.size(); ++i) meet = std::max(meet, type(args[i]));
  bool logic = op == Op::and_ || op == Op::or_ || op == Op::not_;
  if (logic)
    meet = Type::pred;
  else if (meet == Type::pred && op != Op::select && op != Op::eq && op != Op::ne)
    meet = Type::i32;
  for (std::size_t i = from; i < args.size(); ++i) args[i] = convert(args[i], meet);
  if (from == 1) args[0] = convert(args[0], Type::pred);
  Type type = is_comparison(op) || is_logic(op) ? Type::pred : meet;
  return make_apply(op, type, std::move(args), accuracy, false);
}

NodeId Builder::quotient(NodeId a, NodeId b) {
  Type meet = std::max(type(a), type(b));
  return make_apply(Op::floordiv, meet, {convert(a, meet), convert(b, meet)}, Accuracy::named, true);
}

NodeId Builder::remainder(NodeId a, NodeId b) {
  Type meet = std::max(type(a), type(b));
  return make_apply(Op::mod, meet, {convert(a, meet), convert(b, meet)}, Accuracy::named, true);
}

NodeId Builder::convert(NodeId value, Type to) {
  Node& from = k.nodes[value];
  if (from.type == to) return value;
  if (from.code == Code::constant) {
    double v = from.number;
    if (to == Type::pred) v = v != 0 ? 1 : 0;
    if (to == Type::i32 || to == Type::i64) v = std::trunc(v);
    return constant(to, v);
  }
  if (to == Type::pred) return apply(Op::ne, {value, constant(from.type, 0)});
  Node n;
  n.code = Code::convert, n.type = to, n.args = {value};
  return append(std::move(n));
}

NodeId Builder::round(NodeId value, DType dtype) {
  Node n;
  n.code = Code::round, n.type = type(value), n.dtype = dtype, n.args = {value};
  return append(std::move(n));
}

NodeId Builder::view(BufferId buffer, NodeId offset, std::uint32_t sweep) {
  Node n;
  n.code = Code::view, n.type = Type::pointer, n.buffer = buffer, n.index = sweep,
  n.args = {convert(offset, Type::i64)};
  return append(std::move(n));
}

NodeId Builder::load(BufferId buffer, std::vector<NodeId> indices) {
  Node n;
  n.code = Code::load, n.type = k.buffers[buffer].type, n.buffer = buffer, n.args = std::move(indices);
  return append(std::move(n));
}

NodeId Builder::guarded_load(BufferId buffer, std::vector<NodeId> indices, NodeId guard, NodeId otherwise) {
  if (auto g = known(guard); g && *g != 0) return load(buffer, std::move(indices));
  otherwise = convert(otherwise, k.buffers[buffer].type);
  indices.push_back(guard);
  indices.push_back(otherwise);
  return load(buffer, std::move(indices));
}

NodeId Builder::extreme(Op op, BufferId buffer, std::vector<NodeId> first) {
  Node n;
  n.code = Code::extreme, n.op = op, n.buffer = buffer, n.type = k.buffers[buffer].type;
  n.args = std::move(first);
  return append(std::move(n));
}

NodeId Builder::shuffle(Shuffle kind, NodeId value, NodeId lane) {
  Node n;
  n.code = Code::shuffle, n.type = type(value), n.shuffle = kind, n.args = {value, lane};
  return append(std::move(n));
}

BufferId Builder::buffer(Buffer what) {
  k.buffers.push_back(std::move(what));
  return static_cast<BufferId>(k.buffers.size() - 1);
}

void Builder::alloc(BufferId buffer) {
  Node n;
  n.code = Code::alloc, n.buffer = buffer;
  append(std::move(n));
}

BufferId Builder::variable(std::string name, NodeId initial) {
  Buffer b;
  b.name = std::move(name), b.space = Space::reg, b.computed = true, b.type = type(initial);
  BufferId id = buffer(std::move(b));
  alloc(id);
  store(id, {}, initial);
  return id;
}

void Builder::store(BufferId buffer, std::vector<NodeId> indices, NodeId value) {
  Node n;
  n.code = Code::store, n.buffer = buffer;
  n.args = std::move(indices);
  n.args.push_back(convert(value, k.buffers[buffer].type));
  append(std::move(n));
}

void Builder::store_peer(BufferId buffer, NodeId rank, std::vector<NodeId> indices, NodeId value) {
  Node n;
  n.code = Code::store_peer, n.buffer = buffer;
  n.args = std::move(indices);
  n.args.insert(n.args.begin(), rank);
  n.args.push_back(convert(value, k.buffers[buffer].type));
  append(std::move(n));
}

void Builder::send_peer(BufferId buffer, NodeId rank, std::vector<NodeId> indices, NodeId value, BarrierId barrier,
                        NodeId stage) {
  Node n;
  n.code = Code::send_peer, n.buffer = buffer, n.barrier = barrier;
  n.args = {rank, stage};
  n.args.insert(n.args.end(), indices.begin(), indices.end());
  n.args.push_back(convert(value, k.buffers[buffer].type));
  append(std::move(n));
}

void Builder::renew(BufferId buffer, std::vector<NodeId> first) {
  Node n;
  n.code = Code::renew, n.buffer = buffer;
  n.args = std::move(first);
  append(std::move(n));
}

NodeId Builder::copy(BufferId to, std::vector<NodeId> there, BufferId from, std::vector<NodeId> here,
                     std::uint32_t width, Transfer transfer) {
  Node n;
  n.code = Code::copy, n.buffer = to, n.source = from, n.width = width, n.transfer = transfer;
  n.args = std::move(there);
  n.args.insert(n.args.end(), here.begin(), here.end());
  return append(std::move(n));
}

NodeId Builder::bulk_copy(BufferId to, std::vector<NodeId> there, BufferId from, std::vector<NodeId> here,
                          std::uint32_t width, BarrierId barrier, NodeId stage) {
  here.push_back(integer(static_cast<std::int64_t>(width * size_of(k.buffers[from].dtype))));
  here.push_back(stage);
  NodeId id = copy(to, std::move(there), from, std::move(here), width, Transfer::bulk);
  k.nodes[id].barrier = barrier;
  return id;
}

NodeId Builder::arrive(BarrierId barrier, NodeId stage) {
  Node n;
  n.code = Code::arrive, n.barrier = barrier, n.args = {stage};
  return append(std::move(n));
}

NodeId Builder::expect(BarrierId barrier, NodeId stage, NodeId bytes) {
  Node n;
  n.code = Code::arrive, n.barrier = barrier, n.args = {stage, bytes};
  return append(std::move(n));
}

NodeId Builder::wait(BarrierId barrier, NodeId stage, NodeId parity, Scope scope) {
  Node n;
  n.code = Code::wait, n.scope = scope, n.barrier = barrier, n.args = {stage, parity};
  return append(std::move(n));
}

NodeId Builder::sync(Scope scope, Meeting meeting) {
  Node n;
  n.code = Code::sync, n.scope = scope, n.meeting = meeting;
  return append(std::move(n));
}

NodeId Builder::mma(BufferId accumulator, BufferId left, BufferId right) {
  Node n;
  n.code = Code::mma, n.buffer = accumulator, n.source = left, n.source2 = right;
  return append(std::move(n));
}

std::array<NodeId, 2> Builder::place(const Fragment& fragment, NodeId lane, std::uint32_t reg) {
  Fragment::Place fixed = place_of(fragment, 0, reg);
  std::array<NodeId, 2> out{integer(fixed[0]), integer(fixed[1])};
  for (std::size_t bit = 0; bit < fragment.lane_bits.size(); ++bit) {
    NodeId set = remainder(quotient(lane, integer(std::int64_t{1} << bit)), integer(2));
    for (std::size_t axis = 0; axis < 2; ++axis)
      out[axis] = apply(Op::add, {out[axis], apply(Op::mul, {set, integer(fragment.lane_bits[bit][axis])})});
  }
  return out;
}

NodeId Builder::open(Node node, const std::vector<std::pair<Type, std::string>>& params,
                     const std::function<void()>& body) {
  node.regions.emplace_back();
  NodeId id = append(std::move(node));
  for (const auto& [type, name] : params) {
    Node p;
    p.code = Code::var, p.type = type, p.name = name;
    auto param = static_cast<NodeId>(k.nodes.size());
    k.nodes.push_back(std::move(p));
    k.nodes[id].regions[0].params.push_back(param);
  }
  inside(id, 0, body);
  return id;
}

void Builder::inside(NodeId owner, std::size_t region, const std::function<void()>& body) {
  at_.push_back({owner, region});
  body();
  at_.pop_back();
}

NodeId Builder::loop(Binding binding, std::string name, NodeId lo, NodeId hi, const std::function<void(NodeId)>& body,
                     bool unroll) {
  Node n;
  n.code = Code::loop, n.binding = binding, n.unroll = unroll || binding == Binding::vector, n.args = {lo, hi};
  Type type = std::max(this->type(lo), this->type(hi));
  auto id = static_cast<NodeId>(k.nodes.size());
  return open(std::move(n), {{type, std::move(name)}}, [&] { body(k.nodes[id].regions[0].params[0]); });
}

NodeId Builder::branch(NodeId condition, const std::function<void()>& body, const std::function<void()>& otherwise) {
  if (auto v = known(condition)) {
    if (*v != 0)
      body();
    else if (otherwise)
      otherwise();
    return none;
  }
  Node n;
  n.code = Code::branch, n.args = {condition};
  NodeId id = open(std::move(n), {}, body);
  if (!otherwise) return id;
  k.nodes[id].regions.emplace_back();
  inside(id, 1, otherwise);
  return id;
}

NodeId Builder::role(std::string name, std::uint32_t first, std::uint32_t count, std::uint32_t registers,
                     const std::function<void()>& body) {
  Node n;
  n.code = Code::role, n.name = std::move(name), n.first = first, n.count = count, n.registers = registers;
  return open(std::move(n), {}, body);
}

std::vector<NodeId> Builder::reduce(Scope scope, const std::vector<NodeId>& values, const std::vector<double>& identity,
                                    bool symmetric, const Merge& merge) {
  Node n;
  n.code = Code::reduce, n.scope = scope, n.args = values, n.identity = identity, n.symmetric = symmetric;
  std::vector<std::pair<Type, std::string>> params;
  for (const char* side : {"left", "right"})
    for (NodeId v : values) params.emplace_back(type(v), side);
  auto id = static_cast<NodeId>(k.nodes.size());
  open(std::move(n), params, [&] {
    auto all = k.nodes[id].regions[0].params;
    auto middle = all.begin() + static_cast<std::ptrdiff_t>(values.size());
    auto merged = merge({all.begin(), middle}, {middle, all.end()});
    k.nodes[id].regions[0].results = merged;
  });
  std::vector<NodeId> results;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Node r;
    r.code = Code::result, r.type = type(values[i]), r.index = static_cast<std::uint32_t>(i), r.args = {id};
    results.push_back(append(std::move(r)));
  }
  return results;
}

NodeId Builder::statement(Node node) { return append(std::move(node)); }

} // namespace aicf::ir
