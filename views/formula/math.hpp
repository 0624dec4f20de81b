// Mathematics as it is written: a tree of rows, fractions, powers, big operators with limits, roots and cases, made
// from a checked definition and given back as LaTeX. What is too deep or too long ends in "…". Pure functions.
#pragma once
#include "core/expr/definition.hpp"

#include <QString>

#include <vector>

namespace aicf::views {

struct Math {
  enum class Kind {
    row,        ///< parts side by side
    identifier, ///< a variable, slanted
    number,
    word,      ///< a function's name, upright
    sign,      ///< a binary operator or relation, with room on both sides
    mark,      ///< a comma, an ellipsis: no room before it
    fraction,  ///< above, below
    power,     ///< base, exponent
    subscript, ///< base, index
    root,      ///< one part
    big,       ///< text is the operator; above, below, body; an empty row where there is no limit
    fence,     ///< text holds the two fences: "()" "||" "⌊⌋" "⌈⌉"
    cases      ///< value, condition, value, condition …; a condition that is an empty row means otherwise
  };
  Kind kind = Kind::row;
  QString text;
  std::vector<Math> parts;
  QString tag; ///< what a click on it selects: the name of a value
};

[[nodiscard]] Math mathRow(std::vector<Math> parts);
[[nodiscard]] Math mathText(Math::Kind kind, const QString& text);

/// One line a statement, after one for the signature. `m_{i} = max_{0 ≤ j < N} x_{i, j}`.
[[nodiscard]] std::vector<Math> mathOf(const Definition& definition);
/// An expression of an arena with the definition's names.
[[nodiscard]] Math mathOf(const Definition& definition, ExprId expression);

[[nodiscard]] QString latexOf(const Math& math);
/// Lines of an aligned block: "\begin{align*} … \end{align*}".
[[nodiscard]] QString latexOf(const std::vector<Math>& lines);
/// Read aloud, for assistive technology: "m sub i equals max over j of x sub i, j" in signs.
[[nodiscard]] QString spokenOf(const Math& math);

} // namespace aicf::views
