#include "core/exec/emulator/heap.hpp"

#include <algorithm>
#include <cstring>

namespace aicf::emulator {

/// Memory of at least so many bytes. What was freed is kept and given again, under another address: a block that uses
/// it after another has freed it finds memory, whatever it holds.
std::unique_ptr<std::byte[]> Heap::spare(std::uint64_t bytes) {
  auto& kept = spare_[class_of(bytes)];
  if (kept.empty()) return std::make_unique<std::byte[]>(std::size_t{1} << class_of(bytes));
  auto memory = std::move(kept.back());
  kept.pop_back();
  return memory;
}

std::uint64_t Heap::allocate(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  if (bytes > limit - used_) return 0;
  while (blocks_.size() >= limit / 16) { // the oldest of those that were freed is forgotten
    const auto old = std::find_if(blocks_.begin(), blocks_.end(), [](const auto& b) { return b.second.freed; });
    if (old == blocks_.end()) return 0;
    blocks_.erase(old);
  }
  Block b{spare(bytes), bytes, false};
  std::memset(b.memory.get(), 0xff, bytes);
  const std::uint64_t address = next_;
  next_ += (bytes + 255) / 256 * 256 + 256; // a gap, so that an overrun meets nothing
  used_ += bytes;
  blocks_.emplace(address, std::move(b));
  return address;
}

Heap::State Heap::release(std::uint64_t address) {
  const std::scoped_lock lock(mutex_);
  const auto it = blocks_.find(address);
  if (it == blocks_.end()) return State::unknown;
  if (it->second.freed) return State::freed;
  it->second.freed = true;
  spare_[class_of(it->second.bytes)].push_back(std::move(it->second.memory));
  used_ -= it->second.bytes;
  return State::live;
}

Heap::Found Heap::find(std::uint64_t address, std::uint64_t bytes) const {
  const std::scoped_lock lock(mutex_);
  auto it = blocks_.upper_bound(address);
  if (it == blocks_.begin()) return {};
  --it;
  const Block& b = it->second;
  Found f{b.freed ? State::freed : State::live, nullptr, address - it->first, b.bytes};
  if (f.offset >= b.bytes + 256) return {};
  if (!b.freed && bytes <= b.bytes && f.offset <= b.bytes - bytes) f.host = b.memory.get() + f.offset;
  return f;
}

} // namespace aicf::emulator
