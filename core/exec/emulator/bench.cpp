#include "core/exec/emulator/bench.hpp"

#include "core/exec/emulator/decode.hpp"
#include "core/exec/emulator/emulator.hpp"
#include "core/exec/emulator/lower.hpp"
#include "core/exec/emulator/machine.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <thread>

namespace aicf {
namespace {

constexpr const char* softmax_ptx =
#include "core/exec/emulator/bench_softmax.inl"
    ;
constexpr std::int64_t columns = 4096;

double seconds(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// The softmax over so many rows, with checks and counters: thread instructions a second of `clock`, best of `runs`.
double softmax_rate(unsigned workers, std::int64_t rows, clockid_t clock, int runs) {
  std::vector<std::byte> x(static_cast<std::size_t>(rows * columns * 2)), y(x.size());
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
  EmulatorBackend backend(workers);
  double best = 0;
  for (int run = 0; run < runs; ++run) {
    const double start = seconds(clock);
    const auto result = backend.run({&call, 1}, buffers, options, {});
    const double took = seconds(clock) - start;
    if (!result || !result->faults.empty()) throw std::logic_error("the emulator's own softmax does not run");
    for (const Metric& m : result->metrics)
      if (m.id == "thread_instructions") best = std::max(best, m.value / took);
  }
  return best;
}

/// The arithmetic within loops: operations between a branch and the earlier place that it goes to.
std::vector<emulator::Op> loop_arithmetic(const emulator::Program& program) {
  using emulator::Code;
  std::vector<bool> inside(program.ops.size());
  for (std::size_t pc = 0; pc < program.ops.size(); ++pc)
    if (program.ops[pc].code == Code::branch && program.ops[pc].aux <= pc)
      std::fill(inside.begin() + program.ops[pc].aux, inside.begin() + static_cast<std::ptrdiff_t>(pc), true);
  std::vector<emulator::Op> ops;
  for (std::size_t pc = 0; pc < program.ops.size(); ++pc)
    if (inside[pc] && emulator::lane_info(program.ops[pc].code) != nullptr) ops.push_back(program.ops[pc]);
  return ops;
}

double bare_loop_rate() {
  const auto program = emulator::decode(softmax_ptx, "softmax");
  if (!program) throw std::logic_error("the emulator's own softmax is not decoded");
  const auto ops = loop_arithmetic(*program);
  // Every register 1: nothing is subnormal, infinite or NaN for long.
  std::vector<float> storage((program->frame_bytes + program->constant_bytes) / sizeof(float) + 32, 1.0F);
  auto* frame = reinterpret_cast<emulator::u8*>(storage.data());
  frame += (64 - reinterpret_cast<std::uintptr_t>(frame) % 64) % 64;
  emulator::u8* constants = frame + program->frame_bytes;
  for (std::size_t n = 0; n < program->constants.size(); ++n) {
    const emulator::Constant& c = program->constants[n];
    for (std::size_t lane = 0; c.kind == emulator::Constant::Kind::value && lane < emulator::lanes; ++lane) {
      const std::size_t bytes = c.wide ? 8 : 4;
      std::memcpy(constants + program->constant_offset[n] + lane * bytes, &c.value, bytes);
    }
  }
  constexpr emulator::u64 rounds = 20'000;
  double best = 0;
  for (int run = 0; run < 9; ++run) {
    const double start = seconds(CLOCK_THREAD_CPUTIME_ID);
    emulator::run_bare()(ops, frame, constants, rounds);
    const double took = seconds(CLOCK_THREAD_CPUTIME_ID) - start;
    best = std::max(best, static_cast<double>(ops.size() * rounds * emulator::lanes) / took);
  }
  return best;
}

} // namespace

EmulatorSpeed emulator_speed() {
  EmulatorSpeed speed;
  speed.vectors = emulator::vector_extension();
  speed.thread_instructions_per_s = softmax_rate(1, 64, CLOCK_THREAD_CPUTIME_ID, 9);
  speed.bare_loop_per_s = bare_loop_rate();
  const unsigned processors = std::max(1U, std::thread::hardware_concurrency());
  for (unsigned n = 1; n <= processors; n *= 2)
    speed.by_cores.push_back({n, softmax_rate(n, std::int64_t{128} * n, CLOCK_MONOTONIC, 5),
                              softmax_rate(n, std::int64_t{128} * n, CLOCK_PROCESS_CPUTIME_ID, 5)});
  return speed;
}

} // namespace aicf
