// The CUDA device as a Backend: driver API alone, loaded at run time.
//
// A run copies the buffers to the device, launches the calls in order and copies everything back. With `checks`, memory
// beyond a buffer is guarded by zones that are looked at after each call: a write there is a Fault "out-of-bounds"
// (reads there, and writes further away, are the emulator's to find). What the device itself reports is a Fault
// "device-error"; a launch that it refuses is "launch-refused", one that does not end within a minute is "too-long".
//
// Only the first of these leaves the process with a context that works no more, as does a cancelled run whose kernel
// would not end: `run` then says so each time, and the worker process should be started again.
// With `repetitions` the whole of the calls is timed as well (core/exec/cuda/timing.hpp says how), after the run whose
// results are given back; buffers with the role inout or workspace begin each timed run as they began the first, and
// what is only read lies at another address every other cold run. Results are poisoned before, and compared with the
// first run's after: `timed_result.differing` (bytes; other orders of summation differ), and a Fault
// "not-written-when-timed" where the poison still stands. With `counters` the kernels are then run again under CUPTI
// (core/exec/cuda/counting.hpp), after all times were taken. One thread at a time.
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/exec/backend.hpp"

#include <memory>

namespace aicf {

/// Unavailable without a driver or without that device.
[[nodiscard]] Result<std::unique_ptr<Backend>> make_cuda(int ordinal = 0);

namespace cuda {
/// Whether a context of this process works no more: then the process has had its time.
[[nodiscard]] bool context_was_lost();
} // namespace cuda

} // namespace aicf
