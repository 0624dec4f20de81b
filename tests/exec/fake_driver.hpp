// A CUDA driver played in host memory, for the backend's own logic: allocations whose bounds are checked, kernels that
// are host functions, a clock that each queued operation moves, and errors on demand. One at a time in a process.
#pragma once
#include "core/exec/cuda/session.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace aicf::fake {

struct Kernel {
  /// Reads `parameters` as CUDA does: a pointer to each argument. Returns the launch's CUresult.
  std::function<int(const cuda::LaunchConfig&, void** parameters)> body;
  double microseconds = 10;
  std::size_t parameters = 0;                                       // how many a captured launch has to keep
  int static_shared = 0, asked_dynamic = 0, asked_non_portable = 0; // the last two: what cuFuncSetAttribute was given
};

struct State {
  std::map<std::string, Kernel> kernels; // by entry name; a Call's ptx is not looked at
  std::map<cuda::DevicePointer, std::size_t> allocations;
  double now_us = 0;
  int queries_until_done = 0;        // how many times the stream is still busy when asked
  int stream_error = 0;              // what the stream reports from the next launch on
  bool dead = false;                 // after a sticky error every call fails with it
  std::map<int, std::uintptr_t> jit; // the options of the last module that was loaded
  int frees = 0, fills = 0, launches = 0, calls_after_death = 0;
  bool capturing = false;
  int graphs = 0, graph_launches = 0; // graphs: those that live, instantiated ones too
  std::size_t most_memory = std::size_t{1} << 40U;
  std::vector<std::string> complaints; // uses that a real driver would have punished
};

State& state();
/// Fresh state.
void reset();
const cuda::Driver& driver();
/// An sm_90 with a small L2.
cuda::DeviceInfo device();

} // namespace aicf::fake
