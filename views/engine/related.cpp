#include "views/engine/related.hpp"

#include <algorithm>

namespace aicf::views {
namespace {

/// Place in the chain; -1: no part of it.
int rank(const QString& kind) {
  static const QHash<QString, int> ranks{{"op", 0},        {"structure", 0}, {"property", 1}, {"transformation", 2},
                                         {"primitive", 3}, {"metric", 4}};
  return ranks.value(kind, -1);
}

} // namespace

void Related::tell(const QString& teller, Pairs pairs) {
  told_[teller] = std::move(pairs);
  neighbours_.clear();
  for (const Pairs& list : std::as_const(told_))
    for (const auto& [a, b] : list) {
      neighbours_[a] << b;
      neighbours_[b] << a;
    }
  Q_EMIT changed();
}

QSet<Entity> Related::lit(const Entity& entity) const {
  QSet<Entity> out;
  if (entity.isNull()) return out;
  for (const int direction : {-1, 1}) {
    QList<Entity> open{entity};
    QSet<Entity> seen{entity};
    while (!open.isEmpty()) {
      const Entity at = open.takeLast();
      out << at;
      for (const Entity& next : neighbours_.value(at)) {
        // Operators and structures stand side by side: one step between them, no more.
        const bool beside = at == entity && rank(next.kind) == rank(at.kind);
        const bool onward = (rank(next.kind) - rank(at.kind)) * direction > 0;
        if (rank(next.kind) < 0 || seen.contains(next) || (!beside && !onward)) continue;
        seen << next;
        if (beside)
          out << next;
        else
          open << next;
      }
    }
  }
  return out;
}

QStringList Related::lit(const Entity& entity, const QString& kind) const {
  QStringList out;
  for (const Entity& e : lit(entity))
    if (e.kind == kind && e != entity) out << e.id;
  std::sort(out.begin(), out.end());
  return out;
}

QStringList Related::all(const QString& kind) const {
  QStringList out;
  for (auto it = neighbours_.begin(); it != neighbours_.end(); ++it)
    if (it.key().kind == kind) out << it.key().id;
  std::sort(out.begin(), out.end());
  return out;
}

} // namespace aicf::views
