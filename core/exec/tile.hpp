// A tensor argument that comes in as a tensor map: what cuTensorMapEncodeTiled takes of it, for every backend alike.
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/kernel/module.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace aicf {

/// Dimension 0 is the contiguous one, the last of the argument's shape; sizes in elements, strides in bytes.
struct TiledTensor {
  DType dtype = DType::f32;
  std::uint32_t rank = 1;
  std::array<std::uint64_t, 5> size{}, stride{}; ///< stride[0]: of an element
  std::array<std::uint32_t, 5> box{}, step{};
  std::uint32_t swizzle = 0;
  bool fill_nan = false;
};

/// Of an argument with a tile. What breaks a rule of cuTensorMapEncodeTiled (CUDA driver API 13.0), the alignment of
/// the address apart, is a diagnostic "exec.tile" that names the argument. Thread-safe.
[[nodiscard]] Result<TiledTensor> tiled_tensor(const Arg& arg, const std::map<std::string, std::int64_t>& dims);

} // namespace aicf
