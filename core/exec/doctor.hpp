// What this machine has, what it lacks, and how to get that: `aicf doctor`.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include <string>

namespace aicf {

/// {"schema": "aicf.doctor/1", "os", "nvrtc", "driver", "devices": […], "cupti", "emulator", "atlas", "evidence",
/// "cache", "missing":
/// [{"what", "how_to_get"}]}. Each part has "available"; nothing is created, started or downloaded.
[[nodiscard]] nlohmann::json doctor();
/// The same for people, a part a line.
[[nodiscard]] std::string doctor_text(const nlohmann::json& report);

} // namespace aicf
