// Large numbers as an axis or a cell has room for them: by SI's prefixes from a million on.
#pragma once
#include "views/engine/text.hpp"

#include <array>
#include <cmath>
#include <utility>

namespace aicf::views {

/// 4.5e12 and "B/s": "4.5 TB/s"; below a million, and where no unit takes a prefix, the number in full.
[[nodiscard]] inline QString prefixed(double value, const QString& unit = {}, int digits = 4) {
  constexpr std::array<std::pair<double, const char*>, 4> prefixes{{{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}}};
  if (unit.isEmpty() || unit.endsWith(QLatin1String("/s")))
    for (const auto& [scale, prefix] : prefixes)
      if (std::isfinite(value) && std::abs(value) >= scale)
        return number(value / scale, digits) + QChar(0x2009) + QLatin1String(prefix) + unit;
  return unit.isEmpty() ? number(value, digits) : number(value, digits) + ' ' + unit;
}

} // namespace aicf::views
