// Operators and sizes that a device is timed with.
#pragma once
#include "core/base/diagnostic.hpp"

#include <string>
#include <vector>

namespace aicf::cli {

struct BenchDeviceCase {
  std::string op, shape; ///< a name of the atlas or a path; "M=8192,N=4096"
};
/// [{"op": a name of the atlas or a file beside FILE, "shape": "M=8192,N=4096"}, …]
[[nodiscard]] Result<std::vector<BenchDeviceCase>> read_bench_cases(const std::string& file);

} // namespace aicf::cli
