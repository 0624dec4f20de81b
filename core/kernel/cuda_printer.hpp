// The last step: kernel IR as CUDA C++ that nvcc and NVRTC compile as it stands. Knows no operator and no family.
#pragma once
#include "core/kernel/ir.hpp"

#include <string>
#include <vector>

namespace aicf::ir {

struct CudaText {
  std::string source;
  std::vector<SourceNote> notes;
  std::int64_t dynamic_shared = 0; ///< bytes that the launch must give
};

/// The kernel must have been through assign_names.
[[nodiscard]] CudaText print_cuda(const Kernel& kernel);

} // namespace aicf::ir
