// How long something took, as people compare it.
#pragma once
#include <QString>

namespace aicf::views {

/// "2.4 s", "18 ms", "310 µs"; empty for what nobody timed (0).
[[nodiscard]] QString duration(double seconds);

} // namespace aicf::views
