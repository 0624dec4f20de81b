#include "core/lang/words.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

namespace aicf::lang {
namespace {

constexpr auto function_count = static_cast<std::size_t>(Function::count);
constexpr std::array<std::string_view, function_count> functions{
    "exp", "exp2",  "expm1", "log", "log2", "log1p", "sqrt", "rsqrt", "tanh",  "erf", "sigmoid",
    "sin", "cos",   "atan",  "abs", "sign", "floor", "ceil", "round", "isnan", "min", "max",
    "pow", "where", "pad",   "f32", "f16",  "bf16",  "f64",  "i8",    "i32",   "i64"};
constexpr std::array<std::string_view, 8> reducers{"sum", "prod", "max", "min", "argmax", "argmin", "any", "all"};
constexpr std::array<std::string_view, 9> keywords{"op", "reducer", "from", "identity", "where",
                                                   "in", "and",     "or",   "not"};
constexpr std::array<std::string_view, 3> constants{"inf", "nan", "pi"};
constexpr std::array<std::string_view, 2> type_words{"float", "bool"};

template <std::size_t n> bool among(const std::array<std::string_view, n>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

} // namespace

std::string_view name_of(Function function) { return functions.at(static_cast<std::size_t>(function)); }

unsigned arity_of(Function function) {
  switch (function) {
  case Function::min:
  case Function::max:
  case Function::pow:
  case Function::pad: return 2;
  case Function::where: return 3;
  default: return 1;
  }
}

std::optional<Function> function_from(std::string_view word) {
  const auto* found = std::find(functions.begin(), functions.end(), word);
  if (found == functions.end()) return std::nullopt;
  return static_cast<Function>(found - functions.begin());
}

bool is_builtin_reducer(std::string_view word) { return among(reducers, word); }
bool is_constant(std::string_view word) { return among(constants, word); }
bool is_keyword(std::string_view word) { return among(keywords, word); }

double constant(std::string_view word) {
  if (word == "inf") return std::numeric_limits<double>::infinity();
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  return std::numbers::pi;
}

bool is_reserved(std::string_view word) {
  return is_keyword(word) || is_constant(word) || is_builtin_reducer(word) || among(functions, word) ||
         among(type_words, word);
}

std::span<const std::string_view> function_words() { return functions; }
std::span<const std::string_view> reducer_words() { return reducers; }

void Nearest::offer(std::string_view candidate) {
  constexpr std::size_t longest = 40;
  if (word_.size() > longest || candidate.size() > longest || candidate.empty() || candidate == word_) return;
  // Optimal string alignment: edits and swaps of neighbours, three rows of the table.
  std::vector<unsigned> row(candidate.size() + 1), last, before_last;
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 0; i < word_.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = static_cast<unsigned>(i) + 1;
    for (std::size_t j = 0; j < candidate.size(); ++j) {
      row[j + 1] = std::min({last[j] + (word_[i] == candidate[j] ? 0U : 1U), row[j] + 1, last[j + 1] + 1});
      if (i > 0 && j > 0 && word_[i] == candidate[j - 1] && word_[i - 1] == candidate[j])
        row[j + 1] = std::min(row[j + 1], before_last[j - 1] + 1);
    }
  }
  if (row.back() < distance_) {
    distance_ = row.back();
    best_ = candidate;
  }
}

std::string Nearest::hint() const {
  if (best_.empty() || distance_ > (word_.size() + 2) / 3 || distance_ >= word_.size()) return {};
  return "did you mean '" + best_ + "'?";
}

} // namespace aicf::lang
