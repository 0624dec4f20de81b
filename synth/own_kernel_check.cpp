#include "synth/own_kernel_check.hpp"

#include "core/evidence/evidence.hpp"
#include "core/exec/backends.hpp"
#include "core/exec/emulator/emulator.hpp"
#include "core/exec/reference.hpp"
#include "core/exec/timing_metrics.hpp"
#include "core/validate/compare.hpp"
#include "synth/planning.hpp"
#include "synth/variant.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>

namespace aicf {
namespace {

std::string coordinates(const std::array<unsigned, 3>& at) {
  return "(" + std::to_string(at[0]) + ", " + std::to_string(at[1]) + ", " + std::to_string(at[2]) + ")";
}

/// Runs a variant whose results begin as `poison` says, one buffer perhaps cut short.
class Probe {
 public:
  Probe(const StructureProfile& s, const Variant& v, const WrongElement& w, std::stop_token t)
      : structure(s), variant(v), wrong(w), stop(std::move(t)) {}

  struct Outcome {
    std::vector<std::byte> bytes; ///< of the wrong result
    std::vector<Fault> faults;
    std::uint64_t base = 0; ///< its address
  };
  /// The author's kernel alone. `shortened`: the result's buffer ends after so many bytes.
  std::optional<Outcome> run(unsigned char poison, std::optional<std::size_t> shortened) {
    auto inputs = make_inputs(*structure.canonical->source, wrong.problem, wrong.inputs, wrong.seed);
    if (!inputs) return std::nullopt;
    Variant own{variant.plan, {variant.modules.back()}, {variant.compiled.back()}};
    VariantMemory memory;
    auto calls = calls_of(structure, own, wrong.problem, *inputs, memory);
    auto place = memory.place.find(wrong.output);
    if (!calls || place == memory.place.end()) return std::nullopt;
    for (const Arg& arg : own.modules.front().args) {
      if (arg.role != Arg::Role::output && arg.role != Arg::Role::inout) continue;
      auto& bytes = memory.tensors[memory.place.at(arg.name)].bytes;
      if (!bytes.empty()) std::memset(bytes.data(), arg.role == Arg::Role::inout ? 0 : poison, bytes.size());
    }
    std::vector<Buffer> buffers = memory.buffers();
    Buffer& result = buffers[place->second];
    if (shortened) result.bytes = result.bytes.first(std::min(*shortened, result.bytes.size()));
    auto base = EmulatorBackend::address_of(calls->front(), buffers, place->second);
    EmulatorBackend emulator(1); // one worker: blocks in order, so the first fault is of the first block
    auto run = emulator.run(*calls, buffers, {}, stop);
    if (!run || !base) return std::nullopt;
    return Outcome{memory.tensors[place->second].bytes, std::move(run->faults), *base};
  }

 private:
  const StructureProfile& structure;
  const Variant& variant;
  const WrongElement& wrong;
  std::stop_token stop;
};

class Inquiry {
 public:
  Inquiry(const OwnKernel& k, const OwnKernelRequest& r, const OwnKernelJudging& h, std::stop_token s)
      : kernel(k), request(r), how(h), stop(std::move(s)) {}

  Result<OwnKernelReport> run() {
    out.variant.started = utc_now();
    const auto begin = std::chrono::steady_clock::now();
    auto own = kernel.at(request.problem);
    if (!own) return own.failure<OwnKernelReport>();
    out.variant.variant = *own;
    out.machine = planning_machine(how.rules, how.backend, request.problem.target);
    out.variant.id = variant_id(*request.structure, own->plan, request.problem);
    EmulatorBackend emulator;
    if (auto failed = judged(emulator); !failed.empty() || missing) return problem(std::move(failed));
    if (how.backend == "cuda") {
      const bool unknown =
          std::ranges::any_of(out.variant.validation.faults, [](const Fault& f) { return f.kind == "unsupported"; });
      if (unknown) {
        out.notes.push_back("memory, races and counters were not looked at: " +
                            out.variant.validation.faults.front().message);
        out.variant.validation = {};
      }
      if (unknown || out.variant.validation.passed) {
        auto device = make_backend("cuda");
        if (!device) return device.failure<OwnKernelReport>();
        if (auto failed = judged(**device); !failed.empty() || missing) return problem(std::move(failed));
        if (out.variant.validation.passed) time(**device);
      }
    }
    if (out.variant.validation.faults.empty() && how.backend != "cuda") count(emulator);
    describe();
    if (stop.stop_requested()) return error("check.cancelled", "cancelled");
    out.variant.status = out.variant.validation.passed ? "validated" : "failed";
    out.variant.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::move(out);
  }

