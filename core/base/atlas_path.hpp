// Where the data files of the atlas are: operators, structures, transformations, primitives, hardware profiles.
#pragma once
#include "core/base/diagnostic.hpp"

#include <filesystem>
#include <vector>

namespace aicf {

/// The environment variable AICF_ATLAS, else share/aicf/atlas beside the program's folder, else the atlas of the
/// source tree that the program's build folder lies in, else where the sources were when this was compiled. The last
/// place tried is returned when none exists.
[[nodiscard]] std::filesystem::path atlas_dir();

/// The files of its operators, sorted.
[[nodiscard]] Result<std::vector<std::filesystem::path>> atlas_operator_files();

} // namespace aicf
