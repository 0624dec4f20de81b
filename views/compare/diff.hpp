// Differences of two texts, line by line: E. Myers, "An O(ND) difference algorithm and its variations", 1986.
#pragma once
#include <QStringList>

#include <vector>

namespace aicf::views {

/// One row of a side-by-side view; -1: no line on that side.
struct DiffRow {
  enum class Kind { same, changed, removed, added } kind = Kind::same;
  int left = -1, right = -1;
  bool operator==(const DiffRow&) const = default;
};

/// Removed and added lines that meet stand in one row, as changed. Texts that differ in more than some thousand lines
/// are told apart only at their common beginning and end.
[[nodiscard]] std::vector<DiffRow> diffLines(const QStringList& left, const QStringList& right);

/// What differs inside two lines: [from, to) on each side, in code points.
struct DiffRange {
  int leftFrom = 0, leftTo = 0, rightFrom = 0, rightTo = 0;
};
[[nodiscard]] DiffRange diffWithin(const QString& left, const QString& right);

} // namespace aicf::views
