// Kernels compiled on threads of their own before anybody waits for them.
#pragma once
#include "core/exec/nvrtc.hpp"

#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <thread>

namespace aicf::probes {

class CompileAhead {
 public:
  CompileAhead();
  ~CompileAhead(); ///< what has not begun is dropped
  CompileAhead(const CompileAhead&) = delete;
  CompileAhead& operator=(const CompileAhead&) = delete;

  void queue(const KernelModule& module);
  /// Waits for it, or compiles it here when it was not queued.
  [[nodiscard]] Result<Compiled> get(const KernelModule& module);

 private:
  using Done = std::shared_future<Result<Compiled>>;
  std::mutex mutex_;
  std::condition_variable_any more_;
  std::map<Hash, Done> known_;
  std::deque<std::packaged_task<Result<Compiled>()>> waiting_;
  std::vector<std::jthread> workers_;
};

} // namespace aicf::probes
