#include "core/exec/shared_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>

namespace aicf {
namespace fs = std::filesystem;

SharedLibrary::SharedLibrary(void* opened, const char* name) : handle(opened), file(name) {
  link_map* map = nullptr; // where the loader found it
  if (dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 && map != nullptr && map->l_name != nullptr &&
      *map->l_name != '\0')
    file = map->l_name;
}

void* SharedLibrary::symbol(const char* name) const { return dlsym(handle, name); }

std::optional<SharedLibrary> SharedLibrary::open(std::span<const fs::path> folders, std::span<const std::string> names,
                                                 bool system) {
  auto attempt = [](const std::string& name) { return dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL); };
  std::error_code ignored;
  for (const fs::path& folder : folders) {
    for (const std::string& name : names) {
      fs::path candidate = folder / name;
      if (!fs::exists(candidate, ignored)) continue;
      if (void* handle = attempt(candidate.string())) return SharedLibrary(handle, candidate.c_str());
    }
  }
  if (!system) return std::nullopt;
  for (const std::string& name : names)
    if (void* handle = attempt(name)) return SharedLibrary(handle, name.c_str());
  return std::nullopt;
}

namespace {

const char* environment(const char* name) {
  const char* value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): nobody sets the environment after start
  return value != nullptr && *value != '\0' ? value : nullptr;
}

/// `root` itself and the library folders of a toolkit or of unpacked wheels below it.
void add_root(std::vector<fs::path>& out, const fs::path& root) {
  static constexpr const char* layouts[] = {"lib64",
                                            "lib",
                                            "extras/CUPTI/lib64",
                                            "nvidia/cu13/lib",
                                            "cu13/lib",
                                            "nvidia/cuda_nvrtc/lib",
                                            "cuda_nvrtc/lib",
                                            "nvidia/cuda_cupti/lib",
                                            "cuda_cupti/lib",
                                            "nvidia/cuda_runtime/lib",
                                            "cuda_runtime/lib",
                                            "targets/x86_64-linux/lib",
                                            "targets/sbsa-linux/lib"};
  std::error_code ignored;
  auto add = [&](const fs::path& folder) {
    if (fs::is_directory(folder, ignored) && std::find(out.begin(), out.end(), folder) == out.end())
      out.push_back(folder);
  };
  add(root);
  for (const char* layout : layouts) add(root / layout);
}

} // namespace

bool cuda_disabled() {
  const char* chosen = environment("AICF_CUDA");
  return chosen != nullptr && std::string(chosen) == "none";
}

std::vector<fs::path> cuda_library_dirs() {
  std::vector<fs::path> out;
  if (cuda_disabled()) return out;
  std::error_code ignored;
  if (const char* chosen = environment("AICF_CUDA")) add_root(out, chosen);
  fs::path beside = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (int up = 0; up < 4 && !beside.empty(); ++up, beside = beside.parent_path()) {
    add_root(out, beside / ".deps/cuda");
    if (beside == beside.root_path()) break;
  }
  if (const char* data = environment("XDG_DATA_HOME"))
    add_root(out, fs::path(data) / "aicf/cuda");
  else if (const char* home = environment("HOME"))
    add_root(out, fs::path(home) / ".local/share/aicf/cuda");
  add_root(out, "/usr/local/cuda");
  std::vector<fs::path> versions;
  for (const auto& entry : fs::directory_iterator("/usr/local", ignored))
    if (entry.path().filename().string().starts_with("cuda-")) versions.push_back(entry.path());
  std::sort(versions.rbegin(), versions.rend()); // newest first
  for (const fs::path& version : versions) add_root(out, version);
  return out;
}

fs::path cuda_include_dir(const fs::path& libraries) {
  std::error_code ignored;
  for (const char* step : {"../include", "../../cuda_runtime/include", "../../../include", "."}) {
    fs::path folder = fs::weakly_canonical(libraries / step, ignored);
    if (fs::exists(folder / "cuda_bf16.h", ignored)) return folder;
  }
  return {};
}

std::string how_to_get_cuda_libraries() {
  if (cuda_disabled()) return "unset AICF_CUDA: it is \"none\"";
  return "run ./bootstrap build (it fetches NVIDIA's NVRTC wheel where no toolkit is found), or install a CUDA 13.0 "
         "toolkit, or set AICF_CUDA to a folder that has one";
}

} // namespace aicf
