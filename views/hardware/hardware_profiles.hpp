// The hardware profiles that the window knows: those that ship with the atlas and those that the user opened, read off
// the window's thread. Where there is none, the sample of the tests stands in and says so.
#pragma once
#include "core/evidence/hardware_profile.hpp"
#include "views/frame/latest.hpp"

#include <QStringList>

#include <memory>

namespace aicf::views {

class Workbench;

struct KnownProfile {
  QString path, name, problem; ///< problem: why it cannot be shown
  std::shared_ptr<const HardwareProfile> profile;
  bool sample = false;
};

class HardwareProfiles : public QObject {
  Q_OBJECT
 public:
  explicit HardwareProfiles(Workbench& workbench);
  [[nodiscard]] static HardwareProfiles& of(Workbench& workbench); ///< the window's one
  [[nodiscard]] const std::vector<KnownProfile>& all() const { return all_; }
  [[nodiscard]] bool isLoaded() const { return loaded_; }
  /// The one in use: what metrics are taken from; nullptr when there is none.
  [[nodiscard]] const KnownProfile* current() const;
  [[nodiscard]] int currentIndex() const { return current_; }
  void setCurrent(int index);
  /// Adds the user's own file and makes it the current one.
  void open(const QString& path);

 Q_SIGNALS:
  void loaded();
  void currentChanged();

 private:
  void load();
  void tell();
  Workbench& workbench_;
  std::vector<KnownProfile> all_;
  QStringList own_;
  QString wanted_; ///< path to make current once it is read
  int current_ = -1;
  bool loaded_ = false;
  Latest<std::vector<KnownProfile>> reading_;
};

/// Reads one file; never throws.
[[nodiscard]] KnownProfile readProfile(const QString& path);
/// The sample of the tests beside the atlas; empty where it is not installed.
[[nodiscard]] QString sampleProfile();

} // namespace aicf::views
