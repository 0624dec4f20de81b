// The definition in an editor, checked while typing, with what the checker says below it.
#pragma once
#include "views/editors/code_editor.hpp"
#include "views/frame/workbench.hpp"
#include "views/widgets/panes.hpp"
#include "views/widgets/table.hpp"

namespace aicf::views {

[[nodiscard]] RecordModel<Diagnostic>* makeMessagesModel(QObject* parent);

class DefinitionPane : public QWidget {
  Q_OBJECT
 public:
  explicit DefinitionPane(Workbench& workbench);
  [[nodiscard]] CodeEditor& editor() { return *editor_; }
  [[nodiscard]] Table& messages() { return *messages_; }

 private:
  void load();
  void showMessages();
  void updateTitle();
  Workbench& workbench_;
  CodeEditor* editor_;
  RecordModel<Diagnostic>* model_;
  Table* messages_;
  Pane *editorPane_, *messagesPane_;
  bool loading_ = false;
};

} // namespace aicf::views
