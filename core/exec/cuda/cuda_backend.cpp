#include "core/exec/cuda/cuda_backend.hpp"

#include "core/exec/cuda/session.hpp"
#include "core/exec/cuda/timing.hpp"

#include <set>

namespace aicf {
namespace cuda {
namespace {

const char* const lost_text = "the CUDA context of this process works no more: start the worker process again";

/// One run: what lives on the device for its time, in an order such that kernels go before memory.
class Run {
 public:
  Run(Session& s, std::span<const Call> c, std::span<Buffer> b, const RunOptions& o, const std::stop_token& t)
      : session(s), calls(c), buffers(b), options(o), stop(t) {}

  /// Throws CallFailed; `current` then names the kernel.
  RunResult execute(std::vector<LaunchShape> shapes) {
    for (const Buffer& buffer : buffers) {
      memory.emplace_back(session, buffer.bytes.size());
      memory.back().upload(buffer.bytes);
    }
    for (std::size_t i = 0; i < calls.size(); ++i) {
      current = calls[i].module.entry;
      kernels.emplace_back(session, calls[i], std::move(shapes[i]), memory);
    }
    RunResult result;
    if (!once(result)) return result;
    current.clear();
    for (std::size_t i = 0; i < buffers.size(); ++i) memory[i].download(buffers[i].bytes);
    if (result.status == RunResult::Status::ok && options.repetitions > 0) time(result);
    return result;
  }

  std::string current;

 private:
  Session& session;
  std::span<const Call> calls;
  std::span<Buffer> buffers;
  const RunOptions& options;
  const std::stop_token& stop;
  std::vector<GuardedMemory> memory, originals;
  std::vector<Kernel> kernels;

  /// False when the run ended early: cancelled or lost.
  bool once(RunResult& result) {
    keep_originals();
    for (Kernel& kernel : kernels) {
      if (stop.stop_requested()) {
        result.status = RunResult::Status::cancelled;
        return false;
      }
      current = kernel.name;
      kernel.launch();
      if (!finished(kernel, result)) return false;
      if (options.checks) look_at_guards(kernel, result);
    }
    return true;
  }

  bool finished(const Kernel& kernel, RunResult& result) {
    switch (session.wait(stop)) {
    case Session::Waited::done: return true;
    case Session::Waited::cancelled: result.status = RunResult::Status::cancelled; return false;
    case Session::Waited::too_long: break;
    }
    result.status = RunResult::Status::lost;
    result.faults.push_back(
        {.kind = "too-long",
         .kernel = kernel.name,
         .message = std::string("did not end within a minute and cannot be stopped; ") + lost_text});
    return false;
  }

  void look_at_guards(const Kernel& kernel, RunResult& result) {
    for (std::size_t i = 0; i < memory.size(); ++i) {
      if (damaged.contains(i)) continue; // an earlier call's doing
      auto offset = memory[i].damage();
      if (!offset) continue;
      damaged.insert(i);
      const auto size = static_cast<std::int64_t>(memory[i].size());
      const std::string where = *offset < 0 ? std::to_string(-*offset) + " bytes before its begin"
                                            : std::to_string(*offset - size) + " bytes after its end";
      result.status = RunResult::Status::faulted;
      result.faults.push_back({.kind = "out-of-bounds",
                               .kernel = kernel.name,
                               .message = "wrote outside buffer " + std::to_string(i) + name_of(i) + ", " + where,
                               .address = memory[i].address() + static_cast<std::uint64_t>(*offset)});
    }
  }
  std::set<std::size_t> damaged;

  /// The argument that buffer `i` stands for, in the first call that has it.
  [[nodiscard]] std::string name_of(std::size_t i) const {
    std::string found;
    each_tensor([&](const Arg& arg, std::size_t buffer) {
      if (buffer == i && found.empty()) found = " ('" + arg.name + "')";
    });
    return found;
  }

  template <class F> void each_tensor(F visit) const {
    for (const Call& call : calls) {
      std::size_t next = 0;
      for (const Arg& arg : call.module.args)
        if (arg.role != Arg::Role::scalar) visit(arg, call.buffers[next++]);
    }
  }

