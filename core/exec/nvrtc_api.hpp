// NVRTC's interface as this program uses it, declared here because the machine that builds may have no toolkit.
// Source: CUDA 13.0 nvrtc.h; these functions are unchanged since CUDA 11.1.
#pragma once
#include "core/exec/shared_library.hpp"

#include <cstddef>
#include <optional>

namespace aicf {

using NvrtcProgram = struct NvrtcProgramBody*;
/// nvrtcResult when all is well.
inline constexpr int nvrtc_success = 0, nvrtc_out_of_memory = 1;

struct NvrtcApi {
  SharedLibrary library;
  const char* (*error_string)(int) = nullptr;
  int (*version)(int*, int*) = nullptr;
  int (*num_supported_archs)(int*) = nullptr;
  int (*supported_archs)(int*) = nullptr;
  int (*create_program)(NvrtcProgram*, const char* source, const char* name, int headers, const char* const* contents,
                        const char* const* names) = nullptr;
  int (*destroy_program)(NvrtcProgram*) = nullptr;
  int (*compile_program)(NvrtcProgram, int count, const char* const* options) = nullptr;
  int (*ptx_size)(NvrtcProgram, std::size_t*) = nullptr;
  int (*ptx)(NvrtcProgram, char*) = nullptr;
  int (*cubin_size)(NvrtcProgram, std::size_t*) = nullptr;
  int (*cubin)(NvrtcProgram, char*) = nullptr;
  int (*log_size)(NvrtcProgram, std::size_t*) = nullptr;
  int (*log)(NvrtcProgram, char*) = nullptr;
};

/// The process's one NVRTC; null when there is none, or one without some of these functions.
[[nodiscard]] const NvrtcApi* nvrtc_api();

} // namespace aicf
