#include "core/exec/emulator/bench.hpp"

#include "core/exec/emulator/emulator.hpp"

#include <algorithm>
#include <ctime>
#include <stdexcept>

namespace aicf {
namespace {

constexpr const char* softmax_ptx =
#include "core/exec/emulator/bench_softmax.inl"
    ;

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

} // namespace

double emulator_thread_instructions_per_s() {
  constexpr std::int64_t rows = 64, columns = 4096;
  std::vector<std::byte> x(rows * columns * 2), y(x.size());
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows * columns); ++i)
    store_element(DType::bf16, x.data(), i, static_cast<double>(i * 2654435761u % 1024) / 128 - 4);
  Call call;
  call.module.entry = "softmax";
  call.compiled.ptx = softmax_ptx;
  call.module.args = {{"x", Arg::Role::input, DType::bf16, {}, {}}, {"y", Arg::Role::output, DType::bf16, {}, {}}};
  call.module.dim_args = {"M", "N"};
  call.module.launch.grid[0].text = "M";
  call.module.launch.block[0].text = "128";
  call.dims = {{"M", rows}, {"N", columns}};
  call.buffers = {0, 1};
  std::vector<Buffer> buffers(2);
  buffers[0].bytes = x;
  buffers[1].bytes = y;
  RunOptions options;
  options.counters = true;
  EmulatorBackend backend(1);
  double best = 0;
  for (int run = 0; run < 5; ++run) {
    const double start = thread_seconds();
    const auto result = backend.run({&call, 1}, buffers, options, {});
    const double seconds = thread_seconds() - start;
    if (!result || !result->faults.empty()) throw std::logic_error("the emulator's own softmax does not run");
    for (const Metric& m : result->metrics)
      if (m.id == "thread_instructions") best = std::max(best, m.value / seconds);
  }
  return best;
}

} // namespace aicf
