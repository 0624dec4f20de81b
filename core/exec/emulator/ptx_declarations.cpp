// Declarations: variables with their initial values, registers, source lines.
#include "core/exec/emulator/ptx_parse.hpp"

#include <cstring>

namespace aicf::ptx {
namespace {

constexpr std::uint64_t max_variable_bytes = std::uint64_t{1} << 30;

} // namespace

/// After the space: [.attribute(…)] [.align N] [.vN] .type name {[n]} [= init].
Variable Parser::declaration(Space space, bool external) {
  Variable v;
  v.space = space;
  v.line = peek().line;
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

} // namespace aicf::ptx
