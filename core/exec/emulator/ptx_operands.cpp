// Instructions and their operands.
#include "core/exec/emulator/ptx_parse.hpp"

#include <charconv>

namespace aicf::ptx {

void Parser::instruction(Function& f) {
  Instruction i;
  i.cuda_line = cuda_line_;
  if (accept('@')) {
    i.guard_negated = accept('!');
    const Token& p = peek();
    i.guard = find_register(f, expect_word());
    if (i.guard < 0 || f.registers[static_cast<std::size_t>(i.guard)].type != Type::pred)
      fail_at(p.line, "the guard '" + std::string(p.text) + "' is no predicate register");
  }
  i.line = peek().line;
  if (peek().kind != Token::Kind::word) fail("expected an instruction but found " + shown());
  i.text = take().text;
  for (std::size_t from = 0; from <= i.text.size();) {
    const auto dot = std::min(i.text.find('.', from), i.text.size());
    i.parts.push_back(i.text.substr(from, dot - from));
    from = dot + 1;
  }
  while (!peek().is(';')) {
    if (peek().is('(')) { // call (r), f, (a, b): a list
      take();
      Operand list;
      list.kind = Operand::Kind::vector;
      while (!accept(')')) {
        list.items.push_back(operand(f));
        if (!accept(',') && !peek().is(')')) fail("expected ',' or ')' but found " + shown());
      }
      i.operands.push_back(std::move(list));
    } else {
      i.operands.push_back(operand(f));
    }
    if (!accept(',') && !peek().is(';')) fail("expected ',' or ';' but found " + shown());
  }
  take();
  f.body.push_back(std::move(i));
  instruction_scope_.push_back(scope_);
}

Operand Parser::operand(Function& f) {
  if (peek().is('[')) return address(f);
  if (accept('{')) {
    Operand v;
    v.kind = Operand::Kind::vector;
    while (!accept('}')) {
      v.items.push_back(atom(f));
      if (!accept(',') && !peek().is('}')) fail("expected ',' or '}' but found " + shown());
    }
    return v;
  }
  Operand a = atom(f);
  if (accept('|')) {
    Operand p;
    p.kind = Operand::Kind::pair;
    p.items.push_back(std::move(a));
    p.items.push_back(atom(f));
    return p;
  }
  return a;
}

Operand Parser::address(Function& f) {
  expect('[');
  Operand a;
  a.kind = Operand::Kind::address;
  a.items.push_back(atom(f));
  if (accept('+')) {
    const bool minus = accept('-');
    const auto v = static_cast<std::int64_t>(expect_integer());
    a.value = minus ? static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(v)) : v;
  } else if (accept('-')) {
    a.value = static_cast<std::int64_t>(0 - expect_integer());
  }
  while (accept(',')) { // tensor coordinates and the like: kept, so that the instruction can be named
    if (accept('{')) {
      while (!accept('}')) {
        a.items.push_back(atom(f));
        if (!accept(',') && !peek().is('}')) fail("expected ',' or '}' but found " + shown());
      }
    } else {
      a.items.push_back(atom(f));
    }
  }
  expect(']');
  return a;
}

Operand Parser::atom(Function& f) {
  Operand o;
  o.negated = accept('!');
  const bool minus = accept('-');
  const Token& t = take();
  using Kind = Operand::Kind;
  switch (t.kind) {
  case Token::Kind::integer:
    o.kind = Kind::integer;
    o.value = static_cast<std::int64_t>(minus ? 0 - t.bits : t.bits);
    return o;
  case Token::Kind::real32:
  case Token::Kind::real64: {
    const bool single = t.kind == Token::Kind::real32;
    o.kind = single ? Kind::real32 : Kind::real64;
    o.bits = minus ? t.bits ^ (single ? 0x80000000u : 0x8000000000000000u) : t.bits;
    return o;
  }
  case Token::Kind::word: break;
  default: fail_at(t.line, "expected an operand but found '" + std::string(t.text) + "'");
  }
  if (t.text == "_") return o;
  if (o.index = find_register(f, t.text); o.index >= 0) {
    o.kind = Kind::reg;
    return o;
  }
  if (find_variable(t.text, o.index)) {
    o.kind = Kind::variable;
    if (peek().is('+') && peek(1).kind == Token::Kind::integer && !peek(2).is(':')) {
      take();
      o.value = static_cast<std::int64_t>(expect_integer());
    }
    return o;
  }
  o.name = t.text;
  if (t.text == "WARP_SZ") {
    o.kind = Kind::integer;
    o.value = 32;
  } else if (t.text[0] == '%') {
    o.kind = Kind::special;
  } else {
    o.kind = Kind::label; // a label or a function: known at the end of the body
    o.value = t.line;
  }
  return o;
}

std::int32_t Parser::find_register(Function& f, std::string_view name) {
  std::size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  std::uint64_t number = 0;
  const bool numbered = digits < name.size() && (name[digits] != '0' || digits + 1 == name.size()) &&
                        std::from_chars(name.data() + digits, name.data() + name.size(), number).ec == std::errc{};
  for (std::int32_t s = scope_; s >= 0; s = scopes_[static_cast<std::size_t>(s)].parent) {
    Scope& scope = scopes_[static_cast<std::size_t>(s)];
    if (const auto it = scope.registers.find(name); it != scope.registers.end()) return it->second;
    if (!numbered) continue;
    const auto range = scope.ranges.find(name.substr(0, digits));
    if (range == scope.ranges.end() || number >= range->second.count) continue;
    const auto index = static_cast<std::int32_t>(f.registers.size());
    f.registers.push_back({name, range->second.type});
    scope.registers.emplace(name, index);
    return index;
  }
  return -1;
}

bool Parser::find_variable(std::string_view name, std::int32_t& index) const {
  for (std::int32_t s = scope_; s >= 0; s = scopes_[static_cast<std::size_t>(s)].parent) {
    const auto& variables = scopes_[static_cast<std::size_t>(s)].variables;
    if (const auto it = variables.find(name); it != variables.end()) {
      index = it->second;
      return true;
    }
  }
  if (const auto it = module_variables_.find(name); it != module_variables_.end()) {
    index = ~it->second;
    return true;
  }
  index = -1;
  return false;
}

} // namespace aicf::ptx
