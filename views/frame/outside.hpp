// Files that change while the window has them open: an unchanged operator or profile is read again by itself, one that
// the user has changed too is asked about, the library follows its folders.
#pragma once
#include "views/frame/workbench.hpp"

#include <QFileSystemWatcher>
#include <QTimer>

namespace aicf::views {

class Outside : public QObject {
  Q_OBJECT
 public:
  explicit Outside(Workbench& workbench, QObject* parent = nullptr);
  void look(); ///< now, without waiting for the file system to tell

 private:
  void watch();
  void lookAtOperator();
  void lookAtProfile();
  Workbench& workbench_;
  QFileSystemWatcher watcher_;
  QTimer rest_;
  QString profileText_; ///< of the profile's file as it was last read or written
};

} // namespace aicf::views
