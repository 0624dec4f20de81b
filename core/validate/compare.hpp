// One result of a device against the judge's, within the plan's own bound.
#pragma once
#include "core/base/tensor.hpp"
#include "core/profile/profile.hpp"
#include "core/validate/bounded.hpp"

#include <string>
#include <vector>

namespace aicf {

/// Elements that were compared, and those that could have failed: whose bound is finite, or whose special value must be
/// the definition's.
struct Coverage {
  std::size_t elements = 0, judged = 0;
  void add(const Coverage& other) { elements += other.elements, judged += other.judged; }
};

struct Comparison {
  bool passed = true;
  Coverage coverage;
  double max_rel_err = 0, max_ulp = 0, bound = 0, worst_ratio = 0;
  std::string output; ///< of the first failure, with `element`, its place in row-major order
  std::size_t element = 0;
  std::string worst; ///< "y[3, 17] = 0.25, expected 0.5 within 1e-6", of the first failure, else of the worst element
  /// Folds another result in.
  void merge(const Comparison& other);
};

/// `expected`: the reference, unrounded; `bounds`: error before the rounding to `actual`'s type. NaN and infinities
/// must agree where the profile says so; an element with an infinite bound is not judged.
[[nodiscard]] Comparison compare(const std::string& name, const HostTensor& actual, const HostTensor& expected,
                                 const std::vector<Bounded>& bounds, const CompilerProfile& rules);

/// "[3, 17]" for a flat index.
[[nodiscard]] std::string position(const std::vector<std::int64_t>& shape, std::size_t flat);

} // namespace aicf
