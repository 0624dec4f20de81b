#include "core/base/atlas_path.hpp"

#include <algorithm>
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

Result<std::vector<std::filesystem::path>> atlas_operator_files() {
  namespace fs = std::filesystem;
  std::error_code problem;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(atlas_dir() / "ops", problem))
    if (entry.path().extension() == ".op") files.push_back(entry.path());
  if (problem)
    return Unavailable{"the atlas (" + (atlas_dir() / "ops").string() + ")",
                       "set AICF_ATLAS to the atlas folder of the sources"};
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace aicf
