#include "core/exec/emulator/ptx_parser.hpp"

#include "core/exec/emulator/ptx_lexer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <unordered_map>

namespace aicf::ptx {
namespace {

/// Thrown and caught inside this file: unwinds to the statement that is being parsed.
struct SyntaxError {};

struct Scope {
  std::int32_t parent = -1;
  std::unordered_map<std::string_view, std::int32_t> registers; ///< index
  struct Range {
    Type type;
    std::uint64_t count;
  };
  std::unordered_map<std::string_view, Range> ranges; ///< .reg .b32 %r<10>: prefix
  std::unordered_map<std::string_view, std::int32_t> variables, labels;
};

constexpr std::size_t max_errors = 20;
constexpr std::uint64_t max_variable_bytes = std::uint64_t{1} << 30;

class Parser {
 public:
  explicit Parser(std::string_view text) {
    Lexer lexer(text);
    do tokens_.push_back(lexer.next());
    while (tokens_.back().kind != Token::Kind::end);
  }

  Result<Module> run();

 private:
  const Token& peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  const Token& take() {
    const Token& t = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return t;
  }
  bool accept(char c) {
    if (!peek().is(c)) return false;
    take();
    return true;
  }
  [[noreturn]] void fail(const std::string& message) { fail_at(peek().line, message); }
  [[noreturn]] void fail_at(int line, const std::string& message) {
    report(line, message);
    throw SyntaxError{};
  }
  void report(int line, const std::string& message) {
    if (errors_.size() < max_errors) errors_.push_back(error("ptx.syntax", message, Span{"ptx", line, 0, 0}));
  }
  std::string shown() const {
    return peek().kind == Token::Kind::end ? "end of text" : "'" + std::string(peek().text.substr(0, 40)) + "'";
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("expected '") + c + "' but found " + shown());
  }
  std::string_view expect_word() {
    if (peek().kind != Token::Kind::word) fail("expected a name but found " + shown());
    return take().text;
  }
  std::uint64_t expect_integer() {
    if (peek().kind != Token::Kind::integer) fail("expected an integer but found " + shown());
    return take().bits;
  }

