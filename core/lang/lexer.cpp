#include "core/lang/lexer.hpp"

#include <cstdio>

namespace aicf::lang {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Length of the well-formed UTF-8 sequence at `i` (RFC 3629: no overlong form, no surrogate, at most U+10FFFF), or 0.
unsigned sequence(std::string_view text, std::size_t i) {
  auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U; };
  unsigned lead = byte(i);
  if (lead < 0x80) return 1;
  unsigned count = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  for (unsigned k = 1; k < count; ++k)
    if ((byte(i + k) & 0xc0U) != 0x80U) return 0;
  unsigned second = byte(i + 1);
  if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) || (lead == 0xf0 && second < 0x90) ||
      (lead == 0xf4 && second > 0x8f))
    return 0;
  return count;
}

class Lexer {
 public:
  Lexer(const Source& source, Problems& problems) : text_(source.text()), problems_(&problems) {}

  std::vector<Token> run() {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
    while (at_ < text_.size()) step();
    if (!tokens_.empty() && tokens_.back().kind != Kind::newline) push(Kind::newline, at_, 0);
    push(Kind::end, at_, 0);
    return std::move(tokens_);
  }

 private:
  using Kind = Token::Kind;

  [[nodiscard]] char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : ' '; }

  void push(Kind kind, std::size_t offset, std::size_t length) {
    tokens_.push_back({kind, {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(length)}});
  }

  void step() {
    char c = peek();
    if (c == '\n') {
      if (!tokens_.empty() && tokens_.back().kind != Kind::newline) push(Kind::newline, at_, 1);
      ++at_;
    } else if (c == ' ' || c == '\t' || (c == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n')) {
      ++at_;
    } else if (c == '#') {
      comment();
    } else if (is_letter(c)) {
      std::size_t begin = at_;
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
      push(Kind::name, begin, at_ - begin);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number();
    } else if (!punctuation()) {
      invalid();
    }
  }

  void comment() {
    while (at_ < text_.size() && text_[at_] != '\n') {
      unsigned length = sequence(text_, at_);
      if (length == 0) {
        broken();
      } else {
        at_ += length;
      }
    }
  }

  /// `0..N` is a range, so a point followed by a point belongs to no number.
  void number() {
    std::size_t begin = at_;
    bool real = false;
    while (is_digit(peek())) ++at_;
    if (peek() == '.' && peek(1) != '.') {
      real = true;
      ++at_;
      while (is_digit(peek())) ++at_;
    }
    if (peek() == 'e' || peek() == 'E') {
      std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
      if (is_digit(peek(1 + sign))) {
        real = true;
        at_ += 1 + sign;
        while (is_digit(peek())) ++at_;
      }
    }
    if (is_letter(peek())) {
      while (is_letter(peek()) || is_digit(peek())) ++at_;
      report("lang.number", begin, "'" + excerpt(begin) + "' is neither a number nor a name");
      return;
    }
    push(real ? Kind::real : Kind::integer, begin, at_ - begin);
  }

  bool punctuation() {
    struct Mark {
      char first, second;
      Kind kind;
    };
    static constexpr Mark marks[] = {
        {'-', '>', Kind::arrow},       {'<', '=', Kind::less_equal}, {'>', '=', Kind::greater_equal},
        {'=', '=', Kind::equal_equal}, {'!', '=', Kind::not_equal},  {'/', '/', Kind::slash_slash},
        {'.', '.', Kind::dot_dot},     {'+', 0, Kind::plus},         {'-', 0, Kind::minus},
        {'*', 0, Kind::star},          {'/', 0, Kind::slash},        {'%', 0, Kind::percent},
        {'^', 0, Kind::caret},         {'<', 0, Kind::less},         {'>', 0, Kind::greater},
        {'=', 0, Kind::assign},        {',', 0, Kind::comma},        {';', 0, Kind::semicolon},
        {':', 0, Kind::colon},         {'.', 0, Kind::dot},          {'(', 0, Kind::open_round},
        {')', 0, Kind::close_round},   {'[', 0, Kind::open_square},  {']', 0, Kind::close_square}};
    for (const Mark& mark : marks) {
      if (peek() != mark.first || (mark.second != 0 && peek(1) != mark.second)) continue;
      std::size_t length = mark.second == 0 ? 1 : 2;
      push(mark.kind, at_, length);
      at_ += length;
      return true;
    }
    return false;
  }

  [[nodiscard]] std::string excerpt(std::size_t begin) const {
    constexpr std::size_t longest = 40;
    std::string_view word = text_.substr(begin, at_ - begin);
    return word.size() <= longest ? std::string(word) : std::string(word.substr(0, longest)) + "…";
  }

  void report(std::string code, std::size_t begin, std::string message, std::string hint = {}) {
    Place place{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_ - begin)};
    problems_->error(std::move(code), place, std::move(message), std::move(hint));
    push(Kind::invalid, begin, at_ - begin);
  }

  /// A run of bytes that are not UTF-8, as one error; in a comment it spoils no statement.
  void broken() {
    std::size_t begin = at_;
    while (at_ < text_.size() && sequence(text_, at_) == 0) ++at_;
    Place place{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_ - begin)};
    problems_->error("lang.utf8", place, "not UTF-8");
  }

  void invalid() {
    std::size_t begin = at_;
    unsigned length = sequence(text_, at_);
    if (length == 0) {
      broken();
      push(Kind::invalid, begin, at_ - begin);
      return;
    }
    char c = peek();
    at_ += length;
    if (length == 1 && (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)) {
      while (peek() == c && at_ < text_.size()) ++at_;
      char code[8];
      std::snprintf(code, sizeof code, "0x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      report("lang.character", begin,
             c == 0      ? std::string("a NUL byte is no part of the language")
             : c == '\r' ? std::string("a carriage return without a line feed")
                         : "control character " + std::string(code));
      return;
    }
    while (at_ < text_.size() && text_.substr(at_, length) == text_.substr(begin, length)) at_ += length;
    report("lang.character", begin, "unexpected '" + std::string(text_.substr(begin, length)) + "'",
           length > 1 ? "names are made of ASCII letters, digits and _" : "");
  }

  std::string_view text_;
  Problems* problems_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

} // namespace

std::vector<Token> lex(const Source& source, Problems& problems) { return Lexer(source, problems).run(); }

} // namespace aicf::lang
