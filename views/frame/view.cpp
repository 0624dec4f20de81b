#include "views/frame/view.hpp"

#include <algorithm>

namespace aicf::views {
namespace {
struct Entry {
  int order;
  MakeView make;
};
std::vector<Entry>& registry() {
  static std::vector<Entry> entries;
  return entries;
}
} // namespace

RegisterView::RegisterView(int order, MakeView make) { registry().push_back({order, std::move(make)}); }

std::vector<MakeView> registeredViews() {
  std::vector<Entry> entries = registry();
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.order < b.order; });
  std::vector<MakeView> out;
  out.reserve(entries.size());
  for (Entry& e : entries) out.push_back(std::move(e.make));
  return out;
}

} // namespace aicf::views
