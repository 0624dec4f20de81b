// From a Call to what the driver's launch takes: extents, dynamic shared bytes and the argument list. Needs no device.
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/exec/backend.hpp"
#include "core/exec/tile.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace aicf::cuda {

/// One kernel argument: a buffer's address, a tensor map of it, or up to eight bytes by value.
struct Argument {
  std::optional<std::size_t> buffer;
  std::array<std::byte, 8> bytes{};
  std::optional<TiledTensor> tile{};
};

struct LaunchShape {
  std::array<unsigned, 3> grid{}, cluster{}, block{};
  unsigned dynamic_shared = 0;
  bool empty = false; ///< some grid extent is 0: nothing is launched
  std::vector<Argument> arguments;
};

/// Evaluates the call's expressions and checks them against CUDA's limits and the buffers they speak of. Pointers and
/// tensor maps and scalars come in the order of `args`, then a 64-bit integer for each of `dim_args`. All errors are
/// "exec.…".
[[nodiscard]] Result<LaunchShape> marshal(const Call& call, std::span<const Buffer> buffers);

} // namespace aicf::cuda
