// A CUDA kernel with all that is needed to compile, launch, check and compare it. Generated, probe and user-written
// kernels are this same type.
#pragma once
#include "core/base/dtype.hpp"
#include "core/base/hash.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace aicf {

/// Integer expression over dim names with + - * / % ceil(a/b) min max and parentheses, e.g. "ceil(M/4)". `/` floors.
struct DimExpr {
  std::string text;
};

struct Arg {
  std::string name;
  enum class Role { input, output, inout, scalar, workspace } role = Role::input;
  DType dtype = DType::f32;
  std::vector<DimExpr> shape, strides; ///< strides in elements; empty: packed. Both empty for a scalar.
};

struct Launch {
  std::array<DimExpr, 3> grid{{{"1"}, {"1"}, {"1"}}}, cluster{{{"1"}, {"1"}, {"1"}}}, block{{{"1"}, {"1"}, {"1"}}};
  DimExpr dynamic_shared{"0"}; ///< bytes
};

/// The rule (an id of atlas/rules or a transformation or primitive id) behind a source line.
struct SourceNote {
  int line = 0;
  std::string rule;
};

/// Arguments are passed in the order of `args`; then, for every name in `dim_args`, a 64-bit signed integer.
struct KernelModule {
  std::string entry, cuda_source, arch; ///< arch: "sm_90"
  std::vector<std::string> options;     ///< further NVRTC options
  std::vector<Arg> args;
  std::vector<std::string> dim_args;
  Launch launch;
  std::vector<SourceNote> notes;
  std::optional<Hash> plan;
};

} // namespace aicf
