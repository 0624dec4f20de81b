// What goes with the active entity, by kind: a tree in which a choice makes that the active one.
#pragma once
#include "views/frame/workbench.hpp"

#include <QWidget>

class QTreeWidget;

namespace aicf::views {

class ElidedLabel;

class RelatedPane : public QWidget {
  Q_OBJECT
 public:
  explicit RelatedPane(Workbench& workbench);
  [[nodiscard]] QTreeWidget& tree() { return *tree_; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void fill();
  Workbench& workbench_;
  ElidedLabel* about_;
  QTreeWidget* tree_;
  Entity shown_;
};

} // namespace aicf::views
