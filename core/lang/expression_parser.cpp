#include "core/lang/expression_parser.hpp"

#include <charconv>

namespace aicf::lang {
namespace {

constexpr int comparison = 4, additive = 5, product = 6;

int precedence(Operator op) {
  switch (op) {
  case Operator::or_: return 1;
  case Operator::and_: return 2;
  case Operator::not_: return 3;
  case Operator::less:
  case Operator::less_equal:
  case Operator::greater:
  case Operator::greater_equal:
  case Operator::equal:
  case Operator::not_equal: return comparison;
  case Operator::add:
  case Operator::subtract: return additive;
  case Operator::multiply:
  case Operator::divide:
  case Operator::floor_divide:
  case Operator::modulo: return product;
  case Operator::negate: return 7;
  case Operator::power: return 8;
  }
  return 0;
}

std::optional<Operator> operator_from(Token::Kind kind) {
  using Kind = Token::Kind;
  switch (kind) {
  case Kind::less: return Operator::less;
  case Kind::less_equal: return Operator::less_equal;
  case Kind::greater: return Operator::greater;
  case Kind::greater_equal: return Operator::greater_equal;
  case Kind::equal_equal: return Operator::equal;
  case Kind::not_equal: return Operator::not_equal;
  case Kind::plus: return Operator::add;
  case Kind::minus: return Operator::subtract;
  case Kind::star: return Operator::multiply;
  case Kind::slash: return Operator::divide;
  case Kind::slash_slash: return Operator::floor_divide;
  case Kind::percent: return Operator::modulo;
  case Kind::caret: return Operator::power;
  default: return std::nullopt;
  }
}

Bound relation_from(Token::Kind kind) {
  using Kind = Token::Kind;
  switch (kind) {
  case Kind::less: return Bound::less;
  case Kind::less_equal: return Bound::less_equal;
  case Kind::greater: return Bound::greater;
  case Kind::greater_equal: return Bound::greater_equal;
  default: return Bound::none;
  }
}

std::string quoted(std::string_view word) { return "'" + std::string(word) + "'"; }

} // namespace

std::optional<Expression> ExpressionParser::parse(Level level) {
  level_ = level;
  stack_.clear();
  brackets_.clear();
  access_begin_ = access_end_ = no_name;
  Expression expression;
  expression.begin = static_cast<std::uint32_t>(file_->items.size());
  Place first = tokens_->peek().at;
  Mode mode = Mode::operand;
  while (mode != Mode::done && mode != Mode::failed) {
    switch (mode) {
    case Mode::operand: mode = operand(); break;
    case Mode::infix: mode = infix(); break;
    case Mode::argument: mode = argument(); break;
    default: mode = after_argument(); break;
    }
  }
  if (mode == Mode::failed) return std::nullopt;
  expression.end = static_cast<std::uint32_t>(file_->items.size());
  expression.at = join(first, tokens_->last());
  return expression;
}

ExpressionParser::Frame& ExpressionParser::push(Open kind, const Token& token, bool bracket) {
  Frame& frame = stack_.emplace_back();
  frame.kind = kind;
  frame.at = token.at;
  frame.begin = static_cast<std::uint32_t>(file_->items.size());
  if (bracket) brackets_.push_back(stack_.size() - 1);
  return frame;
}

void ExpressionParser::pop_bracket() {
  stack_.pop_back();
  brackets_.pop_back();
  tokens_->close();
}

Item& ExpressionParser::emit(Step step, Place at) {
  Item& item = file_->items.emplace_back();
  item.step = step;
  item.at = at;
  return item;
}

bool ExpressionParser::sum_level() const {
  if (brackets_.empty()) return level_ == Level::sum;
  const Frame& frame = stack_[brackets_.back()];
  return frame.kind == Open::reduce_header && frame.stage != Stage::predicate;
}

void ExpressionParser::number(const Token& token, bool real) {
  std::string_view text = tokens_->text(token);
  double value = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc::result_out_of_range && value == 0 && !text.starts_with("0.") && !text.starts_with("."))
    tokens_->fail("lang.number", token.at, "the number is beyond the range of f64", "write inf for infinity");
  constexpr double exact = 9007199254740992.0; // 2^53
  if (!real && value >= exact)
    tokens_->fail("lang.number", token.at, "integers from 2^53 on are not exact in f64", "write it as a real: 1e17");
  Item& item = emit(real ? Step::real : Step::integer, token.at);
  item.data = static_cast<std::uint32_t>(file_->numbers.size());
  file_->numbers.push_back(value);
}

