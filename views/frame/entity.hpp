// What can be selected, linked to and gone back to. Kinds: op structure property transformation rule primitive metric
// hardware variant job run document view, and what a view adds in its kinds().
// Written aicf://kind/id, percent-encoded.
#pragma once
#include <QHashFunctions>
#include <QString>

#include <optional>

namespace aicf::views {

struct Entity {
  QString kind, id;
  [[nodiscard]] bool isNull() const { return kind.isEmpty(); }
  [[nodiscard]] QString uri() const;
  [[nodiscard]] static std::optional<Entity> fromUri(const QString& uri);
  bool operator==(const Entity&) const = default;
};
inline size_t qHash(const Entity& entity, size_t seed = 0) { return qHashMulti(seed, entity.kind, entity.id); }

} // namespace aicf::views
