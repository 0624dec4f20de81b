// What reads what in a definition: inputs, values, reductions (also those inside an expression), results. And the same
// as a text for Graphviz's dot, and dot's answer as places. Pure functions.
#pragma once
#include "core/structure/structure.hpp"

#include <QByteArray>
#include <QPointF>
#include <QPolygonF>
#include <QRectF>
#include <QString>

#include <optional>
#include <vector>

namespace aicf::views {

struct GraphNode {
  enum class Kind { input, value, reduction, result } kind = Kind::value;
  QString name;     ///< "m", "h#1": what the structure calls it
  QString detail;   ///< "max over j, bounded": second line, or empty
  int cascade = -1; ///< of a reduction
};
struct GraphEdge {
  int from = 0, to = 0; ///< positions of nodes: `to` reads `from`
  bool step = false;    ///< at another step of a recurrence
};
struct StructureGraph {
  std::vector<GraphNode> nodes;
  std::vector<GraphEdge> edges;
  std::size_t leftOut = 0; ///< nodes beyond what can be drawn
};
inline constexpr std::size_t mostGraphNodes = 1500; ///< beyond them dot takes many seconds

/// `profile` (of the same definition) may be null; it gives ranks and cascades.
[[nodiscard]] StructureGraph structureGraph(const Definition& definition, const StructureProfile* profile);

/// Widths and heights of the nodes as they will be drawn, in pixels.
[[nodiscard]] QByteArray dotOf(const StructureGraph& graph, const std::vector<QSizeF>& sizes);

/// Pixels, y downwards, the origin at the top left.
struct GraphLayout {
  std::vector<QRectF> nodes;
  std::vector<QPolygonF> edges; ///< Bézier control points: one, then three for each piece
  QSizeF size;
};
/// Of `dot -Tplain` for dotOf(graph); nothing when it is no such answer.
[[nodiscard]] std::optional<GraphLayout> layoutOf(const QByteArray& plain, const StructureGraph& graph);

} // namespace aicf::views