std::optional<double> ExpressionParser::literal(bool& integer) {
  bool minus = tokens_->take_if(Kind::minus);
  const Token token = tokens_->peek();
  integer = token.kind == Kind::integer;
  double value = 0;
  if (token.kind == Kind::integer || token.kind == Kind::real) {
    tokens_->take();
    number(token, token.kind == Kind::real);
    file_->items.pop_back();
    value = file_->numbers.back();
  } else if (token.kind == Kind::name && is_constant(tokens_->text(token))) {
    tokens_->take();
    value = constant(tokens_->text(token));
  } else {
    tokens_->expected("a number");
    return std::nullopt;
  }
  return minus ? -value : value;
}

std::optional<NameId> ExpressionParser::name(std::string_view what, Place& at) {
  const Token token = tokens_->peek();
  if (token.kind != Kind::name) {
    tokens_->expected(what);
    return std::nullopt;
  }
  std::string_view word = tokens_->text(token);
  at = token.at;
  if (is_reserved(word)) {
    tokens_->fail("lang.reserved", token.at,
                  quoted(word) + " is a word of the language: " + std::string(what) + " expected",
                  "choose another name");
    return std::nullopt;
  }
  tokens_->take();
  return tokens_->intern(word);
}

ExpressionParser::Mode ExpressionParser::operand() {
  const Token token = tokens_->peek();
  switch (token.kind) {
  case Kind::integer:
  case Kind::real:
    tokens_->take();
    number(token, token.kind == Kind::real);
    return Mode::infix;
  case Kind::open_round:
    tokens_->take();
    tokens_->open(token);
    push(Open::group, token, true);
    return Mode::operand;
  case Kind::minus:
    tokens_->take();
    push(Open::operation, token, false).op = Operator::negate;
    return Mode::operand;
  case Kind::plus: tokens_->fail("lang.syntax", token.at, "there is no unary '+'"); return fail();
  case Kind::name: return word();
  default: tokens_->expected("an expression"); return fail();
  }
}

ExpressionParser::Mode ExpressionParser::word() {
  const Token token = tokens_->peek();
  std::string_view text = tokens_->text(token);
  Kind next = tokens_->after().kind;
  if (text == "not") {
    bool tighter =
        !stack_.empty() &&
        (stack_.back().kind == Open::reduce_body ||
         (stack_.back().kind == Open::operation && precedence(stack_.back().op) > precedence(Operator::not_)));
    if (tighter || sum_level()) {
      tokens_->fail("lang.syntax", token.at, "'not' binds looser than what stands before it", "write (not …)");
      return fail();
    }
    tokens_->take();
    push(Open::operation, token, false).op = Operator::not_;
    return Mode::operand;
  }
  if (is_keyword(text) && !(text == "where" && next == Kind::open_round)) {
    tokens_->expected("an expression");
    return fail();
  }
  if (is_constant(text)) {
    tokens_->take();
    emit(Step::constant, token.at).name = tokens_->intern(text);
    return Mode::infix;
  }
  if (next == Kind::open_round) return begin_function(token);
  if (tokens_->is_reducer(text)) {
    if (next == Kind::open_square) return begin_reduce(token);
    tokens_->fail("lang.syntax", token.at, quoted(text) + " is a reducer and needs an index",
                  "write " + std::string(text) + "[j] …");
    return fail();
  }
  if (is_reserved(text)) {
    tokens_->fail("lang.syntax", token.at, quoted(text) + " needs its operand in parentheses");
    return fail();
  }
  tokens_->take();
  if (next != Kind::open_square) {
    emit(Step::name, token.at).name = tokens_->intern(text);
    return Mode::infix;
  }
  emit(Step::access_begin, token.at).name = tokens_->intern(text);
  Frame& frame = push(Open::access, token, true);
  --frame.begin;
  tokens_->open(tokens_->take());
  return Mode::operand;
}

