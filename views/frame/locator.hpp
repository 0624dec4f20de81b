// Ctrl+K: finds what the filters (frame/filter.hpp) know as you type; Ctrl+Shift+P: the commands.
#pragma once
#include "views/frame/workbench.hpp"

#include <QFrame>

class QLabel;
class QLineEdit;
class QListView;

namespace aicf::views {

/// What the frame itself knows, and what views added; larger priorities first.
[[nodiscard]] std::vector<LocatorFilter> locatorFilters(Workbench& workbench);

/// How well `text` answers `query`; below zero: not at all. Beginnings of words count more than insides, a run of
/// letters more than scattered ones.
[[nodiscard]] int matchScore(const QString& query, const QString& text);
/// The best entries for a query, which may begin with a filter's prefix.
[[nodiscard]] std::vector<LocatorEntry> locate(const std::vector<LocatorFilter>& filters, const QString& query,
                                               std::size_t most);

class LocatorModel;

class Locator : public QFrame {
  Q_OBJECT
 public:
  Locator(Workbench& workbench, QWidget* window);
  void popUp(const QString& prefix);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void update(const QString& query);
  void choose();
  void place();
  Workbench& workbench_;
  std::vector<LocatorFilter> filters_;
  QLineEdit* input_;
  QListView* list_;
  LocatorModel* model_;
  QLabel* hints_;
};

} // namespace aicf::views
