// A priori bounds of the rounding of sums, by how the terms are bracketed and what they are added in. Each bound is of
// |computed - exact| as a multiple of the sum of the terms' magnitudes, for terms that are numbers of the accumulator's
// type (on tensor cores: products of operands, normal or zero), as long as nothing overflows. IEEE 754 addition loses
// nothing to underflow; a tensor core's result may, by what `underflow` says.
// Sources, which `source()` of each bound names in full:
//   sequential   S. M. Rump, BIT 52 (2012)
//   pairwise     N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2002, section 4.2, (4.6)
//   blocked      A. M. Castaldo, R. C. Whaley, A. T. Chronopoulos, SIAM J. Sci. Comput. 31 (2008)
//   compensated  T. Ogita, S. M. Rump, S. Oishi, SIAM J. Sci. Comput. 26 (2005), proposition 4.5
//   tensor core  P. Blanchard, N. J. Higham, F. Lopez, T. Mary, S. Pranesh, SIAM J. Sci. Comput. 42 (2020), C124
// Pure functions; any thread may call them. A bound is infinity where none is known.
#pragma once
#include "core/base/dtype.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aicf {

/// n*u / (1 - n*u), infinite from n*u = 1: what n roundings of relative error u come to at most (Higham 2002, lemma
/// 3.1).
[[nodiscard]] double gamma_of(double n, double u);
/// A sum and what its rounding lost, kept beside it along any tree: beyond the last rounding, the error of the lost
/// parts' own sum, of two additions a level (Ogita, Rump, Oishi 2005, proposition 4.5, with gamma of the tree's height
/// for that of its length).
[[nodiscard]] double compensation_error(double height, double u);

enum class Summation : std::uint8_t {
  sequential,  ///< one accumulator, in index order
  pairwise,    ///< neighbours, then neighbouring pairs: a tree of height ceil(log2 n)
  blocked,     ///< `parts` runs or strides in sequence, then their sums pairwise
  compensated, ///< in sequence, with what each addition lost summed beside it
  tensor_core  ///< `parts` products an instruction, aligned to the largest and cut, added to the accumulator
};
[[nodiscard]] std::string_view name_of(Summation how);

struct SumBound {
  Summation how = Summation::sequential;
  std::string operands;    ///< tensor cores: the type of the factors, "e4m3"; else empty
  DType type = DType::f32; ///< of the accumulator
  int parts = 1;
  int fraction = 0; ///< tensor cores: bits kept behind the point after alignment

  /// Of the sum of the magnitudes of n terms.
  [[nodiscard]] double at(double n) const;
  /// And in absolute terms, where results lie below the smallest normal number of the accumulator's type.
  [[nodiscard]] double underflow(double n) const;
  /// at(n) in symbols: "(n - 1)*u, at most 1; u = 2^-24".
  [[nodiscard]] std::string formula() const;
  [[nodiscard]] std::string_view source() const; ///< where it is published
};

/// How a transformation sums: `const RegisterSummation fold{"left_fold", sum_bounds(Summation::sequential)};`
struct RegisterSummation {
  RegisterSummation(std::string transformation, std::vector<SumBound> bounds);
};
/// The bounds behind a transformation's rounding verdict where the operator has a sum; none where it sums in no way of
/// its own.
[[nodiscard]] const std::vector<SumBound>& bounds_of(const std::string& transformation);

/// In f16, bf16, f32 and f64; `parts` is of blocked. Of tensor_core: for each type of factors that compute capability
/// 9.0 has, at the depth of its instructions.
[[nodiscard]] std::vector<SumBound> sum_bounds(Summation how, int parts = 256);
[[nodiscard]] SumBound sum_bound(Summation how, DType accumulator); ///< of one of them
[[nodiscard]] nlohmann::json to_json(const SumBound& bound, double n);

} // namespace aicf
