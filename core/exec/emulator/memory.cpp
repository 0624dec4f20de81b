#include "core/exec/emulator/memory.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace aicf::emulator {

Memory::Memory(std::vector<Allocation> allocations) : allocations_(std::move(allocations)) {
  for (const auto& a : allocations_)
    while ((std::uint64_t{1} << shift_) < a.bytes + 4096) ++shift_;
  for (const auto& a : allocations_) tracks_ = tracks_ || a.written != nullptr;
}

void Memory::mark_written(std::uint64_t address, std::uint64_t bytes) const {
  const std::uint64_t at = address - global_base, slot = at >> shift_;
  if (slot >= allocations_.size() || allocations_[slot].written == nullptr) return;
  std::memset(allocations_[slot].written + (at & ((std::uint64_t{1} << shift_) - 1)), 1, bytes);
}

std::uint64_t Memory::unwritten(std::uint64_t address, std::uint64_t bytes) const {
  const std::uint64_t at = address - global_base, slot = at >> shift_;
  if (slot >= allocations_.size() || allocations_[slot].written == nullptr) return bytes;
  const std::uint8_t* from = allocations_[slot].written + (at & ((std::uint64_t{1} << shift_) - 1));
  const void* none = std::memchr(from, 0, bytes);
  return none == nullptr ? bytes : static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(none) - from);
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
