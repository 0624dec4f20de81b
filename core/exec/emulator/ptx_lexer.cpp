#include "core/exec/emulator/ptx_lexer.hpp"

#include <bit>
#include <charconv>

namespace aicf::ptx {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}
bool is_word(char c) { return is_word_start(c) || is_digit(c); }

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

} // namespace

void Lexer::skip_space() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
      ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '/') {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else if (c == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '*') {
      at_ += 2;
      while (at_ + 1 < text_.size() && !(text_[at_] == '*' && text_[at_ + 1] == '/')) {
        if (text_[at_] == '\n') ++line_;
        ++at_;
      }
      at_ = at_ + 2 < text_.size() ? at_ + 2 : text_.size();
    } else {
      return;
    }
  }
}

Token Lexer::number() {
  const std::size_t start = at_;
  Token token{Token::Kind::integer, {}, 0, line_};
  const char kind = text_[at_] == '0' && at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  const auto read = [&](unsigned base) {
    int digits = 0;
    for (; at_ < text_.size(); ++at_, ++digits) {
      const int v = hex_value(text_[at_]);
      if (v < 0 || v >= static_cast<int>(base)) break;
      token.bits = token.bits * base + static_cast<unsigned>(v);
    }
    return digits;
  };
  if (kind == 'f' || kind == 'F' || kind == 'd' || kind == 'D') {
    const bool single = kind == 'f' || kind == 'F';
    at_ += 2;
    token.kind = single ? Token::Kind::real32 : Token::Kind::real64;
    if (read(16) != (single ? 8 : 16)) token.kind = Token::Kind::bad;
  } else if (kind == 'x' || kind == 'X') {
    at_ += 2;
    if (read(16) == 0) token.kind = Token::Kind::bad;
  } else if (kind == 'b' || kind == 'B') {
    at_ += 2;
    if (read(2) == 0) token.kind = Token::Kind::bad;
  } else {
    std::size_t end = at_;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    const bool real =
        end < text_.size() && ((text_[end] == '.' && end + 1 < text_.size() && is_digit(text_[end + 1])) ||
                               ((text_[end] == 'e' || text_[end] == 'E')));
    if (real) {
      double value = 0;
      const auto r = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      token.kind = r.ec == std::errc{} ? Token::Kind::real64 : Token::Kind::bad;
      token.bits = std::bit_cast<std::uint64_t>(value);
      at_ = static_cast<std::size_t>(r.ptr - text_.data());
    } else {
      read(kind >= '0' && kind <= '7' ? 8 : 10);
    }
  }
  if (token.kind == Token::Kind::integer && at_ < text_.size() && text_[at_] == 'U') ++at_;
  if (at_ < text_.size() && is_word(text_[at_])) {
    token.kind = Token::Kind::bad;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
  }
  token.text = text_.substr(start, at_ - start);
  return token;
}

Token Lexer::next() {
  skip_space();
  if (at_ >= text_.size()) return {Token::Kind::end, {}, 0, line_};
  const std::size_t start = at_;
  const char c = text_[at_];
  const auto word_on = [&] {
    // "::" belongs to a word (L1::no_allocate), a single colon ends a label.
    while (at_ < text_.size()) {
      if (is_word(text_[at_])) {
        ++at_;
      } else if (text_[at_] == ':' && at_ + 2 < text_.size() && text_[at_ + 1] == ':' && is_word(text_[at_ + 2])) {
        at_ += 2;
      } else {
        break;
      }
    }
  };
  if (is_digit(c)) return number();
  if (is_word_start(c)) {
    word_on();
    while (at_ + 1 < text_.size() && text_[at_] == '.' && is_word(text_[at_ + 1])) {
      ++at_;
      word_on();
    }
    return {Token::Kind::word, text_.substr(start, at_ - start), 0, line_};
  }
  if (c == '.' && at_ + 1 < text_.size() && is_word(text_[at_ + 1])) {
    ++at_;
    word_on();
    return {Token::Kind::directive, text_.substr(start + 1, at_ - start - 1), 0, line_};
  }
  if (c == '"') {
    const std::size_t end = text_.find('"', start + 1);
    const bool closed = end != std::string_view::npos;
    at_ = closed ? end + 1 : text_.size();
    const int line = line_;
    const auto body = text_.substr(start + 1, (closed ? end : text_.size()) - start - 1);
    for (const char b : body) line_ += b == '\n';
    return {closed ? Token::Kind::text : Token::Kind::bad, body, 0, line};
  }
  ++at_;
  constexpr std::string_view punctuation = "{}[]()<>,;:+-@!|=*";
  const bool known = punctuation.find(c) != std::string_view::npos;
  return {known ? Token::Kind::punct : Token::Kind::bad, text_.substr(start, 1), 0, line_};
}

} // namespace aicf::ptx
