#include "views/ops/ops_view.hpp"

#include "views/formula/formula_view.hpp"
#include "views/ops/certificate_pane.hpp"
#include "views/ops/definition_pane.hpp"
#include "views/ops/gradient_pane.hpp"
#include "views/ops/operator_list.hpp"
#include "views/ops/structure_pane.hpp"

#include <QHBoxLayout>
#include <QSplitter>
#include <QTabWidget>

namespace aicf::views {

static const RegisterView registration{20, [](Workbench& w) { return std::make_unique<OpsView>(w); }};

OpsView::OpsView(Workbench& workbench) : workbench_(workbench) {}

bool OpsView::find() {
  if (list_) list_->focusSearch();
  return list_ != nullptr;
}

QWidget* OpsView::widget() {
  if (widget_) return widget_;
  list_ = new OperatorList(workbench_);
  definition_ = new DefinitionPane(workbench_);
  structure_ = new StructurePane(workbench_);
  connect(definition_, &DefinitionPane::valueChosen, structure_, &StructurePane::selectValue);
  connect(structure_, &StructurePane::valueChosen, definition_, &DefinitionPane::selectValue);
  widget_ = new QWidget;
  auto* layout = new QHBoxLayout(widget_);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->addWidget(splitter(Qt::Horizontal, {{list_, 205}, {definition_, 425}, {structure_, 556}}));
  return widget_;
}

void OpsView::show(const Entity& /*entity*/) {} // the panes follow the active operator

bool OpsView::isReady() const {
  return !widget_ || (!workbench_.subject().isChecking() && !structure_->derivative().isBusy());
}

QJsonObject OpsView::state() const {
  if (!widget_) return {};
  return {{"filter", list_->filter()},
          {"scroll", list_->scroll()},
          {"tab", structure_->tabs().currentIndex()},
          {"step", structure_->certificates().step()},
          {"zoom", definition_->formula().zoom()},
          {"line", definition_->editor().firstVisibleLine()}};
}

void OpsView::restore(const QJsonObject& state) {
  if (!widget_) return;
  list_->setFilter(state.value("filter").toString());
  list_->setScroll(state.value("scroll").toInt());
  structure_->tabs().setCurrentIndex(state.value("tab").toInt());
  structure_->certificates().showStep(state.value("step").toInt());
  definition_->formula().setZoom(state.value("zoom").toDouble(1));
  definition_->showLine(state.value("line").toInt());
}

} // namespace aicf::views
