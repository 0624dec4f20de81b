#include "core/base/cache_dir.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace aicf {

namespace fs = std::filesystem;

fs::path cache_dir() {
  auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): nobody sets the environment after start
    return value != nullptr ? value : "";
  };
  if (std::string chosen = variable("AICF_CACHE_DIR"); !chosen.empty()) return chosen;
  if (std::string xdg = variable("XDG_CACHE_HOME"); !xdg.empty()) return fs::path(xdg) / "aicf";
  if (std::string home = variable("HOME"); !home.empty()) return fs::path(home) / ".cache/aicf";
  std::error_code ignored;
  return fs::temp_directory_path(ignored) / ("aicf-cache-" + std::to_string(getuid()));
}

} // namespace aicf
