#include "views/graph/structure_graph.hpp"

#include "views/engine/text.hpp"

#include <QCoreApplication>
#include <QHash>
#include <QRegularExpression>

#include <algorithm>
#include <set>
#include <tuple>

namespace aicf::views {
namespace {

constexpr double pixelsPerInch = 96;

QString tr(const char* text) { return QCoreApplication::translate("Graph", text); }

class Builder {
 public:
  Builder(const Definition& d, const StructureProfile* profile) : d_(d), profile_(profile) {}

  StructureGraph build() {
    value_.assign(d_.tensors.size(), -1);
    for (TensorId t = 0; t < d_.tensors.size(); ++t) {
      const bool result = std::find(d_.outputs.begin(), d_.outputs.end(), t) != d_.outputs.end();
      const Statement* s = statement_of(d_, t);
      GraphNode node;
      node.name = qs(d_.tensors[t].name);
      node.kind = t < d_.inputs ? GraphNode::Kind::input : result ? GraphNode::Kind::result : GraphNode::Kind::value;
      if (s && d_.arena[s->body].op == Op::reduce) describe(node, s->body);
      value_[t] = add(node);
    }
    for (const Statement& s : d_.statements) statement(s);
    return std::move(graph_);
  }

 private:
  int add(const GraphNode& node) {
    if (graph_.nodes.size() >= mostGraphNodes) {
      ++graph_.leftOut;
      return -1;
    }
    graph_.nodes.push_back(node);
    return int(graph_.nodes.size()) - 1;
  }

  void connect(int from, int to, bool step) {
    if (from < 0 || to < 0 || !seen_.insert({from, to, step}).second) return;
    graph_.edges.push_back({from, to, step});
  }

  const Reduction* known(const QString& name) const {
    if (!profile_) return nullptr;
    for (const Reduction& r : profile_->reductions)
      if (qs(r.name) == name) return &r;
    return nullptr;
  }

  void describe(GraphNode& node, ExprId reduce) {
    const Reduce& what = d_.arena.reduction(reduce);
    QStringList axes;
    for (const VarId v : what.vars) axes << qs(d_.vars[v]);
    node.detail = tr("%1 over %2").arg(qs(reducer_name(d_, what.reducer)), axes.join(QStringLiteral(", ")));
    if (node.kind == GraphNode::Kind::value) node.kind = GraphNode::Kind::reduction;
    const Reduction* r = known(node.name);
    if (!r) return;
    if (r->rank.kind == Rank::Kind::finite) node.detail += tr(", rank %1").arg(r->rank.value);
    if (r->rank.kind == Rank::Kind::unbounded) node.detail += tr(", unbounded");
    for (std::size_t c = 0; c < profile_->cascades.size(); ++c)
      for (const std::size_t i : profile_->cascades[c].reductions)
        if (&profile_->reductions[i] == r) node.cascade = int(c);
  }

  /// Reductions inside the expression are nodes of their own, inner first, as the structure numbers them.
  void statement(const Statement& s) {
    const int self = value_[s.target];
    const bool whole = d_.arena[s.body].op == Op::reduce;
    std::vector<ExprId> roots{s.body};
    for (const Initial& i : s.initial) roots.push_back(i.value);
    const std::vector<ExprId> nodes = reachable(d_.arena, roots);
    QHash<ExprId, int> inner;
    int number = 0;
    for (const ExprId id : nodes) {
      if (d_.arena[id].op != Op::reduce || (whole && id == s.body)) continue;
      GraphNode node;
      node.name = QStringLiteral("%1#%2").arg(qs(d_.tensors[s.target].name)).arg(++number);
      describe(node, id);
      inner.insert(id, add(node));
    }
    for (const ExprId id : nodes)
      if (inner.contains(id)) reads(d_.arena.operands(id), inner.value(id), inner, s);
    if (whole)
      reads(d_.arena.operands(s.body), self, inner, s);
    else
      reads(std::span(roots.data(), 1), self, inner, s);
    for (const Initial& i : s.initial) reads(std::span(&i.value, 1), self, inner, s);
  }

  /// Edges from all that is read below `from` without passing through another reduction.
  void reads(std::span<const ExprId> from, int to, const QHash<ExprId, int>& inner, const Statement& s) {
    std::vector<ExprId> open(from.begin(), from.end());
    std::set<ExprId> seen;
    while (!open.empty()) {
      const ExprId id = open.back();
      open.pop_back();
      if (!seen.insert(id).second) continue;
      if (const auto at = inner.constFind(id); at != inner.constEnd()) {
        connect(*at, to, false);
        continue;
      }
      const Node& n = d_.arena[id];
      if (is_load(n.op)) connect(value_[n.payload], to, isOtherStep(n.payload, s));
      const auto operands = d_.arena.operands(id);
      open.insert(open.end(), operands.begin(), operands.end());
    }
  }

