#include "core/base/atlas_path.hpp"

#include <cstdlib>
#include <system_error>

namespace aicf {

std::filesystem::path atlas_dir() {
  namespace fs = std::filesystem;
  if (const char* set = std::getenv("AICF_ATLAS"); set != nullptr && *set != '\0') return set;
  std::error_code none;
  fs::path folder = fs::read_symlink("/proc/self/exe", none).parent_path();
  fs::path installed = folder / ".." / "share" / "aicf" / "atlas";
  if (fs::is_directory(installed, none)) return installed.lexically_normal();
  for (fs::path up = folder; up.has_relative_path(); up = up.parent_path()) // a build tree inside the sources
    if (fs::is_directory(up / "atlas" / "ops", none)) return up / "atlas";
#ifdef AICF_SOURCE_ATLAS
  return AICF_SOURCE_ATLAS;
#else
  return (folder / ".." / ".." / ".." / "atlas").lexically_normal();
#endif
}

} // namespace aicf
