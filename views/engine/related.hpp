// What goes with what: a property with the operators that have it and the transformations that it permits, those with
// the primitives that realize them, those with the metrics that price them; and back. Each part of the program tells
// what it knows; views ask what is lit. On the window's thread.
#pragma once
#include "views/frame/entity.hpp"

#include <QHash>
#include <QObject>
#include <QSet>
#include <QStringList>

#include <vector>

namespace aicf::views {

class Related : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  using Pairs = std::vector<std::pair<Entity, Entity>>;
  /// Replaces what `teller` told before. Pairs have no direction.
  void tell(const QString& teller, Pairs pairs);
  /// What goes with an entity, itself among it: from its kind outward along op or structure – property –
  /// transformation – primitive – metric, never turning back, so that a property does not light what merely shares an
  /// operator with it.
  [[nodiscard]] QSet<Entity> lit(const Entity& entity) const;
  /// Of one kind, sorted by id, `entity` itself left out.
  [[nodiscard]] QStringList lit(const Entity& entity, const QString& kind) const;

  /// Every id of a kind that somebody told of, sorted.
  [[nodiscard]] QStringList all(const QString& kind) const;

 Q_SIGNALS:
  void changed();

 private:
  QHash<QString, Pairs> told_;
  QHash<Entity, QList<Entity>> neighbours_;
};

} // namespace aicf::views
