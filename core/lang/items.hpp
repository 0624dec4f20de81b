// Expressions of a parsed file are ranges of one list of items in postfix order, so that nothing recurses over depth:
// neither the parser, nor who reads them, nor their destruction.
//
//   number, name                     an operand
//   access_begin {i… index_end} access_end          x[i, j]
//   operator                         takes its operands from before it; + and * take `count`, the others one or two
//   function                         takes `count` operands
//   reduce_begin {[bounds…] binder} [predicate… where] body… reduce_end
//   call_begin {tensor_arg | call…} {scalar_arg} call_end {access…}     the access of a call has flag `of_call`
#pragma once
#include "core/lang/source.hpp"
#include "core/lang/words.hpp"

#include <cstdint>

namespace aicf::lang {

using NameId = std::uint32_t;
inline constexpr NameId no_name = 0xffffffff;

enum class Operator : std::uint8_t {
  or_,
  and_,
  not_,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  negate,
  power
};

enum class Step : std::uint8_t {
  integer,      ///< data: File::numbers
  real,         ///< data: File::numbers
  constant,     ///< name
  name,         ///< name
  access_begin, ///< name (of a call: no_name); flags
  index_end,
  access_end,   ///< data: position of access_begin; count: indices
  operation,    ///< code: Operator; count: operands
  function,     ///< code: Function; count: operands; data: position of the first operand's first item
  unknown,      ///< an unknown function, reported; count: operands
  reduce_begin, ///< name
  binder,       ///< name; code: Bound; flags: how many of lo, hi were given (0, 1: hi, 2: both)
  where,        ///< ends the predicate
  reduce_end,
  call_begin, ///< name
  tensor_arg, ///< name
  scalar_arg, ///< name; data: File::numbers, or, with flag `by_name`, a NameId
  call_end,   ///< data: NameId of the result picked, or no_name; count: tensor arguments
};

enum class Bound : std::uint8_t { none, less, less_equal, greater, greater_equal };

inline constexpr std::uint8_t padded = 1, of_call = 2;   ///< flags of access_begin
inline constexpr std::uint8_t by_name = 1, integral = 2; ///< flags of scalar_arg

struct Item {
  Step step = Step::integer;
  std::uint8_t code = 0, flags = 0;
  NameId name = no_name;
  std::uint32_t data = 0, count = 0;
  Place at; ///< of the word or sign itself
};

/// Items [begin, end); `at` covers its text.
struct Expression {
  std::uint32_t begin = 0, end = 0;
  Place at;
  [[nodiscard]] bool empty() const { return begin == end; }
};

} // namespace aicf::lang