  /// Copies of what a timed run must find as the first one found it.
  void keep_originals() {
    if (options.repetitions <= 0) return;
    std::set<std::size_t> changed;
    each_tensor([&](const Arg& arg, std::size_t buffer) {
      if (arg.role == Arg::Role::inout || arg.role == Arg::Role::workspace) changed.insert(buffer);
    });
    for (std::size_t i : changed) {
      if (memory[i].size() == 0) continue;
      originals.emplace_back(session, memory[i].size());
      originals.back().upload(buffers[i].bytes);
      restores.push_back({memory[i].address(), originals.back().address(), memory[i].size()});
    }
  }
  std::vector<Restore> restores;

  void time(RunResult& result) {
    TimingRequest request;
    request.run = [&] {
      for (Kernel& kernel : kernels) kernel.launch();
    };
    request.restores = restores;
    request.launches = static_cast<int>(kernels.size());
    request.repetitions = options.repetitions;
    request.cold = options.cold;
    result.metrics = time_runs(session, request, stop);
    if (!result.metrics.empty()) return;
    result.status = stop.stop_requested() ? RunResult::Status::cancelled : RunResult::Status::lost;
  }
};

class CudaBackend final : public Backend {
 public:
  CudaBackend(const Driver& driver, const DeviceInfo& info) : session(driver, info) {}
  [[nodiscard]] std::string id() const override { return "cuda"; }

  Result<RunResult> run(std::span<const Call> calls, std::span<Buffer> buffers, const RunOptions& options,
                        std::stop_token stop) override {
    std::vector<LaunchShape> shapes;
    std::vector<Diagnostic> errors;
    for (const Call& call : calls) {
      if (call.compiled.cubin.empty() && call.compiled.ptx.empty())
        errors.push_back(error("exec.not-compiled", "kernel '" + call.module.entry + "' is not compiled"));
      auto shape = marshal(call, buffers);
      errors.insert(errors.end(), shape.diagnostics.begin(), shape.diagnostics.end());
      if (shape) shapes.push_back(std::move(*shape));
    }
    if (!errors.empty()) return errors;
    if (session.lost()) return failed("device-error", {}, lost_text, RunResult::Status::lost);

    std::string kernel;
    try {
      session.enter();
      Run run(session, calls, buffers, options, stop);
      try {
        return run.execute(std::move(shapes));
      } catch (const CallFailed&) {
        kernel = run.current;
        throw;
      }
    } catch (const CallFailed& e) {
      return refused(e, kernel);
    }
  }

 private:
  Session session;

  static RunResult failed(std::string kind, std::string kernel, std::string message, RunResult::Status status) {
    RunResult result;
    result.status = status;
    result.faults.push_back({.kind = std::move(kind), .kernel = std::move(kernel), .message = std::move(message)});
    return result;
  }

  Result<RunResult> refused(const CallFailed& e, const std::string& kernel) const {
    if (session.lost())
      return failed("device-error", kernel,
                    std::string(e.what()) + "; " + lost_text + "; the emulator names the access and its line",
                    RunResult::Status::faulted);
    if (e.code == error_out_of_memory)
      return Unavailable{std::string("device memory: ") + e.what(),
                         "use smaller shapes, or free the device of other work"};
    return failed("launch-refused", kernel, e.what(), RunResult::Status::faulted);
  }
};

} // namespace

std::unique_ptr<Backend> make_backend(const Driver& driver, const DeviceInfo& device) {
  return std::make_unique<CudaBackend>(driver, device);
}

} // namespace cuda

Result<std::unique_ptr<Backend>> make_cuda(int ordinal) {
  using Made = std::unique_ptr<Backend>;
  auto loaded = cuda::driver();
  if (!loaded) return loaded.failure<Made>();
  auto info = cuda::device_at(ordinal);
  if (!info) return info.failure<Made>();
  try {
    return cuda::make_backend(**loaded, *info);
  } catch (const cuda::CallFailed& e) {
    return Unavailable{"device " + std::to_string(ordinal) + " (" + info->name + "): " + e.what(),
                       "check nvidia-smi: the device may be in use, in exclusive mode or in error"};
  }
}

} // namespace aicf
