#include "core/exec/cuda/cuda_backend.hpp"

#include "core/exec/cuda/counting.hpp"
#include "core/exec/cuda/power.hpp"
#include "core/exec/cuda/session.hpp"
#include "core/exec/cuda/timing.hpp"
#include "core/exec/cuda/turns.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
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
    if (result.status == RunResult::Status::ok && options.power_seconds > 0) weigh(result);
    if (result.status == RunResult::Status::ok && options.counters) count(result); // after all times
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
    if (options.repetitions <= 0 && !options.counters) return;
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
    const std::vector<std::vector<DevicePointer>> turns = places();
    const auto point = [&](std::size_t turn) {
      for (Kernel& kernel : kernels) kernel.point(turns[turn % turns.size()]);
    };
    TimingRequest request;
    request.run = [&](std::size_t turn) {
      point(turn);
      for (Kernel& kernel : kernels) kernel.launch();
    };
    request.launches = static_cast<int>(kernels.size());
    std::optional<LaunchGraph> graph; // holds the buffers of one turn
    if (options.graph) {
      graph.emplace(session, [&] { request.run(0); });
      request.run = [&](std::size_t) { graph->launch(); };
      request.launches = 1;
    }
    const ClockReader reader(session.bus_id());
    request.clocks = [&] { return reader.read(); };
    poison_results();
    request.restores = restores;
    request.repetitions = options.repetitions;
    request.cold = options.cold;
    std::optional<TurnsApart> apart;
    if (options.cold_batch) request.apart = [&] { return runs_apart(apart); };
    result.metrics = time_runs(session, request, stop);
    if (!result.metrics.empty()) {
      point(0);
      return look_at_results(result);
    }
    result.status = stop.stop_requested() ? RunResult::Status::cancelled : RunResult::Status::lost;
  }

  Apart runs_apart(std::optional<TurnsApart>& turns) {
    if (!restores.empty()) return {{}, "a run changes what it reads, and the copies that bring it back would be timed"};
    if (options.graph) return {{}, "a graph keeps the buffers it was made with"};
    try {
      turns.emplace(session, memory);
    } catch (const CallFailed& e) {
      if (e.code != error_out_of_memory) throw;
      return {{}, "the device has no room for copies of the buffers"};
    }
    return {[this, &turns](std::size_t turn) {
              for (Kernel& kernel : kernels) kernel.point(turns->at(turn));
              for (Kernel& kernel : kernels) kernel.launch();
            },
            turns->text()};
  }

  void weigh(RunResult& result) {
    const ClockReader reader(session.bus_id());
    PowerRequest request;
    request.run = [&] {
      for (Kernel& kernel : kernels) kernel.launch();
    };
    request.seconds = options.power_seconds;
    request.millijoules = [&] { return reader.millijoules(); };
    request.watts = [&] { return reader.watts(); };
    request.now = [] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };
    add(measure_power(session, request, stop), result);
  }

  /// Nothing was measured where the run was stopped or the device lost.
  void add(std::vector<Metric> metrics, RunResult& result) const {
    if (metrics.empty()) result.status = stop.stop_requested() ? RunResult::Status::cancelled : RunResult::Status::lost;
    result.metrics.insert(result.metrics.end(), std::make_move_iterator(metrics.begin()),
                          std::make_move_iterator(metrics.end()));
  }

  /// Where the buffers lie, at each turn: what is only read has two copies where they take little of the device, so
  /// that no run finds what the one before it read.
  std::vector<std::vector<DevicePointer>> places() {
    std::set<std::size_t> read, written;
    each_tensor(
        [&](const Arg& arg, std::size_t buffer) { (arg.role == Arg::Role::input ? read : written).insert(buffer); });
    std::vector<DevicePointer> first;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < memory.size(); ++i) {
      first.push_back(memory[i].address());
      if (read.contains(i) && !written.contains(i)) bytes += memory[i].size();
    }
    if (bytes > session.info.memory_bytes / 8) return {first};
    std::vector<DevicePointer> second = first;
    for (std::size_t i : read) {
      if (written.contains(i) || memory[i].size() == 0) continue;
      try {
        originals.emplace_back(session, memory[i].size());
      } catch (const CallFailed& e) {
        if (e.code != error_out_of_memory) throw;
        return {first};
      }
      second[i] = originals.back().address();
      copy(second[i], first[i], memory[i].size());
    }
    return {first, second};
  }

  template <class F> void each_result(F visit) {
    std::set<std::size_t> results;
    each_tensor([&](const Arg& arg, std::size_t buffer) {
      if (arg.role == Arg::Role::output || arg.role == Arg::Role::inout) results.insert(buffer);
    });
    for (std::size_t i : results)
      if (memory[i].size() > 0) visit(i);
  }
  static constexpr unsigned char poison = 0xc3;

  /// The first run's results are with the caller: what timed runs leave must be their own.
  void poison_results() {
    each_result([&](std::size_t i) {
      session.check(session.driver.fill(memory[i].address(), poison, memory[i].size()), "cuMemsetD8");
    });
  }
  void look_at_results(RunResult& result) {
    std::size_t differing = 0;                                  // bytes
    std::vector<std::pair<std::size_t, std::size_t>> untouched; // buffer, offset of a word
    each_result([&](std::size_t i) {
      std::vector<std::byte> timed(memory[i].size());
      memory[i].download(timed);
      const std::span<const std::byte> first = buffers[i].bytes;
      if (std::memcmp(timed.data(), first.data(), timed.size()) == 0) return;
      for (std::size_t at = 0; at < timed.size(); at += word) {
        const std::size_t end = std::min(at + word, timed.size());
        std::size_t others = 0;
        for (std::size_t b = at; b < end; ++b) others += timed[b] != first[b] ? 1 : 0;
        if (others == 0) continue;
        if (poisoned(timed, at))
          untouched.emplace_back(i, at);
        else
          differing += others;
      }
    });
    if (std::size_t missed = missing_words(untouched, result); missed > 0) {
      result.metrics.clear(); // times of something else
      result.status = RunResult::Status::faulted;
      result.faults.push_back(
          {.kind = "not-written-when-timed",
           .kernel = kernels.front().name,
           .message =
               std::to_string(missed) + " words of the results are written by a run, and were not by the timed ones"});
      return;
    }
    result.metrics.push_back(exact_metric("timed_result.differing", "bytes", static_cast<double>(differing),
                                          "of the last timed run's results, against the first run's"));
  }
  static constexpr std::size_t word = 4;
  static bool poisoned(std::span<const std::byte> bytes, std::size_t at) {
    const auto some = bytes.subspan(at, std::min(word, bytes.size() - at));
    return std::all_of(some.begin(), some.end(), [](std::byte b) { return b == std::byte{poison}; });
  }
  /// Of these words, those that a run of the kernels does write: it need not write all of a buffer.
  std::size_t missing_words(const std::vector<std::pair<std::size_t, std::size_t>>& words, RunResult& result) {
    if (words.empty()) return 0;
    poison_results();
    for (const Restore& r : restores) copy(r.to, r.from, r.bytes);
    for (Kernel& kernel : kernels) kernel.launch();
    if (!finished(kernels.back(), result)) return 0;
    std::map<std::size_t, std::vector<std::byte>> again;
    std::size_t missed = 0;
    for (auto [i, at] : words) {
      auto [bytes, fresh] = again.try_emplace(i, memory[i].size());
      if (fresh) memory[i].download(bytes->second);
      missed += poisoned(bytes->second, at) ? 0 : 1;
    }
    return missed;
  }

  /// Each kernel is run several times: what it writes is kept beside, and brought back before each.
  void count(RunResult& result) {
    std::set<std::size_t> written;
    each_tensor([&](const Arg& arg, std::size_t buffer) {
      if (arg.role != Arg::Role::input && memory[buffer].size() > 0) written.insert(buffer);
    });
    std::vector<GuardedMemory> beside;
    std::vector<Restore> back;
    for (std::size_t i : written) {
      beside.emplace_back(session, memory[i].size());
      back.push_back({memory[i].address(), beside.back().address(), memory[i].size()});
    }
    CountingRequest request;
    for (Kernel& kernel : kernels) {
      request.kernels.emplace_back([&kernel] { kernel.launch(); });
      request.entries.push_back(kernel.name);
    }
    request.begin = [&] {
      for (const Restore& r : restores) copy(r.to, r.from, r.bytes);
    };
    request.keep = [&] {
      for (const Restore& r : back) copy(r.from, r.to, r.bytes);
    };
    request.before = [&] {
      for (const Restore& r : back) copy(r.to, r.from, r.bytes);
    };
    add(count_kernels(session, request, stop), result);
  }
  void copy(DevicePointer to, DevicePointer from, std::size_t bytes) {
    session.check(session.driver.copy_async(to, from, bytes, session.stream), "cuMemcpyDtoDAsync");
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
