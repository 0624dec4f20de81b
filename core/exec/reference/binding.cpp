#include "core/exec/reference/binding.hpp"

#include "core/exec/reference.hpp"
#include "core/expr/normal.hpp"
#include "core/expr/print.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace aicf {
namespace reference {

std::vector<double> bind_scalars(const Definition& d, const std::map<std::string, double>& overrides,
                                 std::vector<Diagnostic>& problems) {
  std::vector<double> values;
  for (const ScalarDecl& s : d.scalars) {
    auto found = overrides.find(s.name);
    double v = found == overrides.end() ? s.value : found->second;
    bool whole = s.type.generic || is_float(s.type.fixed);
    if (!whole && v != std::floor(v))
      problems.push_back(error("bind.scalar", "scalar " + s.name + " is an integer, not " + std::to_string(v), s.at));
    values.push_back(v);
  }
  for (const auto& given : overrides) {
    bool known =
        std::any_of(d.scalars.begin(), d.scalars.end(), [&](const ScalarDecl& s) { return s.name == given.first; });
    if (!known) problems.push_back(error("bind.unknown-scalar", d.name + " has no scalar named " + given.first));
  }
  return values;
}

std::vector<std::int64_t> shape_of(const Definition& d, const BoundNames& names, const TensorDecl& tensor,
                                   std::vector<Diagnostic>& problems) {
  std::vector<std::int64_t> shape;
  for (ExprId id : tensor.shape) {
    auto code = IntegerCode::compile(d, names, id);
    std::int64_t extent = code ? code->run({}) : -1;
    if (extent < 0) {
      std::string text = print(d.arena, id, names_of(d), 80);
      problems.push_back(error("bind.extent",
                               "extent " + text + " of " + tensor.name +
                                   (code ? " is " + std::to_string(extent) + ", which is negative" : " has no value"),
                               tensor.at));
      extent = 0;
    }
    shape.push_back(extent);
  }
  return shape;
}

namespace {

/// slope * unknown + constant.
struct Line {
  double slope = 0, constant = 0;
};

/// Solves the extents of inputs for dims, one unknown at a time.
class DimSolver {
 public:
  DimSolver(const Definition& d, std::vector<double> scalars) : d_(d), values_(d.dims.size()), from_(d.dims.size()) {
    names_.scalars = std::move(scalars);
    names_.dims.resize(d.dims.size());
  }

  void add(const TensorDecl& tensor, std::size_t axis, std::int64_t extent) {
    todo_.push_back({&tensor, axis, extent});
  }

  std::map<std::string, std::int64_t> solve(std::vector<Diagnostic>& problems) {
    for (bool moved = true; moved;) {
      moved = false;
      std::vector<Equation> rest;
      for (const Equation& e : todo_) {
        if (settle(e, problems))
          moved = true;
        else
          rest.push_back(e);
      }
      todo_ = std::move(rest);
    }
    std::map<std::string, std::int64_t> out;
    for (std::size_t k = 0; k < values_.size(); ++k) {
      if (values_[k])
        out[d_.dims[k]] = *values_[k];
      else if (problems.empty())
        problems.push_back(error("bind.dim", "no input of " + d_.name + " determines " + d_.dims[k], {},
                                 "give an input whose extent is " + d_.dims[k] + " itself"));
    }
    return out;
  }

 private:
  struct Equation {
    const TensorDecl* tensor;
    std::size_t axis;
    std::int64_t extent;
    [[nodiscard]] std::string place() const { return "axis " + std::to_string(axis) + " of " + tensor->name; }
  };

  /// Uses the equation when at most one of its dims is unknown; false: not yet.
  bool settle(const Equation& e, std::vector<Diagnostic>& problems) {
    ExprId id = e.tensor->shape[e.axis];
    std::string text = print(d_.arena, id, names_of(d_), 80);
    std::vector<std::uint32_t> unknown;
    for (ExprId n : nodes_below(d_.arena, std::array{id}))
      if (d_.arena[n].op == Op::dim && !values_[d_.arena[n].payload]) unknown.push_back(d_.arena[n].payload);
    if (unknown.empty()) {
      auto code = IntegerCode::compile(d_, names_, id);
      if (code && code->run({}) == e.extent) return true;
      std::string known = code ? text + " is " + std::to_string(code->run({})) : text + " has no value";
      for (ExprId n : nodes_below(d_.arena, std::array{id}))
        if (d_.arena[n].op == Op::dim && from_[d_.arena[n].payload])
          known += ", " + d_.dims[d_.arena[n].payload] + " being " + std::to_string(*values_[d_.arena[n].payload]) +
                   " by " + from_[d_.arena[n].payload]->place();
      problems.push_back(
          error("bind.conflict", e.place() + " is " + std::to_string(e.extent) + ", but " + known, e.tensor->at));
      return true;
    }
    if (unknown.size() > 1) return false;
    auto line = as_line(id, unknown[0]);
    if (!line || line->slope == 0) return false;
    double v = (static_cast<double>(e.extent) - line->constant) / line->slope;
    if (v != std::floor(v) || v < 0) {
      problems.push_back(
          error("bind.conflict",
                e.place() + " is " + std::to_string(e.extent) + ", which is " + text + " for no " + d_.dims[unknown[0]],
                e.tensor->at));
      v = 0;
    }
    values_[unknown[0]] = names_.dims[unknown[0]] = static_cast<std::int64_t>(v);
    from_[unknown[0]] = e;
    return true;
  }

