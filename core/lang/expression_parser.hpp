// Operator precedence with an explicit stack of what is open: depth costs memory, never recursion.
#pragma once
#include "core/lang/token_stream.hpp"

namespace aicf::lang {

class ExpressionParser {
 public:
  enum class Level : std::uint8_t { expression, sum }; ///< sum: comparisons and logic end it

  ExpressionParser(TokenStream& tokens, File& file) : tokens_(&tokens), file_(&file) {}

  /// Reads the longest expression; nothing when an error was reported.
  std::optional<Expression> parse(Level level = Level::expression);

  /// ["-"] number or constant; nothing when an error was reported. `integer` tells its form.
  std::optional<double> literal(bool& integer);
  /// A name that is no reserved word; `what` is its role in the message.
  std::optional<NameId> name(std::string_view what, Place& at);

 private:
  using Kind = Token::Kind;
  enum class Open : std::uint8_t { operation, reduce_body, group, access, function, call, reduce_header };
  enum class Stage : std::uint8_t { first_bound, second_bound, relation, predicate };
  enum class Mode : std::uint8_t { operand, infix, argument, after_argument, done, failed };
  struct Frame {
    Open kind = Open::operation;
    Operator op = Operator::add;
    Function function = Function::exp;
    Stage stage = Stage::first_bound;
    Bound relation = Bound::none;
    std::uint8_t bounds = 0;
    bool unknown = false;
    std::uint8_t flags = 0; ///< of an access
    NameId name = no_name;  ///< a reducer's, an operator's; of a reduce header the binder's
    Place at, name_at;
    std::uint32_t begin = 0, count = 0; ///< of a call, a function: items before its (current) argument; operands so far
  };

  Mode operand();
  Mode word();
  Mode infix();
  Mode argument();
  Mode after_argument();
  Mode binary(Operator op, const Token& token);
  Mode close();
  Mode close_function(Frame& frame, const Token& token);
  Mode finish_function(const Frame& frame, Place end);
  Mode close_access(Frame& frame, const Token& token);
  Mode close_reduce_header(Frame& frame, const Token& token);
  Mode begin_function(const Token& token);
  Mode begin_reduce(const Token& token);
  Mode binder(Frame& frame);
  Mode finish_binder(Frame& frame);
  Mode begin_call(const Token& token);
  Mode scalar_arguments();
  Mode end_call();
  Mode fail() { return Mode::failed; }

  Frame& push(Open kind, const Token& token, bool bracket);
  void pop_bracket();
  void emit_top();
  Item& emit(Step step, Place at);
  void number(const Token& token, bool real);
  [[nodiscard]] bool sum_level() const;

  TokenStream* tokens_;
  File* file_;
  Level level_ = Level::expression;
  std::vector<Frame> stack_;
  std::vector<std::size_t> brackets_;               ///< positions in stack_ of what a bracket opened
  std::uint32_t access_begin_ = 0, access_end_ = 0; ///< items of the access read last
};

} // namespace aicf::lang
