// What cost estimates take a device to be. Without priors these are round numbers of no one device; usable priors of a
// hardware profile (core/evidence/priors.hpp) take their places one by one.
#pragma once
#include "core/evidence/priors.hpp"

#include <span>
#include <string>
#include <vector>

namespace aicf {

struct MachineModel {
  double multiprocessors = 100;
  double memory_rate = 2000;       ///< bytes a nanosecond, read plus written
  double in_flight = 16e3;         ///< bytes that a multiprocessor must have asked for to reach that rate
  double reread = 0.5;             ///< time of a byte read again from L2, of one from memory 1
  double issue = 190;              ///< instructions of a lane that a multiprocessor issues a nanosecond
  double block_meeting = 40;       ///< nanoseconds of a barrier of 256 threads and what is exchanged around it
  double cluster_meeting = 300;    ///< the same of a cluster
  double second_kernel = 3000;     ///< nanoseconds from the end of one kernel to the first bytes of the next
  double library_exp = 6;          ///< instructions of the library's exponential beyond those of ex2.approx
  double library_erf = 4;          ///< of its error function beyond those of a polynomial
  double streaming = 1.04;         ///< time of a kernel whose stores are evicted first, of plain ones 1
  std::vector<std::string> priors; ///< ids of those that took a place; empty: nominal
};

/// The nominal machine with what usable priors say in place of its numbers; `multiprocessors` of the device where it is
/// positive.
[[nodiscard]] MachineModel machine_model(std::span<const PriorState> priors, double multiprocessors = 0);

} // namespace aicf
