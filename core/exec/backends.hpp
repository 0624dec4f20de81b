// Backends by the word that people type.
#pragma once
#include "core/exec/backend.hpp"

#include <memory>
#include <string_view>

namespace aicf {

/// "emulator" (always there) or "cuda" (Unavailable without a driver or a device). Another word is a diagnostic.
[[nodiscard]] Result<std::unique_ptr<Backend>> make_backend(std::string_view id);

} // namespace aicf
