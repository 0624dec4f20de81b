#include "core/exec/emulator/heap.hpp"

#include <cstring>

namespace aicf::emulator {

std::uint64_t Heap::allocate(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  if (bytes > limit - used_ || blocks_.size() >= limit / 16) return 0;
  Block b{std::make_unique<std::byte[]>(bytes == 0 ? 1 : bytes), bytes, false};
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
