// Function bodies: scopes, labels, directives; names that are known only at the end.
#include "core/exec/emulator/ptx_parse.hpp"

namespace aicf::ptx {

void Parser::body(Function& f) {
  expect('{');
  int depth = 1;
  while (depth > 0) {
    if (peek().kind == Token::Kind::end) fail("the body of '" + std::string(f.name) + "' is not closed");
    if (errors_.size() >= max_errors) throw SyntaxError{};
    try {
      if (accept('{')) {
        if (++depth > max_nesting) {
          report(peek().line, "blocks are nested more than " + std::to_string(max_nesting) + " deep");
          skip_block(depth - 1);
          return;
        }
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
        if (peek().is("branchtargets") || peek().is("calltargets")) {
          branch_targets(label.text);
          continue;
        }
        if (peek().is("callprototype")) { // a call's own arguments say enough
          while (!accept(';'))
            if (take().kind == Token::Kind::end) fail("expected ';'");
          prototypes_.insert(label.text);
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
      if (prototypes_.contains(o.name)) {
        o.kind = Operand::Kind::sink;
        continue;
      }
      if (const auto list = targets_.find(o.name); list != targets_.end()) {
        branch_targets_ += list->second.size();
        if (branch_targets_ > max_branch_targets) {
          report(i.line, "the lists of branch targets are too long: more than 1048576 together");
          return;
        }
        o.kind = Operand::Kind::vector;
        for (const auto name : list->second) {
          Operand target;
          target.kind = Operand::Kind::label;
          target.name = name;
          target.index = find(name);
          if (target.index < 0 && i.parts[0] != "call")
            report(i.line, "branch target '" + std::string(name) + "' is not defined");
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

} // namespace aicf::ptx
