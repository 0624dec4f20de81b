// The parameters of a kernel as its author wrote them, read off the CUDA text: names, which PTX does not keep, and
// element types, which it does not know.
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/base/dtype.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aicf {

struct KernelParameter {
  std::string type, name;     ///< type: as written, without qualifiers
  bool pointer = false;       ///< to one or several elements (float4 counts as f32)
  bool constant = false;      ///< a pointer through which the kernel cannot write
  std::optional<DType> dtype; ///< of the elements, or of the value; nothing for a type of the author's own
  Span at;
};

struct KernelSignature {
  std::vector<KernelParameter> parameters;
  Span at;                   ///< of the kernel's name
  std::size_t global_at = 0; ///< offset of its `__global__`
  bool plain_name = false;   ///< declared extern "C", so that PTX has it under this name
};

/// The definition of `entry`. Errors "check.…" are placed in `file`: no such kernel (those there are, are listed), a
/// template, a parameter with no name.
[[nodiscard]] Result<KernelSignature> kernel_signature(std::string_view source, const std::string& entry,
                                                       const std::string& file);

/// The source with `entry` declared extern "C" where it was not; every line stays where it is.
[[nodiscard]] std::string with_plain_name(const std::string& source, const KernelSignature& signature);

} // namespace aicf
