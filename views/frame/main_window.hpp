// The frame: rail of views in the order of work, tool bar, menus and palette from the action registry, docks, status.
#pragma once
#include "views/frame/workbench.hpp"

#include <QHash>
#include <QMainWindow>

class QButtonGroup;
class QLabel;
class QStackedWidget;
class QToolButton;

namespace aicf::views {

class Locator;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(Workbench& workbench);
  [[nodiscard]] Locator& locator() { return *locator_; }
  void showView(View* view);

 protected:
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void addActions();
  void addFileActions();
  void buildMenus();
  void buildToolBar();
  void buildRail();
  void buildStatus();
  void updateStatus();
  void openFile();
  void save(bool as);

  Workbench& workbench_;
  QStackedWidget* stack_;
  QWidget* rail_;
  QButtonGroup* railButtons_;
  Locator* locator_;
  QDockWidget* jobsDock_;
  QLabel *subjectStatus_, *legalStatus_, *jobsStatus_;
  QHash<View*, QWidget*> pages_;
};

} // namespace aicf::views
