#include "core/exec/emulator/memory.hpp"

#include <algorithm>
#include <cstdio>

namespace aicf::emulator {

Memory::Memory(std::vector<Allocation> allocations) : allocations_(std::move(allocations)) {
  for (const auto& a : allocations_)
    while ((std::uint64_t{1} << shift_) < a.bytes + 4096) ++shift_;
}

std::string Memory::describe(std::uint64_t address) const {
  const std::uint64_t slot = (address - global_base) >> shift_;
  const std::uint64_t offset = (address - global_base) & ((std::uint64_t{1} << shift_) - 1);
  char text[64];
  std::snprintf(text, sizeof text, "address 0x%llx", static_cast<unsigned long long>(address));
  if (address < global_base || slot > allocations_.size() || allocations_.empty())
    return std::string(text) + (address < 4096 ? " (a null pointer)" : " (no allocation is near)");
  // The upper half of a slot is nearer to the next allocation: an access before its start.
  const bool before =
      slot == allocations_.size() ||
      (offset > (std::uint64_t{1} << (shift_ - 1)) && offset >= allocations_[slot].bytes &&
       slot + 1 < allocations_.size() && (std::uint64_t{1} << shift_) - offset < offset - allocations_[slot].bytes);
  if (before && slot == allocations_.size()) return std::string(text) + " (no allocation is near)";
  const Allocation& a = allocations_[before ? slot + 1 : slot];
  const std::string distance =
      before ? " - " + std::to_string((std::uint64_t{1} << shift_) - offset) : " + " + std::to_string(offset);
  return a.name + distance + " (it has " + std::to_string(a.bytes) + " bytes)";
}

} // namespace aicf::emulator
