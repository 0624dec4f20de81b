#include "core/plan/dims.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace aicf {
namespace {

constexpr std::size_t longest_text = 4096;

std::string call(const char* name, const std::vector<std::string>& parts) {
  std::string text = std::string(name) + "(";
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "" : ",") + parts[i];
  return text + ")";
}

std::string joined(char op, const std::vector<std::string>& parts) {
  std::string text = "(";
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "" : std::string(1, op)) + parts[i];
  return text + ")";
}

std::optional<std::string> combined_text(Op op, const std::vector<std::string>& parts) {
  switch (op) {
  case Op::add: return joined('+', parts);
  case Op::sub: return joined('-', parts);
  case Op::mul: return joined('*', parts);
  case Op::floordiv: return joined('/', parts);
  case Op::mod: return joined('%', parts);
  case Op::neg: return "(-" + parts[0] + ")";
  case Op::min: return call("min", parts);
  case Op::max: return call("max", parts);
  default: return std::nullopt;
  }
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }

std::optional<std::int64_t> combined_value(Op op, const std::vector<std::int64_t>& v) {
  std::int64_t r = v[0];
  for (std::size_t i = 1; i < v.size(); ++i) {
    bool overflow = false;
    switch (op) {
    case Op::add: overflow = __builtin_add_overflow(r, v[i], &r); break;
    case Op::sub: overflow = __builtin_sub_overflow(r, v[i], &r); break;
    case Op::mul: overflow = __builtin_mul_overflow(r, v[i], &r); break;
    case Op::min: r = std::min(r, v[i]); break;
    case Op::max: r = std::max(r, v[i]); break;
    case Op::floordiv:
    case Op::mod: {
      if (v[i] == 0) return std::nullopt;
      std::int64_t q = floor_divide(r, v[i]);
      r = op == Op::floordiv ? q : r - q * v[i];
      break;
    }
    default: return std::nullopt;
    }
    if (overflow) return std::nullopt;
  }
  if (v.size() == 1 && op == Op::neg) return -r;
  return r;
}

} // namespace

double scalar_value(const DimBinding& binding, std::size_t scalar) {
  const ScalarDecl& decl = binding.definition->scalars.at(scalar);
  if (binding.scalars != nullptr)
    if (auto found = binding.scalars->find(decl.name); found != binding.scalars->end()) return found->second;
  return decl.value;
}

std::optional<std::string> dim_text(const Arena& arena, ExprId root, const DimBinding& binding) {
  std::unordered_map<ExprId, std::string> known;
  for (ExprId id : reachable(arena, std::span(&root, 1))) {
    const Node& n = arena[id];
    std::string& text = known[id];
    if (n.op == Op::number) {
      if (arena.value(id) != std::floor(arena.value(id))) return std::nullopt;
      text = std::to_string(static_cast<std::int64_t>(arena.value(id)));
    } else if (n.op == Op::dim) {
      text = binding.definition->dims.at(n.payload);
    } else if (n.op == Op::scalar) {
      text = std::to_string(static_cast<std::int64_t>(scalar_value(binding, n.payload)));
    } else {
      std::vector<std::string> parts;
      for (ExprId operand : arena.operands(id)) parts.push_back(known.at(operand));
      auto whole = parts.empty() ? std::nullopt : combined_text(n.op, parts);
      if (!whole || whole->size() > longest_text) return std::nullopt;
      text = std::move(*whole);
    }
  }
  return known.at(root);
}

std::optional<std::int64_t> dim_value(const Arena& arena, ExprId root, const DimBinding& binding) {
  std::unordered_map<ExprId, std::int64_t> known;
  for (ExprId id : reachable(arena, std::span(&root, 1))) {
    const Node& n = arena[id];
    if (n.op == Op::number) {
      known[id] = static_cast<std::int64_t>(arena.value(id));
    } else if (n.op == Op::scalar) {
      known[id] = static_cast<std::int64_t>(scalar_value(binding, n.payload));
    } else if (n.op == Op::dim) {
      if (binding.dims == nullptr) return std::nullopt;
      auto found = binding.dims->find(binding.definition->dims.at(n.payload));
      if (found == binding.dims->end()) return std::nullopt;
      known[id] = found->second;
    } else {
      std::vector<std::int64_t> parts;
      for (ExprId operand : arena.operands(id)) parts.push_back(known.at(operand));
      auto value = parts.empty() ? std::nullopt : combined_value(n.op, parts);
      if (!value) return std::nullopt;
      known[id] = *value;
    }
  }
  return known.at(root);
}

} // namespace aicf
