#include "core/expr/check_state.hpp"

#include "core/expr/print.hpp"

namespace aicf::check {

void State::error(std::string code, lang::Place at, std::string message, std::string hint) {
  scope->problems->error(std::move(code), at, std::move(message), std::move(hint));
}

std::string State::show(ExprId e) const {
  constexpr std::size_t longest = 60;
  return print(d.arena, e, names_of(d), longest);
}

std::string State::show_range(ExprId lo, ExprId hi) const {
  return d.arena.is_number(lo, 0) ? show(hi) : show(lo) + " .. " + show(hi);
}

std::string State::nearest(lang::NameId name, bool tensors_only, const std::unordered_map<lang::NameId, Symbol>* more) {
  constexpr std::size_t most_names = 1000;
  constexpr unsigned most_searches = 200;
  if (names.size() > most_names || ++scope->suggestions > most_searches) return {};
  lang::Nearest nearest(scope->file->names[name]);
  for (const auto& [other, symbol] : names)
    if (!tensors_only || symbol.kind == Symbol::Kind::tensor) nearest.offer(scope->file->names[other]);
  if (more != nullptr && more->size() <= most_names)
    for (const auto& [other, symbol] : *more) nearest.offer(scope->file->names[other]);
  return nearest.hint();
}

bool State::declare(lang::NameId name, Symbol symbol) {
  auto [it, fresh] = names.try_emplace(name, symbol);
  if (fresh) {
    taken.insert(text(name));
    return true;
  }
  error("lang.double", symbol.at,
        "'" + text(name) + "' is already " + std::string(name_of(it->second.kind)) + " (" + where(it->second.at) + ")");
  return false;
}

TensorId State::add_tensor(std::string name, lang::Place at, ElementType type, Kind kind, std::size_t rank) {
  TensorDecl& decl = d.tensors.emplace_back();
  decl.name = std::move(name);
  decl.type = type;
  decl.kind = kind;
  decl.at = scope->source->span(at);
  decl.shape.assign(rank, no_expr);
  TensorState& state = tensors.emplace_back();
  state.lo.assign(rank, no_expr);
  state.hi.assign(rank, no_expr);
  state.at = at;
  return static_cast<TensorId>(d.tensors.size() - 1);
}

VarId State::add_var(std::string name) {
  d.vars.push_back(std::move(name));
  return static_cast<VarId>(d.vars.size() - 1);
}

std::string_view name_of(Symbol::Kind kind) {
  switch (kind) {
  case Symbol::Kind::dim: return "a dimension";
  case Symbol::Kind::scalar: return "a scalar";
  case Symbol::Kind::tensor: return "a tensor";
  case Symbol::Kind::index: return "an index";
  case Symbol::Kind::parameter: return "a parameter";
  }
  return {};
}

Kind kind_of(const ElementType& type) {
  if (type.generic || is_float(type.fixed)) return Kind::real;
  return type.fixed == DType::boolean ? Kind::boolean : Kind::integer;
}

std::string_view name_of(Kind kind) {
  switch (kind) {
  case Kind::real: return "a real number";
  case Kind::integer: return "an integer";
  case Kind::boolean: return "a condition";
  }
  return {};
}

} // namespace aicf::check
