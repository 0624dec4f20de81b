// What a backend runs: generated kernels, probes and a user's own .cu are one type, and no backend knows a plan.
#pragma once
#include "core/base/diagnostic.hpp"
#include "core/base/dtype.hpp"
#include "core/base/metric.hpp"
#include "core/exec/line_counters.hpp"
#include "core/kernel/module.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace aicf {

/// What the compiler made of a KernelModule.
struct Compiled {
  std::string ptx;
  std::vector<std::byte> cubin;
  int registers = 0;    ///< a thread
  int shared_bytes = 0; ///< static, a block
  int spill_bytes = 0;  ///< stores plus loads
  std::string log;
};

struct Fault {
  std::string kind; ///< "out-of-bounds" "misaligned" "uninitialised-shared" "shared-race" "step-limit" "unsupported" …
  std::string kernel, message;
  std::array<unsigned, 3> block{}, thread{};
  int ptx_line = 0, cuda_line = 0; ///< 0: not known
  std::uint64_t address = 0;
};

struct RunOptions {
  bool counters = false, checks = true;
  std::uint64_t step_limit = 0;       ///< warp instructions a launch; 0: the backend's default
  std::uint64_t block_order_seed = 0; ///< 0: ascending
  int repetitions = 0;                ///< > 0: time that many runs where the backend can
  bool cold = true;                   ///< flush L2 before each timed run
  bool cold_batch = false;            ///< where such a run is short: several between two events too, each cold
  bool graph = false;                 ///< timed runs are launches of one graph that all calls were captured in
  double power_seconds = 0;           ///< > 0: on a device, its power while the calls run for so long
};

struct RunResult {
  enum class Status { ok, faulted, cancelled, lost } status = Status::ok;
  std::vector<Fault> faults;
  std::vector<Metric> metrics;
  std::vector<LineCounters> lines; ///< by call and PTX line, where the backend can and counters were asked for
  std::string printed;             ///< what printf of the kernels wrote
};

/// A view of caller-owned memory. Strides in elements.
struct Buffer {
  std::span<std::byte> bytes;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape, strides;
};

/// One launch. `dims` binds every name in the module's launch and shape expressions; `buffers[i]` is the index of the
/// buffer for the i-th non-scalar argument; `scalars` holds the scalar arguments by name.
struct Call {
  KernelModule module;
  Compiled compiled;
  std::map<std::string, std::int64_t> dims;
  std::map<std::string, double> scalars;
  std::vector<std::size_t> buffers;
};

class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual std::string id() const = 0; ///< "emulator" | "cuda"
  /// Runs the calls in order on `buffers`, which are read and written in place. Never throws for what a kernel does:
  /// that is a Fault. Bad arguments are diagnostics. Polls `stop`.
  virtual Result<RunResult> run(std::span<const Call> calls, std::span<Buffer> buffers, const RunOptions& options,
                                std::stop_token stop) = 0;
};

} // namespace aicf
