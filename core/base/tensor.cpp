#include "core/base/tensor.hpp"

#include <stdexcept>

namespace aicf {

std::size_t element_count(const std::vector<std::int64_t>& shape) {
  std::size_t count = 1;
  for (std::int64_t extent : shape) {
    if (extent < 0) throw std::logic_error("negative extent in a shape");
    if (__builtin_mul_overflow(count, static_cast<std::size_t>(extent), &count))
      throw std::logic_error("shape too large");
  }
  return count;
}

HostTensor::HostTensor(DType type, std::vector<std::int64_t> extents) : dtype(type), shape(std::move(extents)) {
  bytes.resize(aicf::element_count(shape) * size_of(dtype));
}

std::size_t HostTensor::element_count() const { return bytes.size() / size_of(dtype); }

HostTensor HostTensor::converted(DType to) const {
  HostTensor out(to, shape);
  for (std::size_t i = 0; i < element_count(); ++i) out.set(i, get(i));
  return out;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string out = "[";
  for (std::size_t k = 0; k < shape.size(); ++k) out += (k > 0 ? ", " : "") + std::to_string(shape[k]);
  return out + "]";
}

} // namespace aicf
