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

/// How a kernel's copies cut a tensor that comes in as a tensor map (cuTensorMapEncodeTiled, not interleaved).
struct Tile {
  std::vector<DimExpr> box; ///< elements, in the order of the argument's shape
  std::vector<int> step;    ///< between elements, likewise; empty: 1
  int swizzle = 0;          ///< bytes of a swizzled row in shared memory: 0, 32, 64 or 128
  bool fill_nan = false;    ///< what lies outside the tensor is NaN, else zero
};

struct Arg {
  std::string name;
  enum class Role { input, output, inout, scalar, workspace } role = Role::input;
  DType dtype = DType::f32;
  std::vector<DimExpr> shape, strides; ///< strides in elements; empty: packed. Both empty for a scalar.
  /// Of a tensor: it is no pointer but 128 bytes by value, `const __grid_constant__ CUtensorMap`.
  std::optional<Tile> tile{};
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
