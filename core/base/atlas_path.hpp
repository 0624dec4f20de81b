// Where the data files are.
#pragma once
#include <filesystem>

namespace aicf {

/// The folder of operators, structures, transformations, primitives, rules and hardware profiles: $AICF_ATLAS, else
/// ../share/aicf/atlas beside the program (installed), else the source tree the program was built in.
/// May not exist: readers say so.
[[nodiscard]] std::filesystem::path atlas_dir();

} // namespace aicf
