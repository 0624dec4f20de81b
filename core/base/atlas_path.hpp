// Where the data files of the atlas are: operators, structures, transformations, primitives, hardware profiles.
#pragma once
#include <filesystem>

namespace aicf {

/// The environment variable AICF_ATLAS, else share/aicf/atlas beside the program's folder, else the atlas of the
/// source tree that the program's build folder lies in, else where the sources were when this was compiled. The last
/// place tried is returned when none exists.
[[nodiscard]] std::filesystem::path atlas_dir();

} // namespace aicf