  void module_statement();
  void skip_statement();
  void skip_block();
  Variable declaration(Space space, bool external);
  void initialiser(Variable& variable);
  void function(bool entry);
  void parameter_list(Function& f, std::vector<std::int32_t>& into, Space space);
  void body(Function& f);
  void body_directive(Function& f);
  void registers(Function& f);
  void location(Function& f);
  void branch_targets(std::string_view label);
  void instruction(Function& f);
  Operand operand(Function& f);
  Operand address(Function& f);
  Operand atom(Function& f);
  std::int32_t find_register(Function& f, std::string_view name);
  bool find_variable(std::string_view name, std::int32_t& index) const;
  void resolve_labels(Function& f);

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  Module module_;
  std::vector<Diagnostic> errors_;
  std::vector<Scope> scopes_;
  std::int32_t scope_ = -1;
  std::unordered_map<std::string_view, std::int32_t> module_variables_;
  std::vector<std::int32_t> instruction_scope_;
  std::unordered_map<std::string_view, std::vector<std::string_view>> targets_; ///< .branchtargets lists
  std::map<std::array<int, 3>, int> located_; ///< .loc (file, line, column) to the line in the entry's file
  int entry_file_ = 0, cuda_line_ = 0;
};

Result<Module> Parser::run() {
  while (peek().kind != Token::Kind::end && errors_.size() < max_errors) {
    try {
      module_statement();
    } catch (const SyntaxError&) {
      skip_statement();
    }
  }
  if (!errors_.empty()) return errors_;
  return std::move(module_);
}

void Parser::skip_statement() {
  while (peek().kind != Token::Kind::end && !peek().is(';') && !peek().is('}')) take();
  take();
}

void Parser::skip_block() {
  int depth = 0;
  do {
    const Token& t = take();
    if (t.kind == Token::Kind::end) fail("a block is not closed");
    depth += t.is('{') ? 1 : t.is('}') ? -1 : 0;
  } while (depth > 0);
}

void Parser::module_statement() {
  const Token& t = peek();
  if (t.kind != Token::Kind::directive) {
    if (accept(';')) return;
    fail("expected a directive but found " + shown());
  }
  bool external = false;
  while (true) {
    const Token& d = take();
    if (d.kind != Token::Kind::directive)
      fail_at(d.line, "expected a directive but found '" + std::string(d.text) + "'");
    const auto s = d.text;
    if (s == "visible" || s == "weak" || s == "common") continue;
    if (s == "extern") {
      external = true;
      continue;
    }
    if (s == "version") {
      module_.version = take().text;
      return;
    }
    if (s == "target") {
      module_.target = expect_word();
      while (accept(',')) expect_word();
      return;
    }
    if (s == "address_size") {
      if (expect_integer() != 64) fail_at(d.line, "only .address_size 64 is supported");
      return;
    }
    if (s == "file") {
      expect_integer();
      if (peek().kind != Token::Kind::text) fail("expected a file name");
      take();
      while (accept(',')) expect_integer();
      return;
    }
    if (s == "section") {
      if (peek().kind == Token::Kind::directive || peek().kind == Token::Kind::word) take();
      skip_block();
      return;
    }
    if (s == "pragma" || s == "alias") {
      while (!accept(';')) {
        if (take().kind == Token::Kind::end) fail("expected ';'");
      }
      return;
    }
    if (s == "entry" || s == "func") {
      function(s == "entry");
      return;
    }
    Space space = Space::global;
    if (s == "const")
      space = Space::constant;
    else if (s == "shared")
      space = Space::shared;
    else if (s != "global")
      fail_at(d.line, "unknown directive '." + std::string(s) + "'");
    do {
      Variable v = declaration(space, external);
      const auto [it, fresh] = module_variables_.try_emplace(v.name, static_cast<int>(module_.variables.size()));
      if (fresh)
        module_.variables.push_back(std::move(v));
      else
        module_.variables[static_cast<std::size_t>(it->second)] = std::move(v);
    } while (accept(','));
    expect(';');
    return;
  }
}

/// After the space: [.attribute(…)] [.align N] [.vN] .type name {[n]} [= init].
Variable Parser::declaration(Space space, bool external) {
  Variable v;
  v.space = space;
  unsigned lanes = 1;
  bool aligned = false;
  while (peek().kind == Token::Kind::directive) {
    const auto s = take().text;
    if (s == "align") {
      const auto a = expect_integer();
      if (a == 0 || a > 4096 || (a & (a - 1)) != 0) fail("an alignment is a power of two");
      v.align = static_cast<std::uint32_t>(a);
      aligned = true;
    } else if (s == "v2" || s == "v4") {
      lanes = s == "v2" ? 2 : 4;
    } else if (s == "attribute") {
      expect('(');
      while (!accept(')')) {
        if (take().kind == Token::Kind::end) fail("expected ')'");
      }
    } else if (s == "ptr") { // .param .u64 .ptr .global .align 16 p
      while (peek().kind == Token::Kind::directive && !peek().is("align")) take();
      if (peek().is("align")) {
        take();
        expect_integer();
      }
    } else {
      v.type = type_from(s);
      if (v.type == Type::none || v.type == Type::pred) fail("'." + std::string(s) + "' is no type of a variable");
    }
  }
  v.name = expect_word();
  const std::uint64_t element = std::uint64_t{bits_of(v.type) / 8} * lanes;
  if (!aligned) v.align = static_cast<std::uint32_t>(element);
  v.bytes = element;
  while (accept('[')) {
    if (accept(']')) {
      v.bytes = 0;
      v.dynamic = external && space == Space::shared;
      continue;
    }
    const auto n = expect_integer();
    if (n > max_variable_bytes || v.bytes * n > max_variable_bytes)
      fail("variable '" + std::string(v.name) + "' is too large");
    v.bytes *= n;
    expect(']');
  }
  if (accept('=')) initialiser(v);
  return v;
}

void Parser::initialiser(Variable& v) {
  const std::size_t element = bits_of(v.type) / 8;
  const auto put = [&](std::uint64_t bits) {
    if (v.init.size() + element > max_variable_bytes) fail("the initialiser is too large");
    for (std::size_t i = 0; i < element; ++i) v.init.push_back(static_cast<std::byte>(i < 8 ? bits >> (8 * i) : 0));
  };
  int depth = 0;
  do {
    if (accept('{')) {
      ++depth;
    } else if (accept('}')) {
      --depth;
      accept(',');
    } else {
      const bool minus = accept('-');
      const Token& t = take();
      if (t.kind == Token::Kind::integer) {
        put(minus ? 0 - t.bits : t.bits);
      } else if (t.kind == Token::Kind::real32 || t.kind == Token::Kind::real64) {
        std::uint64_t bits = t.bits;
        if (v.type == Type::f32 && t.kind == Token::Kind::real64) {
          double d = 0;
          std::memcpy(&d, &bits, 8);
          const auto f = static_cast<float>(d);
          std::uint32_t narrow = 0;
          std::memcpy(&narrow, &f, 4);
          bits = narrow;
        }
        put(minus ? bits ^ (std::uint64_t{1} << (bits_of(v.type) - 1)) : bits);
      } else if (t.kind == Token::Kind::word) {
        Relocation r;
        r.offset = v.init.size();
        r.symbol = t.text;
        if (t.text == "generic") {
          expect('(');
          r.symbol = expect_word();
          r.generic = true;
          expect(')');
        }
        if (accept('+')) r.addend = static_cast<std::int64_t>(expect_integer());
        v.relocations.push_back(r);
        put(0);
      } else {
        fail_at(t.line, "expected a value in the initialiser of '" + std::string(v.name) + "'");
      }
      accept(',');
    }
  } while (depth > 0);
  if (v.bytes == 0) v.bytes = v.init.size();
  if (v.init.size() > v.bytes) fail("more values than '" + std::string(v.name) + "' holds");
}

void Parser::parameter_list(Function& f, std::vector<std::int32_t>& into, Space space) {
  expect('(');
  while (!accept(')')) {
    const Token& t = take();
    if (t.is("reg")) {
      const auto type = type_from(take().text);
      if (type == Type::none) fail_at(t.line, "expected a register type");
      const auto name = expect_word();
      into.push_back(~static_cast<std::int32_t>(f.registers.size()));
      scopes_[0].registers.emplace(name, static_cast<std::int32_t>(f.registers.size()));
      f.registers.push_back({name, type});
    } else if (t.is("param")) {
      Variable v = declaration(space, false);
      into.push_back(static_cast<std::int32_t>(f.variables.size()));
      scopes_[0].variables[v.name] = static_cast<std::int32_t>(f.variables.size());
      f.variables.push_back(std::move(v));
    } else {
      fail_at(t.line, "expected .param or .reg");
    }
    if (!accept(',') && !peek().is(')')) fail("expected ',' or ')' but found " + shown());
  }
}

void Parser::function(bool entry) {
  Function f;
  f.entry = entry;
  f.line = peek().line;
  scopes_.assign(1, Scope{});
  scope_ = 0;
  targets_.clear();
  located_.clear();
  entry_file_ = cuda_line_ = 0;
  instruction_scope_.clear();
  if (!entry) {
    while (peek().is("attribute") || peek().is("noreturn")) {
      if (take().text == "attribute")
        while (!accept(')'))
          if (take().kind == Token::Kind::end) fail("expected ')'");
    }
    if (peek().is('(')) parameter_list(f, f.results, Space::param);
  }
  f.name = expect_word();
  if (peek().is('(')) parameter_list(f, f.params, Space::param);
  while (peek().kind == Token::Kind::directive) {
    const auto s = take().text;
    unsigned n = 0;
    unsigned values[3] = {1, 1, 1};
    while (peek().kind == Token::Kind::integer) {
      const auto v = expect_integer();
      if (n < 3) values[n++] = static_cast<unsigned>(std::min<std::uint64_t>(v, 1024));
      if (!accept(',')) break;
    }
    if (s == "reqnctapercluster") std::copy_n(values, 3, f.cluster);
    if (s == "pragma")
      while (!accept(';'))
        if (take().kind == Token::Kind::end) fail("expected ';'");
  }
  if (accept(';')) { // a declaration; a definition with this name may follow
    module_.functions.push_back(std::move(f));
    return;
  }
  if (!peek().is('{')) fail("expected the body of '" + std::string(f.name) + "' but found " + shown());
  f.defined = true;
  body(f);
  resolve_labels(f);
  module_.functions.push_back(std::move(f));
}

void Parser::body(Function& f) {
  expect('{');
  int depth = 1;
  while (depth > 0) {
    if (peek().kind == Token::Kind::end) fail("the body of '" + std::string(f.name) + "' is not closed");
    if (errors_.size() >= max_errors) throw SyntaxError{};
    try {
      if (accept('{')) {
        ++depth;
        scopes_.push_back({});
        scopes_.back().parent = scope_;
        scope_ = static_cast<std::int32_t>(scopes_.size()) - 1;
      } else if (accept('}')) {
        --depth;
        if (depth > 0) scope_ = scopes_[static_cast<std::size_t>(scope_)].parent;
      } else if (accept(';')) {
        continue;
      } else if (peek().kind == Token::Kind::directive) {
        body_directive(f);
      } else if (peek().kind == Token::Kind::word && peek(1).is(':')) {
        const Token& label = take();
        take();
        if (peek().is("branchtargets")) {
          branch_targets(label.text);
          continue;
        }
        auto& labels = scopes_[static_cast<std::size_t>(scope_)].labels;
        const auto here = static_cast<std::int32_t>(f.body.size());
        if (!labels.emplace(label.text, here).second)
          fail_at(label.line, "label '" + std::string(label.text) + "' is defined twice");
        f.leaders.push_back(static_cast<std::uint32_t>(here));
      } else {
        instruction(f);
      }
    } catch (const SyntaxError&) {
      while (peek().kind != Token::Kind::end && !peek().is(';') && !peek().is('}')) take();
      accept(';');
    }
  }
}

void Parser::branch_targets(std::string_view label) {
  take();
  auto& list = targets_[label];
  do list.push_back(expect_word());
  while (accept(','));
  expect(';');
}

void Parser::body_directive(Function& f) {
  const Token& t = take();
  const auto s = t.text;
  if (s == "reg") {
    registers(f);
  } else if (s == "loc") {
    location(f);
  } else if (s == "pragma") {
    while (!accept(';'))
      if (take().kind == Token::Kind::end) fail("expected ';'");
  } else if (s == "shared" || s == "local" || s == "param" || s == "global" || s == "const") {
    const Space space = s == "shared"   ? Space::shared
                        : s == "local"  ? Space::local
                        : s == "param"  ? Space::param
                        : s == "global" ? Space::global
                                        : Space::constant;
    do {
      Variable v = declaration(space, false);
      scopes_[static_cast<std::size_t>(scope_)].variables[v.name] = static_cast<std::int32_t>(f.variables.size());
      f.variables.push_back(std::move(v));
    } while (accept(','));
    expect(';');
  } else {
    fail_at(t.line, "unknown directive '." + std::string(s) + "' in the body of '" + std::string(f.name) + "'");
  }
}

void Parser::registers(Function& f) {
  Type type = Type::none;
  while (peek().kind == Token::Kind::directive) {
    const auto s = take().text;
    if (s == "v2" || s == "v4") fail("vector registers are not supported");
    type = type_from(s);
    if (type == Type::none) fail("'." + std::string(s) + "' is no register type");
  }
  if (type == Type::none) fail("expected a register type but found " + shown());
  do {
    const auto name = expect_word();
    auto& scope = scopes_[static_cast<std::size_t>(scope_)];
    if (accept('<')) {
      scope.ranges[name] = {type, expect_integer()};
      expect('>');
    } else {
      scope.registers[name] = static_cast<std::int32_t>(f.registers.size());
      f.registers.push_back({name, type});
    }
  } while (accept(','));
  expect(';');
}

/// .loc file line column [, function_name label [+ n], inlined_at file line column]
void Parser::location(Function&) {
  std::array<int, 3> here{}, outer{};
  const auto read = [&](std::array<int, 3>& into) {
    for (int& v : into) v = static_cast<int>(std::min<std::uint64_t>(expect_integer(), 1u << 30));
  };
  read(here);
  bool inlined = false;
  while (accept(',')) {
    const auto what = expect_word();
    if (what == "function_name") {
      expect_word();
      if (accept('+')) expect_integer();
    } else if (what == "inlined_at") {
      read(outer);
      inlined = true;
    } else {
      fail("unknown part '" + std::string(what) + "' of .loc");
    }
  }
  if (entry_file_ == 0) entry_file_ = here[0];
  if (here[0] == entry_file_) {
    cuda_line_ = here[1];
  } else if (inlined) {
    const auto it = located_.find(outer);
    cuda_line_ = outer[0] == entry_file_ ? outer[1] : it != located_.end() ? it->second : 0;
  } else if (const auto it = located_.find(here); it != located_.end()) {
    cuda_line_ = it->second;
  }
  if (cuda_line_ != 0) located_[here] = cuda_line_;
}

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

void Parser::resolve_labels(Function& f) {
  for (std::size_t n = 0; n < f.body.size(); ++n) {
    Instruction& i = f.body[n];
    const auto find = [&](std::string_view name) -> std::int32_t {
      for (std::int32_t s = instruction_scope_[n]; s >= 0; s = scopes_[static_cast<std::size_t>(s)].parent) {
        const auto& labels = scopes_[static_cast<std::size_t>(s)].labels;
        if (const auto it = labels.find(name); it != labels.end()) return it->second;
      }
      return -1;
    };
    for (Operand& o : i.operands) {
      if (o.kind != Operand::Kind::label) continue;
      if (const auto list = targets_.find(o.name); list != targets_.end()) {
        o.kind = Operand::Kind::vector;
        for (const auto name : list->second) {
          Operand target;
          target.kind = Operand::Kind::label;
          target.name = name;
          target.index = find(name);
          if (target.index < 0) report(i.line, "branch target '" + std::string(name) + "' is not defined");
          o.items.push_back(std::move(target));
        }
        continue;
      }
      o.index = find(o.name);
      if (o.index >= 0) continue;
      if (i.parts[0] == "call" || i.parts[0] == "mov")
        o.kind = Operand::Kind::function;
      else
        report(i.line, "'" + std::string(o.name) + "' is not defined");
    }
  }
}

} // namespace

Result<Module> parse(std::string_view text) { return Parser(text).run(); }

} // namespace aicf::ptx