 private:
  const OwnKernel& kernel;
  const OwnKernelRequest& request;
  const OwnKernelJudging& how;
  std::stop_token stop;
  OwnKernelReport out;
  std::optional<Unavailable> missing;

  Result<OwnKernelReport> problem(std::vector<Diagnostic> diagnostics) {
    Result<OwnKernelReport> result(std::move(diagnostics));
    result.missing = std::move(missing);
    return result;
  }

  std::vector<Diagnostic> judged(Backend& backend) {
    ValidationOptions options;
    options.seed = how.seed;
    options.counters = false;
    options.row_limit = how.row_limit;
    auto again = [this](const Plan&, const Problem& sizes) { return kernel.at(sizes); };
    auto result =
        validate(*request.structure, how.rules, out.variant.variant, request.problem, backend, again, options, stop);
    missing = result.missing;
    if (!result) return result.diagnostics;
    out.variant.validation = std::move(*result);
    return {};
  }

  /// Counters of the author's kernel and of each of its lines, at the sizes asked for.
  void count(Backend& emulator) {
    auto inputs = make_inputs(*request.structure->canonical->source, request.problem, InputKind::random, how.seed);
    if (!inputs) return;
    RunOptions options;
    options.counters = true;
    options.checks = false;
    RunResult result;
    auto run = run_variant(*request.structure, out.variant.variant, request.problem, *inputs, emulator, options,
                           &result, stop);
    if (!run || result.status != RunResult::Status::ok) return;
    out.variant.validation.counters = std::move(result.metrics);
    if (out.variant.variant.modules.size() > 1)
      out.notes.emplace_back("the sums of the counters hold those of the fills before the kernel");
    std::map<int, LineCounters> lines;
    for (const LineCounters& l : result.lines) {
      if (l.kernel != request.entry) continue;
      LineCounters& sum = lines[l.cuda_line];
      sum.kernel = l.kernel;
      sum.cuda_line = l.cuda_line;
      sum.add(l);
    }
    for (auto& [line, sum] : lines) out.lines.push_back(std::move(sum));
  }

  void time(Backend& device) {
    auto inputs = make_inputs(*request.structure->canonical->source, request.problem, InputKind::random, how.seed);
    if (!inputs) return;
    RunOptions options;
    options.checks = false;
    options.repetitions = 31;
    options.counters = how.counters;
    RunResult result;
    (void)run_variant(*request.structure, out.variant.variant, request.problem, *inputs, device, options, &result,
                      stop);
    auto& counters = out.variant.validation.counters;
    for (Metric& m : result.metrics) (is_of_timing(m) ? out.variant.timings : counters).push_back(std::move(m));
    if (how.counters && out.variant.variant.modules.size() > 1)
      out.notes.emplace_back("the hardware's counters hold those of the fills before the kernel");
    for (const Fault& f : result.faults) out.variant.validation.faults.push_back(f);
    out.variant.validation.passed = out.variant.validation.passed && result.faults.empty();
  }

  /// From what the judge saw to places in the author's text.
  void describe() {
    const Validation& v = out.variant.validation;
    for (const Fault& f : v.faults) {
      Finding finding{f.kind, f.kernel, f.message, at(f), f.ptx_line, f.block, f.thread, f.ptx_line > 0};
      out.findings.push_back(std::move(finding));
    }
    if (v.wrong) out.findings.push_back(wrong_element(*v.wrong));
    for (const Check& c : v.checks)
      if (!c.passed && (c.id == "run-to-run" || c.id == "batch-invariant" || c.id == "ids"))
        out.findings.push_back({c.id, request.entry, c.detail, {request.file, 0, 0, 0}, 0, {}, {}, false});
  }

