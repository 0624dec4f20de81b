// The parser's state and its parts, one source a kind of statement: the module's (ptx_parser.cpp), declarations
// (ptx_declarations.cpp), function bodies (ptx_body.cpp), instructions and operands (ptx_operands.cpp).
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/exec/emulator/ptx_ast.hpp"
#include "core/exec/emulator/ptx_lexer.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>

namespace aicf::ptx {

/// Thrown and caught inside the parser: unwinds to the statement that is being parsed.
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
constexpr std::size_t max_text = std::size_t{32} << 20;          ///< bytes
constexpr int max_nesting = 256;                                 ///< of blocks in braces
constexpr std::size_t max_branch_targets = std::size_t{1} << 20; ///< of all brx.idx of a text together

class Parser {
 public:
  explicit Parser(std::string_view text) {
    if (text.size() > max_text) {
      report(1, "the text has " + std::to_string(text.size()) + " bytes: 33554432 at most");
      text = {};
    }
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
  void skip_block(int depth = 0); ///< of which so many are open
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
  std::set<std::string_view> prototypes_;                                       ///< .callprototype labels
  std::map<std::array<int, 3>, int> located_; ///< .loc (file, line, column) to the line in the entry's file
  int entry_file_ = 0, cuda_line_ = 0;
  std::size_t branch_targets_ = 0;
};

} // namespace aicf::ptx
