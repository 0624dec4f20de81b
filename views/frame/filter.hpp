// What the locator (Ctrl+K) looks in. A filter has an id, a prefix that restricts the search to it, and a priority
// that decides between equal answers; an entry is text, extra text and what happens when it is chosen. A view adds
// its own in its constructor: Workbench::addFilter.
#pragma once
#include <QString>

#include <functional>
#include <vector>

namespace aicf::views {

struct LocatorEntry {
  QString text, extra, kind, icon;
  std::function<void()> accept;
};

struct LocatorFilter {
  QString id, prefix, title; ///< prefix: a letter and a space
  std::function<std::vector<LocatorEntry>()> entries;
  int priority = 0;    ///< larger: before others that match as well
  bool unasked = true; ///< false: only answers what was typed
};

} // namespace aicf::views
