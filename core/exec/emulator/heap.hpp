// The device's heap, for malloc and free in kernels. Freed memory stays known and is never given again, so that a use
// after free is found. Thread-safe.
#pragma once
#include "core/exec/emulator/address_space.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

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
  static constexpr std::size_t classes = 24; ///< sizes are powers of two
  [[nodiscard]] static std::size_t class_of(std::uint64_t bytes) {
    return bytes <= 1 ? 0 : static_cast<std::size_t>(std::bit_width(bytes - 1));
  }
  std::unique_ptr<std::byte[]> spare(std::uint64_t bytes);
  std::array<std::vector<std::unique_ptr<std::byte[]>>, classes> spare_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, Block> blocks_;
  std::uint64_t next_ = heap_base, used_ = 0;
};

} // namespace aicf::emulator
