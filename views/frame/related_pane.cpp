#include "views/frame/related_pane.hpp"

#include "views/engine/atlas_texts.hpp"
#include "views/widgets/panes.hpp"

#include <QTreeWidget>
#include <QVBoxLayout>

namespace aicf::views {

RelatedPane::RelatedPane(Workbench& workbench)
    : workbench_(workbench), about_(new ElidedLabel({}, "muted")), tree_(new QTreeWidget) {
  tree_->setHeaderHidden(true);
  tree_->setAccessibleName(tr("What goes with what is active"));
  tree_->setUniformRowHeights(true);
  tree_->setMinimumWidth(160); // beside a wide view at 1280 pixels
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 2, 6, 6);
  layout->addWidget(about_);
  layout->addWidget(tree_, 1);
  connect(&workbench, &Workbench::relit, this, &RelatedPane::fill);
  connect(tree_, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
    if (const auto entity = Entity::fromUri(item->data(0, Qt::UserRole).toString())) workbench_.open(*entity);
  });
}

void RelatedPane::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  fill();
}

void RelatedPane::fill() {
  if (!isVisible()) return;
  const Entity& active = workbench_.navigator().active();
  tree_->clear();
  about_->setFullText(active.isNull() ? tr("Choose an operator, a property, a transformation …")
                                      : tr("With %1; Enter or a double click goes there").arg(active.id));
  struct Kind {
    QString kind, title;
  };
  const Kind kinds[] = {{"op", tr("Operators")},         {"structure", tr("Structures")},
                        {"property", tr("Properties")},  {"transformation", tr("Transformations")},
                        {"primitive", tr("Primitives")}, {"metric", tr("Metrics")}};
  for (const Kind& k : kinds) {
    QStringList ids;
    for (const Entity& e : workbench_.lit())
      if (e.kind == k.kind && e != active) ids << e.id;
    if (ids.isEmpty()) continue;
    ids.sort();
    auto* group = new QTreeWidgetItem(tree_, {QStringLiteral("%1: %2").arg(k.title).arg(ids.size())});
    for (const QString& id : std::as_const(ids)) {
      auto* item = new QTreeWidgetItem(group, {k.kind == QLatin1String("op") ? id : titleOf(k.kind, id)});
      item->setData(0, Qt::UserRole, Entity{k.kind, id}.uri());
      item->setToolTip(0, id);
    }
    group->setExpanded(ids.size() <= 12);
  }
  if (tree_->topLevelItemCount() == 0)
    new QTreeWidgetItem(tree_,
                        {active.isNull() ? tr("Nothing is active yet.") : tr("Nothing is known to go with it.")});
}

} // namespace aicf::views