ExpressionParser::Mode ExpressionParser::begin_function(const Token& token) {
  std::string_view text = tokens_->text(token);
  auto function = function_from(text);
  if (!function && tokens_->is_op(text)) return begin_call(token);
  tokens_->take();
  Frame& frame = push(Open::function, token, true);
  tokens_->open(tokens_->take());
  if (function) {
    frame.function = *function;
    return Mode::operand;
  }
  frame.unknown = true;
  Nearest nearest(text);
  for (std::string_view word : function_words()) nearest.offer(word);
  if (tokens_->ops().size() <= 1000)
    for (std::string_view word : tokens_->ops()) nearest.offer(word);
  if (tokens_->is_reducer(text)) {
    tokens_->fail("lang.unknown-name", token.at, quoted(text) + " is a reducer, not a function",
                  "write " + std::string(text) + "[j] …");
  } else {
    tokens_->fail("lang.unknown-name", token.at, "no function or operator " + quoted(text), nearest.hint());
  }
  return Mode::operand;
}

ExpressionParser::Mode ExpressionParser::begin_reduce(const Token& token) {
  tokens_->take();
  emit(Step::reduce_begin, token.at).name = tokens_->intern(tokens_->text(token));
  Frame& frame = push(Open::reduce_header, token, true);
  tokens_->open(tokens_->take());
  return binder(frame);
}

ExpressionParser::Mode ExpressionParser::binder(Frame& frame) {
  auto read = name("an index", frame.name_at);
  if (!read) return fail();
  frame.name = *read;
  frame.bounds = 0;
  frame.relation = Bound::none;
  if (tokens_->at_word("in")) {
    tokens_->take();
    frame.stage = Stage::first_bound;
    return Mode::operand;
  }
  return finish_binder(frame);
}

/// What may follow the name and range of a binder: a relation (once), a comma, `where`, the closing bracket.
ExpressionParser::Mode ExpressionParser::finish_binder(Frame& frame) {
  const Token token = tokens_->peek();
  if (Bound relation = relation_from(token.kind); relation != Bound::none && frame.relation == Bound::none) {
    tokens_->take();
    frame.relation = relation;
    frame.stage = Stage::relation;
    return Mode::operand;
  }
  Item& item = emit(Step::binder, frame.name_at);
  item.name = frame.name;
  item.code = static_cast<std::uint8_t>(frame.relation);
  item.flags = frame.bounds;
  ++frame.count;
  if (tokens_->take_if(Kind::comma)) return binder(frame);
  if (tokens_->at_word("where")) {
    tokens_->take();
    frame.stage = Stage::predicate;
    return Mode::operand;
  }
  if (token.kind != Kind::close_square) {
    tokens_->expected("',' or ']'");
    return fail();
  }
  tokens_->take();
  Place at = frame.at;
  pop_bracket();
  push(Open::reduce_body, Token{Kind::name, at}, false);
  return Mode::operand;
}

ExpressionParser::Mode ExpressionParser::close_reduce_header(Frame& frame, const Token& token) {
  switch (frame.stage) {
  case Stage::first_bound:
    frame.bounds = 1;
    if (tokens_->take_if(Kind::dot_dot)) {
      frame.stage = Stage::second_bound;
      frame.bounds = 2;
      return Mode::operand;
    }
    return finish_binder(frame);
  case Stage::second_bound:
  case Stage::relation: return finish_binder(frame);
  case Stage::predicate: break;
  }
  if (token.kind != Kind::close_square) {
    tokens_->expected("']'");
    return fail();
  }
  emit(Step::where, token.at);
  tokens_->take();
  Place at = frame.at;
  pop_bracket();
  push(Open::reduce_body, Token{Kind::name, at}, false);
  return Mode::operand;
}

void ExpressionParser::emit_top() {
  const Frame frame = stack_.back();
  stack_.pop_back();
  if (frame.kind == Open::reduce_body) {
    emit(Step::reduce_end, frame.at);
    return;
  }
  Item& item = emit(Step::operation, frame.at);
  item.code = static_cast<std::uint8_t>(frame.op);
  bool unary = frame.op == Operator::negate || frame.op == Operator::not_;
  item.count = unary ? 1 : frame.count + 2;
}

ExpressionParser::Mode ExpressionParser::infix() {
  const Token token = tokens_->peek();
  std::optional<Operator> op = operator_from(token.kind);
  if (tokens_->at_word("and")) op = Operator::and_;
  if (tokens_->at_word("or")) op = Operator::or_;
  if (op && (!sum_level() || precedence(*op) >= additive)) return binary(*op, token);
  return close();
}

