#include "core/exec/backends.hpp"

#include "core/exec/cuda/cuda_backend.hpp"
#include "core/exec/emulator/emulator.hpp"

namespace aicf {

Result<std::unique_ptr<Backend>> make_backend(std::string_view id) {
  if (id == "emulator") return make_emulator();
  if (id == "cuda") return make_cuda();
  return error("exec.backend", "no backend \"" + std::string(id) + "\": emulator or cuda");
}

} // namespace aicf