  bool isOtherStep(TensorId read, const Statement& s) const {
    const Statement* other = statement_of(d_, read);
    return s.step != 0 && other && other->step != 0 && other->group == s.group;
  }

  const Definition& d_;
  const StructureProfile* profile_;
  StructureGraph graph_;
  std::vector<int> value_; ///< node of each tensor
  std::set<std::tuple<int, int, bool>> seen_;
};

/// Words of a line of the plain format; a quoted one may hold blanks.
std::vector<QString> wordsOf(const QString& line) {
  static const QRegularExpression word(QStringLiteral("\"((?:[^\"\\\\]|\\\\.)*)\"|(\\S+)"));
  std::vector<QString> out;
  for (auto it = word.globalMatch(line); it.hasNext();) {
    const auto m = it.next();
    out.push_back(m.captured(1).isEmpty() ? m.captured(2) : m.captured(1));
  }
  return out;
}

} // namespace

StructureGraph structureGraph(const Definition& definition, const StructureProfile* profile) {
  return Builder(definition, profile).build();
}

QByteArray dotOf(const StructureGraph& graph, const std::vector<QSizeF>& sizes) {
  QByteArray out = "digraph structure {\n  rankdir=TB; nodesep=0.22; ranksep=0.34;\n"
                   "  node [shape=box, fixedsize=true, label=\"\"];\n";
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    out += QStringLiteral("  n%1 [width=%2, height=%3];\n")
               .arg(i)
               .arg(sizes[i].width() / pixelsPerInch, 0, 'f', 3)
               .arg(sizes[i].height() / pixelsPerInch, 0, 'f', 3)
               .toLatin1();
  for (const GraphEdge& e : graph.edges)
    out += QStringLiteral("  n%1 -> n%2%3;\n")
               .arg(e.from)
               .arg(e.to)
               .arg(e.step ? QStringLiteral(" [constraint=false]") : QString())
               .toLatin1();
  return out + "}\n";
}

std::optional<GraphLayout> layoutOf(const QByteArray& plain, const StructureGraph& graph) {
  GraphLayout out;
  out.nodes.resize(graph.nodes.size());
  out.edges.resize(graph.edges.size());
  std::vector<bool> placed(graph.nodes.size(), false);
  double height = 0;
  const auto inches = [](const QString& text) { return text.toDouble() * pixelsPerInch; };
  const auto position = [&](const QString& name) {
    bool ok = false;
    const int n = name.mid(1).toInt(&ok);
    return ok && name.startsWith('n') && n >= 0 && n < int(graph.nodes.size()) ? n : -1;
  };
  bool complete = false;
  for (const QString& line : QString::fromUtf8(plain).split('\n')) {
    const std::vector<QString> w = wordsOf(line);
    if (w.empty()) continue;
    if (w[0] == QLatin1String("graph") && w.size() >= 4) {
      out.size = {inches(w[2]), inches(w[3])};
      height = out.size.height();
    } else if (w[0] == QLatin1String("node") && w.size() >= 6) {
      const int n = position(w[1]);
      if (n < 0) return std::nullopt;
      const QSizeF size(inches(w[4]), inches(w[5]));
      out.nodes[std::size_t(n)] = {QPointF(inches(w[2]) - size.width() / 2, height - inches(w[3]) - size.height() / 2),
                                   size};
      placed[std::size_t(n)] = true;
    } else if (w[0] == QLatin1String("edge") && w.size() >= 4) {
      const int from = position(w[1]), to = position(w[2]), count = w[3].toInt();
      if (from < 0 || to < 0 || count < 4 || int(w.size()) < 4 + 2 * count) return std::nullopt;
      QPolygonF points;
      for (int i = 0; i < count; ++i)
        points << QPointF(inches(w[std::size_t(4 + 2 * i)]), height - inches(w[std::size_t(5 + 2 * i)]));
      for (std::size_t e = 0; e < graph.edges.size(); ++e)
        if (graph.edges[e].from == from && graph.edges[e].to == to && out.edges[e].isEmpty()) {
          out.edges[e] = points;
          break;
        }
    } else if (w[0] == QLatin1String("stop")) {
      complete = true;
    }
  }
  if (!complete || std::find(placed.begin(), placed.end(), false) != placed.end()) return std::nullopt;
  return out;
}

} // namespace aicf::views
