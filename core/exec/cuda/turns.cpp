#include "core/exec/cuda/turns.hpp"

namespace aicf::cuda {
namespace {

constexpr std::size_t alignment = 512;
std::size_t padded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }
std::string mib(std::size_t bytes) { return std::to_string(bytes >> 20U) + " MiB"; }

} // namespace

std::size_t TurnsApart::needed(std::size_t bytes, std::size_t l2_bytes) {
  return bytes == 0 ? 1 : 1 + (2 * l2_bytes + bytes - 1) / bytes;
}

TurnsApart::TurnsApart(Session& session, std::span<const GuardedMemory> buffers) {
  std::size_t bytes = 0, one = 0; // of a turn, without and with what lies between
  std::vector<DevicePointer> first;
  for (const GuardedMemory& buffer : buffers) {
    first.push_back(buffer.address());
    bytes += buffer.size();
    one += padded(buffer.size());
  }
  const std::size_t count = needed(bytes, static_cast<std::size_t>(session.info.l2_bytes));
  how = std::to_string(count) + " copies of all buffers (" + mib(bytes) +
        " each) in turn, so that between two uses of one " + mib((count - 1) * bytes) +
        " of others go through an L2 of " + mib(static_cast<std::size_t>(session.info.l2_bytes));
  turns.push_back(first);
  if (count == 1) return;
  copies.emplace_back(session, (count - 1) * one);
  DevicePointer next = copies.back().address();
  for (std::size_t turn = 1; turn < count; ++turn) {
    turns.emplace_back();
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      turns.back().push_back(next);
      if (buffers[i].size() > 0)
        session.check(session.driver.copy_async(next, first[i], buffers[i].size(), session.stream),
                      "cuMemcpyDtoDAsync");
      next += padded(buffers[i].size());
    }
  }
}

} // namespace aicf::cuda