ExpressionParser::Mode ExpressionParser::binary(Operator op, const Token& token) {
  int strength = precedence(op);
  std::size_t floor = brackets_.empty() ? 0 : brackets_.back() + 1;
  while (stack_.size() > floor) {
    Frame& top = stack_.back();
    if (top.kind == Open::reduce_body) {
      if (strength >= product) break;
      if (strength == additive) {
        std::string reducer(tokens_->text(Token{Kind::name, top.at})), sign(tokens_->text(token)), hint = "write ";
        hint.append(reducer).append("[…] (a ").append(sign).append(" b) or (");
        hint.append(reducer).append("[…] a) ").append(sign).append(" b");
        std::string message = "the body of ";
        message.append(quoted(reducer)).append(" is a product and ends before ").append(quoted(sign));
        tokens_->fail("lang.reduce-body", token.at, std::move(message), std::move(hint));
        return fail();
      }
    } else {
      int before = precedence(top.op);
      if (before < strength || (before == strength && op == Operator::power)) break;
      if (before == comparison && strength == comparison) {
        tokens_->fail("lang.syntax", token.at, "comparisons do not chain", "write a < b and b < c");
        return fail();
      }
      if (top.op == op && (op == Operator::add || op == Operator::multiply)) {
        ++top.count;
        tokens_->take();
        return Mode::operand;
      }
    }
    emit_top();
  }
  tokens_->take();
  push(Open::operation, token, false).op = op;
  return Mode::operand;
}

ExpressionParser::Mode ExpressionParser::close() {
  const Token token = tokens_->peek();
  std::size_t floor = brackets_.empty() ? 0 : brackets_.back() + 1;
  while (stack_.size() > floor) emit_top();
  if (brackets_.empty()) return Mode::done;
  Frame& frame = stack_.back();
  switch (frame.kind) {
  case Open::group:
    if (token.kind != Kind::close_round) break;
    tokens_->take();
    pop_bracket();
    return Mode::infix;
  case Open::access: return close_access(frame, token);
  case Open::function: return close_function(frame, token);
  case Open::reduce_header: return close_reduce_header(frame, token);
  default: break;
  }
  if (token.kind == Kind::open_square) {
    tokens_->fail("lang.syntax", token.at, "only tensors and results of operators are indexed");
    return fail();
  }
  tokens_->expected("an operator or ')'");
  return fail();
}

ExpressionParser::Mode ExpressionParser::close_access(Frame& frame, const Token& token) {
  if (token.kind != Kind::comma && token.kind != Kind::close_square) {
    tokens_->expected("',' or ']'");
    return fail();
  }
  emit(Step::index_end, token.at);
  ++frame.count;
  tokens_->take();
  if (token.kind == Kind::comma) return Mode::operand;
  Item& item = emit(Step::access_end, join(frame.at, token.at));
  item.data = frame.begin;
  item.count = frame.count;
  access_begin_ = frame.flags == of_call ? frame.name_at.offset : frame.begin;
  access_end_ = static_cast<std::uint32_t>(file_->items.size());
  pop_bracket();
  return Mode::infix;
}

ExpressionParser::Mode ExpressionParser::close_function(Frame& frame, const Token& token) {
  if (token.kind != Kind::comma && token.kind != Kind::close_round) {
    tokens_->expected("',' or ')'");
    return fail();
  }
  bool first_of_pad = !frame.unknown && frame.function == Function::pad && frame.count == 0;
  if (first_of_pad) {
    if (access_begin_ == frame.begin && access_end_ == file_->items.size()) {
      file_->items[file_->items.back().data].flags |= padded;
    } else {
      tokens_->fail("lang.pad", frame.at, "pad guards one access: pad(x[i - 1], 0)");
      frame.unknown = true;
    }
  }
  ++frame.count;
  tokens_->take();
  if (token.kind == Kind::comma) return Mode::operand;
  Frame done = frame;
  pop_bracket();
  return finish_function(done, token.at);
}

ExpressionParser::Mode ExpressionParser::finish_function(const Frame& frame, Place end) {
  bool right = frame.unknown || frame.count == arity_of(frame.function);
  if (!right) {
    unsigned wanted = arity_of(frame.function);
    std::string operands = std::to_string(wanted) + (wanted == 1 ? " operand" : " operands");
    tokens_->fail("lang.arity", join(frame.at, end),
                  std::string(tokens_->text(Token{Kind::name, frame.at})) + " takes " + operands + ", not " +
                      std::to_string(frame.count));
  }
  Item& item = emit(frame.unknown || !right ? Step::unknown : Step::function, frame.at);
  item.code = static_cast<std::uint8_t>(frame.function);
  item.count = frame.count;
  item.data = frame.begin;
  return Mode::infix;
}

