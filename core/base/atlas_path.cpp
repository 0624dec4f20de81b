#include "core/base/atlas_path.hpp"

#include <cstdlib>
#include <system_error>

namespace aicf {

std::filesystem::path atlas_dir() {
  namespace fs = std::filesystem;
  if (const char* set = std::getenv("AICF_ATLAS"); set != nullptr && *set != '\0') return set;
  std::error_code ignored;
  fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  // installed: bin/ beside share/; built: build/PRESET/bin below the sources
  for (const char* relative : {"../share/aicf/atlas", "../../../atlas", "../../atlas"})
    if (fs::path path = (program / relative).lexically_normal(); fs::is_directory(path, ignored)) return path;
  return (program / "../share/aicf/atlas").lexically_normal();
}

} // namespace aicf
