// What can be selected, linked to and gone back to: an operator, a transformation, a variant, a job, a run, a view.
// Written aicf://kind/id, percent-encoded.
#pragma once
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

} // namespace aicf::views
