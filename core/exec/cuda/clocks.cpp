#include "core/exec/cuda/clocks.hpp"

#include "core/exec/shared_library.hpp"

#include <array>

namespace aicf::cuda {
namespace {

// NVML's interface as far as it is used. Source: NVML API reference, driver 580.
constexpr int success = 0, clock_sm = 1, clock_memory = 2;
struct Reason {
  std::uint64_t bit;
  const char* word;
};
constexpr Reason suspect[] = {{0x4, "power cap"},
                              {0x8, "hardware slowdown"},
                              {0x20, "heat (software)"},
                              {0x40, "heat (hardware)"},
                              {0x80, "power brake"}};

struct Nvml {
  SharedLibrary library;
  int (*init)() = nullptr;
  int (*by_bus_id)(const char*, void** device) = nullptr;
  int (*clock)(void* device, int kind, unsigned* mhz) = nullptr;
  int (*reasons)(void* device, unsigned long long*) = nullptr;
  int (*energy)(void* device, unsigned long long* millijoules) = nullptr;
  int (*power)(void* device, unsigned* milliwatts) = nullptr;
};

std::optional<Nvml> load() {
  if (cuda_disabled()) return std::nullopt;
  const std::array<std::string, 1> names{"libnvidia-ml.so.1"};
  const std::array<std::filesystem::path, 2> folders{"/usr/local/nvidia/lib64", "/usr/lib/wsl/lib"};
  auto library = SharedLibrary::open({}, names);
  if (!library) library = SharedLibrary::open(folders, names, false);
  if (!library) return std::nullopt;
  Nvml n{.library = *library};
  n.library.bind(n.init, "nvmlInit_v2");
  n.library.bind(n.by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2");
  n.library.bind(n.clock, "nvmlDeviceGetClockInfo");
  n.library.bind(n.reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  n.library.bind(n.energy, "nvmlDeviceGetTotalEnergyConsumption");
  n.library.bind(n.power, "nvmlDeviceGetPowerUsage");
  if (!n.library.missing().empty() || n.init() != success) return std::nullopt;
  return n;
}

const std::optional<Nvml>& nvml() {
  static const std::optional<Nvml> loaded = load();
  return loaded;
}

} // namespace

std::string throttled_by(std::uint64_t reasons) {
  std::string text;
  for (const Reason& r : suspect)
    if ((reasons & r.bit) != 0) text += (text.empty() ? "" : ", ") + std::string(r.word);
  return text;
}

ClockReader::ClockReader(const std::string& pci_bus_id) {
  if (!nvml())
    why = "NVML (libnvidia-ml.so.1) was not found or does not start";
  else if (int code = nvml()->by_bus_id(pci_bus_id.c_str(), &device); code != success)
    why = "NVML knows no device at " + pci_bus_id + " (error " + std::to_string(code) + ")";
}

std::optional<Clocks> ClockReader::read() const {
  if (!why.empty()) return std::nullopt;
  unsigned sm = 0, memory = 0;
  unsigned long long reasons = 0;
  if (nvml()->clock(device, clock_sm, &sm) != success || nvml()->clock(device, clock_memory, &memory) != success)
    return std::nullopt;
  if (nvml()->reasons(device, &reasons) != success) reasons = 0;
  return Clocks{static_cast<int>(sm), static_cast<int>(memory), reasons};
}

std::optional<double> ClockReader::millijoules() const {
  unsigned long long value = 0;
  if (!why.empty() || nvml()->energy(device, &value) != success) return std::nullopt;
  return static_cast<double>(value);
}

std::optional<double> ClockReader::watts() const {
  unsigned milliwatts = 0;
  if (!why.empty() || nvml()->power(device, &milliwatts) != success) return std::nullopt;
  return milliwatts / 1000.0;
}

} // namespace aicf::cuda
