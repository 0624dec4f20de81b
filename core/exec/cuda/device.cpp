#include "core/exec/cuda/device.hpp"

#include "core/exec/cuda/driver.hpp"

#include <nlohmann/json.hpp>

#include <array>

namespace aicf::cuda {
namespace {

/// "GPU-" and 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12.
std::string written(const DeviceUuid& uuid) {
  static constexpr const char* digits = "0123456789abcdef";
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits[uuid.bytes[i] >> 4U];
    text += digits[uuid.bytes[i] & 15U];
  }
  return text;
}

DeviceInfo read(const Driver& d, int ordinal, Device device) {
  auto attribute = [&](int which) {
    int value = 0;
    return d.device_attribute(&value, which, device) == success ? value : 0;
  };
  DeviceInfo info;
  info.ordinal = ordinal;
  std::array<char, 256> name{};
  if (d.device_name(name.data(), static_cast<int>(name.size()) - 1, device) == success) info.name = name.data();
  d.device_memory(&info.memory_bytes, device);
  info.arch = "sm_" + std::to_string(attribute(attribute_major)) + std::to_string(attribute(attribute_minor));
  info.sm_count = attribute(attribute_sm_count);
  info.l2_bytes = attribute(attribute_l2_bytes);
  info.shared_optin_bytes = attribute(attribute_shared_optin);
  info.clock_khz = attribute(attribute_clock_khz);
  info.memory_clock_khz = attribute(attribute_memory_clock_khz);
  info.memory_bus_bits = attribute(attribute_memory_bus_bits);
  info.clusters = attribute(attribute_cluster_launch) != 0;
  if (DeviceUuid uuid; d.device_uuid(&uuid, device) == success) info.uuid = written(uuid);
  int version = 0;
  if (d.version(&version) == success)
    info.driver = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  return info;
}

} // namespace

Result<std::vector<DeviceInfo>> devices() {
  auto loaded = driver();
  if (!loaded) return loaded.failure<std::vector<DeviceInfo>>();
  const Driver& d = **loaded;
  int count = 0;
  int code = d.device_count(&count);
  if (code != success || count == 0)
    return Unavailable{"the CUDA driver has no device" + (code != success ? ": " + describe(d, code) : std::string()),
                       "check nvidia-smi and CUDA_VISIBLE_DEVICES"};
  std::vector<DeviceInfo> out;
  for (int i = 0; i < count; ++i) {
    Device device = 0;
    if (d.device_get(&device, i) == success) out.push_back(read(d, i, device));
  }
  return out;
}

Result<DeviceInfo> device_at(int ordinal) {
  auto all = devices();
  if (!all) return all.failure<DeviceInfo>();
  for (const DeviceInfo& info : *all)
    if (info.ordinal == ordinal) return info;
  return Unavailable{"no CUDA device " + std::to_string(ordinal),
                     "this machine has " + std::to_string(all->size()) + ", numbered from 0"};
}

nlohmann::json to_json(const DeviceInfo& i) {
  return {{"ordinal", i.ordinal},
          {"name", i.name},
          {"arch", i.arch},
          {"memory_bytes", i.memory_bytes},
          {"sm_count", i.sm_count},
          {"l2_bytes", i.l2_bytes},
          {"shared_optin_bytes", i.shared_optin_bytes},
          {"clock_khz", i.clock_khz},
          {"memory_clock_khz", i.memory_clock_khz},
          {"memory_bus_bits", i.memory_bus_bits},
          {"clusters", i.clusters},
          {"driver", i.driver},
          {"uuid", i.uuid}};
}

} // namespace aicf::cuda
