// The hardware profile in use, in a box: follows the window's profiles, and what is chosen becomes the current one.
#pragma once
#include <QComboBox>

namespace aicf::views {

class Workbench;

class ProfileChooser : public QComboBox {
  Q_OBJECT
 public:
  explicit ProfileChooser(Workbench& workbench);

 private:
  void refill();
  Workbench& workbench_;
  bool filling_ = false;
};

} // namespace aicf::views
