// Device functions that generated kernels define for themselves: no header is included, so that NVRTC needs none and
// compiles fast. Each piece is printed once, when a kernel uses it, after the pieces that it uses.
#pragma once
#include "core/base/dtype.hpp"

#include <set>
#include <string>
#include <vector>

namespace aicf::ir {

class CudaPreamble {
 public:
  /// Notes that the kernel uses the piece; gives its name back. Throws on an unknown one.
  const std::string& need(const std::string& piece);
  /// Words of 32 bits that one packed access moves: the type Words<n>.
  std::string words(std::uint32_t count);
  /// A function that packs `count` computed values of type `from` ("float", "double", …) into stored elements.
  std::string pack(DType to, const std::string& from, std::uint32_t count);

  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::string> order_;
  std::set<std::string> used_;
  std::vector<std::pair<std::string, std::string>> made_; ///< name, text of pieces that depend on a width
};

/// The type that a stored element has in CUDA C++ ("bf16" for the alias of its bits).
[[nodiscard]] std::string storage_type(DType dtype);

} // namespace aicf::ir
