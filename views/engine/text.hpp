// Between the engine's strings and Qt's.
#pragma once
#include <QString>
#include <QStringList>

#include <string>
#include <string_view>
#include <vector>

namespace aicf::views {

[[nodiscard]] inline QString qs(std::string_view text) {
  return QString::fromUtf8(text.data(), qsizetype(text.size()));
}
[[nodiscard]] inline QStringList qs(const std::vector<std::string>& texts) {
  QStringList out;
  for (const std::string& t : texts) out << qs(t);
  return out;
}
/// The first letter large.
[[nodiscard]] QString capitalised(QString text);
/// Numbers as people compare them: integers whole with thin spaces between thousands, others with `digits` significant.
[[nodiscard]] QString number(double value, int digits = 4);
[[nodiscard]] QString bytes(double value);
/// Large numbers as an axis or a cell has room for them: 4.5e12 and "B/s" is "4.5 TB/s"; below a million, and where the
/// unit takes no prefix of SI, the number in full.
[[nodiscard]] QString prefixed(double value, const QString& unit = {}, int digits = 4);

} // namespace aicf::views