  std::optional<Line> as_line(ExprId root, std::uint32_t unknown) {
    std::unordered_map<ExprId, std::optional<Line>> of;
    for (ExprId id : nodes_below(d_.arena, std::array{root})) {
      const Node& n = d_.arena[id];
      std::optional<Line>& out = of[id];
      if (n.op == Op::dim && n.payload == unknown) {
        out = Line{1, 0};
        continue;
      }
      bool fixed = true;
      for (ExprId operand : d_.arena.operands(id)) fixed = fixed && of.at(operand) && of.at(operand)->slope == 0;
      if (fixed) {
        if (auto code = IntegerCode::compile(d_, names_, id)) out = Line{0, static_cast<double>(code->run({}))};
        continue;
      }
      out = combine(n.op, id, of);
    }
    return of.at(root);
  }

  std::optional<Line> combine(Op op, ExprId id, std::unordered_map<ExprId, std::optional<Line>>& of) {
    std::optional<Line> sum;
    for (ExprId operand : d_.arena.operands(id)) {
      const auto& part = of.at(operand);
      if (!part) return std::nullopt;
      if (!sum) {
        sum = op == Op::neg ? Line{-part->slope, -part->constant} : *part;
      } else if (op == Op::add || op == Op::sub) {
        double sign = op == Op::add ? 1 : -1;
        sum = Line{sum->slope + sign * part->slope, sum->constant + sign * part->constant};
      } else if (op == Op::mul && (sum->slope == 0 || part->slope == 0)) {
        sum = Line{sum->slope * part->constant + part->slope * sum->constant, sum->constant * part->constant};
      } else {
        return std::nullopt;
      }
    }
    return op == Op::neg || op == Op::add || op == Op::sub || op == Op::mul ? sum : std::nullopt;
  }

  const Definition& d_;
  BoundNames names_;
  std::vector<std::optional<std::int64_t>> values_;
  std::vector<std::optional<Equation>> from_;
  std::vector<Equation> todo_;
};

} // namespace
} // namespace reference

Result<std::map<std::string, std::int64_t>> bind_dims(const Definition& d,
                                                      const std::map<std::string, std::vector<std::int64_t>>& shapes,
                                                      const std::map<std::string, double>& scalars) {
  std::vector<Diagnostic> problems;
  reference::DimSolver solver(d, reference::bind_scalars(d, scalars, problems));
  for (std::size_t t = 0; t < d.inputs; ++t) {
    const TensorDecl& tensor = d.tensors[t];
    auto found = shapes.find(tensor.name);
    if (found == shapes.end()) {
      problems.push_back(
          error("bind.missing-input", "input " + tensor.name + " of " + d.name + " is not given", tensor.at));
      continue;
    }
    if (found->second.size() != tensor.shape.size()) {
      problems.push_back(error("bind.rank",
                               "input " + tensor.name + " has rank " + std::to_string(tensor.shape.size()) +
                                   ", but a tensor of shape " + shape_text(found->second) + " is given",
                               tensor.at));
      continue;
    }
    for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) solver.add(tensor, axis, found->second[axis]);
  }
  for (const auto& given : shapes) {
    bool known = std::any_of(d.tensors.begin(), d.tensors.begin() + static_cast<std::ptrdiff_t>(d.inputs),
                             [&](const TensorDecl& t) { return t.name == given.first; });
    if (!known) problems.push_back(error("bind.unknown-input", d.name + " has no input named " + given.first));
  }
  std::map<std::string, std::int64_t> dims = solver.solve(problems);
  if (!problems.empty()) return problems;
  return dims;
}

Result<std::map<std::string, std::vector<std::int64_t>>> shapes_for(const Definition& d,
                                                                    const std::map<std::string, std::int64_t>& dims,
                                                                    const std::map<std::string, double>& scalars) {
  std::vector<Diagnostic> problems;
  BoundNames names;
  names.scalars = reference::bind_scalars(d, scalars, problems);
  for (const std::string& dim : d.dims) {
    auto found = dims.find(dim);
    if (found == dims.end())
      problems.push_back(error("bind.dim", "no size is given for " + dim));
    else if (found->second < 0)
      problems.push_back(error("bind.dim", dim + " is " + std::to_string(found->second) + ", which is negative"));
    names.dims.push_back(found == dims.end() ? 0 : found->second);
  }
  for (const auto& [name, value] : dims)
    if (std::find(d.dims.begin(), d.dims.end(), name) == d.dims.end())
      problems.push_back(error("bind.dim", d.name + " has no dimension named " + name));
  if (!problems.empty()) return problems;
  std::map<std::string, std::vector<std::int64_t>> out;
  for (std::size_t t = 0; t < d.inputs; ++t)
    out[d.tensors[t].name] = reference::shape_of(d, names, d.tensors[t], problems);
  for (TensorId t : d.outputs) out[d.tensors[t].name] = reference::shape_of(d, names, d.tensors[t], problems);
  if (!problems.empty()) return problems;
  return out;
}

} // namespace aicf
