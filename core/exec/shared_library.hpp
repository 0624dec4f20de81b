// Libraries that a machine may or may not have (NVRTC, the CUDA driver, CUPTI), bound at run time: the program starts,
// and does everything else, without them. They stay loaded until the process ends: their own threads outlive any
// reasonable moment to unload them.
#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace aicf {

class SharedLibrary {
 public:
  /// The first of `names` found in the first of `folders` that has any; then, if `system`, by the loader's own search.
  [[nodiscard]] static std::optional<SharedLibrary> open(std::span<const std::filesystem::path> folders,
                                                         std::span<const std::string> names, bool system = true);

  [[nodiscard]] const std::filesystem::path& path() const { return file; }

  /// Sets `function` to the symbol of that name; false, and the name is kept in `missing()`, when there is none.
  template <class F> bool bind(F*& function, const char* name) {
    function = reinterpret_cast<F*>(symbol(name)); // NOLINT: what dlsym is for
    if (function == nullptr) absent.emplace_back(name);
    return function != nullptr;
  }
  [[nodiscard]] const std::vector<std::string>& missing() const { return absent; }

 private:
  SharedLibrary(void* opened, const char* name);
  [[nodiscard]] void* symbol(const char* name) const;
  void* handle;
  std::filesystem::path file;
  std::vector<std::string> absent;
};

/// Folders that may hold CUDA libraries, existing ones only, in the order in which they are searched: $AICF_CUDA (a
/// toolkit, an unpacked wheel or a folder of libraries; "none" stands for a machine without CUDA), `.deps/cuda` beside
/// the program or above it, $XDG_DATA_HOME/aicf/cuda, /usr/local/cuda, /usr/local/cuda-*.
[[nodiscard]] std::vector<std::filesystem::path> cuda_library_dirs();
/// The folder with cuda_bf16.h that belongs to the library folder `libraries`; empty when there is none.
[[nodiscard]] std::filesystem::path cuda_include_dir(const std::filesystem::path& libraries);
/// True when AICF_CUDA=none: not even the system's own loader is asked then.
[[nodiscard]] bool cuda_disabled();
/// How to get CUDA's libraries, for an Unavailable.
[[nodiscard]] std::string how_to_get_cuda_libraries();

} // namespace aicf
