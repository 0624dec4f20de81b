// The device's heap, for malloc and free in kernels. Freed memory stays known and is never given again, so that a use
// after free is found. Thread-safe.
#pragma once
#include "core/exec/emulator/address_space.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

namespace aicf::emulator {

class Heap {
 public:
  static constexpr std::uint64_t limit = std::uint64_t{8} << 20; ///< bytes, as cudaLimitMallocHeapSize is at first
  enum class State : std::uint8_t { unknown, live, freed };
  struct Found {
    State state = State::unknown;
    std::byte* host = nullptr; ///< of live memory that holds the whole access
    std::uint64_t offset = 0, bytes = 0;
  };

  [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes); ///< 0: no room
  /// What was there before: only `live` memory, given by its first address, is freed.
  State release(std::uint64_t address);
  [[nodiscard]] Found find(std::uint64_t address, std::uint64_t bytes) const;

 private:
  struct Block {
    std::unique_ptr<std::byte[]> memory;
    std::uint64_t bytes = 0;
    bool freed = false;
  };
  mutable std::mutex mutex_;
  std::map<std::uint64_t, Block> blocks_;
  std::uint64_t next_ = heap_base, used_ = 0;
};

} // namespace aicf::emulator
