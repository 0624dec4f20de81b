// Statements of the module: directives, variables, functions.
#include "core/exec/emulator/ptx_parser.hpp"

#include "core/exec/emulator/ptx_parse.hpp"

namespace aicf::ptx {

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

void Parser::skip_block(int depth) {
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
  prototypes_.clear();
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
    if (s == "maxclusterrank") f.max_cluster_rank = values[0];
    if (s == "maxnreg") f.max_registers = values[0];
    if (s == "reqntid") std::copy_n(values, 3, f.block);
    if (s == "maxntid") f.max_threads = values[0] * values[1] * values[2];
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

Result<Module> parse(std::string_view text) { return Parser(text).run(); }

} // namespace aicf::ptx
