// What global addresses mean: buffers of the caller and variables of the module, one slot each (address_space.hpp).
#pragma once
#include "core/exec/emulator/address_space.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace aicf::emulator {

struct Allocation {
  std::string name; ///< as in messages: "buffer 'x'"
  std::byte* host = nullptr;
  std::uint64_t bytes = 0;
  bool read_only = false;
  std::uint8_t* written = nullptr; ///< one a byte: whether anything was written there; null: all of it has a value
};

class Memory {
 public:
  /// Slots are powers of two with at least 4 KiB between two allocations; bases are multiples of 4 KiB.
  explicit Memory(std::vector<Allocation> allocations);
  [[nodiscard]] std::uint64_t address_of(std::size_t index) const {
    return global_base + (std::uint64_t{index} << shift_);
  }
  /// Host address of `bytes` bytes at `address`; null when they do not lie in one allocation.
  [[nodiscard]] std::byte* find(std::uint64_t address, std::uint64_t bytes) const {
    const std::uint64_t at = address - global_base, slot = at >> shift_;
    if (slot >= allocations_.size()) return nullptr;
    const std::uint64_t offset = at & ((std::uint64_t{1} << shift_) - 1);
    const Allocation& a = allocations_[slot];
    return bytes <= a.bytes && offset <= a.bytes - bytes ? a.host + offset : nullptr;
  }
  [[nodiscard]] bool read_only(std::uint64_t address) const {
    const std::uint64_t slot = (address - global_base) >> shift_;
    return slot < allocations_.size() && allocations_[slot].read_only;
  }
  /// Whether any allocation has bytes without a value.
  [[nodiscard]] bool tracks() const { return tracks_; }
  void mark_written(std::uint64_t address, std::uint64_t bytes) const; ///< of one allocation
  /// The first of these bytes of one allocation that nothing was written to; `bytes`: all have a value.
  [[nodiscard]] std::uint64_t unwritten(std::uint64_t address, std::uint64_t bytes) const;
  /// "x + 4096 (buffer 'x' has 4096 bytes)", or that the address belongs to nothing.
  [[nodiscard]] std::string describe(std::uint64_t address) const;

 private:
  std::vector<Allocation> allocations_;
  unsigned shift_ = 13;
  bool tracks_ = false;
};

} // namespace aicf::emulator
