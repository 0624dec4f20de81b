#include "views/engine/duration.hpp"

#include "views/engine/text.hpp"

#include <QCoreApplication>

#include <cmath>

namespace aicf::views {

QString duration(double seconds) {
  if (!std::isfinite(seconds) || seconds <= 0) return {};
  if (seconds < 1e-3) return QCoreApplication::translate("Numbers", "%1 µs").arg(number(seconds * 1e6, 3));
  if (seconds < 1) return QCoreApplication::translate("Numbers", "%1 ms").arg(number(seconds * 1e3, 3));
  return QCoreApplication::translate("Numbers", "%1 s").arg(number(seconds, 3));
}

} // namespace aicf::views
