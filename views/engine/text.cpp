#include "views/engine/text.hpp"

#include <QCoreApplication>

#include <array>
#include <cmath>
#include <utility>

namespace aicf::views {

QString capitalised(QString text) {
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  return text;
}

QString number(double value, int digits) {
  if (std::isnan(value)) return QStringLiteral("NaN");
  if (std::isinf(value)) return value > 0 ? QStringLiteral("∞") : QStringLiteral("−∞");
  const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
  if (!whole) return QString::number(value, 'g', digits);
  QString text = QString::number(value, 'f', 0);
  const int first = text.startsWith('-') ? 1 : 0;
  for (int at = int(text.size()) - 3; at > first; at -= 3) text.insert(at, QChar(0x2009));
  return text;
}

QString bytes(double value) {
  if (value < 1024) return QCoreApplication::translate("Numbers", "%1 B").arg(number(value));
  if (value < 1024.0 * 1024) return QCoreApplication::translate("Numbers", "%1 KiB").arg(number(value / 1024, 4));
  return QCoreApplication::translate("Numbers", "%1 MiB").arg(number(value / 1024 / 1024, 4));
}

QString prefixed(double value, const QString& unit, int digits) {
  constexpr std::array<std::pair<double, const char*>, 4> prefixes{{{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}}};
  if (unit.isEmpty() || unit.endsWith(QLatin1String("/s")))
    for (const auto& [scale, prefix] : prefixes)
      if (std::isfinite(value) && std::abs(value) >= scale)
        return number(value / scale, digits) + QChar(0x2009) + QLatin1String(prefix) + unit;
  return unit.isEmpty() ? number(value, digits) : number(value, digits) + ' ' + unit;
}

} // namespace aicf::views
