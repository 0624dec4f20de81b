// A dense tensor in host memory, packed in row-major order.
#pragma once
#include "core/base/dtype.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace aicf {

struct HostTensor {
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape; ///< empty: a scalar tensor of one element
  std::vector<std::byte> bytes;    ///< element_count() * size_of(dtype)

  HostTensor() = default;
  /// Zero-filled. Throws std::logic_error on a negative extent.
  HostTensor(DType type, std::vector<std::int64_t> extents);

  [[nodiscard]] std::size_t element_count() const;
  [[nodiscard]] double get(std::size_t i) const { return load_element(dtype, bytes.data(), i); }
  void set(std::size_t i, double value) { store_element(dtype, bytes.data(), i, value); }
  [[nodiscard]] HostTensor converted(DType to) const;
};

/// Product of the extents; 1 for a scalar. Throws std::logic_error on overflow or a negative extent.
[[nodiscard]] std::size_t element_count(const std::vector<std::int64_t>& shape);

/// As messages tell it: "[2, 3]".
[[nodiscard]] std::string shape_text(const std::vector<std::int64_t>& shape);

} // namespace aicf
