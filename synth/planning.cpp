#include "synth/planning.hpp"

#include "core/evidence/evidence.hpp"
#include "core/exec/cuda/device.hpp"

#include <algorithm>

namespace aicf {

MachineModel planning_machine(const CompilerProfile& rules, const std::string& backend, const std::string& target) {
  HardwareDevice here;
  here.arch = target;
  if (backend == "cuda")
    if (auto device = cuda::device_at(0))
      here.name = device->name, here.arch = device->arch, here.driver = device->driver,
      here.sm_count = device->sm_count;
  std::vector<HardwareProfile> profiles;
  for (const auto& path : shipped_hardware_profiles())
    if (auto profile = load_hardware_profile(path)) profiles.push_back(std::move(*profile));
  std::sort(profiles.begin(), profiles.end(),
            [](const HardwareProfile& a, const HardwareProfile& b) { return a.finished < b.finished; });
  std::vector<PriorState> usable;
  double multiprocessors = here.sm_count;
  for (const HardwareProfile& profile : profiles)
    for (PriorState& s : judge_priors(profile.priors, here, utc_now(), rules)) {
      if (!s.usable) continue;
      const bool of_device = !s.prior.driver.empty(); // exact counts are of an architecture
      if (here.sm_count == 0 && of_device) multiprocessors = profile.device.sm_count;
      std::erase_if(usable, [&](const PriorState& other) { return other.prior.id == s.prior.id; });
      usable.push_back(std::move(s));
    }
  return machine_model(usable, multiprocessors);
}

} // namespace aicf
