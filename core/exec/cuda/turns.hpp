// Copies of a run's buffers, so far apart that a run finds nothing in L2 of the ones before it.
#pragma once
#include "core/exec/cuda/session.hpp"

#include <span>
#include <string>
#include <vector>

namespace aicf::cuda {

/// Turn 0 is the buffers themselves, each further one a copy of all of them. Runs that take them in turn touch, between
/// two uses of the same ones, at least twice the L2, if each goes through all of its buffers.
class TurnsApart {
 public:
  /// How many turns buffers of so many bytes together need.
  [[nodiscard]] static std::size_t needed(std::size_t bytes, std::size_t l2_bytes);

  /// Throws CallFailed: error_out_of_memory where the device has no room for the copies.
  TurnsApart(Session& session, std::span<const GuardedMemory> buffers);

  [[nodiscard]] const std::vector<DevicePointer>& at(std::size_t turn) const { return turns[turn % turns.size()]; }
  [[nodiscard]] const std::string& text() const { return how; } ///< for a metric's method

 private:
  std::vector<GuardedMemory> copies; ///< one piece
  std::vector<std::vector<DevicePointer>> turns;
  std::string how;
};

} // namespace aicf::cuda
