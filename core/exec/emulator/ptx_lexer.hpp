// Tokens of PTX text. A word keeps its dots ("ld.global.nc.v4.u32", "%tid.x"); a word that starts with a dot is one
// directive without further dots (".reg.b16" is two tokens).
#pragma once
#include <cstdint>
#include <string_view>

namespace aicf::ptx {

struct Token {
  enum class Kind : std::uint8_t { end, word, directive, integer, real32, real64, text, punct, bad } kind = Kind::end;
  std::string_view text;  ///< without the quotes of a string, the dot of a directive
  std::uint64_t bits = 0; ///< value of a number
  int line = 0;
  [[nodiscard]] bool is(char c) const { return kind == Kind::punct && text[0] == c; }
  [[nodiscard]] bool is(std::string_view s) const {
    return (kind == Kind::word || kind == Kind::directive) && text == s;
  }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Token next();

 private:
  void skip_space();
  Token number();
  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

} // namespace aicf::ptx
