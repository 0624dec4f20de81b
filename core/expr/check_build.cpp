#include "core/expr/check_build.hpp"

#include <algorithm>
#include <array>

namespace aicf::check {

using lang::Item;
using lang::Operator;
using lang::Place;
using lang::Step;

namespace {

std::string quoted(std::string_view word) { return "'" + std::string(word) + "'"; }

} // namespace

ExprId Builder::dim_expression(const lang::Expression& e) {
  values_.clear();
  const auto& items = s_->scope->file->items;
  for (std::uint32_t i = e.begin; i < e.end; ++i) {
    const Item& it = items[i];
    auto op = static_cast<Operator>(it.code);
    bool arithmetic = it.step == Step::operation && (op == Operator::add || op == Operator::subtract ||
                                                     op == Operator::multiply || op == Operator::floor_divide);
    if (arithmetic || it.step == Step::integer) {
      item(i);
      continue;
    }
    auto found = it.step == Step::name ? s_->names.find(it.name) : s_->names.end();
    if (it.step != Step::name) {
      s_->error("lang.dimension", it.at, "a dimension is made of + - * //, integers and names",
                it.step == Step::operation && op == Operator::divide ? "write // for the quotient rounded down" : "");
      return no_expr;
    }
    if (found == s_->names.end()) {
      s_->error("lang.unknown-name", it.at, "no dimension " + quoted(s_->text(it.name)), s_->nearest(it.name, false));
      return no_expr;
    }
    word(it);
    bool is_size = found->second.kind == Symbol::Kind::dim ||
                   (found->second.kind == Symbol::Kind::scalar && values_.back().id != no_expr &&
                    kind(values_.back().id) == Kind::integer);
    if (!is_size) {
      s_->error("lang.dimension", it.at,
                quoted(s_->text(it.name)) + " is " + std::string(name_of(found->second.kind)) +
                    ": a dimension is made of dimensions and integer scalars");
      return no_expr;
    }
  }
  return pop(1)[0].id;
}

ExprId Builder::expression(const lang::Expression& e) {
  values_.clear();
  for (std::uint32_t i = e.begin; i < e.end; ++i) item(i);
  return pop(1)[0].id;
}

std::vector<Builder::Value> Builder::pop(std::size_t count) {
  std::vector<Value> popped(values_.end() - static_cast<std::ptrdiff_t>(count), values_.end());
  values_.resize(values_.size() - count);
  return popped;
}

void Builder::item(std::uint32_t position) {
  const Item& it = s_->scope->file->items[position];
  Arena& arena = s_->d.arena;
  switch (it.step) {
  case Step::integer: push(arena.number(s_->scope->file->numbers[it.data], Kind::integer), it.at); break;
  case Step::real: push(arena.number(s_->scope->file->numbers[it.data]), it.at); break;
  case Step::constant: push(arena.number(lang::constant(s_->scope->file->names[it.name])), it.at); break;
  case Step::name: word(it); break;
  case Step::access_begin: access_begin(it, position); break;
  case Step::index_end: break;
  case Step::access_end: access_end(it, position); break;
  case Step::operation: operation(it); break;
  case Step::function: function(it, position); break;
  case Step::unknown: pop(it.count), push(no_expr, it.at); break;
  case Step::reduce_begin: reduce_begin(it); break;
  case Step::binder: binder(it); break;
  case Step::where: {
    Value v = pop(1)[0];
    bool right = condition(v);
    reductions_.back().poison |= !right;
    reductions_.back().predicate = right ? v.id : no_expr;
    if (!reductions_.back().guards) ++guards_;
    reductions_.back().guards = true;
    break;
  }
  case Step::reduce_end: reduce_end(); break;
  case Step::call_begin:
  case Step::tensor_arg:
  case Step::scalar_arg:
  case Step::call_end: break; // inlined before
  }
}

std::string Builder::describe(TensorId tensor) const {
  std::size_t rank = s_->d.tensors[tensor].shape.size();
  return quoted(s_->d.tensors[tensor].name) + " has " +
         (rank == 0 ? std::string("no index") : std::to_string(rank) + (rank == 1 ? " index" : " indices"));
}

void Builder::unknown(const Item& it) {
  std::string hint;
  if (work_ != nullptr) {
    auto bound = std::find_if(work_->bindings.begin(), work_->bindings.end(),
                              [&](const Binding& b) { return b.name == it.name; });
    if (bound != work_->bindings.end())
      hint = "the index " + quoted(s_->text(it.name)) + " of " + s_->where(bound->at) +
             (bound->local ? " ends with its reduction" : " has no value in a first value");
  }
  if (hint.empty()) hint = s_->nearest(it.name, false, &indices_);
  s_->error("lang.unknown-name", it.at, "unknown name " + quoted(s_->text(it.name)), hint);
  push(no_expr, it.at);
}

void Builder::word(const Item& it) {
  Arena& arena = s_->d.arena;
  if (auto index = indices_.find(it.name); index != indices_.end()) {
    bool parameter = index->second.kind == Symbol::Kind::parameter;
    push(arena.make(parameter ? Op::symbol : Op::index, parameter ? Kind::real : Kind::integer, {}, index->second.id),
         it.at);
    return;
  }
  auto found = s_->names.find(it.name);
  if (found == s_->names.end()) return unknown(it);
  const Symbol& symbol = found->second;
  switch (symbol.kind) {
  case Symbol::Kind::dim: return push(arena.make(Op::dim, Kind::integer, {}, symbol.id), it.at);
  case Symbol::Kind::scalar:
    s_->scalar_used[symbol.id] = true;
    return push(arena.make(Op::scalar, kind_of(s_->d.scalars[symbol.id].type), {}, symbol.id), it.at);
  default: break;
  }
  const TensorId tensor = symbol.id;
  s_->tensors[tensor].used = true;
  if (!s_->d.tensors[tensor].shape.empty() && !s_->tensors[tensor].shapeless) {
    s_->error("lang.rank", it.at, describe(tensor) + " and is read with none");
    return push(no_expr, it.at);
  }
  if (s_->tensors[tensor].poison) return push(no_expr, it.at);
  if (in_group_ != nullptr && s_->work_of.contains(tensor) && (*in_group_)[s_->work_of.at(tensor)])
    reads_->push_back({position_, tensor, {}, false, it.at});
  push(arena.make(Op::load, s_->d.tensors[tensor].kind, {}, tensor), it.at);
}

void Builder::access_begin(const Item& it, std::uint32_t position) {
  Access access;
  access.base = values_.size();
  access.padded = (it.flags & lang::padded) != 0;
  access.at = it.at;
  if ((it.flags & lang::of_call) != 0) {
    access.tensor = s_->calls.at(position - 1);
  } else if (auto index = indices_.find(it.name); index != indices_.end()) {
    s_->error("lang.not-a-tensor", it.at,
              quoted(s_->text(it.name)) + " is " + std::string(name_of(index->second.kind)) + ", not a tensor");
  } else if (auto found = s_->names.find(it.name); found == s_->names.end()) {
    s_->error("lang.unknown-name", it.at, "no tensor " + quoted(s_->text(it.name)), s_->nearest(it.name, true));
  } else if (found->second.kind != Symbol::Kind::tensor) {
    s_->error("lang.not-a-tensor", it.at,
              quoted(s_->text(it.name)) + " is " + std::string(name_of(found->second.kind)) + ", not a tensor");
  } else {
    s_->tensors[found->second.id].used = true;
    if (!s_->tensors[found->second.id].shapeless) access.tensor = found->second.id;
  }
  accesses_.push_back(access);
}

void Builder::access_end(const Item& it, std::uint32_t position) {
  Access access = accesses_.back();
  accesses_.pop_back();
  std::vector<Value> indices = pop(it.count);
  bool right = access.tensor != no_tensor;
  for (const Value& v : indices) right = integer(v, "an index") && right;
  if (access.tensor == no_tensor) return push(no_expr, it.at);
  const TensorDecl& decl = s_->d.tensors[access.tensor];
  if (indices.size() != decl.shape.size()) {
    s_->error("lang.rank", it.at, describe(access.tensor) + " and is read with " + std::to_string(indices.size()));
    right = false;
  }
  if (!right || s_->tensors[access.tensor].poison) return push(no_expr, it.at);
  std::vector<ExprId> ids;
  ids.reserve(indices.size() + 1);
  for (const Value& v : indices) ids.push_back(v.id);
  auto work = s_->work_of.find(access.tensor);
  if (in_group_ != nullptr && work != s_->work_of.end() && (*in_group_)[work->second]) {
    reads_->push_back({position_, access.tensor, ids, access.padded, it.at});
  } else if (!access.padded) {
    for (std::uint32_t axis = 0; axis < ids.size(); ++axis)
      checks_.push_back({position, ids[axis], access.tensor, axis, guards_ > 0, indices[axis].at});
  }
  push(s_->d.arena.make(Op::load, decl.kind, access.tensor, ids), it.at);
}

bool Builder::numbers(const std::vector<Value>& operands) {
  bool right = true;
  for (const Value& v : operands) {
    if (v.id != no_expr && kind(v.id) == Kind::boolean) {
      s_->error("lang.kind", v.at, "a number is expected, this is a condition", "write where(condition, 1, 0)");
      right = false;
    }
    right = right && v.id != no_expr;
  }
  return right;
}

bool Builder::condition(const Value& v) {
  if (v.id == no_expr) return false;
  if (kind(v.id) == Kind::boolean) return true;
  s_->error("lang.kind", v.at, "a condition is expected, this is " + std::string(name_of(kind(v.id))),
            "compare it: x != 0");
  return false;
}

bool Builder::integer(const Value& v, std::string_view what) {
  if (v.id == no_expr) return false;
  if (kind(v.id) == Kind::integer) return true;
  s_->error("lang.non-integer", v.at,
            std::string(what) + " must be an integer, this is " + std::string(name_of(kind(v.id))),
            kind(v.id) == Kind::real ? "'/' is real division: use //, or round explicitly with i32(…)" : "");
  return false;
}

void Builder::logic(Operator op, const std::vector<Value>& operands, Place at) {
  bool right = true;
  for (const Value& v : operands) right = condition(v) && right;
  if (!right) return push(no_expr, at);
  if (op == Operator::not_) return push(s_->d.arena.make(Op::not_, Kind::boolean, {operands[0].id}), at);
  push(s_->d.arena.make(op == Operator::and_ ? Op::and_ : Op::or_, Kind::boolean, {operands[0].id, operands[1].id}),
       at);
}

void Builder::comparison(Operator op, Value a, Value b, Place at) {
  bool equality = op == Operator::equal || op == Operator::not_equal;
  bool both_conditions =
      a.id != no_expr && b.id != no_expr && kind(a.id) == Kind::boolean && kind(b.id) == Kind::boolean;
  if (!(equality && both_conditions) && !numbers({a, b})) return push(no_expr, at);
  if (op == Operator::greater || op == Operator::greater_equal) std::swap(a, b);
  Op made = op == Operator::equal                             ? Op::eq
            : op == Operator::not_equal                       ? Op::ne
            : op == Operator::less || op == Operator::greater ? Op::lt
                                                              : Op::le;
  push(s_->d.arena.make(made, Kind::boolean, {a.id, b.id}), at);
}

/// Integers to the power of a literal that is not negative stay integers.
Kind Builder::power_kind(ExprId base, ExprId exponent) const {
  const Arena& arena = s_->d.arena;
  bool natural = kind(base) == Kind::integer && kind(exponent) == Kind::integer && arena[exponent].op == Op::number &&
                 arena.value(exponent) >= 0;
  return natural ? Kind::integer : Kind::real;
}

void Builder::operation(const Item& it) {
  Arena& arena = s_->d.arena;
  std::vector<Value> operands = pop(it.count);
  Place at = lang::join(operands.front().at, operands.back().at);
  auto op = static_cast<Operator>(it.code);
  if (it.count == 1) at = lang::join(it.at, at);
  switch (op) {
  case Operator::or_:
  case Operator::and_:
  case Operator::not_: return logic(op, operands, at);
  case Operator::less:
  case Operator::less_equal:
  case Operator::greater:
  case Operator::greater_equal:
  case Operator::equal:
  case Operator::not_equal: return comparison(op, operands[0], operands[1], at);
  default: break;
  }
  if (!numbers(operands)) return push(no_expr, at);
  std::vector<ExprId> ids;
  bool integral = true;
  for (const Value& v : operands) {
    ids.push_back(v.id);
    integral = integral && kind(v.id) == Kind::integer;
  }
  Kind made = integral ? Kind::integer : Kind::real;
  auto make = [&](Op o, Kind k) { push(arena.make(o, k, 0, ids), at); };
  switch (op) {
  case Operator::add: return make(Op::add, made);
  case Operator::subtract: return make(Op::sub, made);
  case Operator::multiply: return make(Op::mul, made);
  case Operator::divide: return make(Op::div, Kind::real);
  case Operator::floor_divide: return make(Op::floordiv, made);
  case Operator::modulo: return make(Op::mod, made);
  case Operator::negate: {
    const Node& node = arena[ids[0]];
    bool literal = node.op == Op::number && (node.kind == Kind::real || arena.value(ids[0]) != 0);
    if (literal) return push(arena.number(-arena.value(ids[0]), node.kind), at);
    return make(Op::neg, made);
  }
  default: break;
  }
  make(Op::pow, power_kind(ids[0], ids[1]));
}

void Builder::function(const Item& it, std::uint32_t position) {
  using lang::Function;
  std::vector<Value> operands = pop(it.count);
  Place at = lang::join(it.at, operands.back().at);
  auto function = static_cast<Function>(it.code);
  Arena& arena = s_->d.arena;
  if (function == Function::where) return select(operands, it.data, position, at);
  if (function == Function::pad) return pad(operands, at);
  if (!numbers(operands)) return push(no_expr, at);
  Kind of = kind(operands[0].id);
  auto unary = [&](Op op, Kind k) { push(arena.make(op, k, {operands[0].id}), at); };
  auto binary = [&](Op op, Kind k) { push(arena.make(op, k, {operands[0].id, operands[1].id}), at); };
  auto round = [&](DType type) {
    push(arena.make(Op::round_to, is_float(type) ? Kind::real : Kind::integer, {operands[0].id},
                    static_cast<std::uint32_t>(type)),
         at);
  };
  switch (function) {
  case Function::abs: return unary(Op::abs, of);
  case Function::sign: return unary(Op::sign, of);
  case Function::floor: return unary(Op::floor, of);
  case Function::ceil: return unary(Op::ceil, of);
  case Function::round: return unary(Op::round, of);
  case Function::isnan: return unary(Op::isnan, Kind::boolean);
  case Function::min:
  case Function::max: {
    Kind both = of == Kind::integer && kind(operands[1].id) == Kind::integer ? Kind::integer : Kind::real;
    return binary(function == Function::min ? Op::min : Op::max, both);
  }
  case Function::pow: return binary(Op::pow, power_kind(operands[0].id, operands[1].id));
  case Function::round_f32: return round(DType::f32);
  case Function::round_f16: return round(DType::f16);
  case Function::round_bf16: return round(DType::bf16);
  case Function::round_f64: return round(DType::f64);
  case Function::round_i8: return round(DType::i8);
  case Function::round_i32: return round(DType::i32);
  case Function::round_i64: return round(DType::i64);
  case Function::atan: return unary(Op::atan, Kind::real);
  default: break;
  }
  // exp … cos stand in the same order in both enumerations.
  static_assert(static_cast<int>(Op::cos) - static_cast<int>(Op::exp) ==
                static_cast<int>(Function::cos) - static_cast<int>(Function::exp));
  unary(static_cast<Op>(static_cast<int>(Op::exp) + static_cast<int>(function)), Kind::real);
}

/// The access was read as a load without a range; it becomes a padded load.
void Builder::pad(const std::vector<Value>& operands, Place at) {
  Arena& arena = s_->d.arena;
  ExprId load = operands[0].id, value = operands[1].id;
  if (load == no_expr || value == no_expr) return push(no_expr, at);
  if ((kind(load) == Kind::boolean) != (kind(value) == Kind::boolean)) {
    s_->error("lang.kind", operands[1].at,
              "pads " + std::string(name_of(kind(load))) + " with " + std::string(name_of(kind(value))));
    return push(no_expr, at);
  }
  std::span<const ExprId> indices = arena.operands(load);
  std::vector<ExprId> ids(indices.begin(), indices.end());
  ids.push_back(value);
  Kind made = kind(load) == Kind::integer && kind(value) == Kind::real ? Kind::real : kind(load);
  push(arena.make(Op::padded_load, made, arena[load].payload, ids), at);
}

void Builder::select(const std::vector<Value>& operands, std::uint32_t begin, std::uint32_t end, Place at) {
  lazy_.emplace_back(begin, end);
  bool right = condition(operands[0]);
  ExprId a = operands[1].id, b = operands[2].id;
  if (!right || a == no_expr || b == no_expr) return push(no_expr, at);
  if ((kind(a) == Kind::boolean) != (kind(b) == Kind::boolean)) {
    s_->error("lang.kind", operands[2].at,
              "one branch is " + std::string(name_of(kind(a))) + ", the other " + std::string(name_of(kind(b))));
    return push(no_expr, at);
  }
  Kind made = kind(a) == kind(b) ? kind(a) : Kind::real;
  push(s_->d.arena.make(Op::select, made, {operands[0].id, a, b}), at);
}

} // namespace aicf::check
