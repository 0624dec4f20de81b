// The frame: rail of views in the order of work, tool bar, menus and palette from the action registry, docks, status.
#pragma once
#include "views/frame/workbench.hpp"

#include <QElapsedTimer>
#include <QMainWindow>

class QButtonGroup;
class QFrame;
class QLabel;
class QMenu;
class QProgressBar;
class QStackedWidget;
class QToolButton;

namespace aicf::views {

class Layouts;
class Locator;
class NoticeBar;
class Session;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(Workbench& workbench);
  [[nodiscard]] Locator& locator() { return *locator_; }
  [[nodiscard]] Layouts& layouts() { return *layouts_; }
  [[nodiscard]] NoticeBar& notices() { return *notices_; }
  [[nodiscard]] Session& session() { return *session_; }
  void showView(View* view);

 protected:
  bool event(QEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void addActions();
  void addEditActions();
  void addWindowActions();
  void addFileActions();
  void addLayoutFilter();
  void fillRecent();
  void buildMenus();
  void buildToolBar();
  void buildRail();
  void buildStatus();
  void updateStatus();
  void updateProgress();
  void say(const QString& text);
  void openFile();
  void save(bool as);

  Workbench& workbench_;
  QStackedWidget* stack_;
  QFrame* rail_;
  QButtonGroup* railButtons_;
  Locator* locator_;
  QDockWidget *jobsDock_ = nullptr, *relatedDock_ = nullptr;
  QLabel *subjectStatus_, *legalStatus_, *jobsStatus_;
  QProgressBar* progress_;
  NoticeBar* notices_;
  Layouts* layouts_;
  Session* session_;
  QMenu* recent_ = nullptr;
  QElapsedTimer said_; ///< since what the status bar still says
};

} // namespace aicf::views
