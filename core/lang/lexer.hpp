// Text to tokens. Every byte that is no part of a token is reported; the words themselves stay in the text.
#pragma once
#include "core/lang/source.hpp"

#include <vector>

namespace aicf::lang {

struct Token {
  enum class Kind : std::uint8_t {
    end,
    newline,
    name,    ///< keywords too
    integer, ///< digits alone
    real,    ///< with a point or an exponent
    invalid, ///< reported already
    plus,
    minus,
    star,
    slash,
    slash_slash,
    percent,
    caret,
    less,
    less_equal,
    greater,
    greater_equal,
    equal_equal,
    not_equal,
    assign,
    arrow,
    comma,
    semicolon,
    colon,
    dot,
    dot_dot,
    open_round,
    close_round,
    open_square,
    close_square,
  } kind = Kind::end;
  Place at;
};

/// Blank lines give no token; the last token is `end`. Comments, a byte order mark, CR before LF are skipped.
[[nodiscard]] std::vector<Token> lex(const Source& source, Problems& problems);

} // namespace aicf::lang
