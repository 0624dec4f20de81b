// Where things that can be made again are kept: compilations, properties of operators.
#pragma once
#include <filesystem>

namespace aicf {

/// The environment variable AICF_CACHE_DIR, else the folder `aicf` of XDG_CACHE_HOME or of ~/.cache, else one of the
/// user's own among the temporary files. Not necessarily existing.
[[nodiscard]] std::filesystem::path cache_dir();

} // namespace aicf