  [[nodiscard]] Span at(const Fault& f) const {
    if (f.kernel != request.entry || f.cuda_line <= 0) return {request.file, 0, 0, 0};
    return {request.file, f.cuda_line, 1, 0};
  }

  Finding wrong_element(const WrongElement& wrong) {
    Finding finding{"wrong-value", request.entry, {}, {request.file, 0, 0, 0}, 0, {}, {}, false};
    for (const Check& c : out.variant.validation.checks)
      if (!c.passed && finding.message.empty()) finding.message = c.detail;
    auto variant = kernel.at(wrong.problem);
    if (!variant) return finding;
    Probe probe(*request.structure, *variant, wrong, stop);
    auto first = probe.run(0xff, {}), second = probe.run(0xa5, {});
    auto shapes = shapes_for(*request.structure->canonical->source, wrong.problem.dims, wrong.problem.scalars);
    if (!first || !second || !shapes) return finding;
    const std::vector<std::int64_t>& shape = shapes->at(wrong.output);
    const std::size_t count = element_count(shape);
    if (count == 0) return finding;
    const std::size_t size = first->bytes.size() / count;
    std::vector<std::size_t> untouched; // they hold either poison
    for (std::size_t i = 0; i < count; ++i) {
      auto all = [&](const std::vector<std::byte>& bytes, unsigned char poison) {
        return std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(i * size),
                           bytes.begin() + static_cast<std::ptrdiff_t>((i + 1) * size),
                           [&](std::byte b) { return b == std::byte{poison}; });
      };
      if (all(first->bytes, 0xff) && all(second->bytes, 0xa5)) untouched.push_back(i);
    }
    const bool missed = std::ranges::binary_search(untouched, wrong.element);
    auto cut = probe.run(0xff, missed ? 0 : wrong.element * size);
    if (missed) {
      finding.kind = "not-written";
      const Launch& launch = variant->modules.back().launch;
      finding.message = wrong.output + position(shape, wrong.element) + " is never written, " +
                        (untouched.size() > 1 ? std::to_string(untouched.size()) + " of the " + std::to_string(count) +
                                                    " elements are not"
                                              : std::string("the others are")) +
                        ": --grid \"" + request.grid + "\" makes " + launch.grid[0].text + " x " + launch.grid[1].text +
                        " x " + launch.grid[2].text + " blocks of " + launch.block[0].text + " x " +
                        launch.block[1].text + " x " + launch.block[2].text + " threads (" + finding.message + ")";
    }
    if (!cut) return finding;
    const std::uint64_t address = cut->base + wrong.element * size;
    const Fault* writer = nullptr;
    for (const Fault& f : cut->faults) {
      if (f.kind != "out-of-bounds" || f.kernel != request.entry) continue;
      const bool exact = !missed && f.address <= address && address < f.address + 16; // a vector may begin before it
      if (writer == nullptr || (exact && !finding.by_thread)) writer = &f;
      finding.by_thread = finding.by_thread || exact;
    }
    if (writer == nullptr) return finding;
    finding.at = at(*writer);
    finding.ptx_line = writer->ptx_line;
    finding.block = writer->block, finding.thread = writer->thread;
    finding.message += missed               ? "; " + wrong.output + " is written on this line"
                       : !finding.by_thread ? "; " + wrong.output + " is written on this line, among others perhaps"
                                            : "; written by thread " + coordinates(writer->thread) + " of block " +
                                                  coordinates(writer->block);
    return finding;
  }
};

} // namespace

Result<OwnKernelReport> check_own_kernel(const OwnKernel& kernel, const OwnKernelRequest& request,
                                         const OwnKernelJudging& how, std::stop_token stop) {
  return Inquiry(kernel, request, how, std::move(stop)).run();
}

} // namespace aicf
