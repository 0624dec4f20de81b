#include "core/kernel/dim_expr.hpp"

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace aicf {
namespace {

using Int = std::int64_t;

/// An operand. `known` is false once something in it was already reported. `quotient` holds the operands of the
/// division that made it, if one did: that is what ceil() looks at.
struct Operand {
  bool known = true;
  Int value = 0;
  struct Quotient {
    Int above, below;
  };
  std::optional<Quotient> quotient;
};

struct Pending {
  enum class Kind { binary, negate, parenthesis, ceil, min, max } kind = Kind::binary;
  char symbol = 0;      // of a binary operator
  std::size_t at = 0;   // where it stands
  std::size_t argc = 1; // of a function
};

bool rounds_down(Int a, Int b) { return a % b != 0 && (a % b < 0) != (b < 0); }
Int floor_divide(Int a, Int b) { return a / b - Int{rounds_down(a, b)}; }
Int floor_modulo(Int a, Int b) { return a % b + (rounds_down(a, b) ? b : 0); }

/// Shunting-yard over an explicit stack: depth of nesting costs memory, never stack.
class Evaluation {
 public:
  Evaluation(std::string_view expression, const std::map<std::string, Int>& bound) : text(expression), dims(bound) {}

  Result<Int> run() {
    while (!broken && next()) {
    }
    if (!broken && expect_operand) syntax(text.size(), text.empty() ? "empty expression" : "an operand is missing");
    while (!broken && !pending.empty()) {
      if (opens(pending.back().kind))
        syntax(pending.back().at, "'(' is never closed");
      else
        apply();
    }
    if (!errors.empty()) return errors;
    return operands.back().value;
  }

 private:
  static constexpr std::size_t longest_quoted = 80;
  std::string_view text;
  const std::map<std::string, Int>& dims;
  std::size_t at = 0;
  bool expect_operand = true, broken = false;
  std::vector<Operand> operands;
  std::vector<Pending> pending;
  std::vector<Diagnostic> errors;

  static bool opens(Pending::Kind kind) { return kind >= Pending::Kind::parenthesis; }
  static int precedence(const Pending& p) {
    if (p.kind == Pending::Kind::negate) return 3;
    return p.symbol == '+' || p.symbol == '-' ? 1 : 2;
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

  void report(const char* code, std::size_t where, std::size_t length, std::string message) {
    if (text.size() <= longest_quoted) message += " in '" + std::string(text) + "'";
    errors.push_back(
        error(code, std::move(message), {"dim", 1, static_cast<int>(where) + 1, static_cast<int>(length)}));
  }
  void syntax(std::size_t where, std::string message) {
    report("kernel.dim-syntax", where, 1, std::move(message));
    broken = true;
  }

  bool next() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
    if (at == text.size()) return false;
    if (expect_operand)
      operand();
    else
      after_operand();
    return true;
  }

  void operand() {
    char c = text[at];
    if (is_digit(c)) return number();
    if (is_letter(c)) return name();
    if (c == '(') {
      pending.push_back({Pending::Kind::parenthesis, 0, at++});
    } else if (c == '-') {
      pending.push_back({Pending::Kind::negate, 0, at++});
    } else if (c == '+') {
      ++at;
    } else {
      syntax(at, "expected a number, a name or '('");
    }
  }

  void number() {
    std::size_t begin = at;
    while (at < text.size() && (is_digit(text[at]) || is_letter(text[at]))) ++at;
    Operand value;
    auto [end, failure] = std::from_chars(text.data() + begin, text.data() + at, value.value);
    if (failure == std::errc::result_out_of_range) {
      report("kernel.dim-overflow", begin, at - begin, "the number does not fit 64 bits");
      value.known = false;
    } else if (end != text.data() + at) {
      return syntax(begin, "not an integer");
    }
    operands.push_back(value);
    expect_operand = false;
  }

  void name() {
    std::size_t begin = at;
    while (at < text.size() && (is_letter(text[at]) || is_digit(text[at]))) ++at;
    std::string word(text.substr(begin, at - begin));
    while (at < text.size() && text[at] == ' ') ++at;
    if (at < text.size() && text[at] == '(') {
      Pending call{Pending::Kind::ceil, 0, begin};
      if (word == "min")
        call.kind = Pending::Kind::min;
      else if (word == "max")
        call.kind = Pending::Kind::max;
      else if (word != "ceil")
        return syntax(begin, "unknown function '" + word + "' (there are ceil, min and max)");
      pending.push_back(call);
      ++at;
      return;
    }
    Operand value;
    auto found = dims.find(word);
    if (found == dims.end()) {
      report("kernel.dim-unknown", begin, word.size(), "unknown dimension '" + word + "'");
      value.known = false;
    } else {
      value.value = found->second;
    }
    operands.push_back(value);
    expect_operand = false;
  }

  void after_operand() {
    char c = text[at];
    if (c == ')' || c == ',') return close(c);
    if (std::string_view("+-*/%").find(c) == std::string_view::npos) return syntax(at, "expected an operator");
    Pending op{Pending::Kind::binary, c, at++};
    while (!pending.empty() && !opens(pending.back().kind) && precedence(pending.back()) >= precedence(op)) apply();
    pending.push_back(op);
    expect_operand = true;
  }

  void close(char c) {
    while (!pending.empty() && !opens(pending.back().kind)) apply();
    if (pending.empty()) return syntax(at, c == ')' ? "')' closes nothing" : "',' outside a call");
    Pending& open = pending.back();
    if (c == ',') {
      if (open.kind != Pending::Kind::min && open.kind != Pending::Kind::max)
        return syntax(at, "',' only separates the arguments of min and max");
      ++open.argc;
      expect_operand = true;
    } else {
      call(open);
      pending.pop_back();
    }
    ++at;
  }

  void call(const Pending& open) {
    if (open.kind == Pending::Kind::parenthesis) return;
    if (open.kind == Pending::Kind::ceil) {
      Operand& value = operands.back();
      if (!value.quotient && value.known) return syntax(open.at, "ceil takes a quotient a/b");
      if (value.known && value.quotient->above % value.quotient->below != 0) ++value.value;
      value.quotient.reset();
      return;
    }
    if (open.argc < 2) return syntax(open.at, "min and max take two or more arguments");
    Operand best = operands[operands.size() - open.argc];
    for (std::size_t i = operands.size() - open.argc; i < operands.size(); ++i) {
      best.known = best.known && operands[i].known;
      bool better = open.kind == Pending::Kind::min ? operands[i].value < best.value : operands[i].value > best.value;
      if (better) best.value = operands[i].value;
    }
    best.quotient.reset();
    operands.resize(operands.size() - open.argc);
    operands.push_back(best);
  }

  void apply() {
    Pending op = pending.back();
    pending.pop_back();
    Operand b = operands.back();
    operands.pop_back();
    Operand a; // 0 for a negation
    if (op.kind == Pending::Kind::binary) {
      a = operands.back();
      operands.pop_back();
    }
    Operand result;
    result.known = a.known && b.known;
    if (result.known) compute(op, a.value, b.value, result);
    operands.push_back(result);
  }

  void compute(const Pending& op, Int a, Int b, Operand& result) {
    bool overflow = false;
    switch (op.kind == Pending::Kind::negate ? '-' : op.symbol) {
    case '+': overflow = __builtin_add_overflow(a, b, &result.value); break;
    case '-': overflow = __builtin_sub_overflow(a, b, &result.value); break;
    case '*': overflow = __builtin_mul_overflow(a, b, &result.value); break;
    default:
      if (b == 0) {
        report("kernel.dim-division", op.at, 1, "division by zero");
        result.known = false;
      } else if (Int negated = 0; b == -1) { // the one quotient that may not fit; no remainder
        overflow = __builtin_sub_overflow(Int{0}, a, &negated);
        result.value = op.symbol == '/' ? negated : 0;
        overflow = overflow && op.symbol == '/';
        if (op.symbol == '/') result.quotient = {negated, 1};
      } else {
        result.value = op.symbol == '/' ? floor_divide(a, b) : floor_modulo(a, b);
        if (op.symbol == '/') result.quotient = {a, b};
      }
    }
    if (!overflow) return;
    report("kernel.dim-overflow", op.at, 1, "the result does not fit 64 bits");
    result.known = false;
  }
};

} // namespace

Result<std::int64_t> evaluate(const DimExpr& expression, const std::map<std::string, std::int64_t>& dims) {
  return Evaluation(expression.text, dims).run();
}

} // namespace aicf
