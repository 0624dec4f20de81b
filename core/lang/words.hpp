// The words of the operator language: reserved ones, functions with their arity, and the nearest known word to a
// misspelt one.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace aicf::lang {

/// Named functions in the order of their table. `where` and `pad` are functions too; a type's name is a rounding point.
enum class Function : std::uint8_t {
  exp,
  exp2,
  expm1,
  log,
  log2,
  log1p,
  sqrt,
  rsqrt,
  tanh,
  erf,
  sigmoid,
  sin,
  cos,
  atan,
  abs,
  sign,
  floor,
  ceil,
  round,
  isnan,
  min,
  max,
  pow,
  where,
  pad,
  round_f32,
  round_f16,
  round_bf16,
  round_f64,
  round_i8,
  round_i32,
  round_i64,
  count
};

[[nodiscard]] std::string_view name_of(Function function);
[[nodiscard]] unsigned arity_of(Function function);
[[nodiscard]] std::optional<Function> function_from(std::string_view word);

[[nodiscard]] bool is_builtin_reducer(std::string_view word);
[[nodiscard]] bool is_constant(std::string_view word); ///< inf, nan, pi
[[nodiscard]] double constant(std::string_view word);
[[nodiscard]] bool is_keyword(std::string_view word); ///< op, reducer, from, identity, where, in, and, or, not
/// Words that cannot name a tensor, scalar, dimension, index or reducer.
[[nodiscard]] bool is_reserved(std::string_view word);

[[nodiscard]] std::span<const std::string_view> function_words();
[[nodiscard]] std::span<const std::string_view> reducer_words();

/// Keeps the candidate with the smallest edit distance to a word, if it is small for the word's length.
class Nearest {
 public:
  explicit Nearest(std::string_view word) : word_(word) {}
  void offer(std::string_view candidate);
  [[nodiscard]] std::string hint() const; ///< "did you mean 'x'?" or empty

 private:
  std::string_view word_;
  std::string best_;
  unsigned distance_ = 1000;
};

} // namespace aicf::lang
