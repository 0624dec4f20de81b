// The definition in an editor, checked while typing, with its formula set in type and what the checker says below it.
#pragma once
#include "views/editors/code_editor.hpp"
#include "views/frame/workbench.hpp"
#include "views/widgets/panes.hpp"
#include "views/widgets/table.hpp"

namespace aicf::views {

[[nodiscard]] RecordModel<Diagnostic>* makeMessagesModel(QObject* parent);

class FormulaView;

class DefinitionPane : public QWidget {
  Q_OBJECT
 public:
  explicit DefinitionPane(Workbench& workbench);
  [[nodiscard]] CodeEditor& editor() { return *editor_; }
  [[nodiscard]] Table& messages() { return *messages_; }
  [[nodiscard]] FormulaView& formula() { return *formula_; }
  /// Marks a value in the formula.
  void selectValue(const QString& name);
  /// Scrolls the text to a line.
  void showLine(int line);

 Q_SIGNALS:
  void valueChosen(const QString& name);

 private:
  void load();
  void showMessages();
  void updateTitle();
  void showFormula();
  void goToOperator();
  void showTop();
  bool eventFilter(QObject* watched, QEvent* event) override;
  void goToValue(const QString& name);
  Workbench& workbench_;
  CodeEditor* editor_;
  RecordModel<Diagnostic>* model_;
  Table* messages_;
  FormulaView* formula_;
  Pane *editorPane_, *formulaPane_, *messagesPane_;
  int top_ = -1;                            ///< the line that is to be first in sight; none when negative
  bool loading_ = false, arriving_ = false; ///< arriving: the operator of the text is not known yet
};

} // namespace aicf::views
