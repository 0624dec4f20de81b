#include "views/frame/entity.hpp"

#include <QUrl>

namespace aicf::views {
namespace {
constexpr auto scheme = "aicf://";
}

QString Entity::uri() const { return scheme + kind + '/' + QString::fromLatin1(QUrl::toPercentEncoding(id, "/", "")); }

std::optional<Entity> Entity::fromUri(const QString& uri) {
  const QString text = uri.trimmed();
  if (!text.startsWith(QLatin1String(scheme))) return std::nullopt;
  const QString rest = text.mid(int(qstrlen(scheme)));
  const auto slash = rest.indexOf('/');
  if (slash <= 0 || slash + 1 == rest.size()) return std::nullopt;
  const QString kind = rest.left(slash);
  for (const QChar c : kind)
    if (!c.isLower() && !c.isDigit() && c != '-') return std::nullopt;
  return Entity{kind, QUrl::fromPercentEncoding(rest.mid(slash + 1).toUtf8())};
}

} // namespace aicf::views