ExpressionParser::Mode ExpressionParser::begin_call(const Token& token) {
  tokens_->take();
  Frame& frame = push(Open::call, token, true);
  frame.name = tokens_->intern(tokens_->text(token));
  emit(Step::call_begin, token.at).name = frame.name;
  tokens_->open(tokens_->take());
  return Mode::argument;
}

ExpressionParser::Mode ExpressionParser::argument() {
  const Token token = tokens_->peek();
  if (token.kind != Kind::name || is_constant(tokens_->text(token)) || is_keyword(tokens_->text(token))) {
    tokens_->expected("a tensor", "arguments of an operator are whole tensors");
    return fail();
  }
  std::string_view text = tokens_->text(token);
  Kind next = tokens_->after().kind;
  if (next == Kind::open_round && tokens_->is_op(text) && !function_from(text)) return begin_call(token);
  if (next == Kind::open_round || next == Kind::open_square || operator_from(next)) {
    tokens_->fail("lang.argument", token.at, "arguments of an operator are whole tensors",
                  "define the tensor in a statement of its own, or index the result");
    return fail();
  }
  Place at;
  auto read = name("a tensor", at);
  if (!read) return fail();
  emit(Step::tensor_arg, at).name = *read;
  return Mode::after_argument;
}

ExpressionParser::Mode ExpressionParser::after_argument() {
  Frame& frame = stack_.back();
  ++frame.count;
  const Token token = tokens_->peek();
  if (tokens_->take_if(Kind::comma)) return Mode::argument;
  if (tokens_->take_if(Kind::semicolon)) return scalar_arguments();
  if (token.kind == Kind::close_round) return end_call();
  tokens_->expected("',' or ')'");
  return fail();
}

ExpressionParser::Mode ExpressionParser::scalar_arguments() {
  do {
    Place at;
    auto read = name("a scalar of the operator", at);
    if (!read) return fail();
    if (!tokens_->take_if(Kind::assign)) {
      tokens_->expected("'='");
      return fail();
    }
    std::uint32_t data = 0;
    std::uint8_t flags = 0;
    const Token token = tokens_->peek();
    if (token.kind == Kind::name && !is_constant(tokens_->text(token))) {
      Place value_at;
      auto value = name("a number or a scalar", value_at);
      if (!value) return fail();
      data = *value;
      flags = by_name;
    } else {
      bool integer = false;
      auto value = literal(integer);
      if (!value) return fail();
      data = static_cast<std::uint32_t>(file_->numbers.size());
      file_->numbers.push_back(*value);
      flags = integer ? integral : std::uint8_t{0};
    }
    Item& item = emit(Step::scalar_arg, join(at, tokens_->last()));
    item.name = *read;
    item.data = data;
    item.flags = flags;
  } while (tokens_->take_if(Kind::comma));
  if (tokens_->peek().kind == Kind::close_round) return end_call();
  tokens_->expected("',' or ')'");
  return fail();
}

ExpressionParser::Mode ExpressionParser::end_call() {
  Place end = tokens_->take().at;
  Frame frame = stack_.back();
  pop_bracket();
  NameId result = no_name;
  if (tokens_->take_if(Kind::dot)) {
    Place at;
    auto read = name("a result of the operator", at);
    if (!read) return fail();
    result = *read;
    end = at;
  }
  Item& item = emit(Step::call_end, join(frame.at, end));
  item.data = result;
  item.count = frame.count;
  if (!stack_.empty() && stack_.back().kind == Open::call) return Mode::after_argument;
  Item& access = emit(Step::access_begin, join(frame.at, end));
  access.flags = of_call;
  auto begin = static_cast<std::uint32_t>(file_->items.size() - 1);
  if (tokens_->peek().kind == Kind::open_square) {
    Frame& opened = push(Open::access, Token{Kind::name, frame.at}, true);
    opened.begin = begin;
    opened.flags = of_call;
    opened.name_at.offset = frame.begin;
    tokens_->open(tokens_->take());
    return Mode::operand;
  }
  Item& ended = emit(Step::access_end, join(frame.at, end));
  ended.data = begin;
  access_begin_ = frame.begin;
  access_end_ = static_cast<std::uint32_t>(file_->items.size());
  return Mode::infix;
}

} // namespace aicf::lang
