// Documents: what a person needs to know, inside the window: the first five minutes, the language, the words, files,
// and every command with its keys, written from the registry of actions.
#pragma once
#include "views/frame/workbench.hpp"

#include <QPointer>

class QListWidget;
class QTextBrowser;
class QLineEdit;

namespace aicf::views {

struct Document {
  QString id, title, markdown; ///< markdown empty: made when shown
};
/// Those of resources/documents, in the order of their numbers; then the list of commands.
[[nodiscard]] std::vector<Document> documents();
/// Every action by menu: what it is called, its keys, what it does. HTML.
[[nodiscard]] QString commandsPage(const Actions& actions);

class DocumentsView : public QObject, public View {
  Q_OBJECT
 public:
  explicit DocumentsView(Workbench& workbench);
  [[nodiscard]] QString id() const override { return QStringLiteral("documents"); }
  [[nodiscard]] QString title() const override { return tr("Documents"); }
  [[nodiscard]] QString tip() const override {
    return tr("Documents: the first five minutes, the operator language, the words, every command and its keys");
  }
  [[nodiscard]] QStringList kinds() const override { return {QStringLiteral("document")}; }
  [[nodiscard]] QWidget* widget() override;
  void show(const Entity& entity) override;
  bool find() override;
  [[nodiscard]] QJsonObject state() const override;
  void restore(const QJsonObject& state) override;
  [[nodiscard]] QTextBrowser* page() const { return page_; }

 private:
  void render();
  void search();
  Workbench& workbench_;
  std::vector<Document> documents_;
  QPointer<QWidget> widget_;
  QListWidget* list_ = nullptr;
  QTextBrowser* page_ = nullptr;
  QLineEdit* search_ = nullptr;
};

} // namespace aicf::views
