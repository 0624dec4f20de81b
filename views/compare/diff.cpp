#include "views/compare/diff.hpp"

#include <algorithm>

namespace aicf::views {
namespace {
constexpr int mostEdits = 4000; // the trace takes mostEdits²/2 integers

/// Edit script of a[0, n) and b[0, m) as pairs of equal lines.
std::vector<std::pair<int, int>> matches(const QStringList& a, const QStringList& b, int from, int n, int m) {
  std::vector<std::vector<int>> trace;
  const int most = std::min(n + m, mostEdits);
  std::vector<int> furthest(std::size_t(2 * most + 3), 0);
  const auto at = [&](std::vector<int>& v, int k) -> int& {
    return v[static_cast<std::size_t>(std::ptrdiff_t{k} + most + 1)];
  };
  int reached = -1;
  for (int d = 0; d <= most && reached < 0; ++d) {
    trace.emplace_back(furthest.begin() + (most + 1 - d - 1),
                       furthest.begin() + (most + 1 + d + 2)); // diagonals -d-1 … d+1
    for (int k = -d; k <= d; k += 2) {
      const bool down = k == -d || (k != d && at(furthest, k - 1) < at(furthest, k + 1));
      int x = down ? at(furthest, k + 1) : at(furthest, k - 1) + 1;
      int y = x - k;
      while (x < n && y < m && a[from + x] == b[from + y]) ++x, ++y;
      at(furthest, k) = x;
      if (x >= n && y >= m) {
        reached = d;
        break;
      }
    }
  }
  std::vector<std::pair<int, int>> pairs;
  if (reached < 0) return pairs;
  int x = n, y = m;
  for (int d = reached; d >= 0; --d) {
    const std::vector<int>& v = trace[std::size_t(d)];
    const auto old = [&](int k) { return v[static_cast<std::size_t>(std::ptrdiff_t{k} + d + 1)]; };
    const int k = x - y;
    const bool down = k == -d || (k != d && old(k - 1) < old(k + 1));
    const int previousX = d == 0 ? 0 : down ? old(k + 1) : old(k - 1);
    const int previousY = d == 0 ? 0 : previousX - (down ? k + 1 : k - 1);
    while (x > previousX && y > previousY && x > 0 && y > 0 && a[from + x - 1] == b[from + y - 1]) {
      --x, --y;
      pairs.emplace_back(from + x, from + y);
    }
    if (d > 0) x = previousX, y = previousY;
  }
  std::reverse(pairs.begin(), pairs.end());
  return pairs;
}
} // namespace

std::vector<DiffRow> diffLines(const QStringList& left, const QStringList& right) {
  const int n = int(left.size()), m = int(right.size());
  int head = 0;
  while (head < n && head < m && left[head] == right[head]) ++head;
  int tail = 0;
  while (tail < n - head && tail < m - head && left[n - 1 - tail] == right[m - 1 - tail]) ++tail;

  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < head; ++i) pairs.emplace_back(i, i);
  const auto middle = matches(left, right, head, n - head - tail, m - head - tail);
  pairs.insert(pairs.end(), middle.begin(), middle.end());
  for (int i = tail; i > 0; --i) pairs.emplace_back(n - i, m - i);
  pairs.emplace_back(n, m); // closes the last gap

  std::vector<DiffRow> rows;
  int l = 0, r = 0;
  for (const auto& [pl, pr] : pairs) {
    while (l < pl && r < pr) rows.push_back({DiffRow::Kind::changed, l++, r++});
    while (l < pl) rows.push_back({DiffRow::Kind::removed, l++, -1});
    while (r < pr) rows.push_back({DiffRow::Kind::added, -1, r++});
    if (pl < n && pr < m) rows.push_back({DiffRow::Kind::same, l++, r++});
  }
  return rows;
}

DiffRange diffWithin(const QString& left, const QString& right) {
  const auto a = left.toUcs4(), b = right.toUcs4();
  const int n = int(a.size()), m = int(b.size());
  int head = 0, tail = 0;
  while (head < n && head < m && a[head] == b[head]) ++head;
  while (tail < n - head && tail < m - head && a[n - 1 - tail] == b[m - 1 - tail]) ++tail;
  return {head, n - tail, head, m - tail};
}

} // namespace aicf::views
