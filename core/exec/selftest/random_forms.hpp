// What random programs are made of. An instruction over register classes: a lower-case letter that stands alone is a
// register of the class, # a constant below 32. r: b32 integer, s: b16 integer, l: b64 integer, f: f32, d: f64, h: f16,
// b: bf16, x: f16x2, y: bf16x2, q: predicate. All give the same bits on every machine that keeps the PTX manual.
#pragma once
#include <span>

namespace aicf::selftest {

using Form = const char*;

[[nodiscard]] std::span<const Form> integer_forms();
[[nodiscard]] std::span<const Form> real_forms();
[[nodiscard]] std::span<const Form> test_forms();     ///< write a predicate
[[nodiscard]] std::span<const Form> sequence_forms(); ///< several instructions; %n and %p are theirs to use

} // namespace aicf::selftest
