#include "views/hardware/profile_chooser.hpp"

#include "views/hardware/hardware_profiles.hpp"

namespace aicf::views {

ProfileChooser::ProfileChooser(Workbench& workbench) : workbench_(workbench) {
  setAccessibleName(tr("Hardware profile"));
  setSizeAdjustPolicy(QComboBox::AdjustToContents);
  HardwareProfiles& profiles = HardwareProfiles::of(workbench);
  connect(&profiles, &HardwareProfiles::loaded, this, &ProfileChooser::refill);
  connect(&profiles, &HardwareProfiles::currentChanged, this, &ProfileChooser::refill);
  connect(this, &QComboBox::currentIndexChanged, this, [this](int index) {
    if (!filling_) HardwareProfiles::of(workbench_).setCurrent(index);
  });
  refill();
}

void ProfileChooser::refill() {
  const HardwareProfiles& profiles = HardwareProfiles::of(workbench_);
  filling_ = true;
  clear();
  for (const KnownProfile& k : profiles.all()) addItem(k.name);
  setCurrentIndex(profiles.currentIndex());
  filling_ = false;
}

} // namespace aicf::views
