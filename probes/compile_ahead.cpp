#include "probes/compile_ahead.hpp"

#include <algorithm>

namespace aicf::probes {
namespace {

Hash key_of(const KernelModule& module) {
  std::string text = module.arch + "\n" + module.entry + "\n" + module.cuda_source;
  for (const std::string& option : module.options) text += "\n" + option;
  return sha256(text);
}

} // namespace

CompileAhead::CompileAhead() {
  const unsigned count = std::clamp(std::thread::hardware_concurrency(), 1U, 16U);
  for (unsigned i = 0; i < count; ++i)
    workers_.emplace_back([this](const std::stop_token& stop) {
      for (;;) {
        std::packaged_task<Result<Compiled>()> task;
        {
          std::unique_lock lock(mutex_);
          if (!more_.wait(lock, stop, [this] { return !waiting_.empty(); })) return;
          if (stop.stop_requested()) return;
          task = std::move(waiting_.front());
          waiting_.pop_front();
        }
        task();
      }
    });
}

CompileAhead::~CompileAhead() {
  for (std::jthread& worker : workers_) worker.request_stop();
}

void CompileAhead::queue(const KernelModule& module) {
  const std::lock_guard lock(mutex_);
  const Hash key = key_of(module);
  if (known_.contains(key)) return;
  std::packaged_task<Result<Compiled>()> task([module] { return compile(module); });
  known_[key] = task.get_future().share();
  waiting_.push_back(std::move(task));
  more_.notify_one();
}

Result<Compiled> CompileAhead::get(const KernelModule& module) {
  Done done;
  {
    const std::lock_guard lock(mutex_);
    if (auto found = known_.find(key_of(module)); found != known_.end()) done = found->second;
  }
  return done.valid() ? done.get() : compile(module);
}

} // namespace aicf::probes
